"""Which runtime opens devices: Kompute if it is installed with our patch, else Vulkan."""

from __future__ import annotations

from dml_vk import environment
from dml_vk.install import kp_version


def chosen() -> str:
    """Return the name of the runtime, which DML_VK_RUNTIME overrides."""
    return environment.runtime() or ("kompute" if kp_version.is_installed() else "vulkan")
