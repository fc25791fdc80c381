"""The rate at which a device copies from its memory to its memory: the most that a kernel can do.

It is measured below the library, by commands of Vulkan on blocks of the runtime.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from dml_vk.commands.figures import rounded
from dml_vk.driver.probe import DeviceInfo
from dml_vk.runtime import engines
from dml_vk.runtime.interface import Barrier, Command, Copy, Fill

ROUNDS = 9


def copy_rate(info: DeviceInfo, nbytes: int) -> dict[str, Any]:
    """GB/s of copies of `nbytes`, read and written together, and by which clock."""
    runtime = engines.open_runtime(info)
    source, target = (runtime.allocate(nbytes, "device") for _ in range(2))
    copy: list[Command] = [Copy(source, 0, target, 0, nbytes), Barrier()]
    # Memory that was never written may be read faster than any other.
    ticket = runtime.record([Fill(source, 0, nbytes, 0x9E3779B9), Barrier(), *copy])
    runtime.submit(ticket)
    runtime.wait(ticket)
    timed = runtime.record(ROUNDS * copy, timed=True)
    start = time.perf_counter()
    runtime.submit(timed)
    runtime.wait(timed)
    whole = (time.perf_counter() - start) / ROUNDS
    ticks = runtime.microseconds(timed)
    seconds = whole if ticks is None else statistics.median(ticks) / 1e6
    return {
        "nbytes": nbytes,
        "ms": rounded(1e3 * seconds),
        "rate": rounded(2 * nbytes / seconds / 1e9),
        "clock": "host" if ticks is None else "device",
    }
