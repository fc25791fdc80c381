"""Values on the command line, and what all verbs need."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path

from dml_vk.errors import DmlVkError, explain


def whole(text: str) -> int:
    """An integer, decimal or as 0x, 0o and 0b write it.

    >>> from dml_vk.commands.options import whole
    >>> whole("0x10"), whole("-3")
    (16, -3)
    """
    try:
        return int(text, 0)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None


def at_least_1(text: str) -> int:
    found = whole(text)
    if found < 1:
        raise argparse.ArgumentTypeError(f"it must be at least 1; got {found}")
    return found


def whole_numbers(text: str) -> tuple[int, ...]:
    """Several of them, with commas between.

    >>> from dml_vk.commands.options import whole_numbers
    >>> whole_numbers("60,1,15,3")
    (60, 1, 15, 3)
    """
    return () if text.strip() in ("", "()") else tuple(map(whole, text.split(",")))


def new_file(text: str, ending: str = "") -> Path:
    """A file that can be written, of the kind that is; said at once, not after the work."""
    path = Path(text)
    if not path.name.lower().endswith(ending):
        raise argparse.ArgumentTypeError(f"it must end in {ending}; got {text!r}")
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text!r} cannot be written there")
    return path


def write(what: str, path: Path, data: str | bytes) -> None:
    """Put a file where the command line says."""
    try:
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    except OSError as error:
        must = "the file must be writable"
        raise DmlVkError(explain(what, must, file=str(path), reason=error.strerror)) from None


def add_device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--device", metavar="WHICH", help="an index or part of a name, as `devices` lists them"
    )


def need_numpy(what: str) -> None:
    if importlib.util.find_spec("numpy") is None:
        must = "NumPy must be installed: `python -m dml_vk doctor` says what else is needed"
        raise DmlVkError(explain(what, must, python=sys.executable))
