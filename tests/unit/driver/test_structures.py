"""Structures are laid out as in vulkan_core.h on a 64-bit system, and handles are not cut."""

from __future__ import annotations

import ctypes
from ctypes import PYFUNCTYPE, c_uint64

import pytest

from dml_vk.driver import features, processors, structures, vulkan
from dml_vk.driver.structures import DescriptorBuffer, Handle

# What a C compiler says of the header.
SIZES = {
    structures.SubmitInfo: 72,
    structures.FenceCreateInfo: 24,
    structures.SemaphoreCreateInfo: 24,
    structures.QueryPoolCreateInfo: 32,
    structures.ShaderModuleCreateInfo: 40,
    structures.PipelineCacheCreateInfo: 40,
    structures.SpecializationEntry: 16,
    structures.SpecializationInfo: 32,
    structures.ShaderStageCreateInfo: 48,
    structures.ComputePipelineCreateInfo: 96,
    structures.PushConstantRange: 12,
    structures.PipelineLayoutCreateInfo: 48,
    structures.DescriptorBinding: 24,
    structures.DescriptorSetLayoutCreateInfo: 32,
    structures.DescriptorPoolSize: 8,
    structures.DescriptorPoolCreateInfo: 40,
    structures.DescriptorSetAllocateInfo: 40,
    structures.DescriptorBuffer: 24,
    structures.WriteDescriptorSet: 64,
    structures.CommandPoolCreateInfo: 24,
    structures.CommandBufferAllocateInfo: 32,
    structures.CommandBufferBeginInfo: 32,
    structures.MemoryBarrier: 24,
    structures.BufferCopy: 24,
    features._Core: 240,
    features._Storage16: 32,
    features._Storage8: 32,
    features._Arithmetic: 24,
    features._CooperativeMatrix: 24,
    processors._OfNvidia: 24,
    processors._OfAmd: 72,
    vulkan.DeviceCreateInfo: 72,
    vulkan.BufferCreateInfo: 56,
}
OFFSETS = [
    (structures.SubmitInfo.waits, 24),
    (structures.SubmitInfo.wait_stages, 32),
    (structures.SubmitInfo.commands, 48),
    (structures.SubmitInfo.signals, 64),
    (structures.ShaderStageCreateInfo.specialization, 40),
    (structures.ComputePipelineCreateInfo.layout, 72),
    (structures.WriteDescriptorSet.buffers, 48),
    (features._Core.shaderFloat64, 172),
    (vulkan.DeviceCreateInfo.extension_count, 48),
    (vulkan.DeviceCreateInfo.extensions, 56),
    (vulkan.BufferCreateInfo.families, 48),
]


@pytest.mark.parametrize("structure", SIZES, ids=lambda kind: kind.__name__)
def test_a_structure_is_as_large_as_in_c(structure):
    assert ctypes.sizeof(structure) == SIZES[structure]


@pytest.mark.parametrize(("field", "offset"), OFFSETS, ids=str)
def test_a_field_is_where_c_has_it(field, offset):
    assert field.offset == offset


def test_a_handle_keeps_its_64_bits_on_the_way_to_a_call():
    large = 0x1234_5678_9ABC_DEF0
    back = PYFUNCTYPE(c_uint64)(
        ctypes.cast(PYFUNCTYPE(c_uint64, c_uint64)(int), ctypes.c_void_p).value
    )
    assert back(Handle(large)) == large
    assert back(DescriptorBuffer(buffer=Handle(large)).buffer) == large
    assert back((Handle * 1)(Handle(large))[0]) == large


def test_each_structure_has_its_type_and_is_linked_to_the_next():
    first, second = structures.FenceCreateInfo(), structures.MemoryBarrier()
    vulkan.chain(first, second)
    assert (first.type, second.type) == (8, 46)
    assert (first.next, second.next) == (ctypes.addressof(second), None)
