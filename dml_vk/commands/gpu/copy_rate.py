"""The rate at which a device copies within its memory: the most that a kernel can do."""

from __future__ import annotations

from dml_vk.commands.figures import rounded
from dml_vk.runtime.device import Device

ROUNDS = 9


def copy_rate(device: Device, nbytes: int) -> dict[str, object]:
    """GB/s of copies of `nbytes`, read and written together, by the faster way there is."""
    with device.queue.enter():
        ways = device.queue.rate_check().copy_times(nbytes, ROUNDS)
    times = dict(zip(("kernel", "command"), ways))
    rates = {way: rounded(2 * nbytes / time.microseconds / 1e3) for way, time in times.items()}
    way = max(rates, key=lambda way: rates[way])
    return {
        "nbytes": nbytes,
        "ms": rounded(times[way].microseconds / 1e3),
        "rate": rates[way],
        "way": way,
        "by_kernel": rates["kernel"],
        "by_command": rates["command"],
        "clock": times[way].clock,
    }
