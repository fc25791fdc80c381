"""Which calls let other threads run, and which keep them out."""

from __future__ import annotations

import pytest

from dml_vk.driver import probe
from dml_vk.runtime.vulkan.opened import Opened

KEEPS_THE_LOCK = 4  # FUNCFLAG_PYTHONAPI of ctypes


@pytest.fixture(scope="module")
def calls():
    return Opened(probe.select()).calls


@pytest.mark.parametrize(
    "name", ["vkAllocateMemory", "vkCreateComputePipelines", "vkDeviceWaitIdle", "vkWaitForFences"]
)
def test_what_may_take_long_lets_other_threads_run(calls, name):
    assert not getattr(calls, name)._flags_ & KEEPS_THE_LOCK


@pytest.mark.parametrize("name", ["vkQueueSubmit", "vkCmdDispatch", "vkUpdateDescriptorSets"])
def test_what_two_threads_must_not_do_at_once_keeps_the_lock(calls, name):
    assert getattr(calls, name)._flags_ & KEEPS_THE_LOCK
