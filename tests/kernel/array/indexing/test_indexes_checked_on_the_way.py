"""Writes and reads by indexes on a GPU, which are checked by the kernel that uses them."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import LayoutIndexError
from dml_vk.runtime.device import Device
from tests import tier
from tests.chance import chance
from tests.kernel.memory import bits
from tests.kernel.profiled import profiled
from tests.kernel.tensors import assert_same
from tests.profiles import GPU
from tests.real_dtypes import DTYPES

INTEGERS = [dtype for dtype in DTYPES.values() if dtype.kind in "iu"]
BY_SIZE = [dml_vk.int8, dml_vk.float16, dml_vk.float32, dml_vk.float64, dml_vk.complex128]


@pytest.fixture(autouse=True)
def gpu():
    with profiled(dml_vk.device(), GPU):
        yield


def indexes(size: int, count: int, dtype="int32") -> np.ndarray:
    """Some of them twice, and those of signed dtypes from either end."""
    least = -size if np.dtype(dtype).kind == "i" else 0
    limits = np.iinfo(dtype)
    low, high = max(least, limits.min), min(size - 1, limits.max)
    return chance().integers(low, high, count, dtype, endpoint=True)


def values(dtype, sizes) -> np.ndarray:
    return chance().integers(0, 100, sizes).astype(dtype.numpy_name)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_the_last_writer_wins(dtype):
    for written in BY_SIZE:
        array, index = values(written, 301), indexes(301, 500, dtype.numpy_name)
        x, new = dml_vk.asarray(array), values(written, 500)
        x[dml_vk.asarray(index)] = dml_vk.asarray(new)
        array[index] = new
        assert_same(x, array)


def test_sizes():
    for size, count in ((1, 1), (1, 70), (63, 64), (7919, 7920), (2**16 + 1, 2**16 - 1)):
        array, index, new = values(dml_vk.int32, size), indexes(size, count), np.arange(count)
        x = dml_vk.asarray(array)
        dml_vk.put(x, dml_vk.asarray(index), dml_vk.asarray(new))
        np.put(array, index, new)
        assert_same(x, array)


def test_layouts_of_indexes_values_and_targets():
    index = indexes(90, 120).reshape(12, 10)
    new = values(dml_vk.float32, (12, 10))
    at, source = dml_vk.asarray(index), dml_vk.asarray(new)
    whole = values(dml_vk.float32, 200)
    for start in (0, 4, 7, 110):
        for key, value in (
            ((at, source), (index, new)),
            ((at[::-1, ::-1], source[::-1, ::-1]), (index[::-1, ::-1], new[::-1, ::-1])),
            ((at.mT, source.mT), (index.T, new.T)),
            ((at[:, 3], source[:, 5]), (index[:, 3], new[:, 5])),
            ((at, source[2]), (index, new[2])),
            ((at, 7.0), (index, 7.0)),
            ((at[0, :4], source[0, :4]), (index[0, :4], new[0, :4])),
        ):
            x, array = dml_vk.asarray(whole), whole.copy()
            x[start : start + 90][key[0]] = key[1]
            # NumPy writes in the order of addresses, where that is another one.
            flat = np.broadcast_to(value[1], value[0].shape).reshape(-1)
            array[start : start + 90][value[0].reshape(-1)] = flat
            assert_same(x, array)


def test_values_of_the_tensor_itself():
    array, index = values(dml_vk.float32, 500), indexes(500, 500)
    x = dml_vk.asarray(array)
    x[dml_vk.asarray(index)] = x[::-1]
    array[index] = array[::-1].copy()
    assert_same(x, array)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_nothing_is_written_if_an_index_is_outside(dtype):
    limits = np.iinfo(dtype.numpy_name)
    for wrong in {100, -101, limits.min, limits.max}:
        if not limits.min <= wrong <= limits.max or -100 <= wrong < 100:
            continue
        index = indexes(100, 200, dtype.numpy_name)
        index[150] = wrong
        at, array = dml_vk.asarray(index), values(dml_vk.float32, 100)
        x = dml_vk.asarray(array)
        with pytest.raises(LayoutIndexError, match="setitem: index is out of bounds for axis 0"):
            x[at] = 1.0
        with pytest.raises(LayoutIndexError, match="put: elements must be from 0 to 99"):
            dml_vk.put(x, at, 1.0)
        for read in (lambda x, at: x[at], dml_vk.take):
            with pytest.raises(LayoutIndexError, match="index is out of bounds"):
                read(x, at)
        assert np.array_equal(bits(x.numpy()), bits(array))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_reads(dtype):
    turn = INTEGERS.index(dtype) % len(BY_SIZE)
    for read in BY_SIZE if tier.is_all() else BY_SIZE[turn : turn + 1]:
        for sizes, axis in (((301,), 0), ((70, 3), 0), ((5, 64), 1), ((9, 4, 8), 1)):
            array = values(read, sizes)
            index = indexes(sizes[axis], 131, dtype.numpy_name)
            x, at = dml_vk.asarray(array), dml_vk.asarray(index)
            assert_same(dml_vk.take(x, at, axis=axis), np.take(array, index, axis))
            key = (slice(None),) * axis
            assert_same(x[(*key, at)], array[(*key, index)])


def test_layouts_that_are_read():
    """Steps and gaps on all sides, and more dims than a launch takes."""
    index = indexes(7, 30).reshape(5, 6)
    at = dml_vk.asarray(index)
    array = values(dml_vk.float32, (7, 6, 8, 3, 2))
    x = dml_vk.asarray(array)
    for view in (np.s_[:, ::2], np.s_[::-1, :, 1:, ::2], np.s_[:, :, ::3, 1:, ::-1]):
        for key, chosen in ((at, index), (at.mT, index.T), (at[1:4, ::-2], index[1:4, ::-2])):
            assert_same(x[view][key], array[view][chosen])
            assert_same(dml_vk.take(x[view], key, axis=0), np.take(array[view], chosen, 0))
    turned = x.permute(2, 0, 4, 1, 3)
    expected = array.transpose(2, 0, 4, 1, 3)
    assert np.array_equal(turned[:, at].numpy(), expected[:, index])


def test_nothing_to_read():
    x, none = dml_vk.zeros((3, 0)), dml_vk.asarray(np.zeros(0, np.int32))
    some = dml_vk.asarray(np.zeros(2, np.int32))
    assert x[some].shape == (2, 0)
    assert dml_vk.zeros(4)[none].shape == (0,)
    assert dml_vk.take(x, none, axis=1).shape == (3, 0)
    with pytest.raises(LayoutIndexError, match="index is out of bounds for axis 1 with size 0"):
        dml_vk.take(x, some, axis=1)


def test_one_launch_reads(monkeypatch):
    launches, launch = [], Device.launch

    def noting(self, plan, operands, params=()):
        launches.append(plan.module)
        launch(self, plan, operands, params)

    x, index = dml_vk.zeros(5000), dml_vk.asarray(indexes(5000, 4000))
    x[index].numpy()  # whose memory for flags there is from then on
    monkeypatch.setattr(Device, "launch", noting)
    for read in (lambda: x[index], lambda: dml_vk.take(x, index)):
        launches.clear()
        read()
        assert [module for module in launches if "transfer" not in module] == ["gather_checked_32"]


def test_three_launches_write(monkeypatch):
    """Those that clear the winners, elect them, and write."""
    launches, launch = [], Device.launch

    def noting(self, plan, operands, params=()):
        launches.append(plan.module)
        launch(self, plan, operands, params)

    x, index = dml_vk.zeros(5000), dml_vk.asarray(indexes(5000, 4000))
    new = dml_vk.arange(4000, dtype="float32")
    x[index] = new
    monkeypatch.setattr(Device, "launch", noting)
    for write in (lambda: dml_vk.put(x, index, new), lambda: x.__setitem__(index, new)):
        launches.clear()
        write()
        kernels = [module for module in launches if "transfer" not in module]
        assert kernels == ["scatter_elect_index", "pick_32"]
