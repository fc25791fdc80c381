"""Enumerate devices and their properties, before a runtime opens one."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from ctypes import c_void_p
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from dml_vk.driver import features, float_controls, processors, vulkan
from dml_vk.driver.float_controls import FloatControls
from dml_vk.errors import DeviceError, explain
from dml_vk.install import runtimes, system
from dml_vk.limits import Profile

DeviceType = Literal["discrete", "integrated", "virtual", "cpu", "other"]

_TYPES: tuple[DeviceType, ...] = ("other", "integrated", "discrete", "virtual", "cpu")  # Vulkan's
_PREFERRED: tuple[DeviceType, ...] = ("discrete", "integrated", "virtual", "other", "cpu")
_SUBGROUP_OPERATIONS = (
    "basic",
    "vote",
    "arithmetic",
    "ballot",
    "shuffle",
    "shuffle_relative",
    "clustered",
    "quad",
)
# Kernels are tested up to this; beyond it llvmpipe's loads give 0.
_MOST_RANGE_BYTES = 2**31 - 4096
# Drivers that were measured to honour a larger storage buffer than they report.
_HONOURED_RANGE_BYTES = {"llvmpipe": 2**31 - 4096}
# Workgroups per dispatch: some devices report 2**31 - 1, but that many gain nothing.
_MOST_GROUPS = 65535
# Its optimizer never ends where a loop that it shall unroll contains another such loop.
_NEVER_UNROLLED = "SwiftShader"
# The invocations of its subgroups are in the order of their numbers.
_ORDERED = "llvmpipe"
# It loads and stores each element of each lane separately.
_ONE_BY_ONE = "llvmpipe"
_CPU_LANES = 8
# An idle workgroup costs a CPU at least 100 ns, and a few per core suffice for load balancing.
_GROUPS_PER_CORE, _UNITS_PER_CORE = 8, 16


class Heap(NamedTuple):
    """Memory that a device can allocate from."""

    nbytes: int
    device_local: bool


@dataclass(frozen=True)
class DeviceInfo:
    """A Vulkan device as it describes itself. `index` is also Kompute's index."""

    index: int
    name: str
    type: DeviceType
    api_version: tuple[int, int, int]
    driver: str  # name and version
    vendor_id: int
    device_id: int
    heaps: tuple[Heap, ...]
    max_range_bytes: int  # of a storage buffer, as reported
    max_push_bytes: int
    max_groups: tuple[int, int, int]
    max_group_size: tuple[int, int, int]
    max_invocations: int
    max_shared_bytes: int
    max_storage_buffers: int  # per stage
    max_allocation_bytes: int
    subgroup_size: int
    subgroup_operations: tuple[str, ...]  # in compute shaders
    features: tuple[str, ...]  # optional ones, by Vulkan's names: see driver/features.py
    timestamp_period: float  # ns per tick
    extensions: frozenset[str] = field(repr=False)
    float_controls: FloatControls = field(repr=False, default=FloatControls())
    processors: int = 0  # that run workgroups; 0 if the driver does not say

    @property
    def unified(self) -> bool:
        """Whether the device uses host memory."""
        return self.type in ("cpu", "integrated")

    @property
    def runtime(self) -> str:
        """The runtime that opens it: "kompute" or "vulkan"."""
        return runtimes.chosen()

    @property
    def profile(self) -> Profile:
        """The profile of the device, except `max_rounds`, which is measured when it is opened."""
        honoured = 0 if vulkan.is_validating() else _HONOURED_RANGE_BYTES.get(self._driver_name, 0)
        return Profile(
            max_range_bytes=min(
                max(self.max_range_bytes, honoured), self.max_allocation_bytes, _MOST_RANGE_BYTES
            ),
            max_push_bytes=self.max_push_bytes,
            max_groups=min(self.max_groups[0], _MOST_GROUPS),
            max_invocations=self.max_invocations,
            max_storage_buffers=self.max_storage_buffers,
            max_shared_bytes=self.max_shared_bytes,
            unified=self.unified,
            shuffles=self._shuffles,
            unrolls=self._driver_name != _NEVER_UNROLLED,
            widens=self._driver_name == _ONE_BY_ONE and "shaderInt64" in self.features,
            subgroup=self.subgroup_size,
            processors=self.processors or Profile.processors,
            features=frozenset(f"subgroup_{name}" for name in self.subgroup_operations),
            **suited(self.type, cores()),
        )

    @property
    def _shuffles(self) -> bool:
        """Vulkan does not say which invocations are a subgroup; llvmpipe takes them in order."""
        is_ordered = self._driver_name == _ORDERED and self.subgroup_size == _CPU_LANES
        return is_ordered and "shuffle" in self.subgroup_operations

    @property
    def _driver_name(self) -> str:
        return self.driver.partition(" ")[0]

    def __str__(self) -> str:
        version = ".".join(map(str, self.api_version))
        largest = max((heap.nbytes for heap in self.heaps), default=0) / 2**30
        return (
            f"{self.index}: {self.name} ({self.type}), Vulkan {version}, {self.driver}, "
            f"{largest:.1f} GiB, run by {self.runtime}"
        )


def suited(kind: DeviceType, cores: int) -> dict[str, Any]:
    """Tuning parameters of a kind of device that differ from `Profile`'s; `cores` of the host."""
    if kind != "cpu":
        return {}
    return {
        "lanes": _CPU_LANES,
        "coalesces": False,
        "quads_per_unit": 4,
        "units_wanted": _UNITS_PER_CORE * cores,
        "tile_span": 16,
        "groups_wanted": _GROUPS_PER_CORE * cores,
        "merge_chunk": 256,
        "sort_chunk": 4096,
        "scan_chunk": 4096,
        "reduce_chunks": (8, 12),
        "compiles_late": True,
    }


class Devices(tuple[DeviceInfo, ...]):
    """The devices found. If there are none, `reason` says why."""

    reason: str | None

    def __new__(cls, devices: Iterable[DeviceInfo], reason: str | None = None) -> Devices:
        self = super().__new__(cls, devices)
        self.reason = reason
        return self

    def __repr__(self) -> str:
        if not self:
            return f"Devices((), reason={self.reason!r})"
        return f"Devices({super().__repr__()})"

    def __reduce__(self) -> tuple[object, ...]:
        return Devices, (tuple(self), self.reason)


def devices() -> Devices:
    """All Vulkan devices that support compute. If there are none, `reason` says why.

    >>> import dml_vk
    >>> [found.index for found in dml_vk.devices()] == list(range(len(dml_vk.devices())))
    True
    """
    return _devices(vulkan.state())


@functools.cache
def _devices(state: tuple[object, ...]) -> Devices:
    try:
        instance = vulkan.instance()
    except DeviceError as error:
        return Devices((), str(error))
    devices = Devices(
        info
        for index in range(len(instance.physical_devices))
        if (info := _describe(instance, index)) is not None
    )
    if not devices:
        count = len(instance.physical_devices)
        return Devices(
            (), explain("Vulkan", "no device supports compute with Vulkan 1.1", devices=count)
        )
    return devices


def physical(info: DeviceInfo) -> tuple[vulkan.Instance, c_void_p]:
    """The instance, and the physical device that `info` describes."""
    instance = vulkan.instance()
    if info not in devices():
        raise DeviceError("device", "the device is gone", device=str(info))
    return instance, instance.physical_devices[info.index]


def _describe(instance: vulkan.Instance, index: int) -> DeviceInfo | None:
    device = instance.physical_devices[index]
    if instance.queue_family(device) is None:
        return None
    core = instance.properties(device)
    # VK_MAKE_API_VERSION: variant, major, minor, patch.
    version = core.api_version
    api_version = (version >> 22 & 0x7F, version >> 12 & 0x3FF, version & 0xFFF)
    if api_version < (1, 1, 0):
        return None
    subgroup, sizes = vulkan.SubgroupProperties(), vulkan.Maintenance3Properties()
    instance.properties(device, subgroup, sizes)
    extensions = instance.extensions(device)
    driver = vulkan.DriverProperties()
    if "VK_KHR_driver_properties" in extensions:
        instance.properties(device, driver)
    operations = subgroup.operations if subgroup.stages & vulkan.COMPUTE_STAGE else 0
    memory, limits = instance.memory(device), core.limits
    return DeviceInfo(
        index=index,
        name=core.device_name.decode(errors="replace"),
        type=_TYPES[core.device_type] if core.device_type < len(_TYPES) else "other",
        api_version=api_version,
        driver=_driver_text(driver) or f"version {core.driver_version:#x}",
        vendor_id=core.vendor_id,
        device_id=core.device_id,
        heaps=tuple(
            Heap(heap.nbytes, bool(heap.flags & vulkan.DEVICE_LOCAL))
            for heap in memory.heaps[: memory.heap_count]
        ),
        max_range_bytes=limits.storage_buffer_range,
        max_push_bytes=limits.push_constants_size,
        max_groups=tuple(limits.compute_group_count),
        max_group_size=tuple(limits.compute_group_size),
        max_invocations=limits.compute_invocations,
        max_shared_bytes=limits.compute_shared_memory_size,
        max_storage_buffers=limits.per_stage_storage_buffers,
        max_allocation_bytes=sizes.allocation_size,
        subgroup_size=subgroup.size,
        subgroup_operations=tuple(
            name for bit, name in enumerate(_SUBGROUP_OPERATIONS) if operations >> bit & 1
        ),
        features=features.names_of(instance, device, extensions),
        timestamp_period=limits.timestamp_period,
        extensions=extensions,
        float_controls=float_controls.find(instance, device, extensions),
        processors=processors.find(instance, device, extensions),
    )


def advice() -> str:
    """What to do if there is no device."""
    chosen = [name for name in system.DRIVER_VARIABLES if os.environ.get(name)]
    if chosen:
        return f"unset {' and '.join(chosen)}, or point to a driver that works here"
    needs = system.missing(system.RUN) or system.RUN[1:]
    return f"the driver of your GPU, or Mesa's for the CPU: {system.how_to_install(needs)}"


def _driver_text(driver: vulkan.DriverProperties) -> str:
    return f"{driver.name.decode()} {driver.info.decode()}".strip()


def select(wanted: int | str | None = None) -> DeviceInfo:
    """Choose a device by index or part of its name, by default from DML_VK_DEVICE.

    Of several that match, discrete GPUs come before integrated ones, and CPUs last.
    """
    listed = devices()
    if not listed:
        raise DeviceError(
            "device",
            f"no Vulkan device found ({advice()}; `python -m dml_vk doctor` says more)",
            reason=listed.reason,
        )
    name = "wanted" if wanted is not None else "DML_VK_DEVICE"
    if wanted is None:
        wanted = os.environ.get("DML_VK_DEVICE", "")
    part = wanted.strip().casefold() if isinstance(wanted, str) else ""
    index = int(part) if part.isdecimal() and len(part) < 10 else wanted
    fitting = [info for info in listed if type(index) is int and info.index == index]
    if not fitting and isinstance(wanted, str):
        # A number may also be part of a name.
        fitting = [info for info in listed if part in info.name.casefold()]
    if not fitting:
        known = [f"{info.index}: {info.name}" for info in listed]
        rule = f"{name} must be a device's index or part of its name"
        raise DeviceError("device", rule, **{name: wanted, "devices": known})
    return min(fitting, key=lambda info: (_PREFERRED.index(info.type), info.index))


def cores() -> int:
    """The cores of the host that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
