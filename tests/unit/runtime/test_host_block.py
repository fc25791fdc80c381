"""Pages of the host as memory of a device: what is refused, and what is left behind."""

from __future__ import annotations

import gc
import mmap
import weakref

import numpy as np
import pytest

from dml_vk.driver import host_pointers, probe
from dml_vk.driver.vulkan import MemoryType
from dml_vk.runtime.interface import Copy
from dml_vk.runtime.vulkan import host_block
from tests.unit.runtime.vulkans import Engine

pytestmark = [pytest.mark.compiler, pytest.mark.linux]  # whose drivers take pages of the host
PAGE = mmap.PAGESIZE
NO_MEMORY, INVALID_HANDLE = -2, -1000072003


@pytest.fixture
def engine():
    return Engine()


def pages(count=2):
    memory = mmap.mmap(-1, count * PAGE)
    return np.frombuffer(memory, np.uint8)


def imported(engine, array):
    return engine.import_pages(array.ctypes.data, array.nbytes, array)


def test_blocks_are_whole_pages_around_the_bytes(engine):
    array = pages()
    start, unit = array.ctypes.data, engine._opened.host_alignment
    assert PAGE % unit == 0
    for low, high in ((0, 2 * PAGE), (1, 2), (unit - 1, unit + 1), (5, 2 * PAGE - 7)):
        block = imported(engine, array[low:high])
        assert block.address == start + low // unit * unit
        assert block.nbytes % unit == 0
        assert block.address + block.nbytes >= start + high
        assert block.address + block.nbytes - unit < start + high


def test_the_device_reads_and_writes_them(engine):
    array = pages()
    array[:] = np.arange(2 * PAGE) % 251
    block, other = imported(engine, array), engine.allocate(256, "unified")
    engine.run(Copy(block, 100, other, 0, 200), Copy(other, 3, block, PAGE + 1, 5))
    expected = (np.arange(2 * PAGE) % 251).astype(np.uint8)
    expected[PAGE + 1 : PAGE + 6] = expected[103:108].copy()
    np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize("result", [NO_MEMORY, INVALID_HANDLE])
@pytest.mark.parametrize(
    "call",
    [
        "vkCreateBuffer",
        "vkGetMemoryHostPointerPropertiesEXT",
        "vkAllocateMemory",
        "vkBindBufferMemory",
    ],
)
def test_what_fails_is_refused_and_leaves_nothing(engine, call, result):
    array = pages()
    before = engine.calls.alive()
    engine.calls.results[call] = result
    assert imported(engine, array) is None
    engine.calls.results.clear()
    gc.collect()
    assert engine.calls.alive() == before
    owner = weakref.ref(array)
    del array
    assert owner() is None
    assert imported(engine, pages()) is not None


def test_memory_that_the_host_would_have_to_flush_is_refused(engine):
    types = engine._opened.memory.types
    visible = 2
    for index in range(engine._opened.memory.type_count):
        types[index] = MemoryType(flags=visible, heap=types[index].heap)
    assert imported(engine, pages()) is None


def test_the_pages_outlive_what_is_made_of_them(engine, monkeypatch):
    array, freed = pages(), []
    owner = weakref.ref(array)
    block = imported(engine, array)
    del array
    destroy = engine._opened.destroy
    monkeypatch.setattr(
        engine._opened,
        "destroy",
        lambda call, handle: (freed.append((call, owner() is not None)), destroy(call, handle)),
    )
    del block
    assert freed == [("vkDestroyBuffer", True), ("vkFreeMemory", True)]
    assert owner() is None


def test_a_command_keeps_the_pages_until_it_is_done(engine):
    array = pages()
    owner = weakref.ref(array)
    ticket = engine.record([Copy(imported(engine, array), 0, engine.block, 0, 64)])
    engine.submit(ticket)
    del array
    assert owner() is not None
    engine.wait(ticket)
    assert owner() is None


def test_larger_units_than_pages_take_whole_units_only(engine):
    unit = engine._opened.host_alignment = 4 * PAGE
    array = pages(9)
    start = -array.ctypes.data % unit
    assert imported(engine, array[start : start + unit]).nbytes == unit
    for low, high in ((start, start + PAGE), (start + PAGE, start + unit), (start + 1, start + 2)):
        assert imported(engine, array[low:high]) is None


def test_a_device_without_the_extension_takes_none(engine):
    engine._opened.host_alignment = 0
    assert imported(engine, pages()) is None
    instance, physical = probe.physical(probe.select())
    assert host_pointers.alignment(instance, physical, ()) == 0
    assert host_pointers.extensions(()) == ()
    assert host_block.import_pages(engine._opened, 0, PAGE, None) is None
