"""Files with what was measured or seen of a device, for the next process."""

from __future__ import annotations

import sys
from pathlib import Path

from dml_vk.driver import probe
from dml_vk.driver.probe import DeviceInfo
from dml_vk.environment import cache_folder, saves


def facts_file(kind: str, info: DeviceInfo) -> Path | None:
    """Where facts of this kind on a device are kept: another driver may do otherwise."""
    if not saves():
        return None
    import hashlib  # takes 3 ms

    version = vars(sys.modules["dml_vk"])["__version__"]
    facts = version, info.name, info.driver, info.runtime, probe.cores()
    return cache_folder() / kind / hashlib.sha256(repr(facts).encode()).hexdigest()
