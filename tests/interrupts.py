"""Ctrl-C at a bytecode of one file."""

from __future__ import annotations

import itertools
import sys


def interrupted(at, file, work, *given, outside=()):
    """Do it, with Ctrl-C before bytecode `at` of a file, `outside` some functions there.

    Return whether it came.
    """
    left = itertools.count(at, -1)

    def trace(frame, event, argument):
        if frame.f_code.co_filename != file or frame.f_code.co_name in outside:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and next(left) == 0:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work(*given)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False
