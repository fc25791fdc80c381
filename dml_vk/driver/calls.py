"""Functions of an opened device, called past the loader's dispatch and without argument types.

Checking types would double the time of a call. So arguments must be prebuilt ctypes objects, or
ints where the parameter has 32 bits.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from ctypes import CFUNCTYPE, PYFUNCTYPE, c_char_p, c_int32, c_void_p
from types import SimpleNamespace

# These may take long, so they let other Python threads run.
_LONG = (
    "vkAllocateMemory",
    "vkCreateComputePipelines",
    "vkDeviceWaitIdle",
    "vkWaitForFences",
)
# All others keep Python's lock. That is faster, and no two threads are inside at the same time.
_SHORT = (
    "vkAllocateCommandBuffers",
    "vkAllocateDescriptorSets",
    "vkBeginCommandBuffer",
    "vkBindBufferMemory",
    "vkCreateBuffer",
    "vkCreateCommandPool",
    "vkCreateDescriptorPool",
    "vkCreateDescriptorSetLayout",
    "vkCreateFence",
    "vkCreatePipelineCache",
    "vkCreatePipelineLayout",
    "vkCreateQueryPool",
    "vkCreateSemaphore",
    "vkCreateShaderModule",
    "vkEndCommandBuffer",
    "vkGetFenceStatus",
    "vkGetPipelineCacheData",
    "vkGetQueryPoolResults",
    "vkMapMemory",
    "vkQueueSubmit",
    "vkResetCommandPool",
    "vkResetFences",
)
_WITHOUT_RESULT = (
    "vkCmdBindDescriptorSets",
    "vkCmdBindPipeline",
    "vkCmdCopyBuffer",
    "vkCmdDispatch",
    "vkCmdFillBuffer",
    "vkCmdPipelineBarrier",
    "vkCmdPushConstants",
    "vkCmdResetQueryPool",
    "vkCmdWriteTimestamp",
    "vkDestroyBuffer",
    "vkDestroyCommandPool",
    "vkDestroyDescriptorPool",
    "vkDestroyDescriptorSetLayout",
    "vkDestroyFence",
    "vkDestroyPipeline",
    "vkDestroyPipelineCache",
    "vkDestroyPipelineLayout",
    "vkDestroyQueryPool",
    "vkDestroySemaphore",
    "vkDestroyShaderModule",
    "vkFreeMemory",
    "vkGetBufferMemoryRequirements",
    "vkGetDeviceQueue",
    "vkUpdateDescriptorSets",
)
# Vulkan has C's calling convention everywhere but on 32-bit Windows, which `Instance` refuses.
_KINDS = (
    (_LONG, CFUNCTYPE(c_int32)),
    (_SHORT, PYFUNCTYPE(c_int32)),
    (_WITHOUT_RESULT, PYFUNCTYPE(None)),
)


def device_calls(
    loader: ctypes.CDLL, device: c_void_p, extensions: Iterable[str] = ()
) -> SimpleNamespace:
    """The functions by their names in Vulkan.

    All are in Vulkan 1.0, so every device has them, but those of `extensions`, which take a moment.
    """
    find = PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("vkGetDeviceProcAddr", loader))
    kinds = (*_KINDS, (tuple(extensions), PYFUNCTYPE(c_int32)))
    return SimpleNamespace(
        **{name: kind(find(device, name.encode())) for names, kind in kinds for name in names}
    )
