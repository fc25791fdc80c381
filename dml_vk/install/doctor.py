"""A report of what the library needs on this machine, and how to install what is missing."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dml_vk import environment
from dml_vk.driver import probe, vulkan
from dml_vk.driver.float_controls import FloatControls, Mode
from dml_vk.errors import DmlVkError
from dml_vk.install import build_kp, system, traits
from dml_vk.install.apart import run
from dml_vk.runtime.arithmetic import FOR_OWN, TEXTS, lacking

_DRIVER = """
from dml_vk.driver import probe
print(*(info.name for info in probe.devices()), sep=", ")
"""
_SETTINGS = (
    environment.runtime,
    environment.memory,
    environment.memory_limit,
    environment.log,
    environment.exact,
)
_DEVICES = Path("/dev")
# Device nodes of GPUs: of Linux's own drivers, of NVIDIA's, and in WSL.
_NODES = ("dri/renderD*", "nvidia[0-9]*", "dxg")
_RULES = {
    Mode.DENORM_PRESERVE: "subnormals",
    Mode.SIGNED_ZERO_INF_NAN_PRESERVE: "signed zeros, infinities and NaN",
    Mode.ROUNDING_MODE_RTE: "rounding to nearest",
}


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    topic: str
    text: str
    advice: str = ""  # what to do about it
    needed: bool = True  # nothing works without it

    @property
    def is_fatal(self) -> bool:
        return bool(self.advice) and self.needed


def examine() -> list[Finding]:
    """Examine everything that the library depends on, from the driver up."""
    return [*_drivers(), *_devices(), *_python(), *_tools()]


def report(findings: list[Finding]) -> str:
    lines = [f"Python {platform.python_version()} in {sys.prefix}, {platform.platform()}"]
    for finding in findings:
        mark = "ok" if not finding.advice else "LACKS" if finding.needed else "lacks"
        lines.append(f"{mark:5}  {finding.topic:8}  {finding.text}")
        if finding.advice:
            lines.append(f"{'':17}> {finding.advice}")
    return "\n".join(lines)


def fix(progress: Callable[[str], object]) -> None:
    """Fix what does not need root: install `kp` into the running environment unless it works.

    `progress` is called with each step.
    """
    if importlib.util.find_spec("numpy") is None:
        return  # `kp` cannot be tested without it, and a cached wheel that fails would be deleted
    progress("trying kp")
    device = _device()
    if build_kp.state(device)[0] not in ("works", "imports"):
        build_kp.install(device, progress)


def _drivers() -> Iterator[Finding]:
    library = vulkan.load()
    advice = "" if library else system.how_to_install(system.RUN[:1])
    yield Finding("loader", library._name if library else f"no {vulkan.LOADERS[0]}", advice)
    for path in system.manifests("icd.d"):
        text = _devices_of(path) if path.is_file() else "no such file"
        yield Finding("driver", f"{path}: {text}")


def _devices_of(manifest: Path) -> str:
    """The devices of one driver, found in a separate process, since a broken driver may crash."""
    only = {"VK_DRIVER_FILES": str(manifest), "VK_ICD_FILENAMES": str(manifest)}
    done = run(_DRIVER, **only)
    if done.returncode:
        return f"it breaks the process that loads it ({done.returncode})"
    return done.stdout.strip() or "no device"


def _devices() -> Iterator[Finding]:
    for setting in _SETTINGS:
        try:
            setting()
        except DmlVkError as error:
            yield Finding("setting", str(error), "set it right, or unset it")
            return
    devices = probe.devices()
    for info in devices:
        yield Finding("device", str(info))
    if all(info.type == "cpu" for info in devices):
        yield from _unused_gpus()
    if not devices:
        yield Finding("device", devices.reason or "none", probe.advice())
        return
    try:
        chosen = probe.select()
    except DmlVkError as error:
        yield Finding("chosen", str(error), "set DML_VK_DEVICE to one of these, or unset it")
        return
    yield Finding("chosen", chosen.name)
    yield Finding("features", ", ".join(chosen.features) or "none of the optional ones")
    yield _float_controls(chosen.float_controls)


def _float_controls(controls: FloatControls) -> Finding:
    """The float controls of the driver, and which promises lack a guarantee without them."""
    has = {mode for mode, _ in controls.modes((32,))}
    told = ", ".join(_RULES[mode] for mode in Mode if mode in has) or "nothing"
    rest = ", ".join(_RULES[mode] for mode in Mode if mode not in has)
    text = f"the driver is told to keep these in float32: {told}"
    return Finding("modes", f"{text}; not to be told, so see numbers: {rest}" if rest else text)


def _unused_gpus() -> Iterator[Finding]:
    """Device nodes of GPUs on Linux, if no driver supports one."""
    if sys.platform != "linux":
        return
    nodes = [str(path) for pattern in _NODES for path in sorted(_DEVICES.glob(pattern))]
    closed = [path for path in nodes if not os.access(path, os.R_OK | os.W_OK)]
    if closed:
        text = f"{', '.join(closed)}: this user may not open it"
        advice = "sudo usermod -aG render $USER, and log in again"
    elif nodes:
        text = f"{', '.join(nodes)}: no driver here computes on it"
        advice = "the Vulkan driver of your GPU, if it is one that can compute"
    else:
        text, advice = f"none is seen: there is no {_DEVICES / _NODES[0]}", ""
    yield Finding("GPU", text, advice, needed=False)


def _device() -> int | None:
    """The index of a device for tests."""
    devices = probe.devices()
    return devices[0].index if devices else None


def _python() -> Iterator[Finding]:
    if importlib.util.find_spec("numpy") is None:
        installing = f"{sys.executable} -m pip install numpy"
        if build_kp.is_system_python():
            installing = f"{build_kp.SYSTEM_PYTHON} && .venv/bin/python -m pip install numpy"
        yield Finding("NumPy", "absent", installing)
        return
    yield Finding("NumPy", importlib.metadata.version("numpy"))
    yield _kompute()
    if _device() is not None:
        yield _numbers()


def _kompute() -> Finding:
    """The state of `kp`, without which devices are opened by another runtime."""
    fixing = f"{sys.executable} -m dml_vk doctor --fix"
    needed = os.environ.get("DML_VK_RUNTIME") == "kompute"
    state, details = build_kp.state(_device())
    if state == "works":
        return Finding("kp", importlib.metadata.version("kp"))
    if state == "imports":
        return Finding("kp", f"{importlib.metadata.version('kp')}, not tried without a device")
    if state == "stock":
        text = f"{importlib.metadata.version('kp')}, which lacks what dml_vk adds to it"
        return Finding("kp", text, fixing, needed)
    if state == "poisoned":
        text = "built with a pybind11 too old for this NumPy: data is wrong"
        return Finding("kp", text, fixing, needed)
    advice = build_kp.obstacle() or fixing
    return Finding("kp", f"{state} {details}".strip(), advice, needed)


def _numbers() -> Finding:
    """What the chosen device's arithmetic does, and what follows from it."""
    numbers = traits.examine()
    if isinstance(numbers, str):
        opening = f'{sys.executable} -c "import dml_vk; dml_vk.device()"'
        return Finding("numbers", f"not tried: {numbers}", f"to see more: {opening}", needed=False)
    for_own = [TEXTS[trait] for trait in FOR_OWN if not numbers[trait]]
    note = f"; kernels of your own cannot count on it to: {', '.join(for_own)}" if for_own else ""
    fails = lacking(numbers)
    if fails:
        text = f"the device does not: {', '.join(fails)}{note}"
        advice = "functions may be less accurate here, and give other bits than elsewhere"
        return Finding("numbers", text, advice, needed=False)
    exception = "" if numbers["keeps_subnormals"] else ", except for subnormals"
    text = f"all right; functions give the same bits as elsewhere{exception}{note}"
    return Finding("numbers", text)


def _tools() -> Iterator[Finding]:
    lacking = system.missing(system.SHADERS)
    names = ", ".join(need.name for need in system.SHADERS)
    advice = system.how_to_install(lacking) if lacking else ""
    text = ", ".join(need.name for need in lacking) + " (for shaders of your own only)"
    yield Finding("GLSL", text if lacking else names, advice, needed=False)
