"""Fences, by which the host knows that a submission is over."""

from __future__ import annotations

from ctypes import byref, pointer

from dml_vk.driver.structures import FenceCreateInfo, SubmitInfo
from dml_vk.runtime.vulkan.opened import Opened, Owned


class Fence:
    """A fence, and the submission that signals it."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._fence = Owned(opened, "vkCreateFence", byref(FenceCreateInfo()))
        self.fence = self._fence.handle
        self.fences = pointer(self.fence)
        self.submission = pointer(SubmitInfo())

    def reset(self) -> None:
        """Make it unsignaled, in any state but one in which a submission will signal it."""
        self._opened.check("vkResetFences", self._opened.handle, 1, self.fences)

    def is_over(self) -> bool:
        """Whether the submission is over. It does not wait."""
        return not self._opened.calls.vkGetFenceStatus(self._opened.handle, self.fence)
