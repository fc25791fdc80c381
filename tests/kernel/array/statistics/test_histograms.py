"""Counts and weights of numbers and bins, beside NumPy; sums to the bit, in their stated order."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dml_vk
from dml_vk.array.statistics import bin_widths
from dml_vk.array.statistics.segments import segment_sums
from dml_vk.errors import DeviceMemoryError, DTypeError, LayoutError, RangeError
from dml_vk.layout import channels_last
from dml_vk.testing.reductions import tree_sum
from tests import tier
from tests.chance import chance
from tests.kernel.forms import few_forms, forms, mixed

INTEGERS = ("int8", "uint8", "int16", "uint32", "int64", "uint64")
BINS = (1, 7, [0.0, 0.5, 1.0], [-1.0, -1.0, 0.25, 0.25, 0.5, 2.0], [0.25], np.float64([-2, 0.1, 9]))


def same(found, expected, dtype=None):
    assert found.dtype.numpy_name == (dtype or expected.dtype.name)
    assert found.shape == expected.shape
    assert np.array_equal(found.numpy(), expected, equal_nan=expected.dtype.kind == "f")


def sums_of(numbers, count, weights):
    """The documented order: that of `sum` over the elements of one number, as they lie."""
    wide = weights.astype(np.float64)
    parts = [wide[numbers == k] for k in range(count)]
    return np.array([tree_sum(part) if part.size else 0.0 for part in parts])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint64"])
def test_sums_of_stretches(dtype):
    random = np.random.default_rng(5)
    cases = ((1, 1), (10, 3), (1000, 7), (900, 1500), (70_000, 2), (0, 3), (5, 0))
    for size, count in cases if tier.is_all() else cases[dtype in ("float64", "int64") :: 2]:
        values = mixed(dtype, (size,))
        bounds = np.sort(random.integers(0, size + 1, count + 1))
        parts = [values[a:b] for a, b in itertools.pairwise(bounds)]
        expected = np.array([tree_sum(part) if part.size else 0 for part in parts], dtype)
        same(segment_sums(dml_vk.asarray(values), dml_vk.asarray(bounds)), expected)


def test_values_that_are_not_finite_affect_only_their_own_segment():
    values = np.float32([1, np.inf, 2, -np.inf, 3, np.nan, 4, np.inf, -np.inf])
    bounds = np.array([0, 1, 3, 5, 7, 9])
    found = segment_sums(dml_vk.asarray(values), dml_vk.asarray(bounds)).tolist()
    assert str(found) == "[1.0, inf, -inf, nan, nan]"


@pytest.mark.parametrize("dtype", tier.some(["bool", *INTEGERS], 4))
def test_counts_of_numbers(dtype):
    cases, turn = tier.crossed((0, 1, 5, 300), (0, 3, 200)), dtype in ("uint8", "uint64")
    for size, minlength in cases if tier.is_all() else cases[turn::2]:
        array = mixed(dtype, (size,))
        weights = mixed("float32", (size,), 1)
        for x in few_forms(array, minlength + size):
            expected = np.bincount(array.astype(np.int64), minlength=minlength)
            same(dml_vk.bincount(x, minlength=minlength), expected, "int64")
            found = dml_vk.bincount(x, dml_vk.asarray(weights), minlength)
            same(found, sums_of(array, expected.size, weights), "float64")
            near = np.bincount(array.astype(np.int64), weights, minlength)
            assert np.allclose(found.numpy(), near)


def test_weights_of_numbers():
    array = mixed("uint8", (200,))
    for turn, dtype in enumerate(("int8", "uint64", "float16", "float32", "float64")):
        weights = mixed(dtype, (200,), 1)
        for given in few_forms(weights, turn):
            found = dml_vk.bincount(dml_vk.asarray(array), given)
            same(found, sums_of(array, array.max() + 1, weights), "float64")
    large = np.float64([1e300, 1.0, -1e300, np.inf, 2.5])
    found = dml_vk.bincount(dml_vk.asarray([0, 1, 0, 2, 3]), dml_vk.asarray(large))
    assert found.tolist() == [0.0, 1.0, np.inf, 2.5]


@pytest.mark.parametrize("dtype", tier.some(["float32", "float16", "float64"], 2))
def test_histograms_of_floats(dtype):
    array = mixed(dtype, (3, 4, 5, 6))
    array[0, 1, 2] = 0.5
    k = int(dtype == "float64")
    for turn, bins in list(enumerate(BINS))[slice(None) if tier.is_all() else slice(k, None, 2)]:
        counts, edges = np.histogram(array, bins)
        for x in few_forms(array, turn):
            found = dml_vk.histogram(x, bins)
            same(found[0], counts, "int64")
            same(found[1], edges.astype(edges.dtype if isinstance(bins, np.ndarray) else dtype))
    holes = array.copy()
    holes[1] = np.nan
    holes[2, 0, 0, :2] = np.inf, -np.inf
    for bins in (4, *(BINS[2:] if tier.is_all() else BINS[2 + k :: 2])):
        counts, edges = np.histogram(holes, bins, (-1.5, 2))
        found = dml_vk.histogram(dml_vk.asarray(holes), bins, range=(-1.5, 2))
        same(found[0], counts, "int64")
        assert np.array_equal(found[1].numpy(), edges.astype(found[1].dtype.numpy_name))


def test_values_on_edges_are_counted_as_in_numpy():
    dtypes = ("float16", "float32", "float64", "uint8", "int64")
    cases = (
        (8, (0, 8)), (8, (2, 10)), (3, None), ([0, 3, 3, 7], None), ([1, 1, 1], None),
        ([2.0, 5.0, 11.0], None), (np.array([0, 4, 11], np.int8), None), (2, (5, 5)),
    )  # fmt: skip
    for dtype, (bins, limits) in tier.crossed(dtypes, cases):
        array = np.repeat(np.arange(12), 5).astype(dtype)
        x, weights = dml_vk.asarray(array), np.arange(1, 61, dtype=np.float32)
        counts, edges = np.histogram(array, bins, limits)
        found = dml_vk.histogram(x, bins, limits)
        same(found[0], counts, "int64")
        assert np.array_equal(found[1].numpy(), edges)
        expected, _ = np.histogram(array, bins, limits, weights=weights)
        same(dml_vk.histogram(x, bins, limits, weights=dml_vk.asarray(weights))[0], expected)


def test_membership_follows_the_edges():
    array = np.random.default_rng(3).random(20_000).astype(np.float32)
    for bins in (10, 97, 1000):
        found, edges = dml_vk.histogram(dml_vk.asarray(array), bins, (0.1, 0.9))
        edges = edges.numpy()
        on = np.concatenate([edges, np.nextafter(edges, np.float32(0)), array])
        found = dml_vk.histogram(dml_vk.asarray(on), bins, (0.1, 0.9))[0].numpy()
        inside = (on[:, None] >= edges[:-1]) & (on[:, None] < edges[1:])
        inside[:, -1] |= on == edges[-1]
        assert np.array_equal(found, inside.sum(0))


@pytest.mark.parametrize("dtype", tier.some(["bool", *INTEGERS], 4))
def test_histograms_of_integers(dtype):
    array = mixed(dtype, (6, 7))
    some = (1, 5, [0, 20, 50, 51], [0.5, 20.5, 99.0])
    first = ["bool", *INTEGERS].index(dtype) % 2
    for turn, bins in enumerate(some if tier.is_all() else some[first::2]):
        counts, edges = np.histogram(array.astype(np.uint8) if dtype == "bool" else array, bins)
        if dtype == "uint64" and isinstance(bins, list) and isinstance(bins[0], int):
            bins = np.array(bins, np.uint64)
        for x in few_forms(array, turn):
            found = dml_vk.histogram(x, bins)
            same(found[0], counts, "int64")
            assert np.array_equal(found[1].numpy(), edges)


def test_weights():
    array = mixed("float32", (4, 5, 6), nan=0.1)
    edges = np.float32([-1, -0.25, 0.5, 0.75])
    place = np.searchsorted(edges, array.reshape(-1), "right") - 1
    place[array.reshape(-1) == edges[-1]] = 2
    for dtype in ("int8", "uint32", "int64", "float16", "float32", "float64"):
        weights = mixed(dtype, array.shape, 3)
        expected = sums_of(place, 3, weights.reshape(-1))
        kind = {"i": "int64", "u": "uint64", "f": dtype}[np.dtype(dtype).kind]
        for x, given in tier.some(zip(forms(array), forms(weights)), 2):
            found, _ = dml_vk.histogram(x, edges, weights=given)
            same(found, expected.astype(kind))
    image = dml_vk.asarray(mixed("float32", (2, 3, 4, 5)))
    found = [dml_vk.histogram(one, 4, weights=image)[0] for one in (image, image.to(channels_last))]
    assert found[0].tolist() == found[1].tolist()


def test_densities():
    for dtype, kind in (("float32", "float32"), ("float16", "float32"), ("int8", "float64")):
        array, weights = mixed(dtype, (500,)), mixed("float32", (500,), 2) ** 2
        x, wide = dml_vk.asarray(array), array.astype(np.float64)
        for bins in (5, [0, 0.25, 1, 60]):
            edges = dml_vk.histogram(x, bins)[1]
            given = edges.numpy().astype(np.float64)
            expected, _ = np.histogram(wide, given, density=True)
            found, same_edges = dml_vk.histogram(x, bins, density=True)
            assert (found.dtype.numpy_name, same_edges.tolist()) == (kind, edges.tolist())
            assert np.allclose(found.numpy(), expected, rtol=1e-5)
            expected, _ = np.histogram(wide, given, weights=weights, density=True)
            found, _ = dml_vk.histogram(x, edges, None, True, dml_vk.asarray(weights))
            assert np.allclose(found.numpy(), expected, rtol=1e-5)


def test_histograms_of_no_and_of_equal_elements():
    for array in (np.zeros((0, 3), np.float32), np.zeros(0, np.int8), np.array(2.5), np.ones(4)):
        for bins in (3, [0.0, 1.0, 5.0]):
            counts, edges = np.histogram(array, bins)
            for weights in (None, dml_vk.asarray(array.astype(np.float32))):
                found = dml_vk.histogram(dml_vk.asarray(array), bins, weights=weights)
                heavy, _ = np.histogram(array, bins, weights=array.astype(np.float32))
                expected = counts if weights is None else heavy
                same(found[0], expected, "int64" if weights is None else "float32")
                assert np.allclose(found[1].numpy(), edges)


def test_many():
    count = 1_048_583 if tier.is_all() else 131_101
    array = mixed("float32", (count,))
    weights = mixed("float32", (count,), 1)
    x, heavy = dml_vk.asarray(array), dml_vk.asarray(weights)
    for bins in (10, np.linspace(-3, 3, 5001, dtype=np.float32)):
        found, edges = dml_vk.histogram(x, bins)
        same(found, np.histogram(array, edges.numpy())[0], "int64")
        found, _ = dml_vk.histogram(x, bins, weights=heavy)
        expected, _ = np.histogram(array, edges.numpy(), weights=weights.astype(np.float64))
        assert np.allclose(found.numpy(), expected, rtol=1e-6, atol=1e-6)
    numbers = np.random.default_rng(9).integers(0, 100_000, count)
    same(dml_vk.bincount(dml_vk.asarray(numbers)), np.bincount(numbers))
    found = dml_vk.bincount(dml_vk.asarray(numbers), heavy).numpy()
    assert np.allclose(found, np.bincount(numbers, weights), rtol=1e-12, atol=1e-12)


def test_errors_of_counts():
    x = dml_vk.asarray([1, 2, 3])
    for call, error, told in (
        (lambda: dml_vk.bincount([1]), DTypeError, "x must be a Tensor"),
        (lambda: dml_vk.bincount(dml_vk.zeros(3)), DTypeError, "dtype must be one of bool_, int8"),
        (lambda: dml_vk.bincount(x[None]), LayoutError, r"x must be 1-D; got x=\(1, 3\)"),
        (lambda: dml_vk.bincount(x - 3), RangeError, "elements must not be negative; got least=-2"),
        (lambda: dml_vk.bincount(x, x[:2]), LayoutError, "weights must have the shape of x"),
        (lambda: dml_vk.bincount(x, x > 0), DTypeError, "dtype must be one of int8"),
        (lambda: dml_vk.bincount(x, minlength=-1), RangeError, "minlength must not be negative"),
        (lambda: dml_vk.bincount(x, minlength=1.5), LayoutError, "minlength must be an integer"),
        (lambda: dml_vk.bincount(x << 40), RangeError, r"elements and minlength must be less than"),
        (lambda: dml_vk.bincount(x, minlength=2**40), RangeError, "elements and minlength must be"),
    ):
        with pytest.raises(error, match=rf"^bincount: {told}"):
            call()
    limit = dml_vk.device().memory_limit
    dml_vk.device().memory_limit = 2**24
    try:
        with pytest.raises(DeviceMemoryError, match=r"^bincount: "):
            dml_vk.bincount(x, minlength=2**30)
    finally:
        dml_vk.device().memory_limit = limit


RULES = ("auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges")


@pytest.mark.filterwarnings("ignore:The number of bins estimated may be suboptimal")
@pytest.mark.parametrize("rule", RULES)
def test_rules_for_the_number_of_bins(rule):
    assert set(RULES) == set(bin_widths.RULES)
    arrays = (
        *(chance().normal(size=(9, 60)).astype(np.float32), chance().integers(0, 50, 301)),
        *(chance().exponential(size=997), np.float32([1, 1, 1]), np.float32([2]), np.zeros(0)),
    )
    turn = RULES.index(rule) % 2
    for array in arrays if tier.is_all() else arrays[turn::2]:
        x = dml_vk.asarray(array)
        for ends in (None, (-0.5, 1.5)):
            counts, edges = np.histogram(array, rule, ends)
            found = dml_vk.histogram(x, rule, ends)
            assert found[0].tolist() == counts.tolist()
            np.testing.assert_allclose(found[1].numpy(), edges, 1e-6)
            assert dml_vk.histogram_bin_edges(x, rule, ends).size == len(edges)


def test_errors_of_histograms():
    x = dml_vk.asarray([1.0, 2.0])
    nan = dml_vk.asarray([1.0, float("nan")])
    for call, error, told in (
        (lambda: dml_vk.histogram([1.0]), DTypeError, "x must be a Tensor"),
        (
            lambda: dml_vk.histogram(x, 0),
            RangeError,
            r"bins must be from 1 to 2\*\*31 - 2; got bins=0",
        ),
        (
            lambda: dml_vk.histogram(x, "most"),
            RangeError,
            "bins must be a number, edges, or without weights one of auto, doane",
        ),
        (
            lambda: dml_vk.histogram(x, "auto", None, False, x),
            RangeError,
            "bins must be a number, edges, or without",
        ),
        (
            lambda: dml_vk.histogram(x, ["a"]),
            DTypeError,
            "bins must be an integer or a sequence of real edges",
        ),
        (
            lambda: dml_vk.histogram(x, [[1], [1, 2]]),
            DTypeError,
            "bins must be an integer or a sequence of real edges",
        ),
        (lambda: dml_vk.histogram(x, [[1, 2]]), LayoutError, "edges must be 1-D"),
        (lambda: dml_vk.histogram(x, np.float32([])), LayoutError, "edges must be 1-D"),
        (lambda: dml_vk.histogram(x, [2, 1]), RangeError, "edges must increase monotonically"),
        (
            lambda: dml_vk.histogram(x, [1, float("nan")]),
            RangeError,
            "edges must increase monotonically",
        ),
        (lambda: dml_vk.histogram(x, nan), RangeError, "edges must increase monotonically"),
        (lambda: dml_vk.histogram(x, x[None]), LayoutError, "edges must be 1-D"),
        (lambda: dml_vk.histogram(x, x > 0), DTypeError, "dtype must be one of int8"),
        (lambda: dml_vk.histogram(x, range=(1, 2, 3)), LayoutError, "range must be a pair"),
        (lambda: dml_vk.histogram(x, range=3), LayoutError, "range must be a sequence"),
        (
            lambda: dml_vk.histogram(x, range=(3, 2)),
            RangeError,
            "range must be finite and increasing; without range, all elements must be finite",
        ),
        (lambda: dml_vk.histogram(x, range=(3, "x")), DTypeError, "range must be a real number"),
        (
            lambda: dml_vk.histogram(nan),
            RangeError,
            "range must be finite and increasing; without range, all elements must be finite",
        ),
        (
            lambda: dml_vk.histogram(1 / (x - 1)),
            RangeError,
            "range must be finite and increasing; without range, all elements must be finite",
        ),
        (lambda: dml_vk.histogram(x, weights=x[:1]), LayoutError, "weights must have the shape"),
        (lambda: dml_vk.histogram(x, density=3), DTypeError, "density must be a bool"),
    ):
        with pytest.raises(error, match=rf"^histogram: {told}"):
            call()
