"""What NumPy's functions did otherwise here without a word."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import numpy_protocols
from dml_vk.errors import DTypeError, LayoutError


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
def test_nan_to_num_writes_in_place_if_no_copy_is_asked_for(dtype):
    values = np.array([1, np.nan, -np.inf, 4] if dtype != "int32" else [1, 2, 3, 4]).astype(dtype)
    for copy in (True, False, np.bool_(False)):
        x, own = dml_vk.asarray(values), values.copy()
        found = np.nan_to_num(x, copy=copy, nan=7.0, posinf=8)
        expected = np.nan_to_num(own, copy=bool(copy), nan=7.0, posinf=8)
        assert found.tolist() == expected.tolist()
        assert (found is x) is (not copy)
        assert x.numpy().tobytes() == own.tobytes()


@pytest.mark.parametrize("copy", [True, False])
def test_meshgrid_copies_what_could_be_written_to(copy):
    x, y = dml_vk.asarray([1.0, 2.0, 3.0]), dml_vk.asarray([4.0])
    first, second = np.meshgrid(x, y, copy=copy)
    first[0, 0] = 9
    second[0, 0] = 8
    assert x[0].item() == (1.0 if copy else 9.0)
    assert second.tolist() == ([[8.0, 4.0, 4.0]] if copy else [[8.0] * 3])
    assert y.item() == (4.0 if copy else 8.0)


def test_imaginary_parts_of_real_numbers_are_not_written_to():
    x = dml_vk.asarray([[1.0, 2.0]])
    for zeros in (x.imag, np.imag(x)):
        assert (zeros.shape, zeros.dtype, zeros.tolist()) == ((1, 2), x.dtype, [[0.0, 0.0]])
        for _ in range(2):
            with pytest.raises(LayoutError, match="read-only"):
                zeros[0, 1] = 5
            with pytest.raises(LayoutError, match="read-only"):
                zeros += 1
            with pytest.raises(LayoutError, match="read-only"):
                dml_vk.add(x, x, out=zeros[...])
            x += 1
        assert zeros.tolist() == [[0.0, 0.0]]
    with pytest.raises(DTypeError, match="x must be complex"):
        x.imag = 5
    for _ in range(2):
        with pytest.raises(LayoutError, match="read-only"):
            dml_vk.compile(lambda x: (x + 1).imag)(x)[0] = 5
        with pytest.raises(LayoutError, match="read-only"):
            dml_vk.compile(lambda x: x.imag.__iadd__(1))(x)


def test_what_is_put_beside_differences_is_of_their_kind():
    whole, halves = dml_vk.asarray([1, 3, 6]), dml_vk.asarray([0.5])
    for value in (halves, np.array([0.5]), np.float64(0.5), [0.5], 0.5):
        for name in ("to_begin", "to_end"):
            with pytest.raises(TypeError):
                np.ediff1d(whole, **{name: value})
    assert np.ediff1d(whole, to_begin=np.int8([7]), to_end=9).tolist() == [7, 2, 3, 9]
    x = dml_vk.asarray([1.0, 3.0])
    for value in (np.float64(0.5), np.array([0.5]), halves, 0.5, [0.5]):
        assert np.ediff1d(x, to_end=value).tolist() == [2.0, 0.5]
    assert np.ediff1d(x, to_begin=np.int64(4)).dtype is dml_vk.float32


@pytest.mark.parametrize("kind", [float, complex, "float", "complex"])
def test_bits_are_viewed_as_numpys_floats(kind):
    array = np.array([1 + 2j, -3.5])
    x = dml_vk.asarray(array)
    for found in (x.view(kind), x.view(float).view(dtype=kind)):
        assert (found.dtype.numpy_name, found.tolist()) == (
            np.dtype(kind).name,
            array.view(kind).tolist(),
        )
    x = dml_vk.asarray(np.float64([1, 2]))
    assert x.view(int).tolist() == np.float64([1, 2]).view(int).tolist()
    assert x.view(np.float64).tolist() == [1.0, 2.0]


def test_quotients_and_remainders_go_to_targets_which_may_be_operands():
    values, by = np.array([7, -7, 5]), np.array([2, 2, -3])
    expected = np.divmod(values, by)
    x, y, q = dml_vk.asarray(values), dml_vk.asarray(by), dml_vk.zeros(3, dtype="int64")
    found = np.divmod(x, y, out=(q, x))
    assert found[0] is q
    assert found[1] is x
    assert [one.tolist() for one in found] == [one.tolist() for one in expected]
    found = np.divmod(dml_vk.asarray(values), y, out=(None, q))
    assert [one.tolist() for one in found] == [one.tolist() for one in expected]
    found = np.divmod(dml_vk.asarray(values), y, dtype="float64")
    assert [one.dtype for one in found] == [dml_vk.float64] * 2
    options = "options must be among casting, dtype, out"
    with pytest.raises(DTypeError, match=rf"{options}; got named=\('extobj',\)"):
        numpy_protocols.ufunc(np.divmod, "__call__", (x, y), {"extobj": 1})


POSITIONAL = {
    "roll": (np.roll, (1, 0)),
    "sort": (np.sort, (0,)),
    "argsort": (np.argsort, (0,)),
    "flip": (np.flip, (0,)),
    "repeat": (np.repeat, (2, 1)),
    "take": (np.take, ([1, 0], 1)),
    "cumulative_sum": (np.cumsum, (0,)),
    "cumulative_prod": (np.cumprod, (1,)),
}


@pytest.mark.parametrize("name", POSITIONAL)
def test_axes_are_taken_by_position_as_numpy_takes_them(name):
    numpys, arguments = POSITIONAL[name]
    values = np.array([[3, 1, 2], [0, 5, 4]])
    found = getattr(dml_vk, name)(dml_vk.asarray(values), *arguments)
    assert found.tolist() == numpys(values, *arguments).tolist()


def test_axes_of_several_arrays_are_taken_by_position():
    values = np.array([[3, 1, 2], [0, 5, 4]])
    x, order = dml_vk.asarray(values), dml_vk.asarray([[1], [0]])
    assert dml_vk.concat((x, x), 1).tolist() == np.concatenate((values, values), 1).tolist()
    assert dml_vk.stack((x, x), 2).tolist() == np.stack((values, values), 2).tolist()
    assert dml_vk.take_along_axis(x, order, 1).tolist() == [[1], [0]]


def test_without_values_nothing_is_put():
    for nothing in ([], np.zeros(0), dml_vk.zeros(0)):
        x = dml_vk.asarray([0, 1, 2])
        np.put(x, [0, 1], nothing)
        np.put(x, [], nothing)
        np.putmask(x, x > 0, nothing)
        assert x.tolist() == [0, 1, 2]
        with pytest.raises(LayoutError, match="place: values must not be empty"):
            np.place(x, x > 0, nothing)
