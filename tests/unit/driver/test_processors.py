"""How many processors a device has is what its driver says, or a guess."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import pytest

from dml_vk.driver import probe, processors
from dml_vk.limits import MINIMUM

NVIDIA, AMD = "VK_NV_shader_sm_builtins", "VK_AMD_shader_core_properties"
# Words behind `sType` and `pNext`, as the specification has them: of an H200, and of a card with
# four engines of two arrays of seven units each.
SAID = {1000154001: [132, 64], 1000185000: [4, 2, 7, 4, 16, 64, 128, 16, 128, 16, 256, 4, 256, 4]}


class Driver:
    """Fills in structures as a driver does, and nothing beyond their ends."""

    def properties(self, physical, structure):
        assert (ctypes.sizeof(structure) - 16) // 4 == len(SAID[structure.type])
        words = (ctypes.c_uint32 * len(SAID[structure.type])).from_buffer(structure, 16)
        words[:] = SAID[structure.type]


@pytest.mark.parametrize(
    ("listed", "count"),
    [((), 0), ((NVIDIA,), 132), ((AMD,), 56), (("VK_KHR_swapchain", NVIDIA), 132)],
)
def test_what_a_driver_says(listed, count):
    assert processors.find(Driver(), None, frozenset(listed)) == count


def test_plans_go_by_it_or_by_a_guess():
    info = probe.devices()[0]
    assert replace(info, processors=132).profile.processors == 132
    assert replace(info, processors=0).profile.processors == MINIMUM.processors > 0
