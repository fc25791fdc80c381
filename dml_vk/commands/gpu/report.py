"""The parts of `bench --gpu`, one after the other, and what they found."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from dml_vk.commands.cases.table import against_numpy
from dml_vk.commands.gpu import host, kernels
from dml_vk.commands.gpu.copy_rate import copy_rate
from dml_vk.commands.gpu.facts import facts
from dml_vk.commands.progress import Progress
from dml_vk.runtime.arithmetic import lacking
from dml_vk.runtime.device import Device

SIZE = 256  # MiB of an operand: several times what a GPU caches

Report = dict[str, Any]


class Parts:
    """Runs the parts. One that fails is noted in `failures`, and the others still run."""

    def __init__(self, about: Report, save: Callable[[Report], object], progress: Progress) -> None:
        self.report: Report = {**about, "failures": []}
        self._save = save  # after each part, since a driver may end the process
        self._progress = progress

    def run(self, name: str, measured: Callable[[], Any], among: str = "") -> None:
        """Run one; its result goes to the report by its name, or to the list `among`."""
        self._progress.step(name)
        failures = self.report["failures"]
        try:
            result = measured()
        except Exception as error:  # drivers fail in ways of their own
            failures.append(f"{name}: {type(error).__name__}: {error}")
        else:
            if among:
                self.report.setdefault(among, []).append(result)
            else:
                self.report[name] = result
            failures += [f"{name}: {what}" for what in _wrong(name, result)]
        self._save(self.report)


def measure(parts: Parts, device: Device, names: Sequence[str], size: int) -> None:
    """Run all parts, with these cases and with operands of `size` MiB."""
    parts.report["size_mib"] = size
    parts.run("facts", lambda: facts(device))
    parts.run("arithmetic", lambda: device.arithmetic)
    parts.run("copy_rate", lambda: copy_rate(device, size << 20))
    _run_cases(parts, names, size)
    parts.run("transfers", lambda: host.transfers(size << 20))
    parts.run("host_us", host.costs)
    parts.run("order", host.order)


def _run_cases(parts: Parts, names: Sequence[str], size: int) -> None:
    rate: float | None = parts.report.get("copy_rate", {}).get("rate")
    cases = against_numpy((size, 64, 64, 64))

    def measured(name: str) -> Report:
        return asdict(kernels.measured(cases[name], rate))

    for name in names:
        parts.run(name, functools.partial(measured, name), "cases")


def as_json(report: Report) -> str:
    return json.dumps(report, indent=2) + "\n"


def _wrong(name: str, result: dict[str, Any]) -> list[str]:
    """What is wrong with the results of a part, in words."""
    told = []
    if name == "arithmetic":
        told += [f"the device does not {text}" for text in lacking(result)]
    if result.get("agrees") is False:
        told.append("the result is not what it must be")
    if result.get("wrong"):
        told.append(f"{result['wrong']} of {result['chains']} chains end with another result")
    return told
