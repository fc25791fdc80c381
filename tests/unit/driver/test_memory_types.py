"""The memory type of each kind of memory: the first of the best, of those that are allowed."""

from __future__ import annotations

import pytest

from dml_vk.driver import memory_types
from dml_vk.driver.vulkan import MemoryProperties, MemoryType

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
