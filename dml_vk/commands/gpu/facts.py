"""The machine: device, driver, limits, features, memory, CPU and versions."""

from __future__ import annotations

import dataclasses
import os
import platform
from pathlib import Path

from dml_vk.commands.device_list import described
from dml_vk.driver import features, probe
from dml_vk.runtime.device import Device

CPUINFO = Path("/proc/cpuinfo")
VARIABLES = ("DML_VK_", "VK_", "MESA_")  # prefixes of those that change what runs


def facts(device: Device) -> dict[str, object]:
    instance, physical = probe.physical(device.info)
    memory = instance.memory(physical)
    limits = dataclasses.asdict(device.profile)
    return {
        "device": described(device.info),
        "memory_types": [
            {"flags": kind.flags, "heap": kind.heap} for kind in memory.types[: memory.type_count]
        ],
        "features": sorted(features.choose(instance, physical, device.info.extensions).names),
        "limits": {**limits, "features": sorted(limits["features"])},
        "unified": device.unified,
        "cpu": {"name": _cpu(), "cores": os.cpu_count()},
        "environment": {
            name: value for name, value in sorted(os.environ.items()) if name.startswith(VARIABLES)
        },
    }


def _cpu() -> str:
    if CPUINFO.is_file():
        for line in CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
