"""What makes tensors: of one value, like others, by a rule, and out of other libraries' memory."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import dml_vk
from dml_vk.errors import DmlVkError, DTypeError, LayoutError, RangeError
from dml_vk.layout import Layout, channels_last, contiguous_format
from dml_vk.testing import sequence
from dml_vk.testing.strategies import layouts
from tests import tier
from tests.kernel.memory import KINDS, check_writes
from tests.kernel.tensors import assert_same, tensor_over
from tests.real_dtypes import DTYPES

NUMBERS = [dtype for dtype in DTYPES.values() if dtype.kind != "b"]


@pytest.fixture
def small_integers(monkeypatch):
    """Python's integers become int32 where they fit, as in NumPy before 2.0 on Windows."""
    own = np.asarray

    def asarray(obj, *given):
        array = own(obj, *given)
        is_default = not given and array.dtype == np.int64 and not hasattr(obj, "dtype")
        fits = is_default and np.array_equal(array, array.astype(np.int32))
        typed = isinstance(obj, list) and any(isinstance(one, np.int64) for one in obj)
        return array.astype(np.int32) if fits and not typed else array

    monkeypatch.setattr(np, "asarray", asarray)
    assert np.asarray([1, 2]).dtype == np.asarray(range(3)).dtype == np.int32


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        (7, "int64"),
        ([1, True], "int64"),
        ([[1], [2]], "int64"),
        (range(3), "int64"),
        ([2**40], "int64"),
        ([np.int64(1)], "int64"),
        ([1.5, 2], "float32"),
        (np.int32(7), "int32"),
        ([np.int32(7), np.int32(8)], "int32"),
        (np.arange(3, dtype=np.int32), "int32"),
    ],
    ids=str,
)
def test_integers_have_64_bits_on_every_system(small_integers, given, dtype):
    x = dml_vk.asarray(given)
    assert x.dtype == dtype
    assert x.tolist() == np.array(given).tolist()


def test_edges_in_a_list_have_64_bits_on_every_system(small_integers):
    x = dml_vk.asarray(np.int32([1, 2, 3]))
    assert dml_vk.histogram(x, [0, 2, 4])[1].dtype == dml_vk.int64


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_one_value_everywhere(dtype):
    shapes = ((2, 3, 4, 5), channels_last), ((3, 5), "WH"), ((), None), ((0, 7), None)
    for shape, order in tier.some(shapes, 2):
        options = {} if order is None else {"memory_format": order}
        made = {
            "zeros": (dml_vk.zeros(shape, dtype, **options), 0),
            "ones": (dml_vk.ones(shape, dtype=dtype, **options), 1),
            "full": (dml_vk.full(shape, dtype.kind != "b" and 3, dtype, **options), 3),
        }
        for name, (x, value) in made.items():
            value = value if dtype.kind != "b" or name == "ones" else 0
            assert_same(x, np.full(shape, value, dtype.numpy_name))
            assert x.layout == Layout.packed(shape, order)
        x = dml_vk.empty(shape, dtype, device=dml_vk.device(), **options)
        assert (x.layout, x.dtype) == (Layout.packed(shape, order), dtype)


def test_without_a_dtype():
    for function in (dml_vk.zeros, dml_vk.ones, dml_vk.empty, dml_vk.eye):
        assert function(3).dtype is dml_vk.float32
    assert [dml_vk.full(2, value).dtype.name for value in (True, 3, 0.5, np.int8(3))] == [
        *("bool_", "int64", "float32", "int8"),
    ]
    assert dml_vk.zeros(np.int16(3)).shape == dml_vk.zeros([3]).shape == (3,)


LIKE = {
    "empty_like": lambda x, **options: dml_vk.empty_like(x, **options),
    "zeros_like": lambda x, **options: dml_vk.zeros_like(x, **options),
    "ones_like": lambda x, **options: dml_vk.ones_like(x, **options),
    "full_like": lambda x, **options: dml_vk.full_like(x, 7, **options),
}
VALUES = {"zeros_like": 0, "ones_like": 1, "full_like": 7}


@tier.examples(60)
@given(layouts(), st.sampled_from(list(LIKE)), st.sampled_from([1, 2, 4, 8]))
def test_like_keeps_shape_dtype_and_format(layout, name, itemsize):
    x, array = tensor_over(layout, itemsize)
    before = array.copy()
    y = LIKE[name](x)
    assert (y.layout, y.dtype) == (layout.like(), x.dtype)
    assert y.allocation is not x.allocation
    z = LIKE[name](x, dtype="float16", device=x.device, memory_format=contiguous_format)
    assert (z.layout, z.dtype) == (Layout(layout.sizes), dml_vk.float16)
    if name in VALUES:
        assert_same(y, np.full(layout.sizes, VALUES[name], KINDS[itemsize]))
        assert_same(z, np.full(layout.sizes, VALUES[name], np.float16))
    assert_same(x, before)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_ranges_of_every_dtype(dtype):
    for arguments in tier.some(((7,), (3, 3), (100, 3, -11), (1, 0), (5, 6, 7)), 3):
        x = dml_vk.arange(*arguments, dtype=dtype)
        assert_same(x, np.arange(*arguments, dtype=dtype.numpy_name))
        assert x.layout == Layout(x.shape)


INTEGERS = st.integers(-(2**40), 2**40)


@tier.examples(60)
@given(INTEGERS, st.integers(-100, 100), st.integers(-20, 20).filter(bool))
@example(2**62, 100, 17)
def test_ranges_of_integers(start, length, step):
    expected = np.arange(start, start + length, step)
    assert_same(dml_vk.arange(start, start + length, step), expected)


@tier.examples(60)
@given(*[st.floats(-1e6, 1e6)] * 2, st.sampled_from([-3, 1, 2, 7, 16, 48]))
@example(0, 1, 10)
@example(1, 1.3, 3)
@example(-0.5, 2.0, 1)
def test_ranges_of_floats_are_as_long_as_numpys_and_exact(start, stop, steps):
    step = (stop - start) / steps
    assume(step)
    length = len(np.arange(start, stop, step))
    x = dml_vk.arange(start, stop, step)
    assert_same(x, sequence(start, step, length, dml_vk.float32))


def test_ranges_of_mixed_numbers():
    for arguments in ((3.0,), (1, 2.5), (0, 5, 0.5), (np.float32(2),), (Fraction(1, 2), 4)):
        assert dml_vk.arange(*arguments).dtype is dml_vk.float32
        assert dml_vk.arange(*arguments).tolist() == np.arange(*map(float, arguments)).tolist()
    assert dml_vk.arange(2**63 + 1, 2**63).shape == (0,)
    assert dml_vk.arange(True).dtype is dml_vk.int64
    assert_same(dml_vk.arange(2.0, 5.5, 1, "int8"), np.int8([2, 3, 4, 5]))
    assert_same(dml_vk.arange(250, 256, dtype="uint8"), np.arange(250, 256).astype(np.uint8))


FLOATS = st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-6)


def within(kind, exact: Fraction) -> list:
    """What the neighbourhood of a number is rounded to."""
    return sorted(kind(float(exact * (1 + sign * Fraction(2) ** -50))) for sign in (-1, 1))


@tier.examples(12)
@given(
    FLOATS,
    FLOATS,
    st.sampled_from([1, 2, 7]),
    st.booleans(),
    st.just("float32"),
)
@example(-1, 1, 7, True, "float32")
@example(-1.7e308, 1.7e308, 2, True, "float64")
@example(0, 1e-300, 3, True, "float32")
@example(-7e-3, 1e5, 9, False, "float64")
def test_equal_distances(start, stop, num, endpoint, name):
    x = dml_vk.linspace(start, stop, num, dtype=name, endpoint=endpoint)
    kind, found = np.dtype(name).type, x.numpy()
    assert (found.shape, found.dtype, x.layout.order) == ((num,), name, (0,))
    assert found[0] == kind(start)
    if endpoint and num > 1:
        assert found[-1] == kind(stop)
    delta = (Fraction(stop) - Fraction(start)) / max(1, num - endpoint)
    for i, element in enumerate(found):
        # What should be 0 and is not, for no float is a third, is as near to it as the ends allow.
        near = abs(delta) * num * Fraction(2) ** -70
        low, high = [Fraction(float(end)) for end in within(kind, Fraction(start) + i * delta)]
        assert low - near <= Fraction(float(element)) <= high + near, (i, element)


def test_the_middle_is_zero_and_symmetric():
    for num in (7, 9):
        found = dml_vk.linspace(-1, 1, num).numpy()
        assert found[num // 2] == 0
        assert np.array_equal(found, -found[::-1])
        assert np.array_equal(found, np.linspace(-1, 1, num, dtype=np.float64).astype("f4")) or (
            np.abs(found - np.linspace(-1, 1, num)).max() < 2**-24
        )


def test_few_and_no_distances():
    assert dml_vk.linspace(3, 4, 0).shape == (0,)
    assert dml_vk.linspace(3, 4, 1).tolist() == dml_vk.linspace(3, 3, 1, endpoint=False).tolist()
    for num in (0, 3, 10):  # the standard asks for the same bits
        longer = dml_vk.linspace(3, 1, num + 1, dtype="float64").tolist()
        assert dml_vk.linspace(3, 1, num, dtype="float64", endpoint=False).tolist() == longer[:-1]
    assert dml_vk.linspace(2.5, 2.5, 4).tolist() == [2.5] * 4
    assert dml_vk.linspace(-3, 0, 4).tolist() == [-3, -2, -1, 0], "which is counted from its end"
    assert dml_vk.linspace(0, 7e4, 3, dtype="float16").tolist() == [0, 35008, math.inf]


@tier.examples(200)
@given(
    st.one_of(st.integers(-100, 100), st.floats(-100, 100)),
    st.one_of(st.integers(-100, 100), st.floats(-100, 100)),
    st.integers(0, 60),
    st.booleans(),
)
@example(57, 1 / 3, 5, False)
def test_linspace_of_integers_rounds_numpys_floats_down(start, stop, num, endpoint):
    """Not the exact numbers: one of the example is a little less than 23, and 23 as a float."""
    found = dml_vk.linspace(start, stop, num, dtype="int8", endpoint=endpoint)
    assert found.dtype is dml_vk.int8
    assert found.tolist() == np.linspace(start, stop, num, endpoint, dtype="int8").tolist()


def test_diagonals():
    for (rows, columns), k, dtype in tier.crossed(
        ((3, None), (3, 5), (5, 3), (0, 4), (1, 1)),
        (-9, -2, 0, 1, 4, 2**70),
        ("float32", "bool", "int64"),
    ):
        x = dml_vk.eye(rows, columns, k=k, dtype=dtype, memory_format=(1, 0))
        assert_same(x, np.eye(rows, columns, k=min(k, 99), dtype=dtype))
        assert x.layout.order == (1, 0)


TRIANGLES = {"tril": (dml_vk.tril, np.tril), "triu": (dml_vk.triu, np.triu)}


MATRICES = {
    "rows": Layout((5, 7)),
    "columns": Layout.packed((7, 5), (1, 0)),
    "reversed": Layout((2, 5, 7)).flip((1, 2)),
    "with gaps": Layout((6, 11)).narrow(1, 2, 7),
    "one for all": Layout((1, 5, 7)).expand((3, 5, 7)),
    "a column": Layout((7, 1)),
    "no rows": Layout((3, 0, 4)),
}


@pytest.mark.parametrize("name", MATRICES)
def test_triangles(name):
    layout = MATRICES[name]
    x, array = tensor_over(layout, 1 if name == "with gaps" else 4)
    for (ours, numpys), k in tier.crossed(TRIANGLES.values(), (-9, -2, -1, 0, 1, 3, 9)):
        y = ours(x, k=k)
        assert_same(y, numpys(array, k))
        assert y.layout == layout.like()
    for ours, numpys in TRIANGLES.values():
        out = Layout.packed(layout.sizes, layout.order)
        check_writes(lambda t, f=ours: f(x, k=1, out=t), out, x.dtype.itemsize, numpys(array, 1))


def test_triangles_in_place_and_of_other_kinds():
    for dtype in ("bool", "float16", "float32", "int64"):
        array = np.arange(1, 31).reshape(2, 3, 5).astype(dtype)
        x = dml_vk.asarray(array)
        assert dml_vk.tril(x, k=1, out=x) is x
        assert_same(x, np.tril(array, 1))
        y = dml_vk.triu(dml_vk.asarray(array), k=-(2**70), memory_format=channels_last)
        assert_same(y, array)
        assert y.memory_format is channels_last
    nans = np.array([[np.nan, -0.0], [np.inf, 5]], np.float32)
    assert_same(dml_vk.tril(dml_vk.asarray(nans)), np.tril(nans))


def test_grids_are_views():
    a, b, c = dml_vk.arange(3), dml_vk.asarray([0.5, 1.5]), dml_vk.asarray(7)
    for given_arrays in ((a, b, c), (a, b), (b,), (c, c), (dml_vk.zeros(0), a), ()):
        for indexing in ("xy", "ij"):
            found = dml_vk.meshgrid(*given_arrays, indexing=indexing)
            arrays = [x.numpy() for x in given_arrays]
            expected = np.meshgrid(*arrays, indexing=indexing)
            assert isinstance(found, tuple)
            assert len(found) == len(expected)
            for x, grid, array in zip(given_arrays, found, expected):
                assert_same(grid, array)
                assert grid.allocation is x.allocation


def test_numbers_of_tensors_in_lists():
    one = dml_vk.asarray([1.5, 2.5])
    assert_same(dml_vk.asarray([one[1], one[0]]), np.float32([2.5, 1.5]))
    assert_same(dml_vk.asarray([[one[0], 3.0]], "float64"), np.array([[1.5, 3]]))
    high = dml_vk.zeros((1,) * 70)
    with pytest.raises(LayoutError, match=r"^\w+: NumPy cannot hold this array \("):
        dml_vk.asarray([high])


X, VECTOR = dml_vk.zeros((2, 3)), dml_vk.zeros(3)
SHAPE = r"pass the sizes as one tuple, such as \(2, 3\); got shape=2, dtype="
ERRORS = [
    (lambda: dml_vk.zeros((2, -1)), LayoutError, "zeros: sizes must not be negative"),
    (lambda: dml_vk.ones(3.5), LayoutError, "ones: sizes must be a sequence of integers"),
    *(
        (lambda make=make, dtype=dtype: make(2, dtype), DTypeError, rf"{make.__name__}: {SHAPE}")
        for make in (dml_vk.zeros, dml_vk.ones, dml_vk.empty)
        for dtype in (3, np.int64(3))
    ),
    (lambda: dml_vk.full(3, "1"), DTypeError, "full: fill_value must be a number"),
    (lambda: dml_vk.full_like(VECTOR, "x"), DTypeError, "full_like: value must be a number that"),
    (lambda: dml_vk.ones(3, memory_format=channels_last), LayoutError, "ones: rank must be 3"),
    (
        lambda: dml_vk.ones_like(VECTOR, memory_format=channels_last),
        LayoutError,
        "ones_like: rank must be 3",
    ),
    (lambda: dml_vk.zeros_like([1, 2]), DTypeError, "zeros_like: x must be a Tensor"),
    (
        lambda: dml_vk.zeros(3, device="none such"),
        DmlVkError,
        "device: wanted must be a device's index",
    ),
    (lambda: dml_vk.arange(0, 5, 0), RangeError, "arange: step must not be 0"),
    (lambda: dml_vk.arange(0, 5, 0.0), RangeError, "arange: step must not be 0"),
    (lambda: dml_vk.arange(0, math.inf), RangeError, "arange: .* must be finite"),
    (lambda: dml_vk.arange(math.nan), RangeError, "arange: .* must be finite"),
    (lambda: dml_vk.arange(0, 1e300, 1e-300), RangeError, "arange: .* must be finite"),
    (lambda: dml_vk.arange(2**2000, 0.5), RangeError, "arange: .* must be finite"),
    (lambda: dml_vk.arange(Fraction(10**400)), DTypeError, "arange: stop must be a real number"),
    (lambda: dml_vk.arange(2j), DTypeError, "arange: stop must be a real number"),
    (lambda: dml_vk.arange(1, "x"), DTypeError, "arange: stop must be a real number"),
    (lambda: dml_vk.arange(3, dtype=bool), DTypeError, "arange: dtype must be numeric"),
    (lambda: dml_vk.arange(0.5, 3, dtype=int), DTypeError, "arange: start and step must be whole"),
    (lambda: dml_vk.arange(0, 3, 0.5, int), DTypeError, "arange: start and step must be whole"),
    (lambda: dml_vk.arange(257, dtype="uint8"), DTypeError, "arange: elements must fit in"),
    (lambda: dml_vk.arange(2**63, 2**63 + 1), DTypeError, "arange: elements must fit in"),
    (lambda: dml_vk.arange(2**70), DTypeError, "arange: elements must fit in int64"),
    (lambda: dml_vk.arange(3, memory_format=channels_last), LayoutError, "arange: rank must be 3"),
    (lambda: dml_vk.linspace(0, 1, -1), RangeError, "linspace: num must not be negative"),
    (lambda: dml_vk.linspace(0, 1, 2.5), LayoutError, "linspace: num must be an integer"),
    (lambda: dml_vk.linspace(0, 1, 3, dtype=bool), DTypeError, "linspace: dtype must be numeric"),
    (lambda: dml_vk.linspace(0, 1j, 3, dtype=int), DTypeError, "linspace: dtype must be complex"),
    (lambda: dml_vk.linspace(0, 300, 3, dtype="int8"), DTypeError, "linspace: elements must fit"),
    (
        lambda: dml_vk.linspace(0, math.inf, 3),
        RangeError,
        "linspace: start and stop must be finite",
    ),
    (lambda: dml_vk.linspace(0, 10**400, 3), RangeError, "linspace: start and stop must be finite"),
    (lambda: dml_vk.linspace(None, 1, 3), DTypeError, "linspace: start must be a real number"),
    (lambda: dml_vk.eye(-1), LayoutError, "eye: sizes must not be negative"),
    (lambda: dml_vk.eye(2.5), LayoutError, "eye: n_rows must be an integer"),
    (lambda: dml_vk.eye(2, 2.5), LayoutError, "eye: n_cols must be an integer"),
    (lambda: dml_vk.eye(2, k=0.5), LayoutError, "eye: k must be an integer"),
    (lambda: dml_vk.tril(VECTOR), LayoutError, "tril: x must have at least two dims"),
    (lambda: dml_vk.triu(X, k=None), LayoutError, "triu: k must be an integer"),
    (lambda: dml_vk.triu(X, out=VECTOR), LayoutError, "triu: out must have the shape"),
    (lambda: dml_vk.tril(3), DTypeError, "tril: x must be a Tensor"),
    (lambda: dml_vk.tril(X, memory_format=channels_last), LayoutError, "tril: rank must be 3"),
    (lambda: dml_vk.meshgrid(X), LayoutError, "meshgrid: arrays must be 0-D or 1-D"),
    (lambda: dml_vk.meshgrid([1, 2]), DTypeError, "meshgrid: array must be a Tensor"),
    (lambda: dml_vk.meshgrid(indexing="yx"), RangeError, "meshgrid: indexing must be 'xy' or 'ij'"),
]


@pytest.mark.parametrize(("call", "kind", "must"), ERRORS, ids=[one[2] for one in ERRORS])
def test_errors(call, kind, must):
    with pytest.raises(kind, match=f"^{must}"):
        call()
