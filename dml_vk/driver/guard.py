"""Whether more memory can be allocated: drivers overcommit, or abort when memory runs out."""

from __future__ import annotations

import mmap
import os

from dml_vk.driver import host_memory, memory_types, probe, vulkan
from dml_vk.driver.probe import DeviceInfo
from dml_vk.errors import DeviceError

# Drivers' compilers abort the process when they run out of memory: llvmpipe's takes 16 MiB for a
# small kernel, and the C library maps 64 MiB for each thread that allocates. Allocations of tensors
# leave more than that free, so that kernels for existing tensors can still be compiled.
_SLACK_BYTES = 192 * 2**20
_KERNEL_BYTES = 64 * 2**20
_BUDGET = "VK_EXT_memory_budget"

FORKED = (
    "a forked child cannot use its parent's device: start it by spawn, or fork before the first use"
)
_owner: int | None = None  # the process that opened a device


class Guard:
    """The memory of a device. In a forked child it refuses everything."""

    def __init__(self, info: DeviceInfo) -> None:
        global _owner
        if _owner not in (None, os.getpid()):
            # Drivers wait at exit for threads that a fork did not copy.
            raise DeviceError("device", FORKED, pid=_owner)
        instance, physical = probe.physical(info)
        self._pid = _owner = os.getpid()
        self._unified = info.unified
        self._memory = instance.memory(physical)
        self._instance, self._physical = instance, physical
        # A software driver knows no more of the host's memory than the host, which is asked anyway.
        self._has_budgets = _BUDGET in info.extensions and info.type != "cpu"

    def refusal(self, nbytes: int, kind: str, held_bytes: int = 0) -> str | None:
        """The reason why memory of that size should not be allocated now, or None.

        `held_bytes` is what the caller has allocated of that kind. It is subtracted from heaps of
        device memory. For host memory, drivers report smaller heaps than they can allocate, so
        there only the host's free memory counts. Where the driver knows a heap's budget, that
        counts too: it also knows what other processes have.
        """
        if os.getpid() != self._pid:
            return "this process was forked from the one that opened the device"
        chosen = memory_types.choose(self._memory, kind)
        if chosen is None:
            return "the device has no memory of this type"
        number = self._memory.types[chosen].heap
        heap = self._memory.heaps[number]
        in_ram = self._unified or not heap.flags & vulkan.DEVICE_LOCAL
        free = heap.nbytes - (0 if in_ram else held_bytes)
        if nbytes > free:
            return f"the device's heap of {_mib(heap.nbytes)} has {_mib(max(free, 0))} free"
        over = self._over_budget(nbytes, number)
        return over or (_no_ram(nbytes, _SLACK_BYTES) if in_ram else None)

    def no_slack(self) -> str | None:
        """The reason why the driver may lack memory to compile a kernel, or None."""
        return _no_ram(0, _KERNEL_BYTES)

    def _over_budget(self, nbytes: int, heap: int) -> str | None:
        """The reason why a heap has no room for so much besides what all processes use, or None.

        Beyond a budget, drivers move memory to the host, where kernels run many times slower.
        """
        if not self._has_budgets:
            return None
        now = self._instance.memory_budget(self._physical)
        budget, used = now.budgets[heap], now.used[heap]
        if nbytes <= budget - used:
            return None
        return (
            f"the device's budget for this process is {_mib(budget)}, of which it uses {_mib(used)}"
        )


def _no_ram(nbytes: int, slack: int) -> str | None:
    left = host_memory.available_bytes()
    if left is not None and nbytes + slack > left:
        return f"the host has {_mib(left)} free, of which {_mib(slack)} are reserved"
    try:
        # A limit on this process. Nothing touches these pages.
        mmap.mmap(-1, nbytes + slack).close()
    except OSError:
        return f"this process can have less than {_mib(nbytes + slack)} more"
    return None


def _mib(nbytes: int) -> str:
    return f"{nbytes / 2**20:,.0f} MiB"
