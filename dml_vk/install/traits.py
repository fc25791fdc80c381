"""Traits of the arithmetic of devices that are not open."""

from __future__ import annotations

import json

from dml_vk.driver.probe import DeviceInfo
from dml_vk.install.apart import run
from dml_vk.runtime.arithmetic import TEXTS, read
from dml_vk.runtime.facts import facts_file

_MARK = "arithmetic:"
_EXAMINED = f"""
import json, dml_vk
print({_MARK!r} + json.dumps(dml_vk.device().arithmetic))
"""


def examine(info: DeviceInfo | None = None) -> dict[str, bool] | str:
    """The traits of a device, by default the chosen one, or why they are not known."""
    chosen = {} if info is None else {"DML_VK_DEVICE": str(info.index)}
    done = run(_EXAMINED, **chosen)
    try:
        facts = json.loads(done.stdout.rpartition(_MARK)[2])  # drivers print too
    except ValueError:
        facts = None
    if done.returncode or not isinstance(facts, dict):
        return done.stderr.strip().rpartition("\n")[2] or f"it died with {done.returncode}"
    return facts


def of(info: DeviceInfo) -> dict[str, bool]:
    """The traits, from a file of an earlier process or from a new process; {} if that fails."""
    stored = read(facts_file("arithmetic", info))
    if stored.keys() == TEXTS.keys():
        return stored
    facts = examine(info)
    return {} if isinstance(facts, str) else facts
