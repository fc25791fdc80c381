"""Which of a device's memory types serves a kind of memory, as in `runtime/interface.py`."""

from __future__ import annotations

from dml_vk.driver.vulkan import (
    DEVICE_LOCAL,
    HOST_CACHED,
    HOST_COHERENT,
    HOST_VISIBLE,
    MemoryProperties,
)

ANY = 2**32 - 1  # a bit for each memory type
_MAPPED = HOST_VISIBLE | HOST_COHERENT
# The properties that a kind must have, and combinations of others, the best first.
_WANTED = {
    "device": (DEVICE_LOCAL, (0,)),
    "bar": (DEVICE_LOCAL | _MAPPED, (0,)),
    "upload": (_MAPPED, (0,)),
    "readback": (_MAPPED, (HOST_CACHED, 0)),
    # Where the device shares the host's memory, what is not cached costs the host far more than
    # what is not local costs the device.
    "unified": (_MAPPED, (DEVICE_LOCAL | HOST_CACHED, HOST_CACHED, DEVICE_LOCAL, 0)),
}
# Other properties mean memory that needs a feature, or that buffers do not get.
_KNOWN = DEVICE_LOCAL | HOST_VISIBLE | HOST_COHERENT | HOST_CACHED


def choose(memory: MemoryProperties, kind: str, allowed: int = ANY) -> int | None:
    """The index of the first of the best types of a kind; `allowed` has a bit for each type."""
    needed, preferred = _WANTED[kind]
    if kind == "bar":
        allowed &= _in_largest_heap(memory)
    for flags in (needed | others for others in preferred):
        for index, listed in enumerate(memory.types[: memory.type_count]):
            has_flags = listed.flags & flags == flags and not listed.flags & ~_KNOWN
            if allowed >> index & 1 and has_flags:
                return index
    return None


def _in_largest_heap(memory: MemoryProperties) -> int:
    """A bit for each type whose heap is as large as the largest of the device's own.

    Without resizable BAR, the host sees a window of 256 MiB, which is a heap to itself.
    """
    heaps = memory.heaps[: memory.heap_count]
    largest = max((heap.nbytes for heap in heaps if heap.flags & DEVICE_LOCAL), default=0)
    types = enumerate(memory.types[: memory.type_count])
    return sum(1 << index for index, kind in types if memory.heaps[kind.heap].nbytes >= largest)
