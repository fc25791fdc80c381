"""Argument types, and options that several subcommands share."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path

from dml_vk.errors import DmlVkError


def whole(text: str) -> int:
    """Parse an integer: decimal, or with the prefix 0x, 0o or 0b.

    >>> from dml_vk.commands.options import whole
    >>> whole("0x10"), whole("-3")
    (16, -3)
    """
    try:
        return int(text, 0)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer") from None


def at_least_1(text: str) -> int:
    number = whole(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"it must be at least 1; got {number}")
    return number


def whole_numbers(text: str) -> tuple[int, ...]:
    """Parse integers separated by commas.

    >>> from dml_vk.commands.options import whole_numbers
    >>> whole_numbers("60,1,15,3")
    (60, 1, 15, 3)
    """
    return () if text.strip() in ("", "()") else tuple(map(whole, text.split(",")))


def new_file(text: str, ending: str = "") -> Path:
    """Parse the path of a file to write, so that errors appear before the work."""
    path = Path(text)
    if not path.name.lower().endswith(ending):
        raise argparse.ArgumentTypeError(f"it must end in {ending}; got {text!r}")
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text!r} cannot be written there")
    return path


def write(what: str, path: Path, data: str | bytes) -> None:
    """Write a file that the command line asked for."""
    try:
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    except OSError as error:
        rule = "cannot write the file"
        raise DmlVkError(what, rule, file=str(path), reason=error.strerror) from None


def add_device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--device", metavar="WHICH", help="an index or a part of a name, as `devices` lists them"
    )


def need_numpy(what: str) -> None:
    if importlib.util.find_spec("numpy") is None:
        rule = "NumPy is not installed: `python -m dml_vk doctor` says what else is needed"
        raise DmlVkError(what, rule, python=sys.executable)
