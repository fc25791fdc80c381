"""The memory type of each kind of memory: the first of the best, of those that are allowed."""

from __future__ import annotations

import pytest

from dml_vk.driver import memory_types
from dml_vk.driver.vulkan import MemoryHeap, MemoryProperties, MemoryType

DEVICE, MAPPED, CACHED = 1, 2 | 4, 8
STRANGE = 0x40


@pytest.mark.parametrize(
    ("kind", "types", "allowed", "chosen"),
    [
        ("device", [MAPPED, DEVICE, DEVICE | MAPPED], 0b111, 1),
        ("device", [MAPPED, DEVICE, DEVICE | MAPPED], 0b101, 2),
        ("device", [STRANGE | DEVICE, DEVICE], 0b11, 1),
        ("upload", [DEVICE, 2, MAPPED, MAPPED | CACHED], 0b1111, 2),
        ("readback", [DEVICE, MAPPED, 2 | CACHED, MAPPED | CACHED], 0b1111, 3),
        ("readback", [DEVICE, MAPPED, 2 | CACHED, MAPPED | CACHED], 0b0111, 1),
        (
            "unified",
            [MAPPED, DEVICE | MAPPED, MAPPED | CACHED, DEVICE | MAPPED | CACHED],
            0b1111,
            3,
        ),
        ("unified", [MAPPED, DEVICE | MAPPED, MAPPED | CACHED], 0b111, 2),
        ("unified", [MAPPED, DEVICE | MAPPED], 0b11, 1),
        ("unified", [DEVICE, MAPPED], 0b11, 1),
        ("unified", [DEVICE, MAPPED], 0b01, None),
    ],
)
def test_the_memory_of_each_kind(kind, types, allowed, chosen):
    offered = MemoryProperties(type_count=len(types))
    offered.types = tuple(MemoryType(flags, 0) for flags in types)
    assert memory_types.choose(offered, kind, allowed) == chosen


GIB, WINDOW = 2**30, 2**28
BAR = DEVICE | MAPPED


@pytest.mark.parametrize(
    ("types", "heaps", "chosen"),
    [
        # The host sees all of the device's memory: it is one heap, or two of the same size.
        ([(DEVICE, 0), (MAPPED, 1), (BAR, 0)], [(8 * GIB, 1), (16 * GIB, 0)], 2),
        ([(DEVICE, 0), (BAR, 2)], [(8 * GIB, 1), (16 * GIB, 0), (8 * GIB, 1)], 1),
        # It sees a window, with and without the rest.
        ([(DEVICE, 0), (MAPPED, 1), (BAR, 2)], [(8 * GIB, 1), (16 * GIB, 0), (WINDOW, 1)], None),
        ([(BAR, 2), (DEVICE, 0), (BAR, 0)], [(8 * GIB, 1), (16 * GIB, 0), (WINDOW, 1)], 2),
        # It sees none, or what is not coherent.
        ([(DEVICE, 0), (MAPPED, 1)], [(8 * GIB, 1), (16 * GIB, 0)], None),
        ([(DEVICE | 2, 0), (MAPPED, 1)], [(8 * GIB, 1), (16 * GIB, 0)], None),
        ([(MAPPED, 0)], [(16 * GIB, 0)], None),
    ],
)
def test_a_bar_is_all_of_the_devices_memory(types, heaps, chosen):
    offered = MemoryProperties(type_count=len(types), heap_count=len(heaps))
    offered.types = tuple(MemoryType(flags, heap) for flags, heap in types)
    offered.heaps = tuple(MemoryHeap(nbytes, flags) for nbytes, flags in heaps)
    assert memory_types.choose(offered, "bar") == chosen
