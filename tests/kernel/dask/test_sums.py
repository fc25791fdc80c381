"""Sums, products, means and variances over chunks, bit for bit those of one tensor."""

from __future__ import annotations

import itertools

import dask
import dask.array as da
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.dask import from_array, matmul
from dml_vk.dask import functions as dask_functions
from dml_vk.dask.sums import nodes_in
from dml_vk.dtypes import DTYPES
from dml_vk.kernels.reductions import REDUCTIONS
from dml_vk.layout import channels_last
from tests import tier
from tests.chance import chance
from tests.kernel.memory import bits

FUNCTIONS = ("sum", "prod", "mean", "var", "std")
IGNORING = tuple(f"nan{name}" for name in FUNCTIONS)
NUMBERS = [dtype for dtype in DTYPES.values() if dtype.kind != "b"]
# Others have kernels of the width and kind of one of these.
OF_KERNELS = ("uint8", "int16", "uint32", "int64", "float16", "float32", "float64", "complex64")
SUMMED = [dtype for dtype in NUMBERS if tier.is_all() or dtype.name in OF_KERNELS]
SUMMED.append(dml_vk.bool_)
tier.leave_out(len(NUMBERS) + 1 - len(SUMMED))


@pytest.fixture(autouse=True)
def _here():
    with dask.config.set(scheduler="synchronous"):
        yield


def numbers(sizes, dtype=dml_vk.float32):
    kind = dtype.numpy_name
    if dtype.kind in "iu":
        return chance().integers(0, 100, sizes).astype(kind)
    if dtype.kind == "b":
        return chance().integers(0, 2, sizes).astype(bool)
    made = chance().normal(size=sizes) * 3 + 1
    return (made + 1j * chance().normal(size=sizes) if dtype.kind == "c" else made).astype(kind)


def is_same(found, expected):
    """The same bits, but for the sign of NaN, which nothing defines."""
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    one, other = found.numpy(), expected.numpy()
    both = np.isnan(one) & np.isnan(other)
    return (
        bool(np.all((bits(one) == bits(other)) | both))
        if one.dtype.kind != "c"
        else all(
            np.array_equal(bits(np.ascontiguousarray(a)), bits(np.ascontiguousarray(b)))
            for a, b in ((one.real, other.real), (one.imag, other.imag))
        )
    )


def check(name, x, chunks, axis, **options):
    found = getattr(from_array(x, chunks), name)(axis=axis, **options)
    ddof = options.pop("ddof", None)
    named = {} if ddof is None else {"correction": ddof}
    expected = getattr(dml_vk, name)(dml_vk.asarray(x), axis=axis, **options, **named)
    computed = found.compute()
    assert found.shape == expected.shape
    assert is_same(computed, expected), (name, x.shape, chunks, axis, options)
    assert (found.dtype, type(found._meta)) == (expected.dtype, dml_vk.Tensor)


def is_uneven(dtype):
    """Chunks of many sizes take a kernel each: without --all only those of some dtypes do."""
    return tier.is_all() or dtype in (dml_vk.float32, dml_vk.float16, dml_vk.int64)


def cut(dtype):
    """Sizes, and those of chunks."""
    return ((5, 37, 3), (3, 20, 2)) if is_uneven(dtype) else ((6, 38, 4), (3, 19, 2))


@tier.parametrize("dtype name", SUMMED, FUNCTIONS)
def test_every_dtype(name, dtype):
    sizes, chunks = cut(dtype)
    check(name, numbers(sizes, dtype), chunks, (0, 1))


@pytest.mark.parametrize("name", [name for name in REDUCTIONS if hasattr(da, name)])
def test_each_reduction_of_chunks_is_that_of_the_whole(name):
    """Dask combines by itself what no order matters to."""
    assert name in dask_functions.FUNCTIONS or not REDUCTIONS[name].accumulates
    x = numbers((5, 37)) * (chance().random((5, 37)) < 0.5)
    lazy, whole = from_array(x, (3, 20)), dml_vk.asarray(x)
    for axis in (0, 1):
        result = getattr(da, name)(lazy, axis=axis).compute()
        assert is_same(result, getattr(dml_vk, name)(whole, axis=axis)), axis


@pytest.mark.parametrize("name", ["var", "std"])
def test_means_of_float16_stay_wide(name):
    x = 1000 + chance().integers(-3, 4, (5, 37, 3))
    check(name, x.astype(np.float16), (3, 20, 2), (0, 1))


@tier.parametrize("dtype name", SUMMED, IGNORING)
def test_every_dtype_with_nan(name, dtype):
    sizes, chunks = cut(dtype)
    x = numbers(sizes, dtype)
    if dtype.kind in "fc":
        x[chance().random(x.shape) < 0.3] = np.nan
        x[1, :, 2] = np.nan
    found = getattr(dml_vk.dask, name)(from_array(x, chunks), (0, 1), keepdims=True)
    expected = getattr(dml_vk, name)(dml_vk.asarray(x), axis=(0, 1), keepdims=True)
    assert is_same(found.compute(), expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)


def test_options_with_nan():
    x = numbers((6, 35), DTYPES["float16"])
    x[::2, ::3] = np.nan
    lazy, whole = from_array(x, (4, 8)), dml_vk.asarray(x)
    every = ({"ddof": 1}, {"ddof": 40}, {"dtype": "float32"})
    for options, name in tier.crossed(every, ("nanvar", "nanstd")):
        found = getattr(np, name)(lazy, axis=1, **options)
        assert is_same(found.compute(), getattr(dml_vk, name)(whole, axis=1, **options))
    found = np.nanmean(lazy, axis=0, dtype="float32")
    assert is_same(found.compute(), dml_vk.nanmean(whole, axis=0, dtype="float32"))
    x = x[:, :9].astype(np.float32)
    chosen = from_array(x, 4)
    chosen = chosen[chosen > 0]
    for name in tier.some(IGNORING, 3):
        expected = getattr(np, name)(x[x > 0].astype(np.float64))
        assert getattr(np, name)(chosen).compute().item() == pytest.approx(expected, rel=1e-3)


@st.composite
def cases(draw):
    """Sizes, chunks along each axis, and the axes that are reduced."""
    sizes = draw(st.lists(st.integers(1, 13), min_size=1, max_size=4))
    chunks = []
    for size in sizes:
        cuts = draw(st.sets(st.integers(1, size), max_size=3)) | {size}
        chunks.append(tuple(int(one) for one in np.diff([0, *sorted(cuts)])))
    axes = draw(st.sets(st.integers(0, len(sizes) - 1), min_size=1))
    return tuple(sizes), tuple(chunks), tuple(axes)


@tier.examples(40)
@given(cases(), st.sampled_from(FUNCTIONS), st.booleans(), st.sampled_from([None, 2, 5]))
def test_any_chunks_and_axes(case, name, keepdims, split_every):
    sizes, chunks, axes = case
    x = numbers(sizes)
    found = getattr(from_array(x, chunks), name)(axes, keepdims=keepdims, split_every=split_every)
    expected = getattr(dml_vk, name)(dml_vk.asarray(x), axis=axes, keepdims=keepdims)
    assert is_same(found.compute(), expected)


@pytest.mark.parametrize("total", [1, 2, 7, 8, 100, 129])
def test_nodes_in_a_run_are_the_largest_of_the_tree(total):
    for start in range(total):
        for stop in range(start + 1, total + 1):
            at = start
            for level, number, low, high in nodes_in(start, stop, total):
                assert (low, high) == (number << level, min(number + 1 << level, total))
                assert low == at
                wider = number // 2 << level + 1, min(number // 2 + 1 << level + 1, total)
                is_whole_tree = (low, high) == (0, total)
                assert is_whole_tree or wider[0] < start or wider[1] > stop
                at = high
            assert at == stop


def test_long_rows_in_chunks_of_no_even_size():
    """Chunks that are cut at odd places of deep trees, and those that are not."""
    x = numbers((3, 100_003))
    every = ((2, 9_973), (3, 8192), (1, 100_003), (3, 65_537))
    for chunks, (name, axis) in tier.crossed(
        every, list(itertools.product(("sum", "mean", "var"), (1, None)))
    ):
        check(name, x, chunks, axis)


def test_options():
    x = numbers((6, 35), DTYPES["float16"])
    check("sum", x, (4, 8), 1, dtype=dml_vk.float32)
    check("sum", x.astype(np.float64), (4, 8), 1, dtype=dml_vk.float32)
    check("sum", numbers((6, 35), DTYPES["int8"]), (4, 8), 0, dtype=dml_vk.float32)
    check("prod", numbers((6, 5), DTYPES["int16"]), (4, 2), 0, dtype=dml_vk.int32)
    check("var", x, (4, 8), 1, ddof=1)
    check("std", x, (4, 8), None, ddof=2, keepdims=True)
    check("var", x[:1], (1, 8), 0, ddof=2)
    check("var", numbers((5, 9), dml_vk.complex64), (2, 4), 1, keepdims=True)
    lazy = from_array(x, (4, 8))
    wide = dml_vk.asarray(x.astype(np.float32))
    assert is_same(lazy.mean(1, dtype="float32").compute(), dml_vk.mean(wide, axis=1))
    assert is_same(lazy.std(1, dtype="float32").compute(), dml_vk.std(wide, axis=1))
    target = da.empty_like(lazy.sum(0))
    assert lazy.sum(0, out=target) is target
    assert is_same(target.compute(), dml_vk.sum(dml_vk.asarray(x), axis=0))


def test_nothing_one_element_and_no_dims():
    for sizes, axis in (((0,), None), ((0, 3), 0), ((3, 0), 1), ((3, 0), 0), ((1, 1), None)):
        for name in FUNCTIONS:
            check(name, numbers(sizes), tuple(max(1, size // 2) for size in sizes), axis)
    check("sum", numbers((4, 0, 6)), (2, 1, 3), (0, 1, 2))
    check("mean", numbers((4, 0, 6)), (2, 1, 3), (0, 2))
    check("sum", np.float32(3), (), None)
    assert from_array(numbers((3, 4)), 2).sum(axis=()).compute().shape == (3, 4)


def test_numpys_functions_operators_and_arrays_from_elsewhere():
    x, y = numbers((20, 30)), numbers((30, 20))
    a, b = from_array(x, 7), from_array(y, 11)
    own = dml_vk.asarray(x), dml_vk.asarray(y)
    for function in (np.sum, np.prod, np.mean, np.var, np.std):
        expected = getattr(dml_vk, function.__name__)(own[0], axis=0)
        assert is_same(function(a, axis=0).compute(), expected)
    for product in (a @ b, np.matmul(a, b), a.dot(b), matmul(a, b), a @ own[1], own[0] @ b):
        assert is_same(product.compute(), own[0] @ own[1])
    assert is_same(da.exp(a).sum().compute(), dml_vk.sum(dml_vk.exp(own[0])))
    cube = from_array(x.reshape(4, 5, 30), 3)
    found = cube.dot(b).compute()
    np.testing.assert_allclose(found.numpy(), x.reshape(4, 5, 30) @ y, 1e-4, 1e-4)
    made = da.from_array(x, 7).map_blocks(dml_vk.asarray, meta=dml_vk.empty((0, 0)))
    assert is_same(made.sum().compute(), dml_vk.sum(own[0]))
    assert is_same(np.max(a, axis=0).compute(), dml_vk.max(own[0], axis=0))
    with pytest.raises(dml_vk.LayoutIndexError, match="sum: axis must be"):
        a.sum(axis=2)
    with pytest.raises(dml_vk.LayoutError, match="mean: axis must not repeat"):
        a.mean(axis=(0, -2))


def test_sums_of_chunks_whose_sizes_are_not_known_are_dasks():
    x = numbers((100,))
    chosen = from_array(x, 30)
    chosen = chosen[chosen > 0]
    for name in FUNCTIONS:
        expected = getattr(np, name)(x[x > 0].astype(np.float64))
        assert getattr(chosen, name)().compute().item() == pytest.approx(expected, rel=1e-4)
    assert (chosen @ chosen).compute().item() == pytest.approx((x[x > 0] ** 2).sum(), rel=1e-4)


def test_results_keep_the_memory_format():
    x = from_array(numbers((4, 3, 6, 5)), (2, 3, 4, 5), memory_format=channels_last)
    for found in (x.sum(0, keepdims=True), x.mean((2, 3), keepdims=True), x.var(0, keepdims=True)):
        assert found.compute().memory_format == channels_last
    normal = (x - x.mean((2, 3), keepdims=True)) / x.std((2, 3), keepdims=True)
    assert normal.compute().memory_format == channels_last


@pytest.mark.parametrize(
    "dtype",
    [
        pytest.param(one, marks=[] if one.name in OF_KERNELS else pytest.mark.product)
        for one in NUMBERS
    ],
    ids=str,
)
def test_products_of_every_dtype(dtype):
    rows, chunks = (7, ((3, 40), (50, 4))) if is_uneven(dtype) else (6, ((3, 65), (65, 3)))
    x, y = numbers((rows, 130), dtype), numbers((130, 6), dtype)
    found = from_array(x, chunks[0]) @ from_array(y, chunks[1])
    assert is_same(found.compute(), dml_vk.asarray(x) @ dml_vk.asarray(y))


def test_products_of_many_terms():
    """Of more than 64 and 64 * 64, cut at places that have nothing to do with runs."""
    for terms, chunk in ((63, 7), (65, 64), (4096, 1000), (4097, 4096), (9001, 999), (9001, 9001)):
        x, y = numbers((3, terms)), numbers((terms, 2))
        found = from_array(x, (2, chunk)) @ from_array(y, (chunk + 1, 2))
        assert is_same(found.compute(), dml_vk.asarray(x) @ dml_vk.asarray(y)), terms


def test_more_than_64_blocks_of_terms(monkeypatch):
    """Blocks of 2 * 2 terms, whose sums are added in runs of 2, where NumPy's are."""
    from dml_vk.dask import products

    monkeypatch.setattr(products, "RUN", 2)
    x = numbers((2, 37))
    found = (from_array(x, (1, 5)) @ from_array(x.T, (9, 2))).compute().numpy()
    one, other = dml_vk.asarray(x), dml_vk.asarray(x.T)
    sums = [(one[:, k : k + 4] @ other[k : k + 4]).numpy() for k in range(0, 37, 4)]
    while len(sums) > 1:
        sums = [np.add.reduce(sums[k : k + 2]) for k in range(0, len(sums), 2)]
    assert np.array_equal(found, sums[0])


def test_products_of_vectors_batches_and_mixed_dtypes():
    shapes = [((9,), (9,)), ((4, 9), (9,)), ((9,), (9, 5)), ((2, 4, 9), (9, 5))]
    shapes += [((3, 1, 4, 9), (2, 9, 5)), ((4, 9), (2, 9, 5))]
    for one, other in shapes:
        x, y = numbers(one), numbers(other, DTYPES["float16"])
        found = from_array(x, 4) @ from_array(y, 3)
        assert is_same(found.compute(), dml_vk.asarray(x) @ dml_vk.asarray(y)), (one, other)
    assert (from_array(numbers((3, 0)), 2) @ from_array(numbers((0, 2)), 2)).compute().tolist() == [
        [0.0, 0.0]
    ] * 3
    with pytest.raises(ValueError, match=r"matmul: x1\.shape"):
        from_array(numbers((3, 4)), 2) @ from_array(numbers((3, 4)), 2)


@pytest.mark.parametrize("name", tier.some([*FUNCTIONS, *IGNORING], 5))
def test_functions_of_dask(name):
    x = numbers((6, 41))
    expected = getattr(dml_vk.dask, name)(from_array(x, (4, 7)), 1).compute()
    assert is_same(getattr(da, name)(from_array(x, (4, 7)), axis=1).compute(), expected)
    assert is_same(getattr(np, name)(from_array(x, (4, 7)), axis=1).compute(), expected)
    assert isinstance(getattr(da, name)(da.from_array(x, (4, 7)), axis=1).compute(), np.ndarray)


@pytest.mark.parametrize("name", ["matmul", "dot"])
def test_products_of_dask(name):
    x, y = numbers((3, 5000)), numbers((5000, 4))
    expected = dml_vk.asarray(x) @ dml_vk.asarray(y)
    for function in (getattr(da, name), getattr(np, name)):
        assert is_same(function(from_array(x, 700), from_array(y, 900)).compute(), expected)
        assert is_same(function(from_array(x, 700), dml_vk.asarray(y)).compute(), expected)


def test_products_of_more_dims_are_those_of_dask():
    x, y = numbers((2, 3, 50)), numbers((2, 50, 4))
    found = from_array(x, 20).dot(from_array(y, 20)).compute()
    assert found.shape == (2, 3, 2, 4)
    np.testing.assert_allclose(found.numpy(), np.dot(x, y), rtol=1e-4, atol=1e-4)


def test_products_beside_arrays_of_numpy():
    x, y = numbers((12, 5000)), numbers((5000, 7))
    expected = dml_vk.asarray(x) @ dml_vk.asarray(y)
    for chunks in tier.some((700, (5, 5000), (12, 33)), 2):
        for found in (
            from_array(x, chunks) @ y,
            x @ from_array(y, chunks[::-1] if isinstance(chunks, tuple) else chunks),
            from_array(x, chunks) @ da.from_array(y, 1000),
            da.matmul(b=y, a=from_array(x, chunks)),
        ):
            assert is_same(found.compute(), expected)


def test_parameters_by_dasks_names():
    x = numbers((6, 41))
    expected = dml_vk.sum(dml_vk.asarray(x), axis=1)
    assert is_same(da.sum(a=from_array(x, (4, 7)), axis=1).compute(), expected)
    assert is_same(dml_vk.dask.sum(from_array(x, (4, 7)), axis=1).compute(), expected)
    assert np.array_equal(dml_vk.dask.sum(x, axis=1).compute(), x.sum(axis=1))
