"""Calls of Vulkan that fail: an error that names them, nothing that stays, and all goes on."""

from __future__ import annotations

import pytest

from dml_vk.driver.vulkan import MemoryProperties, MemoryType
from dml_vk.errors import DeviceError, DeviceMemoryError
from dml_vk.runtime.vulkan.opened import Owned
from dml_vk.spirv import glslang
from tests.unit.runtime.vulkans import Engine, spirv

pytestmark = pytest.mark.compiler

EMPTY = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}"
NO_MEMORY, LOST, ODD = -2, -4, -13
ALLOCATE = ("vkCreateBuffer", "vkAllocateMemory", "vkBindBufferMemory", "vkMapMemory")
PIPELINE = (
    "vkCreateDescriptorSetLayout",
    "vkCreatePipelineLayout",
    "vkCreateShaderModule",
    "vkCreateComputePipelines",
)
BIND = ("vkCreateDescriptorPool", "vkAllocateDescriptorSets")
RECORD = (
    "vkCreateCommandPool",
    "vkAllocateCommandBuffers",
    "vkCreateFence",
    "vkResetCommandPool",
    "vkResetFences",
    "vkBeginCommandBuffer",
    "vkCreateQueryPool",
    "vkEndCommandBuffer",
)


@pytest.fixture(scope="module")
def engine():
    return Engine()


@pytest.fixture(autouse=True)
def fresh(engine):
    start_over(engine)
    engine.counts[:] = 0


def start_over(engine):
    """No call fails, and there are no idle slots or layouts."""
    engine.calls.results.clear()
    engine._recorder._slots._ended.clear()
    engine._recorder._slots._uses.clear()
    engine._layouts.clear()


def allocate(engine):
    engine.allocate(256, "upload")


def make(engine):
    engine.pipeline(spirv(), (1,), 1, 1)


def bind(engine):
    engine.counting()


def record(engine):
    engine.record([], True)


WORK = [
    (work, call)
    for work, calls in {allocate: ALLOCATE, make: PIPELINE, bind: BIND, record: RECORD}.items()
    for call in calls
]


@pytest.mark.parametrize(("work", "call"), WORK, ids=lambda one: getattr(one, "__name__", one))
@pytest.mark.parametrize("result", [NO_MEMORY, ODD])
def test_a_call_that_fails_is_an_error_and_leaves_nothing(engine, work, call, result):
    alive = engine.calls.alive()
    engine.calls.results[call] = result
    kind = DeviceMemoryError if result == NO_MEMORY else DeviceError
    with pytest.raises(kind, match=rf"^device: the driver must .*; got call='{call}', result='VK_"):
        work(engine)
    start_over(engine)
    assert engine.calls.alive() == alive
    work(engine)
    start_over(engine)
    assert engine.calls.alive() == alive


def test_the_error_of_an_allocation_says_how_much(engine):
    engine.calls.results["vkAllocateMemory"] = NO_MEMORY
    with pytest.raises(DeviceMemoryError, match=r"DEVICE_MEMORY', nbytes=256, kind='upload'$"):
        allocate(engine)


def test_a_submission_that_fails_never_runs_and_others_do(engine):
    ticket = engine.record([engine.counting()])
    engine.calls.results["vkQueueSubmit"] = NO_MEMORY
    with pytest.raises(DeviceMemoryError, match=r"call='vkQueueSubmit'"):
        engine.submit(ticket)
    assert not engine.is_done(ticket)
    with pytest.raises(DeviceError, match=r"^wait: what is waited for .*; got commands=1$"):
        engine.wait(ticket)
    engine.calls.results.clear()
    engine.run(engine.counting(1))
    assert engine.counts[:2].tolist() == [0, 1]


@pytest.mark.parametrize("call", ["vkQueueSubmit", "vkWaitForFences", "vkGetFenceStatus"])
def test_after_a_device_is_lost_everything_says_so(call):
    engine = Engine()
    engine.calls.results["vkWaitForFences"] = engine.calls.results["vkGetFenceStatus"] = 1
    bound = engine.counting().bound
    ticket, other = engine.record([]), engine.record([])
    engine.submit(other)
    engine.calls.results[call] = LOST
    first = {
        "vkQueueSubmit": lambda: engine.submit(ticket),
        "vkWaitForFences": lambda: engine.wait(other),
        "vkGetFenceStatus": lambda: engine.is_done(other),
    }[call]
    later = [
        lambda: allocate(engine),
        lambda: make(engine),
        lambda: engine.bind(bound.pipeline, [engine.block]),
        lambda: engine.record([]),
        lambda: engine.submit(ticket),
        lambda: engine.wait(other),
        lambda: engine.is_done(other),
    ]
    lost = rf"^device: the device was lost: .*; got call='{call}', result='VK_ERROR_DEVICE_LOST'$"
    for work in (first, *later):
        with pytest.raises(DeviceError, match=lost):
            work()
        engine.calls.results.clear()


def test_what_only_some_drivers_check_is_asked_for_rightly(engine):
    """Buffers for shaders and for both ends of copies; no empty range and no empty pool."""
    seen = {}

    def noted(name):
        call = getattr(engine.calls._calls, name)

        def note(device, request, *rest):
            seen[name] = request._obj
            return call(device, request, *rest)

        return note

    names = ("vkCreateBuffer", "vkCreatePipelineLayout", "vkCreateDescriptorPool")
    vars(engine.calls).update({name: noted(name) for name in names})
    engine.allocate(256, "device")
    engine.bind(engine.pipeline(glslang.compile(EMPTY), (), 0, 0), [])
    for name in names:
        del vars(engine.calls)[name]
    assert seen["vkCreateBuffer"].usage == 0x1 | 0x2 | 0x20
    assert seen["vkCreatePipelineLayout"].range_count == 0
    assert seen["vkCreateDescriptorPool"].sizes[0].count > 0


DEVICE, MAPPED, CACHED = 1, 2 | 4, 8
STRANGE = 0x40


@pytest.mark.parametrize("kind", ["device", "upload", "readback", "unified"])
def test_memory_that_is_not_coherent_or_not_there_is_an_error(engine, kind):
    alive = engine.calls.alive()
    offered = MemoryProperties(type_count=2)
    offered.types = (MemoryType(2 | CACHED, 0), MemoryType(STRANGE | DEVICE | MAPPED, 0))
    has, engine._opened.memory = engine._opened.memory, offered
    try:
        with pytest.raises(DeviceError, match=f"memory of this kind; got kind='{kind}'"):
            engine.allocate(256, kind)
    finally:
        engine._opened.memory = has
    assert engine.calls.alive() == alive


def test_nothing_is_destroyed_in_a_forked_child_or_at_the_end(engine, monkeypatch):
    made = engine.calls.made
    for change in (
        lambda: monkeypatch.setattr("os.getpid", lambda: 1),
        lambda: monkeypatch.setattr(engine._opened, "owner", None),
    ):
        block = engine.allocate(256, "device")
        with monkeypatch.context():
            change()
            freed = made["vkFreeMemory"]
            del block
            assert made["vkFreeMemory"] == freed
        monkeypatch.undo()
    allocate(engine)
    assert made["vkFreeMemory"] == freed + 1


def test_what_is_leaked_is_never_destroyed():
    engine = Engine()
    block = engine.allocate(256, "device")
    engine.leak([block])
    del block
    assert engine.calls.made["vkFreeMemory"] == 0


def test_an_object_that_was_interrupted_before_it_began_is_let_go():
    Owned.__new__(Owned).__del__()
