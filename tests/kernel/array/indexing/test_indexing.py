"""Keys against NumPy: what they read, and what they write."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import dml_vk
from dml_vk.array.indexing import api
from dml_vk.array.indexing.api import read, write
from dml_vk.array.indexing.take import take
from dml_vk.dtypes import DTYPES
from dml_vk.errors import LayoutError, LayoutIndexError
from dml_vk.layout import channels_last
from dml_vk.runtime import pipelines
from dml_vk.runtime.device import Device
from dml_vk.runtime.queue import Queue
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.memory import KINDS, bits, check_writes, elements, memory_for
from tests.kernel.ops.test_scatter import assigned, on_device

EVERY = slice(None)


shapes = st.lists(st.sampled_from([3, 4, 1, 2, 5, 0]), min_size=1, max_size=4).map(tuple)


@st.composite
def keys(draw, sizes):
    """Any key for these sizes, as long as there is a dim for each of its parts."""
    shape = draw(st.sampled_from([(3,), (3,), (2, 3), (1,), ()]))
    parts, axis, masked, led = [], 0, False, False
    while axis < len(sizes):
        kind = draw(st.sampled_from(["every", "int", "slice", "index", "index", "mask"]))
        size, covered = sizes[axis], 1
        part = EVERY
        if kind == "int" and size:
            part = draw(st.integers(-size, size - 1))
        elif kind == "slice":
            bound, step = st.none() | st.integers(-6, 6), st.sampled_from([None, 1, 2, -1, -2])
            part = slice(draw(bound), draw(bound), draw(step))
        elif kind == "index" and size and not masked:
            dtype = draw(st.sampled_from(["int64", "int32", "uint8", "int16"]))
            low = 0 if dtype == "uint8" else -size
            own = shape[draw(st.integers(0, len(shape))) :]
            part, led = chance().integers(low, size, own).astype(dtype), True
        elif kind == "mask" and not led and not masked:
            # A second one, or indexes, would hardly ever be as many as are true.
            covered = draw(st.integers(0, len(sizes) - axis))
            part = chance().random(sizes[axis : axis + covered]) < draw(st.sampled_from([0.5, 0.1]))
            part, masked = np.asarray(part), True
        parts.append(part)
        axis += covered
    start = draw(st.integers(0, len(parts)))
    end = start
    while end < len(parts) and parts[end] is EVERY:
        end += 1
    if draw(st.booleans()):
        parts[start:end] = [...]
    elif end == len(parts):
        del parts[start:]
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        parts.insert(draw(st.integers(0, len(parts))), None)
    return tuple(parts)


@tier.examples(100)
@given(st.data())
def test_what_any_key_reads(data):
    layout = data.draw(layouts(sizes=data.draw(shapes)))
    key = data.draw(keys(layout.sizes))
    itemsize = data.draw(st.sampled_from([1, 4, 4, 8]))
    memory, layout = memory_for(layout, itemsize)
    x = dml_vk.asarray(memory).over(layout)
    expected = elements(memory, layout)[key]
    for one in (key, on_device(key)):
        found = read(x, one)
        assert found.shape == expected.shape
        assert np.array_equal(found.numpy(), expected)
    event("view" if found.allocation is x.allocation else "elements")


@tier.examples(60)
@given(st.data())
def test_what_any_key_writes(data):
    layout = data.draw(targets(sizes=data.draw(shapes)))
    key = data.draw(keys(layout.sizes))
    itemsize = data.draw(st.sampled_from([1, 4, 4, 8]))
    before = chance().integers(0, 250, layout.sizes).astype(KINDS[itemsize])
    sizes = before[key].shape
    own = tuple([data.draw(st.sampled_from([n, n, 1])) for n in sizes])
    own = own[data.draw(st.integers(0, len(own))) :]
    number = data.draw(st.none() | st.integers(0, 100))
    memory, values = memory_for(data.draw(layouts(sizes=own)), itemsize)
    v = dml_vk.asarray(memory).over(values) if number is None else number
    expected = assigned(before, key, elements(memory, values) if number is None else number)
    some = on_device(key) if data.draw(st.booleans()) else key

    def call(y):
        dml_vk.copy(dml_vk.asarray(before), y)
        write(y, some, v)

    check_writes(call, layout, itemsize, expected)


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype(name):
    kind = DTYPES[name].numpy_name
    array = np.array(chance().integers(0, 2 if name == "bool_" else 100, (6, 5)), kind)
    x, rows = dml_vk.asarray(array), np.array([4, 0, -1, 4])
    mask = chance().random((6, 5)) < 0.5
    assert bits(read(x, on_device(rows)).numpy()).tolist() == bits(array[rows]).tolist()
    assert bits(read(x, on_device(mask)).numpy()).tolist() == bits(array[mask]).tolist()
    one = array[0, 0].item()
    for key, value in ((rows, array[1]), (mask, one), ((2, 3), one), ((EVERY, 1), array[:, 0])):
        write(x, on_device(key), value)
        array = assigned(array, key, np.asarray(value))
        assert bits(x.numpy()).tolist() == bits(array).tolist()


def test_plain_keys_are_views_of_the_same_memory():
    x = dml_vk.asarray(np.arange(24).reshape(2, 3, 4))
    zero = dml_vk.asarray(np.array(1))
    for key in (
        0,
        (),
        ...,
        EVERY,
        (0, 1, 2),
        (None, 0),
        (..., -1),
        zero,
        np.int8(1),
        (EVERY, zero),
    ):
        assert read(x, key).allocation is x.allocation
    write(read(x, (0, EVERY, slice(None, None, -2))), (1, 0), 99)
    assert x.tolist()[0][1] == [4, 5, 6, 99]
    assert read(x, zero).tolist() == read(x, 1).tolist()


def test_views_keep_the_order_of_the_dims_that_are_left():
    image = dml_vk.asarray(np.zeros((2, 3, 4, 5), np.float32), memory_format=channels_last)
    assert read(image, (EVERY, slice(1, None))).memory_format is channels_last
    assert read(read(image, 0), None).memory_format is channels_last
    assert read(image, 1).layout.order == (1, 2, 0)


def test_results_of_indexes_and_masks_keep_the_order_of_dims():
    image = dml_vk.asarray(np.zeros((2, 3, 4, 5), np.float32), memory_format=channels_last)
    rows, mask = np.array([1, 0, 1]), np.array([True, False])
    for key in (rows, (EVERY, rows), mask, (..., rows), (EVERY, EVERY, [[0, 1]], [[1, 2]])):
        assert read(image, on_device(key)).memory_format is channels_last, key
    assert take(image, rows, axis=3).memory_format is channels_last
    # With other dims, those of the index lie where the outermost of those it leads along did.
    assert read(image, (EVERY, EVERY, rows, rows)).layout.order == (0, 2, 1)
    assert read(image, (0, rows)).layout.order == (1, 2, 0)
    assert read(image, np.array([[0, 1]])).layout.order == (0, 1, 3, 4, 2)
    assert read(image, (rows, EVERY, rows)).layout.order == (0, 2, 1)
    assert read(image, ([[0, 1]], EVERY, [[2, 0]])).layout.order == (0, 1, 3, 2)
    assert read(image, (True, 0)).layout.order == (0, 2, 3, 1)


@contextmanager
def waiting_refused(monkeypatch):
    def never(queue):
        raise AssertionError("it waits")

    with monkeypatch.context() as patched:
        # Beyond, work is done to let go of some.
        patched.setattr(pipelines, "MOST", 10**6)
        patched.setattr(pipelines, "MOST_BYTES", 10**12)
        patched.setattr(Queue, "flush", never)
        yield


def test_a_mask_is_written_without_waiting(monkeypatch):
    array = chance().normal(size=(6, 5, 4)).astype(np.float32)
    x = dml_vk.asarray(array)
    plane = dml_vk.asarray(array[0] > 0)
    whole, planes = dml_vk.asarray(array > 0), dml_vk.asarray(array[:, 0, 0] > 0)
    row, column = dml_vk.asarray(array[0, 0]), dml_vk.asarray(array[:, :1])

    with waiting_refused(monkeypatch):
        write(x, whole, 2.0)
        write(x, planes, row)
        write(x, (EVERY, plane), column.over(column.layout.select(2, 0)))
        write(x, (None, planes, ..., slice(None, None, 2)), -1)
    expected = array.copy()
    expected[array > 0] = 2.0
    expected[array[:, 0, 0] > 0] = array[0, 0]
    expected[:, array[0] > 0] = array[:, :1, 0]
    expected[array[:, 0, 0] > 0, ..., ::2] = -1
    assert np.array_equal(x.numpy(), expected)


def test_bytes_that_cannot_be_outside_are_not_looked_at(monkeypatch):
    array = chance().permutation(256).astype(np.int16)
    for kind, size in (("uint8", 256), ("int8", 128)):
        limits = np.iinfo(kind)
        index = chance().integers(limits.min, limits.max, (7, 5), kind, endpoint=True)
        index[0, :2] = limits.min, limits.max
        x, places, short = map(dml_vk.asarray, (array[:size], index, array[: size - 1]))
        dml_vk.synchronize()
        with monkeypatch.context() as patched:
            patched.setattr(Device, "verify", None)
            found = [read(x, places), take(x, places), read(x, (places, None))]
            write(x, places, 5)
        expected = array[:size][index]
        assert np.array_equal(found[0].numpy(), expected)
        assert np.array_equal(found[1].numpy(), expected)
        assert np.array_equal(found[2].numpy(), expected[..., None])
        assert np.array_equal(x.numpy(), assigned(array[:size], index, 5))
        with pytest.raises(
            LayoutIndexError, match=f"with size {size - 1}; got index=(255|-128|127)"
        ):
            read(short, places)


def test_the_host_waits_for_the_check_of_indexes_alone(monkeypatch):
    array = chance().normal(size=(9, 7)).astype(np.float32)
    x, rows, columns = map(dml_vk.asarray, (array, np.array([[8], [0], [-9]]), np.array([6, -7])))
    read(x, (rows, columns))  # what it uploads is kept
    writes, settle = [], Queue.settle

    def settled(queue, allocation, write, part=None):
        writes.append(write)
        return settle(queue, allocation, write, part)

    with monkeypatch.context() as patched:
        patched.setattr(Queue, "settle", settled)
        result = read(x, (rows, columns))
    if x.allocation.bytes is not None:  # else a copy to staging memory comes before it
        assert writes == [False], "a read of what was found, and no write before it"
    assert np.array_equal(result.numpy(), array[[[8], [0], [0]], [6, 0]])


def test_indexes_of_the_host_and_of_the_device_go_together():
    array = chance().integers(0, 100, (5, 6, 7))
    x, rows = dml_vk.asarray(array), chance().integers(-5, 5, (3, 1))
    columns, last = [5, -1, 0, 5], chance().integers(0, 7, 4).astype(np.uint8)
    for key in (
        (rows, columns, last),
        (rows, columns),
        (rows, EVERY, last),
        (EVERY, columns, last),
    ):
        mixed = tuple([on_device(one) if one is not rows else one for one in key])
        assert np.array_equal(read(x, mixed).numpy(), array[key])
        values = chance().integers(0, 100, array[key].shape)
        write(x, mixed, values)
        array = assigned(array, key, values)
        assert np.array_equal(x.numpy(), array)


def test_a_list_that_was_used_before_is_not_uploaded_again(monkeypatch):
    x = dml_vk.asarray(np.arange(12).reshape(3, 4))
    read(x, (EVERY, [2, 0]))

    with waiting_refused(monkeypatch):
        found = [read(x, (EVERY, [2, 0])) for _ in range(3)]
        write(x, (EVERY, [2, 0]), found[0])
    assert found[2].tolist() == [[2, 0], [6, 4], [10, 8]]
    assert x.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    many = np.arange(3000) % 3
    assert np.array_equal(read(x, many).numpy(), x.numpy()[many])


def test_values_are_converted():
    x = dml_vk.asarray(np.zeros((2, 3), np.int64))
    write(x, 0, dml_vk.asarray(np.array([1, -2, 3], np.int8)))
    write(x, (1, [0, 2]), dml_vk.asarray(np.array([250, 4], np.uint8)))
    write(x, (1, 1), np.array(7, np.int16))
    assert x.tolist() == [[1, -2, 3], [250, 7, 4]]
    y = dml_vk.asarray(np.zeros(3))
    write(y, EVERY, [1, 2.5, True])
    write(y, [1], dml_vk.asarray(np.float32([0.1])))
    assert y.tolist() == [1.0, float(np.float32(0.1)), 1.0]
    write(y, dml_vk.asarray([True, False, False]), np.float32(3))
    write(y, 2, [True])
    assert y.tolist() == [3.0, float(np.float32(0.1)), 1.0]


def test_an_assignment_from_itself_reads_before_it_writes():
    array = np.arange(30).reshape(5, 6)
    x = dml_vk.asarray(array)
    write(x, slice(1, None), read(x, slice(None, -1)))
    array[1:] = array[:-1].copy()
    write(x, EVERY, read(x, 3))
    array[:] = array[3].copy()
    write(x, (EVERY, [1, 0]), read(x, (EVERY, [0, 1])))
    array[:, [1, 0]] = array[:, [0, 1]]
    write(x, (EVERY, [3, 2, 1]), read(x, (EVERY, slice(0, 3))))
    array[:, [3, 2, 1]] = array[:, :3].copy()
    assert np.array_equal(x.numpy(), array)


def test_a_view_is_assigned_to_itself_without_looking_further(monkeypatch):
    """As Python does after `x[key] += y`; what may not be written to is refused all the same."""
    x = dml_vk.asarray([[1.0, 2.0], [3.0, 4.0]])
    with monkeypatch.context() as patched:
        patched.setattr(api, "call", None)
        write(x, (EVERY, 1), read(x, (EVERY, 1)))
    x[:, 1] += 5
    x[0] = x[:, 1]
    x[:, 1] = x[1, ::-1]
    assert x.tolist() == [[7.0, 9.0], [3.0, 3.0]]
    wide, unreal = x.over(x.layout.narrow(1, 0, 1).expand(2, 3)), x.imag
    for fixed, rule in ((wide, "overlapping elements"), (unreal, "must not be read-only")):
        with pytest.raises(LayoutError, match=rule):
            write(fixed, 0, read(fixed, 0))
