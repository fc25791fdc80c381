"""Pipelines, and the descriptor sets that bind them to blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import byref, c_uint32, c_void_p, cast, pointer, sizeof
from weakref import WeakValueDictionary

from dml_vk.driver.structures import (
    ComputePipelineCreateInfo,
    DescriptorBinding,
    DescriptorBuffer,
    DescriptorPoolCreateInfo,
    DescriptorPoolSize,
    DescriptorSetAllocateInfo,
    DescriptorSetLayoutCreateInfo,
    Handle,
    PipelineLayoutCreateInfo,
    PushConstantRange,
    ShaderModuleCreateInfo,
    ShaderStageCreateInfo,
    SpecializationEntry,
    SpecializationInfo,
    WriteDescriptorSet,
)
from dml_vk.driver.vulkan import COMPUTE_STAGE
from dml_vk.runtime.interface import Range
from dml_vk.runtime.vulkan.memory import Block
from dml_vk.runtime.vulkan.opened import Opened, Owned
from dml_vk.runtime.vulkan.reuse import Reuse

_STORAGE_BUFFER = 7  # VkDescriptorType
_WORD = sizeof(c_uint32)
_FIRST_SETS, _MOST_DOUBLINGS = 8, 6  # sets in the first pool; each further one has twice as many


class Layout:
    """What pipelines have in common that have as many bindings and push words, and their sets."""

    def __init__(self, opened: Opened, bindings: int, push_words: int) -> None:
        self._opened, self._bindings = opened, bindings
        listed = (DescriptorBinding * bindings)(
            *(DescriptorBinding(n, _STORAGE_BUFFER, 1, COMPUTE_STAGE) for n in range(bindings))
        )
        self._set_layout = Owned(
            opened,
            "vkCreateDescriptorSetLayout",
            byref(DescriptorSetLayoutCreateInfo(count=bindings, bindings=listed)),
        )
        push = PushConstantRange(stages=COMPUTE_STAGE, nbytes=_WORD * push_words)
        request = PipelineLayoutCreateInfo(
            set_count=1,
            sets=pointer(self._set_layout.handle),
            range_count=int(push_words > 0),
            ranges=pointer(push),
        )
        self._owned = Owned(opened, "vkCreatePipelineLayout", byref(request))
        self.handle = self._owned.handle
        self._pools: list[Owned] = []
        self._new: list[Handle] = []
        # Sets are written anew, which is easier than freeing them.
        self._free: Reuse[Handle] = Reuse()
        # Kernels on the same memory share a set, which then stays bound from one to the next.
        self._shared: WeakValueDictionary[object, Set] = WeakValueDictionary()

    def set_of(self, blocks: Sequence[Block], ranges: Sequence[Range]) -> Set:
        """The set with these ranges of blocks."""
        key = tuple(map(id, blocks)), tuple(ranges)  # blocks live as long as their set
        existing = self._shared.get(key)
        if existing is None:
            existing = self._shared[key] = Set(self._opened, blocks, ranges, self.take_set)
        return existing

    def take_set(self, user: Set) -> Handle:
        return self._free.take(user, self._new_set)

    def _new_set(self) -> Handle:
        while not self._new:
            self._add_pool()
        return self._new.pop()

    def _add_pool(self) -> None:
        count = _FIRST_SETS << min(len(self._pools), _MOST_DOUBLINGS)
        size = DescriptorPoolSize(_STORAGE_BUFFER, count * max(1, self._bindings))
        request = DescriptorPoolCreateInfo(sets=count, size_count=1, sizes=pointer(size))
        pool = Owned(self._opened, "vkCreateDescriptorPool", byref(request))
        layouts = (Handle * count)(*[self._set_layout.handle] * count)
        asked = DescriptorSetAllocateInfo(pool=pool.handle, count=count, layouts=layouts)
        sets = (Handle * count)()
        self._opened.check("vkAllocateDescriptorSets", self._opened.handle, byref(asked), sets)
        self._pools.append(pool)
        self._new.extend(sets)


class Pipeline:
    """A module with its constants, compiled or not."""

    def __init__(
        self, opened: Opened, cache: Handle, layout: Layout, spirv: bytes, spec: Sequence[int]
    ) -> None:
        self.layout = layout
        count = len(spec)
        module = Owned(
            opened,
            "vkCreateShaderModule",
            byref(ShaderModuleCreateInfo(nbytes=len(spirv), code=spirv)),
        )
        words = (c_uint32 * count)(*spec)
        entries = (SpecializationEntry(n, n * _WORD, _WORD) for n in range(count))
        specialization = SpecializationInfo(
            count=count,
            entries=(SpecializationEntry * count)(*entries),
            nbytes=sizeof(words),
            data=cast(words, c_void_p),
        )
        stage = ShaderStageCreateInfo(
            stage=COMPUTE_STAGE,
            module=module.handle,
            entry=b"main",
            specialization=pointer(specialization),
        )
        request = ComputePipelineCreateInfo(stage=stage, layout=layout.handle)
        self._owned = Owned(opened, "vkCreateComputePipelines", cache, 1, byref(request))
        self.handle = self._owned.handle


class Set:
    """A descriptor set with blocks, which it keeps alive."""

    def __init__(
        self,
        opened: Opened,
        blocks: Sequence[Block],
        ranges: Sequence[Range],
        take: Callable[[Set], Handle],
    ) -> None:
        self._blocks = tuple(blocks)
        taken = take(self)
        self.place = byref(taken)
        count = len(self._blocks)
        buffers = [
            DescriptorBuffer(buffer=block.buffer, offset=offset, nbytes=nbytes)
            for block, (offset, nbytes) in zip(self._blocks, ranges)
        ]
        writes = (WriteDescriptorSet * count)(
            *(
                WriteDescriptorSet(
                    set=taken, binding=n, count=1, kind=_STORAGE_BUFFER, buffers=pointer(buffer)
                )
                for n, buffer in enumerate(buffers)
            )
        )
        opened.calls.vkUpdateDescriptorSets(opened.handle, count, writes, 0, None)


class Bound:
    """A pipeline with a descriptor set."""

    def __init__(
        self, pipeline: Pipeline, blocks: Sequence[Block], ranges: Sequence[Range]
    ) -> None:
        self.pipeline = pipeline
        self.set = pipeline.layout.set_of(blocks, ranges)
