"""How long a device takes for commands, run by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Literal, NamedTuple

from dml_vk.runtime.interface import Command, Runtime


class Time(NamedTuple):
    """What commands took."""

    microseconds: float
    clock: Literal["device", "host"]


def time_of(runtime: Runtime, commands: Sequence[Command]) -> Time:
    """Run commands and wait for them: the time by the device's clock, or else by the host's."""
    began = perf_counter()
    ticket = runtime.record(commands, True)
    runtime.submit(ticket)
    runtime.wait(ticket)
    whole = (perf_counter() - began) * 1e6
    times = runtime.microseconds(ticket)
    return Time(whole, "host") if times is None else Time(sum(times), "device")
