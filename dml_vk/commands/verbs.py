"""The subcommands, the parser of the command line, and exit codes."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence

import dml_vk
from dml_vk.commands import bench, demo, device_list, doctor, layout, philox, run_model
from dml_vk.errors import DmlVkError

VERBS = {
    "doctor": doctor,
    "devices": device_list,
    "demo": demo,
    "bench": bench,
    "layout": layout,
    "philox": philox,
    "run": run_model,
}
FAILED, UNREAD = 1, 141
EXIT_CODES = f"""\
exit codes:
  0    success
  {FAILED}    a check failed, or a requirement is missing; see stderr or the report
  2    invalid arguments
  130  interrupted by Ctrl-C
  {UNREAD}  the reader closed the output
"""


def run(words: Sequence[str] | None) -> int:
    """Run the command line and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # some terminals only have ASCII
    try:
        try:
            return _status(words)
        finally:
            sys.stdout.flush()  # otherwise Python does so at exit, and prints an error of its own
    except (DmlVkError, MemoryError) as error:
        print(error, file=sys.stderr)
        return FAILED
    except OSError as error:
        unread = _is_unread(error)
        if not unread:
            print(f"dml_vk: {error}", file=sys.stderr)
        _forget_output()
        return UNREAD if unread else FAILED


def _status(words: Sequence[str] | None) -> int:
    parser = _parser()
    arguments = parser.parse_args(words)
    if arguments.verb is None:
        parser.print_help(sys.stderr)
        return 2
    return int(VERBS[arguments.verb].run(arguments))


def _is_unread(error: OSError) -> bool:
    """Whether the reader closed a pipe, for which Windows has no error of its own."""
    on_windows = sys.platform == "win32"
    return isinstance(error, BrokenPipeError) or (on_windows and error.errno == errno.EINVAL)


def _forget_output() -> None:
    """Discard unwritten output, since Python flushes stdout again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m dml_vk", epilog=EXIT_CODES, formatter_class=shape
    )
    version = f"dml_vk {dml_vk.__version__}"
    parser.add_argument("--version", action="version", version=version)
    verbs = parser.add_subparsers(metavar="VERB", dest="verb")
    for name, module in VERBS.items():
        text = module.run.__doc__
        verb = verbs.add_parser(
            name, help=text, description=text, epilog=EXIT_CODES, formatter_class=shape
        )
        module.configure(verb)
    return parser
