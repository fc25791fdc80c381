"""The part of Vulkan 1.1 needed to enumerate devices and describe them, by ctypes."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_float, c_size_t, c_void_p
from itertools import pairwise
from typing import Any, ClassVar

from dml_vk.errors import DeviceError

_u8, _u32, _u64 = ctypes.c_uint8, ctypes.c_uint32, ctypes.c_uint64

LOADERS = {
    "win32": ("vulkan-1.dll",),
    # MoltenVK exports the functions of the one device that it provides, so it needs no loader.
    "darwin": ("libvulkan.1.dylib", "libvulkan.dylib", "libMoltenVK.dylib"),
}.get(sys.platform, ("libvulkan.so.1", "libvulkan.so"))
# Homebrew's and MacPorts' libraries, where only their own Pythons look by themselves.
_MACOS_FOLDERS = ("/opt/homebrew/lib", "/opt/local/lib")

COMPUTE = 2  # VkQueueFlagBits
COMPUTE_STAGE = 0x20  # VkShaderStageFlagBits
DEVICE_LOCAL, HOST_VISIBLE, HOST_COHERENT, HOST_CACHED = 1, 2, 4, 8  # VkMemoryPropertyFlagBits
TRANSFERS, STORAGE_BUFFER = 3, 0x20  # VkBufferUsageFlagBits

_PORTABILITY = "VK_KHR_portability_enumeration"
_ENUMERATE_PORTABILITY = 1  # VkInstanceCreateFlagBits
_LAYERS_DISABLE = "VK_LOADER_LAYERS_DISABLE"
# Prefixes of the environment variables that affect which drivers and layers the loader finds, and
# in which order.
_RELEVANT = ("VK_", "MESA_", "DRI_PRIME", "XDG_", "DML_VK_VALIDATE")


class DeviceLimits(Structure):
    """VkPhysicalDeviceLimits; names with an underscore span fields that are not used."""

    _fields_ = (
        ("_images", _u32 * 7),
        ("storage_buffer_range", _u32),
        ("push_constants_size", _u32),
        ("_counts", _u32 * 2),
        ("_granularities", _u64 * 2),
        ("_sets", _u32 * 3),
        ("per_stage_storage_buffers", _u32),
        ("_stages", _u32 * 34),
        ("compute_shared_memory_size", _u32),
        ("compute_group_count", _u32 * 3),
        ("compute_invocations", _u32),
        ("compute_group_size", _u32 * 3),
        ("_raster", _u32 * 13),
        ("_map_alignment", c_size_t),
        ("_buffer_alignments", _u64 * 3),
        ("_framebuffers", _u32 * 22),
        ("timestamp_period", c_float),
        ("_lines", _u32 * 12),
        ("_copy_alignments", _u64 * 3),
    )


class DeviceProperties(Structure):
    _fields_ = (
        ("api_version", _u32),
        ("driver_version", _u32),
        ("vendor_id", _u32),
        ("device_id", _u32),
        ("device_type", _u32),
        ("device_name", c_char * 256),
        ("pipeline_cache_uuid", _u8 * 16),
        ("limits", DeviceLimits),
        ("_sparse", _u32 * 5),
    )


class Chained(Structure):
    """A structure with `sType` and `pNext`."""

    TYPE: ClassVar[int] = 0
    _fields_: ClassVar[Any] = (("type", _u32), ("next", c_void_p))

    def __init__(self, **fields: object) -> None:
        super().__init__(type=self.TYPE, **fields)


def chain(*structures: Chained) -> None:
    """Link each structure to the next one, which the caller must keep."""
    for structure, following in pairwise(structures):
        structure.next = ctypes.addressof(following)


class DeviceProperties2(Chained):
    TYPE = 1000059001
    _fields_ = (("properties", DeviceProperties),)


class SubgroupProperties(Chained):
    TYPE = 1000094000
    _fields_ = (("size", _u32), ("stages", _u32), ("operations", _u32), ("_quads", _u32))


class Maintenance3Properties(Chained):
    TYPE = 1000168000
    _fields_ = (("_descriptors", _u32), ("allocation_size", _u64))


class DriverProperties(Chained):
    TYPE = 1000196000
    _fields_ = (("_id", _u32), ("name", c_char * 256), ("info", c_char * 256), ("_tests", _u8 * 4))


class MemoryType(Structure):
    _fields_ = (("flags", _u32), ("heap", _u32))


class MemoryHeap(Structure):
    _fields_ = (("nbytes", _u64), ("flags", _u32))


class MemoryProperties(Structure):
    _fields_ = (
        ("type_count", _u32),
        ("types", MemoryType * 32),
        ("heap_count", _u32),
        ("heaps", MemoryHeap * 16),
    )


class MemoryProperties2(Chained):
    TYPE = 1000059006
    _fields_ = (("memory", MemoryProperties),)


class MemoryBudget(Chained):
    """For each heap: the budget of this process in bytes, and its usage."""

    TYPE = 1000237000
    _fields_ = (("budgets", _u64 * 16), ("used", _u64 * 16))


class QueueFamily(Structure):
    _fields_ = (("flags", _u32), ("count", _u32), ("timestamp_bits", _u32), ("_extent", _u32 * 3))


class Extension(Structure):
    _fields_ = (("name", c_char * 256), ("_version", _u32))


class _ApplicationInfo(Chained):
    _fields_ = (
        ("_name", c_char_p),
        ("_version", _u32),
        ("_engine", c_char_p),
        ("_engine_version", _u32),
        ("api_version", _u32),
    )


class _InstanceCreateInfo(Chained):
    TYPE = 1
    _fields_ = (
        ("flags", _u32),
        ("application", POINTER(_ApplicationInfo)),
        ("layer_count", _u32),
        ("layers", POINTER(c_char_p)),
        ("extension_count", _u32),
        ("extensions", POINTER(c_char_p)),
    )


class QueueCreateInfo(Chained):
    TYPE = 2
    _fields_ = (
        ("flags", _u32),
        ("family", _u32),
        ("count", _u32),
        ("priorities", POINTER(c_float)),
    )


class DeviceCreateInfo(Chained):
    TYPE = 3
    _fields_ = (
        ("flags", _u32),
        ("queue_count", _u32),
        ("queues", POINTER(QueueCreateInfo)),
        ("_layer_count", _u32),
        ("_layers", c_void_p),
        ("extension_count", _u32),
        ("extensions", POINTER(c_char_p)),
        ("_features", c_void_p),
    )


class MemoryAllocateInfo(Chained):
    TYPE = 5
    _fields_ = (("nbytes", _u64), ("memory_type", _u32))


class BufferCreateInfo(Chained):
    TYPE = 12
    _fields_ = (
        ("flags", _u32),
        ("nbytes", _u64),
        ("usage", _u32),
        ("sharing", _u32),
        ("family_count", _u32),
        ("families", POINTER(_u32)),
    )


class MemoryRequirements(Structure):
    _fields_ = (("nbytes", _u64), ("alignment", _u64), ("type_bits", _u32))


@functools.cache
def load() -> ctypes.CDLL | None:
    """The Vulkan loader, or None."""
    for name in (*LOADERS, *_elsewhere()):
        with contextlib.suppress(OSError):
            return ctypes.CDLL(name)
    return None


def _elsewhere() -> Iterator[str]:
    """Paths of loaders that the system does not find by their names."""
    folders: Sequence[str] = ()
    if sys.platform == "win32":
        # Python leaves out the PATH, where environments such as conda's have their libraries.
        folders = os.environ.get("PATH", "").split(os.pathsep)
    elif sys.platform == "darwin":
        folders = _MACOS_FOLDERS
    for path in (os.path.join(folder, name) for folder in folders for name in LOADERS):
        if os.path.isabs(path) and os.path.isfile(path):
            yield path


def is_validating() -> bool:
    """Whether DML_VK_VALIDATE is set: layers stay enabled, and reported limits are obeyed."""
    return os.environ.get("DML_VK_VALIDATE", "0") not in ("", "0")


_environment = threading.RLock()


def _renew_after_fork() -> None:
    """Replace the lock in a forked child, since a thread that held it is gone."""
    global _environment
    _environment = threading.RLock()


getattr(os, "register_at_fork", dict)(after_in_child=_renew_after_fork)  # not on Windows


@contextlib.contextmanager
def quiet_layers() -> Iterator[None]:
    """Disable layers for instances that are opened inside, unless DML_VK_VALIDATE is set.

    Layers cost time and may reorder the devices, so all instances are opened inside.
    """
    with _environment:
        before = os.environ.get(_LAYERS_DISABLE)
        if not is_validating():
            os.environ[_LAYERS_DISABLE] = "~all~"
        try:
            yield
        finally:
            if before is None:
                os.environ.pop(_LAYERS_DISABLE, None)
            else:
                os.environ[_LAYERS_DISABLE] = before


def _extensions(enumerate_into: Callable[..., object], *arguments: object) -> frozenset[str]:
    count = _u32()
    enumerate_into(*arguments, byref(count), None)
    extensions = (Extension * count.value)()
    enumerate_into(*arguments, byref(count), extensions)
    return frozenset(extension.name.decode() for extension in extensions)


class Instance:
    """An instance with the parameters of Kompute's, so that both see the same device order.

    It is never closed: that would unload the drivers, which Kompute would load again.
    """

    def __init__(self) -> None:
        if sys.platform == "win32" and sys.maxsize < 2**32:
            # There, Vulkan's functions have a calling convention of their own.
            raise DeviceError("Vulkan", "a 64-bit Python is needed on Windows", bits=32)
        library = load()
        if library is None:
            raise DeviceError("Vulkan", "no Vulkan loader found", missing=LOADERS[0])
        if not hasattr(library, "vkGetPhysicalDeviceProperties2"):
            raise DeviceError(
                "Vulkan", "the Vulkan loader must be version 1.1 or newer", loader=library
            )
        self.vk = library
        application = _ApplicationInfo(api_version=1 << 22 | 1 << 12)
        # The loader itself provides this extension, which Kompute requires.
        extensions = [b"VK_EXT_debug_report"]
        info = _InstanceCreateInfo(application=ctypes.pointer(application))
        handle, count = c_void_p(), _u32()
        with quiet_layers():
            if _PORTABILITY in _extensions(library.vkEnumerateInstanceExtensionProperties, None):
                # Else the loader hides drivers on top of another API, such as Apple's.
                extensions.append(_PORTABILITY.encode())
                info.flags = _ENUMERATE_PORTABILITY
            info.extension_count = len(extensions)
            info.extensions = (c_char_p * len(extensions))(*extensions)
            failure = library.vkCreateInstance(byref(info), None, byref(handle))
            if not failure:
                failure = library.vkEnumeratePhysicalDevices(handle, byref(count), None)
        handles = (c_void_p * count.value)()
        if not failure:
            failure = library.vkEnumeratePhysicalDevices(handle, byref(count), handles)
        if failure or not count.value:
            raise DeviceError("Vulkan", "no driver provides a device", result=failure)
        self.physical_devices = [c_void_p(device) for device in handles]

    def queue_families(self, device: c_void_p) -> ctypes.Array[QueueFamily]:
        count = _u32()
        self.vk.vkGetPhysicalDeviceQueueFamilyProperties(device, byref(count), None)
        families = (QueueFamily * count.value)()
        self.vk.vkGetPhysicalDeviceQueueFamilyProperties(device, byref(count), families)
        return families

    def queue_family(self, device: c_void_p) -> int | None:
        """The first queue family with compute, which Kompute uses too."""
        families = enumerate(self.queue_families(device))
        return next((n for n, family in families if family.flags & COMPUTE), None)

    def memory(self, device: c_void_p) -> MemoryProperties:
        memory = MemoryProperties()
        self.vk.vkGetPhysicalDeviceMemoryProperties(device, byref(memory))
        return memory

    def memory_budget(self, device: c_void_p) -> MemoryBudget:
        """What each heap has for this process now; the device must list VK_EXT_memory_budget."""
        head, budget = MemoryProperties2(), MemoryBudget()
        chain(head, budget)
        self.vk.vkGetPhysicalDeviceMemoryProperties2(device, byref(head))
        return budget

    def extensions(self, device: c_void_p) -> frozenset[str]:
        return _extensions(self.vk.vkEnumerateDeviceExtensionProperties, device, None)

    def properties(self, device: c_void_p, *following: Chained) -> DeviceProperties:
        """Return the core properties, and fill in the structures that follow them."""
        head = DeviceProperties2()
        chain(head, *following)
        self.vk.vkGetPhysicalDeviceProperties2(device, byref(head))
        properties: DeviceProperties = head.properties
        return properties


def state() -> tuple[object, ...]:
    """The process and environment variables that the devices found depend on."""
    return os.getpid(), *sorted(
        (name, value)
        for name, value in os.environ.items()
        if name.startswith(_RELEVANT) and name != _LAYERS_DISABLE
    )


def instance() -> Instance:
    """The process's instance; a DeviceError if there is no loader or device."""
    return _instance(state())


@functools.cache
def _instance(state: tuple[object, ...]) -> Instance:
    return Instance()
