"""How fast a device is, measured when that first matters: what estimates of plans are divided by.

Plans estimate their time on one slow core. A GPU is 1,000 to 4,000 times as fast, and work that is
cut into submissions by too low a rate runs at a fraction of its speed.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Protocol, get_args

from dml_vk import cache_files
from dml_vk.errors import DeviceMemoryError
from dml_vk.kernels.plan.base import Rate

# Estimated work on one slow core, by plans of one rate together, that makes it worth measuring.
WORTH_NS = 10e6
LEAST_COPY = 2**20  # bytes of a copy for which the faster way is looked for
SLOW_CORE = 1.0  # what is assumed until a rate is known
_MOST_BYTES = 4096  # of the file


class Measures(Protocol):
    """What measures a device."""

    def rate(self, rate: Rate) -> float:
        """The speed at plans of this kind, in multiples of their estimates."""

    def copies(self) -> float:
        """The least bytes that a kernel copies faster than Vulkan's command does, or infinity."""


class Rates:
    """What is known of one device's speed, from this process or an earlier one."""

    def __init__(self, check: Measures | None = None, file: Path | None = None) -> None:
        self._check, self._file = check, file
        self._known: dict[Rate, float] = {}
        self._copies_from: float | None = None if check else math.inf
        self._asked: dict[Rate, float] = dict.fromkeys(get_args(Rate), 0.0)
        self._read()

    def of(self, rate: Rate, ns: float) -> float:
        """The speed at work that takes a slow core as long as that."""
        known = self._known.get(rate)
        if known is not None:
            return known
        self._asked[rate] += ns
        if self._check is None or self._asked[rate] < WORTH_NS:
            return SLOW_CORE
        try:
            speed = self._check.rate(rate)
        except DeviceMemoryError:  # Work that has memory goes on, estimated as before.
            self._known[rate] = SLOW_CORE
            return SLOW_CORE
        self._known[rate] = speed
        self._write()
        return speed

    def is_known(self, rate: Rate) -> bool:
        return rate in self._known

    def kernels_copy(self, nbytes: int) -> bool:
        """Whether a kernel copies that many bytes faster than Vulkan's command does."""
        if self._copies_from is None:
            assert self._check is not None
            try:
                self._copies_from = self._check.copies()
            except DeviceMemoryError:
                self._copies_from = math.inf
            else:
                self._write()
        return nbytes >= self._copies_from

    def _read(self) -> None:
        data = cache_files.read(self._file, _MOST_BYTES) if self._file else b""
        if not data:
            return
        try:
            stored: Any = dict(json.loads(data))
            rates = {rate: float(stored[rate]) for rate in get_args(Rate) if rate in stored}
            copies = stored.get("copies")
            if self._copies_from is None and copies is not None:
                self._copies_from = float(copies)
        except (ValueError, TypeError):
            return
        self._known.update({rate: speed for rate, speed in rates.items() if speed > 0})

    def _write(self) -> None:
        if self._file:
            stored: dict[str, float] = dict(self._known.items())
            if self._copies_from is not None:
                stored["copies"] = self._copies_from  # JSON of Python has infinity
            cache_files.write(self._file, json.dumps(stored).encode())
