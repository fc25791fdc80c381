"""Vulkan's handles, and its structures for running compute shaders."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_size_t, c_void_p

from dml_vk.driver.vulkan import Chained

_i32, _u32, _u64 = ctypes.c_int32, ctypes.c_uint32, ctypes.c_uint64


class Handle(ctypes.c_uint64):
    """A handle. A call without argument types would cut a plain int of 64 bits to 32.

    Being a subclass, it also comes out of structures and arrays as it is, not as an int.
    """


class Object(c_void_p):
    """A handle of a device, a queue or a command buffer."""


class SubmitInfo(Chained):
    TYPE = 4
    _fields_ = (
        ("wait_count", _u32),
        ("waits", POINTER(Handle)),
        ("wait_stages", POINTER(_u32)),
        ("count", _u32),
        ("commands", POINTER(Object)),
        ("signal_count", _u32),
        ("signals", POINTER(Handle)),
    )


class FenceCreateInfo(Chained):
    TYPE = 8
    _fields_ = (("flags", _u32),)


class SemaphoreCreateInfo(Chained):
    TYPE = 9
    _fields_ = (("flags", _u32),)


class QueryPoolCreateInfo(Chained):
    TYPE = 11
    _fields_ = (("flags", _u32), ("kind", _u32), ("count", _u32), ("_statistics", _u32))


class ShaderModuleCreateInfo(Chained):
    TYPE = 16
    _fields_ = (("flags", _u32), ("nbytes", c_size_t), ("code", c_char_p))


class PipelineCacheCreateInfo(Chained):
    TYPE = 17
    _fields_ = (("flags", _u32), ("nbytes", c_size_t), ("data", c_char_p))


class SpecializationEntry(Structure):
    _fields_ = (("constant", _u32), ("offset", _u32), ("nbytes", c_size_t))


class SpecializationInfo(Structure):
    _fields_ = (
        ("count", _u32),
        ("entries", POINTER(SpecializationEntry)),
        ("nbytes", c_size_t),
        ("data", c_void_p),
    )


class ShaderStageCreateInfo(Chained):
    TYPE = 18
    _fields_ = (
        ("flags", _u32),
        ("stage", _u32),
        ("module", Handle),
        ("entry", c_char_p),
        ("specialization", POINTER(SpecializationInfo)),
    )


class ComputePipelineCreateInfo(Chained):
    TYPE = 29
    _fields_ = (
        ("flags", _u32),
        ("stage", ShaderStageCreateInfo),
        ("layout", Handle),
        ("_base", Handle),
        ("_base_index", _i32),
    )


class PushConstantRange(Structure):
    _fields_ = (("stages", _u32), ("offset", _u32), ("nbytes", _u32))


class PipelineLayoutCreateInfo(Chained):
    TYPE = 30
    _fields_ = (
        ("flags", _u32),
        ("set_count", _u32),
        ("sets", POINTER(Handle)),
        ("range_count", _u32),
        ("ranges", POINTER(PushConstantRange)),
    )


class DescriptorBinding(Structure):
    _fields_ = (
        ("binding", _u32),
        ("kind", _u32),
        ("count", _u32),
        ("stages", _u32),
        ("_samplers", c_void_p),
    )


class DescriptorSetLayoutCreateInfo(Chained):
    TYPE = 32
    _fields_ = (("flags", _u32), ("count", _u32), ("bindings", POINTER(DescriptorBinding)))


class DescriptorPoolSize(Structure):
    _fields_ = (("kind", _u32), ("count", _u32))


class DescriptorPoolCreateInfo(Chained):
    TYPE = 33
    _fields_ = (
        ("flags", _u32),
        ("sets", _u32),
        ("size_count", _u32),
        ("sizes", POINTER(DescriptorPoolSize)),
    )


class DescriptorSetAllocateInfo(Chained):
    TYPE = 34
    _fields_ = (("pool", Handle), ("count", _u32), ("layouts", POINTER(Handle)))


class DescriptorBuffer(Structure):
    _fields_ = (("buffer", Handle), ("offset", _u64), ("nbytes", _u64))


class WriteDescriptorSet(Chained):
    TYPE = 35
    _fields_ = (
        ("set", Handle),
        ("binding", _u32),
        ("_element", _u32),
        ("count", _u32),
        ("kind", _u32),
        ("_images", c_void_p),
        ("buffers", POINTER(DescriptorBuffer)),
        ("_texels", c_void_p),
    )


class CommandPoolCreateInfo(Chained):
    TYPE = 39
    _fields_ = (("flags", _u32), ("family", _u32))


class CommandBufferAllocateInfo(Chained):
    TYPE = 40
    _fields_ = (("pool", Handle), ("level", _u32), ("count", _u32))


class CommandBufferBeginInfo(Chained):
    TYPE = 42
    _fields_ = (("flags", _u32), ("_inheritance", c_void_p))


class MemoryBarrier(Chained):
    TYPE = 46
    _fields_ = (("before", _u32), ("after", _u32))


class BufferCopy(Structure):
    _fields_ = (("source", _u64), ("target", _u64), ("nbytes", _u64))
