"""Tell a person at a terminal, once, that kernels are being compiled."""

from __future__ import annotations

import sys

from dml_vk import environment
from dml_vk.observe.callers import caller

LONG_SECONDS = 1.0  # of compiling, in all, before it is told
_SLOW = 4  # times its estimate: then most of the time of a first run was compiling


class FirstUse:
    """The time that a process has spent on compiling."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._told = False
        self._op = ""

    def kernel_built(self, seconds: float) -> None:
        """Note a kernel that was made for what the user calls now."""
        if not self._told:
            op = caller().op
            self._op = "a compiled function" if op == "Compiled" else op
            self._add(seconds)

    def ran(self, seconds: float, estimate: float) -> None:
        """Note the first run of kernels, before which some drivers compile them."""
        if not self._told and seconds > _SLOW * estimate:
            self._add(seconds - estimate)

    def _add(self, seconds: float) -> None:
        self._seconds += seconds
        if self._seconds <= LONG_SECONDS:
            return
        self._told = True
        # Others ask for more, or for nothing, with DML_VK_LOG. There is no stderr in some programs.
        if environment.log() or not (sys.stderr and sys.stderr.isatty()):
            return
        saved = ", cached for next time" if environment.saves() else ""
        text = f"dml_vk: compiling kernels for the first use of {self._op}{saved}"
        print(text, file=sys.stderr, flush=True)


first_use = FirstUse()
