"""`python -m dml_vk devices`."""

from __future__ import annotations

import argparse
import dataclasses
import json

from dml_vk.driver import probe
from dml_vk.install import traits
from dml_vk.runtime.arithmetic import lacking


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print all details as JSON")


def run(arguments: argparse.Namespace) -> int:
    """List the Vulkan devices."""
    devices = probe.devices()
    if arguments.json:
        print(json.dumps([described(info) for info in devices], indent=2))
        return int(not devices)
    for info in devices:
        print(info)
        if fails := lacking(traits.of(info)):
            print(f"    does not: {', '.join(fails)}; see `python -m dml_vk doctor`")
    if not devices:
        print(devices.reason)
    return int(not devices)


def described(info: probe.DeviceInfo) -> dict[str, object]:
    """A device as a dict that JSON can represent."""
    return {
        **dataclasses.asdict(info),
        "heaps": [heap._asdict() for heap in info.heaps],
        "extensions": sorted(info.extensions),
        "arithmetic": traits.of(info),
    }
