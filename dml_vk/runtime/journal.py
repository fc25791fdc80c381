"""What devices did, for those who listen: each dispatch, each flush, and how far long work is.

It goes to Python's logger "dml_vk": at DEBUG a record for each dispatch, which has it as a
`Dispatch` in its attribute `dispatch`, for each flush and for each kernel that is made; at INFO
one for work of over two seconds, every two seconds. Below WARNING nothing is told, and costs
nothing, unless the logger's own level says so; DML_VK_LOG sets that, and prints to stderr.
"""

from __future__ import annotations

import logging
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from dml_vk import settings
from dml_vk.callers import Caller, caller
from dml_vk.kernels.plan import Plan
from dml_vk.strides.order import Ints

if TYPE_CHECKING:
    from dml_vk.runtime.kompute import Recording, Runtime
    from dml_vk.runtime.launch import Batch

LARGE_BYTES = 2**26  # Less is moved in no time.
USERS_KERNEL = "own"
LONG_SECONDS = 2.0  # of work, until somebody wants to know; and between two words on it
PAUSE_SECONDS = 1.0  # after which the same line of the user's does something new

logger = logging.getLogger("dml_vk")
# The root's level counts for nothing: at DEBUG each dispatch takes longer.
logger.setLevel(logger.level or logging.WARNING)
_stderr = logging.StreamHandler()
_stderr.setFormatter(logging.Formatter("dml_vk: %(message)s"))


def set_up() -> None:
    """As DML_VK_LOG says."""
    level = settings.log_level()
    if level is not None:
        logger.setLevel(level)
        logger.addHandler(_stderr)
        logger.propagate = False


def explains() -> bool:
    """Each dispatch is to be told of."""
    return logger.isEnabledFor(logging.DEBUG)


def watches() -> bool:
    """Long work is to be told of."""
    return logger.isEnabledFor(logging.INFO)


class Asked(NamedTuple):
    """A dispatch that waits: who asked for it, and what it is."""

    caller: Caller
    kernel: str
    path: str  # the way that its plan took
    sizes: Ints  # what is left of the tensors' when dims are merged
    units: int  # of work, shared out among groups
    groups: int


class Dispatch(NamedTuple):
    """A dispatch that has run. Its level is one of those of its flush, counted from 0."""

    asked: Asked
    level: int
    microseconds: float
    clock: str  # "device", or "host" where that has none: then a share of what is seen from there
    estimate: float  # microseconds that it was taken for

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
    """A kernel of the user's own."""
    return Asked(caller(), USERS_KERNEL, USERS_KERNEL, (), groups, groups)


def made(kernel: str, spec: Ints, groups: int, seconds: float) -> None:
    """A kernel was made, which a driver may take long for; one for each `spec` and `groups`."""
    level = logging.INFO if seconds > LONG_SECONDS else logging.DEBUG
    if logger.isEnabledFor(level):
        form, constants = "%s: kernel=%s spec=%s groups=%d made us=%.1f", ",".join(map(str, spec))
        logger.log(level, form, caller(), kernel, constants, groups, seconds * 1e6)


class Watch:
    """Long work as it goes on, by any number of pieces, and by several calls of one line."""

    def __init__(self) -> None:
        self.caller: Caller | None = None
        self._busy = 0.0  # seconds, without the piece at hand
        self._told = 0.0  # of them, when something was said last
        self._began = self._ended = 0.0

    def begin(self) -> None:
        """A piece of work begins."""
        self._began, asking = perf_counter(), caller()
        if asking != self.caller or self._began - self._ended > PAUSE_SECONDS:
            self.caller, self._busy, self._told = asking, 0.0, 0.0

    def at(self, done: float, whole: float, what: str) -> None:
        """So much of the piece is done, of so much."""
        spent = perf_counter() - self._began
        busy = self._busy + spent
        if done < whole and busy - self._told > LONG_SECONDS:
            self._told = busy
            left = spent * (whole - done) / done
            logger.info("%s: %.1f s so far, %s, %.1f s left", self.caller, busy, what, left)

    def end(self) -> float:
        """The piece has ended, after so many seconds."""
        self._ended = perf_counter()
        spent = self._ended - self._began
        self._busy += spent
        return spent


class Moving:
    """Bytes on their way between the host and a device."""

    def __init__(self, nbytes: int) -> None:
        self._done, self._whole = 0, nbytes
        self._watch = Watch() if nbytes >= LARGE_BYTES and watches() else None
        if self._watch is not None:
            self._watch.begin()

    def moved(self, nbytes: int) -> None:
        """So many more have arrived."""
        self._done += nbytes
        if self._watch is not None:
            where = f"{self._done >> 20} of {self._whole >> 20} MiB moved"
            self._watch.at(self._done, self._whole, where)


class Flush:
    """A batch that runs, or what an interrupt has left of one, and what is said of it."""

    def __init__(self, runtime: Runtime, watch: Watch, batch: Batch) -> None:
        self._runtime = runtime
        self._watch = watch
        self._left = (batch.recordings or [])[len(batch.done) :]
        self._next = 0
        self._whole = sum([work[2] for works in self._left for work, _, _ in works])
        self._done = 0.0  # ns of it, as estimated
        watch.begin()

    def runs(self) -> None:
        """The next sequence begins."""
        self._began = perf_counter()

    def ran(self, recorded: Recording) -> None:
        """It has ended."""
        spent = (perf_counter() - self._began) * 1e6
        works = self._left[self._next]
        self._next += 1
        ns = sum([work[2] for work, _, _ in works])
        times, clock = None, "device"
        for number, ((_, _, own_ns, asked), level, _) in enumerate(works):
            if asked is None:  # A batch is explained as a whole, and then it is timed, or not.
                break
            times = times or self._runtime.microseconds(recorded)
            if times is None:
                times, clock = [spent * work[2] / ns for work, _, _ in works], "host"
            dispatch = Dispatch(asked, level, times[number], clock, own_ns / 1000)
            logger.debug("%s", dispatch, extra={"dispatch": dispatch})
        self._done += ns
        where = f"{self._next} of {len(self._left)} sequences done"
        self._watch.at(self._done, self._whole, where)

    def end(self) -> None:
        """All has run."""
        seconds = self._watch.end()
        levels = [level for works in self._left for _, level, _ in works]
        logger.debug(
            "%s: flush of dispatches=%d levels=%d sequences=%d us=%.1f",
            *(self._watch.caller, len(levels), len(set(levels)), len(self._left), seconds * 1e6),
        )
