"""A queue of a device: what is in flight there, and what makes it wait for the other one."""

from __future__ import annotations

from ctypes import byref, c_uint32, pointer
from itertools import chain, islice
from typing import TYPE_CHECKING

from dml_vk.driver.structures import Handle, Object, SemaphoreCreateInfo, SubmitInfo
from dml_vk.runtime.vulkan.fence import Fence
from dml_vk.runtime.vulkan.opened import Opened, Owned

if TYPE_CHECKING:
    from dml_vk.runtime.vulkan.recording import Ticket

COMPUTE, TRANSFER = 0x800, 0x1000  # VkPipelineStageFlagBits
_NO_FENCE = Handle()


class DriverQueue:
    """A queue, and the stages that its commands have."""

    def __init__(self, opened: Opened, family: int, stages: int) -> None:
        self.handle, self.family, self.stages = Object(), family, stages
        opened.calls.vkGetDeviceQueue(opened.handle, family, 0, byref(self.handle))
        # What was submitted and is not known to be done, in order, with the call's result.
        self.flight: dict[Ticket[Fence], int] = {}
        self._opened = opened
        self._links: list[Link] = []  # all that it ever waited by

    def follow(self, other: DriverQueue) -> None:
        """Let all later submissions wait for all that the other queue has by now."""
        opened = self._opened
        link = next((link for link in self._links if link.is_free), None)
        if link is None:
            link = Link(opened, self.stages)
            self._links.append(link)
        link.results.clear()
        link.reset()
        queues, submissions = (other.handle, self.handle), (link.signal, link.submission)
        fences = _NO_FENCE, link.fence
        # One step in C, so that whatever is signaled is waited for; it ends where a call fails.
        calls = map(opened.calls.vkQueueSubmit, queues, (1, 1), submissions, fences)
        link.results.extend(islice(chain(filter(None, calls), (0,)), 1))
        if any(link.results):
            opened.fail("vkQueueSubmit", link.results[0])


class Link(Fence):
    """A semaphore, one submission that signals it, and another that waits for it.

    The fence is signaled when both are over. Where one failed it never is, and the link is not used
    again.
    """

    def __init__(self, opened: Opened, stages: int) -> None:
        super().__init__(opened)
        self.results: list[int] = []  # of submitting both, if they were submitted
        self._semaphore = Owned(opened, "vkCreateSemaphore", byref(SemaphoreCreateInfo()))
        semaphores = pointer(self._semaphore.handle)
        self.signal = pointer(SubmitInfo(signal_count=1, signals=semaphores))
        waits = SubmitInfo(wait_count=1, waits=semaphores, wait_stages=pointer(c_uint32(stages)))
        self.submission = pointer(waits)

    @property
    def is_free(self) -> bool:
        return not self.results or self.is_over()
