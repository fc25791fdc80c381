"""The dispatch log: each dispatch, each flush, and the progress of long work.

It goes to Python's logger "dml_vk". At DEBUG there is a record for each dispatch, with a `Timed`
in its attribute `dispatch`, for each flush and for each compiled kernel; at INFO, two for each
program, once it is captured and once its kernels are made, and one every two seconds for work that
takes longer than that. At higher levels nothing is logged, at no cost.
DML_VK_LOG sets the level, and prints to stderr.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from dml_vk import environment
from dml_vk.arguments import Ints
from dml_vk.kernels.plan.base import Plan
from dml_vk.observe.builds import Builds
from dml_vk.observe.callers import Caller, caller
from dml_vk.observe.summary import Summary

if TYPE_CHECKING:
    from dml_vk.runtime.interface import Runtime, Ticket
    from dml_vk.runtime.schedule import Submission

LARGE_BYTES = 2**26  # smaller transfers are not reported
USERS_KERNEL = "own"
LONG_SECONDS = 2.0  # of work before the first report of progress, and between reports
PAUSE_SECONDS = 1.0  # after a longer pause, calls from the same line count as new work

logger = logging.getLogger("dml_vk")
# Do not inherit the root logger's level: at DEBUG each dispatch takes longer.
logger.setLevel(logger.level or logging.WARNING)
_stderr = logging.StreamHandler()
_stderr.setFormatter(logging.Formatter("dml_vk: %(message)s"))
_summary = Summary()


def set_up() -> None:
    """Set up the logger according to DML_VK_LOG."""
    output = environment.log()
    if output and output != "off":
        logger.setLevel(logging.INFO if output == "info" else logging.DEBUG)
        logger.addHandler(_summary if output == "summary" else _stderr)
        logger.propagate = False


def explains() -> bool:
    """Whether each dispatch is logged."""
    return logger.isEnabledFor(logging.DEBUG)


def watches() -> bool:
    """Whether long work is logged."""
    return logger.isEnabledFor(logging.INFO)


class Asked(NamedTuple):
    """A pending dispatch: its caller and its details."""

    caller: Caller
    kernel: str
    path: str  # the variant that its plan chose
    sizes: Ints  # of the tensors, with dims merged
    units: int  # work items
    groups: int  # workgroups


class Timed(NamedTuple):
    """A dispatch that has run. Levels are counted from 0 within its flush."""

    asked: Asked
    level: int
    microseconds: float
    clock: str  # "device", or "host" if it has none: then a share of the submission's time
    estimate: float  # estimated microseconds

    def __str__(self) -> str:
        caller, kernel, path, sizes, units, groups = self.asked
        shape = "x".join(map(str, sizes)) or "1"
        return (
            f"{caller}: path={path!r} kernel={kernel} sizes={shape} units={units} groups={groups} "
            f"level={self.level} us={self.microseconds:.1f} clock={self.clock}"
        )


def asked(plan: Plan, units: int, groups: int) -> Asked:
    return Asked(caller(), plan.module, plan.path, plan.sizes, units, groups)


def asked_of_user(groups: int) -> Asked:
    """A pending dispatch of a user-defined kernel."""
    return Asked(caller(), USERS_KERNEL, USERS_KERNEL, (), groups, groups)


def kernel_built(kernel: str, spec: Ints, seconds: float) -> None:
    """Log that a kernel was made for this `spec`."""
    level = logging.INFO if seconds > LONG_SECONDS else logging.DEBUG
    if logger.isEnabledFor(level):
        form, constants = "%s: kernel=%s spec=%s made us=%.1f", ",".join(map(str, spec))
        logger.log(level, form, caller(), kernel, constants, seconds * 1e6)


def captured(name: str, seconds: float) -> None:
    """Log that a function was captured as a program, whose kernels are made when they first run."""
    logger.info("%s: captured %s us=%.1f", caller(), name, seconds * 1e6)


def built(name: str, builds: Builds) -> None:
    """Log which kernels the first run of a program made."""
    form = "%s: built %s kernels=%d from_disk=%d us=%.1f"
    seconds = builds.seconds * 1e6
    logger.info(form, caller(), name, builds.kernels, builds.saved, seconds)


class Watch:
    """Progress of long work, which may have several pieces and span several calls of one line."""

    def __init__(self) -> None:
        self.caller: Caller | None = None
        self._busy = 0.0  # seconds spent before the current piece
        self._reported = 0.0  # the same at the last report
        self._began = self._ended = 0.0

    def begin(self) -> None:
        """Begin a piece of work."""
        self._began, current = perf_counter(), caller()
        if current != self.caller or self._began - self._ended > PAUSE_SECONDS:
            self.caller, self._busy, self._reported = current, 0.0, 0.0

    def at(self, done: float, whole: float, what: str) -> None:
        """Report progress, if the last report was long ago."""
        spent = perf_counter() - self._began
        busy = self._busy + spent
        if done < whole and busy - self._reported > LONG_SECONDS:
            self._reported = busy
            left = spent * (whole - done) / done
            logger.info("%s: %.1f s so far, %s, %.1f s left", self.caller, busy, what, left)

    def end(self) -> float:
        """End the piece, and return how many seconds it took."""
        self._ended = perf_counter()
        spent = self._ended - self._began
        self._busy += spent
        return spent


class Moving:
    """A transfer of bytes between the host and a device."""

    def __init__(self, nbytes: int) -> None:
        self._done, self._whole = 0, nbytes
        self._watch = Watch() if nbytes >= LARGE_BYTES and watches() else None
        if self._watch is not None:
            self._watch.begin()

    def moved(self, nbytes: int) -> None:
        """Note that this many more bytes have been transferred."""
        self._done += nbytes
        if self._watch is not None:
            where = f"{self._done >> 20} of {self._whole >> 20} MiB moved"
            self._watch.at(self._done, self._whole, where)


class Observer:
    """Receives the progress of a flush. This base class ignores it."""

    def begins(self) -> None:
        """The next submission begins."""

    def submitted(self, ticket: Ticket) -> None:
        """That submission has begun."""

    def finished(self) -> None:
        """All submissions have begun."""


class Flush(Observer):
    """Logs a batch that runs, or the rest of one after an interrupt. It waits for each part."""

    def __init__(self, runtime: Runtime, watch: Watch, left: Sequence[Submission]) -> None:
        self._runtime = runtime
        self._watch = watch
        self._left = left
        self._next = 0
        self._first_level = left[0][0].level
        self._whole = sum([due.command.ns for submission in left for due in submission])
        self._done = 0.0  # estimated ns
        watch.begin()

    def begins(self) -> None:
        self._began = perf_counter()

    def submitted(self, ticket: Ticket) -> None:
        self._runtime.wait(ticket)
        spent = (perf_counter() - self._began) * 1e6
        submission = self._left[self._next]
        self._next += 1
        ns = sum([due.command.ns for due in submission])
        times, clock = None, "device"
        for number, due in enumerate(submission):
            asked = due.command.origin
            if asked is None:  # none in the batch has one: it was recorded without logging
                break
            times = times or self._runtime.microseconds(ticket)
            if times is None:
                times, clock = [spent * each.command.ns / ns for each in submission], "host"
            estimate = due.command.ns / 1000
            level = due.level - self._first_level
            dispatch = Timed(asked, level, times[number], clock, estimate)
            logger.debug("%s", dispatch, extra={"dispatch": dispatch})
        self._done += ns
        where = f"{self._next} of {len(self._left)} submissions done"
        self._watch.at(self._done, self._whole, where)

    def finished(self) -> None:
        seconds = self._watch.end()
        levels = [due.level for submission in self._left for due in submission]
        logger.debug(
            "%s: flush of dispatches=%d levels=%d submissions=%d us=%.1f",
            *(self._watch.caller, len(levels), len(set(levels)), len(self._left), seconds * 1e6),
        )


_IGNORE = Observer()


def observer(runtime: Runtime, watch: Watch, left: Sequence[Submission]) -> Observer:
    """The observer of these submissions."""
    return Flush(runtime, watch, left) if left and watches() else _IGNORE
