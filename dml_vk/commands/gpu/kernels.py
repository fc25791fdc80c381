"""The cases of `bench`, by the device's own clock, as shares of its copy rate."""

from __future__ import annotations

import logging
import statistics
from collections.abc import Callable
from dataclasses import dataclass

from dml_vk.commands.cases.against_numpy import Both
from dml_vk.commands.cases.case import Case
from dml_vk.commands.figures import rounded
from dml_vk.commands.measure import medians
from dml_vk.observe import dispatches
from dml_vk.runtime.device import synchronize

SECONDS = 0.4  # per case and clock
ROUNDS = 7  # by the device's clock


@dataclass(frozen=True)
class Row:
    """One case. The rate is that of the device's clock if it has one, else of the host's."""

    name: str
    about: str
    agrees: bool
    host_ms: float  # from the call to the end of the wait
    device_ms: float | None  # of its kernels alone
    rate: float
    unit: str
    of_copy: float | None


def measured(case: Case, copy_rate: float | None) -> Row:
    """Check a case, and time it by both clocks."""
    both = Both(case)
    agrees = both.agree()
    (host,) = medians([lambda: _waited(both.ours)], SECONDS)
    device = by_device(both.ours)
    rate, unit = case.rate(host if device is None else device)
    return Row(
        name=both.name,
        about=both.about,
        agrees=agrees,
        host_ms=rounded(1e3 * host),
        device_ms=None if device is None else rounded(1e3 * device),
        rate=rounded(rate),
        unit=unit,
        of_copy=rounded(rate / copy_rate) if copy_rate and unit == "GB/s" else None,
    )


def _waited(call: Callable[[], object]) -> None:
    call()
    synchronize()


def by_device(call: Callable[[], object]) -> float | None:
    """The median time of all dispatches of a call, in seconds, if the device has a clock."""
    times = _Times()
    level = dispatches.logger.level
    dispatches.logger.addHandler(times)
    dispatches.logger.setLevel(logging.DEBUG)
    synchronize()  # whether work is timed is decided where a batch of it begins
    try:
        spent = [times.of(call) for _ in range(ROUNDS)]
    finally:
        dispatches.logger.setLevel(level)
        dispatches.logger.removeHandler(times)
    return None if "host" in times.clocks else statistics.median(spent)


class _Times(logging.Handler):
    """Adds up the times of the dispatches that are logged."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.clocks: set[str] = set()
        self._microseconds = 0.0

    def of(self, call: Callable[[], object]) -> float:
        """Call it, and return the seconds that its dispatches took."""
        self._microseconds = 0.0
        _waited(call)
        return self._microseconds / 1e6

    def emit(self, record: logging.LogRecord) -> None:
        dispatch = getattr(record, "dispatch", None)
        if dispatch is not None:
            self.clocks.add(dispatch.clock)
            self._microseconds += dispatch.microseconds
