"""Scans against their reference: the same bits in any layout, by any passes, on any device."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk.dtypes import DType, to_dtype
from dml_vk.errors import DTypeError, LayoutError, LayoutIndexError
from dml_vk.kernels.plan import scan as planning
from dml_vk.kernels.plan.scan import EXCLUSIVE, INCLUSIVE, MAXIMUM, MINIMUM, PRODUCT, SUM, Scan
from dml_vk.layout import Layout, channels_last
from dml_vk.ops.scan import scan_elements
from dml_vk.ops.view import View, with_dtype
from dml_vk.testing.elementwise import cast
from dml_vk.testing.scans import scan
from dml_vk.testing.strategies import layouts, targets
from tests import tier
from tests.chance import chance
from tests.kernel.answers import numpys
from tests.kernel.elementwise import source_of
from tests.kernel.memory import MARGIN, QUAD, bits, check_writes, moved
from tests.kernel.profiled import profiled
from tests.kernel.tensors import assert_same
from tests.profiles import PROFILES
from tests.real_dtypes import DTYPES

REAL = [dtype for dtype in DTYPES.values() if dtype.kind in "biuf"]
FUNCTIONS = {SUM: np.add, PRODUCT: np.multiply}
EXTREMES = {MAXIMUM: np.maximum, MINIMUM: np.minimum}
# What each kind of numbers is computed in, of these.
WAYS = [
    *(("float32", "float32"), ("float16", "float16"), ("float16", "float32")),
    *(("float32", "float16"), ("int32", "int32"), ("uint8", "int32"), ("int16", "int8")),
    *(("bool_", "int64"), ("int32", "int64"), ("uint64", "uint64"), ("int64", "int16")),
    *(("float64", "float64"), ("float32", "float64"), ("int32", "float32")),
    *(("float32", "int32"), ("float64", "float32"), ("int64", "int32")),
]


def values_of(dtype: DType, sizes) -> np.ndarray:
    """None of which is 0; products stay within what float16 holds, for some elements."""
    if dtype.kind == "f":
        return (chance().uniform(0.5, 1.9, sizes) * chance().choice([-1, 1], sizes)).astype(
            dtype.name
        )
    values = chance().integers(1, 100, sizes)
    return (values > 50 if dtype.kind == "b" else values).astype(dtype.numpy_name)


def check(way, source: Layout, target: Layout, dim: int, operator=SUM, form=INCLUSIVE) -> None:
    """The scan of random elements in one layout, into another, and nothing beside it."""
    own, wanted = [to_dtype("check", name) for name in way]
    tensor, seen = source_of(own, source, values_of(own, source.sizes))
    expected = scan(
        {**FUNCTIONS, **EXTREMES}[operator],
        cast(seen, wanted),
        dim,
        wanted.numpy_name,
        exclusive=form == EXCLUSIVE,
    )

    def call(to):
        scan_elements("test", operator, tensor, with_dtype(to, wanted), dim, form)

    check_writes(call, target, wanted.itemsize, bits(expected))


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_every_dtype(way):
    check(way, Layout((3, 70)), Layout((3, 70)), 1)
    if way[1] in ("float32", "int32", "int64", "float64") and way[0] == way[1]:
        for sizes, dim in (((70, 3), 0), ((70, 8), 0)):
            for operator in FUNCTIONS:
                check(way, Layout(sizes), Layout(sizes), dim, operator)


@pytest.mark.parametrize("kind", ["float32", "float64", "int64", "float16"])
def test_extremes(kind):
    for operator in EXTREMES:
        for sizes, dim in (((3, 70), 1), ((70, 8), 0), ((2, 4097), 1)):
            check((kind, kind), Layout(sizes), Layout(sizes), dim, operator)
            check((kind, kind), Layout(sizes), Layout(sizes), dim, operator, EXCLUSIVE)


def test_every_length(profile):
    lengths = tier.plus((1, 2, 63, 64, 65, 1031, 4096, 4097), (3, 127, 128, 129, 257, 4095, 9001))
    for turn, length in enumerate(lengths):
        for form in (INCLUSIVE, EXCLUSIVE) if tier.is_all() else (INCLUSIVE + turn % 2,):
            check(("float32", "float32"), Layout((length,)), Layout((length,)), 0, SUM, form)
        check(("int32", "int64"), Layout((3, length)), Layout((3, length)), 1)
        check(("float32", "float32"), Layout((length, 16)), Layout((length, 16)), 0)
        check(("int32", "int32"), Layout((2, length, 8)), Layout((2, length, 8)), 1, PRODUCT)


def test_spans_of_every_length_give_the_same_bits(monkeypatch):
    """One pass, or three, or five: nothing is added in another order."""
    for sizes in ((2, 9001), (2, 9001, 8)):
        x = dml_vk.asarray(values_of(dml_vk.float32, sizes))
        expected = scan(np.add, x.numpy(), 1)
        for span in (64, 4096, 9001):
            monkeypatch.setattr(planning, "_span", lambda rows, profile, span=span: span)
            with profiled(x.device, dataclasses.replace(x.device.profile)):
                assert_same(dml_vk.cumulative_sum(x, axis=1), expected)


def test_many_levels():
    long = values_of(dml_vk.float32, 300_007)
    assert_same(dml_vk.cumulative_sum(dml_vk.asarray(long)), scan(np.add, long))


@tier.examples(40)
@given(st.data())
def test_random_layouts(data):
    source = data.draw(layouts(max_rank=3).filter(lambda layout: layout.rank))
    dim = data.draw(st.integers(0, source.rank - 1))
    target = data.draw(targets(sizes=source.sizes))
    check(data.draw(st.sampled_from([WAYS[0], WAYS[1], WAYS[8]])), source, target, dim)


def test_layouts_with_long_rows(profile):
    """All steps, alignments and gaps, and more dims than one launch takes."""
    cases = [
        (Layout((3, 131), (150, 1), 1), Layout((3, 131), (131, 1)), 1),
        (Layout((3, 131), (150, -1), 130), Layout((3, 131), (262, 2)), 1),
        (Layout((3, 131), (0, 1)), Layout((3, 131), (1, 3)), 1),
        (Layout((3, 131), (1, 0)), Layout((3, 131), (-131, -1), 392), 1),
        (Layout((131, 16), (20, 1)), Layout((131, 16), (16, 1)), 0),
        (Layout((131, 16), (16, 1), 1), Layout((131, 16)), 0),
        (Layout((131, 16), (16, 1)), Layout((131, 16), (17, 1)), 0),
        (Layout((131, 16), (-16, 1), 2080), Layout((131, 16)), 0),
        (Layout((131, 16), (1, 131)), Layout((131, 16)), 0),
        (Layout((2,) * 6 + (67, 2)), Layout((2,) * 6 + (67, 2), order=(7, 1, 0, 4, 3, 6, 2, 5)), 6),
        (Layout.packed((2, 67, 3, 4), channels_last), Layout((2, 67, 3, 4)), 1),
    ]
    padded = Layout((2,) * 6 + (67, 2), (*[301 * 3**k for k in range(6, 0, -1)], 4, 1))
    cases.append((padded, padded, 6))
    for source, target, dim in cases:
        check(("float32", "float32"), source, target, dim)
    for source, target, dim in cases[:2]:
        check(("int16", "int64"), source, target, dim)
    whole, apart = Layout((131, 16)), Layout((131, 16), (17, 1))
    for source, target in ((whole, apart), (apart, whole)):  # of rows, only the first is at a quad
        check(("float32", "float32"), moved(source, QUAD), moved(target, QUAD), 0)


def test_each_launch_of_a_scan_has_its_own_totals(monkeypatch):
    """With more dims than a launch takes, and in three passes."""
    monkeypatch.setattr(planning, "_span", lambda rows, profile: 64)
    device = dml_vk.device()
    for inner in ((67, 8), (2, 67)):
        strides = [1300 * 3**k for k in range(6, 0, -1)]
        layout = Layout((2,) * 6 + inner, (*strides, inner[1], 1), QUAD)
        with profiled(device, dataclasses.replace(device.profile)):
            check(("float32", "float32"), layout, layout, 6 + inner.index(67))


def test_special_floats():
    row = np.float32([-0.0, -0.0, 0.0, 1, np.inf, 1, -np.inf, 1, np.nan, 1])
    x = dml_vk.asarray(row)
    with np.errstate(all="ignore"):
        assert np.array_equal(dml_vk.cumulative_sum(x).numpy(), np.cumsum(row), equal_nan=True)
        assert np.array_equal(dml_vk.cumulative_prod(x).numpy(), np.cumprod(row), equal_nan=True)
    assert np.signbit(dml_vk.cumulative_sum(x).numpy()[:3]).tolist() == [True, True, False]


def test_sums_are_more_accurate_than_one_after_the_other():
    for kind in (np.float32, np.float64):
        x = chance().random(70_001).astype(kind)
        exact = np.cumsum(x.astype(np.longdouble))
        error = np.abs(dml_vk.cumulative_sum(dml_vk.asarray(x)).numpy() - exact).max()
        assert error < np.abs(np.cumsum(x) - exact).max() / 2
        assert error <= 70 * np.spacing(x.dtype.type(exact[-1]))


def test_scans_take_no_more_rounds_than_a_driver_allows():
    """Beyond 65535 in an invocation, llvmpipe ends its loops."""
    scan_of = Scan("float", SUM, INCLUSIVE, dml_vk.float32.code)
    for profile in (PROFILES["CPU"], dataclasses.replace(PROFILES["GPU"], coalesces=False)):
        for sizes, dim in (((2**31 - 1,), 0), ((5000, 40_000), 1), ((2**20, 800), 0)):
            layout = Layout(sizes)
            operands = [(layout.strides, 0, 4)] * 2
            passes = planning.plan_scan(scan_of, sizes, operands, dim, profile)
            assert passes.totals is not None
            assert passes.sizes[1] == -(-sizes[dim] // passes.last.push[-3])
            assert passes.last.push[-3] <= 2**15


@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_results_are_of_64_bits_if_they_are_integers(dtype):
    x = values_of(dtype, (2, 5))
    tensor = dml_vk.asarray(x)
    kind = {"b": "int64", "i": "int64", "u": "uint64", "f": dtype.name}[dtype.kind]
    functions = (dml_vk.cumulative_sum, np.add), (dml_vk.cumulative_prod, np.multiply)
    for axis, (function, of) in tier.crossed(tier.some((0, 1, -1), 2), functions):
        assert_same(function(tensor, axis=axis), scan(of, x.astype(kind), axis))
    if dtype not in tier.some(REAL, 4):
        return
    found = dml_vk.cumulative_sum(tensor, axis=1, dtype="float32")
    assert_same(found, scan(np.add, x.astype("float32"), 1))


def test_an_initial_element():
    x = values_of(dml_vk.int32, (2, 3, 4))
    tensor = dml_vk.asarray(x)
    for function, of in (
        (dml_vk.cumulative_sum, numpys("cumulative_sum")),
        (dml_vk.cumulative_prod, numpys("cumulative_prod")),
    ):
        for axis in range(3):
            expected = of(x, axis=axis, dtype=np.int64, include_initial=True)
            assert_same(function(tensor, axis=axis, include_initial=True), expected)
    empty = dml_vk.empty((0,), dml_vk.float16)
    assert dml_vk.cumulative_prod(empty, include_initial=True).tolist() == [1.0]
    assert dml_vk.cumulative_sum(empty).tolist() == []


def test_formats_are_kept():
    x = dml_vk.asarray(values_of(dml_vk.float32, (2, 3, 4, 5)), memory_format=channels_last)
    for axis in range(4):
        assert dml_vk.cumulative_sum(x, axis=axis).layout == x.layout
        longer = dml_vk.cumulative_prod(x, axis=axis, include_initial=True)
        assert longer.memory_format is channels_last
        assert dml_vk.diff(x, axis=axis).memory_format is channels_last
        assert dml_vk.diff(x, axis=axis, prepend=x).memory_format is channels_last


def test_out_may_overlap():
    x = values_of(dml_vk.int64, 200)
    tensor = dml_vk.asarray(x)
    assert dml_vk.cumulative_sum(tensor, out=tensor) is tensor
    assert_same(tensor, np.cumsum(x))
    tensor = dml_vk.asarray(x)
    front, back = tensor.over(Layout((150,))), tensor.over(Layout((150,), offset=50))
    dml_vk.cumulative_sum(front, out=back)
    assert_same(back, np.cumsum(x[:150]))
    tensor = dml_vk.asarray(x)
    front, back = tensor.over(Layout((149,))), tensor.over(Layout((150,), offset=50))
    dml_vk.cumulative_sum(front, include_initial=True, out=back)
    assert_same(back, numpys("cumulative_sum")(x[:149], include_initial=True))
    half = dml_vk.asarray(x.astype(np.int32))
    wide = dml_vk.Tensor(View(half.device, half.allocation, Layout((100,)), dml_vk.int64))
    dml_vk.cumulative_sum(half.over(Layout((100,), offset=3)), out=wide)
    assert_same(wide, np.cumsum(x[3:103]))


def test_differences():
    x = values_of(dml_vk.int16, (5, 6))
    tensor = dml_vk.asarray(x)
    ends = [None, values_of(dml_vk.int16, (1, 6)), values_of(dml_vk.int16, (3, 6)), x[:0]]
    for n in (0, 1, 2, 9):
        assert_same(dml_vk.diff(tensor, n=n), np.diff(x, n=n))
        for prepend in ends:
            for append in ends[:3]:
                named = {"prepend": prepend, "append": append}
                given = {name: one for name, one in named.items() if one is not None}
                expected = np.diff(x, n=n, axis=0, **given)
                made = {name: dml_vk.asarray(one) for name, one in given.items()}
                assert_same(dml_vk.diff(tensor, n=n, axis=0, **made), expected)
    mixed = dml_vk.diff(dml_vk.asarray(np.uint8([3, 250])), append=dml_vk.asarray(np.int8([-3])))
    assert_same(mixed, np.int16([247, -253]))
    big = dml_vk.asarray(np.float32([[1, 4, 9]]))
    assert_same(dml_vk.diff(big), np.float32([[3, 5]]))


def test_differences_into_their_own_operands():
    x = values_of(dml_vk.int32, 12)
    for n, first in ((1, 0), (1, 1), (2, 2)):
        tensor = dml_vk.asarray(x)
        out = tensor.over(Layout((10,), offset=first))
        head, tail = tensor.over(Layout((5,))), tensor.over(Layout((5 + n,), offset=5))
        assert dml_vk.diff(head, n=n, append=tail, out=out) is out
        assert_same(out, np.diff(x[: 10 + n], n=n))
    tensor = dml_vk.asarray(x)
    dml_vk.diff(tensor, out=tensor.over(Layout((11,), offset=1)))
    assert_same(tensor, np.concatenate([x[:1], np.diff(x)]))


def messages():
    x = dml_vk.asarray([[1, 2, 3]])
    row, scalar = dml_vk.asarray([1, 2]), dml_vk.full((), 1)
    total, product, diff = dml_vk.cumulative_sum, dml_vk.cumulative_prod, dml_vk.diff
    wrong = dml_vk.empty((3,), dml_vk.int64)
    return [
        (lambda: total(x), LayoutError, "sum: axis is required unless x is 1-D"),
        (lambda: total(scalar), LayoutError, "sum: axis is required unless x is 1-D"),
        (lambda: product(x, axis=2), LayoutIndexError, r"prod: axis must .* got axis=2"),
        (lambda: total(x, axis="x"), LayoutError, "sum: axis must be an integer"),
        (lambda: total(row, dtype="bool"), DTypeError, "sum: dtype must be one of int8"),
        (lambda: total([1.0]), DTypeError, "sum: x must be a Tensor"),
        (lambda: total(row, out=wrong), LayoutError, r"sum: out must have the shape \(2,\)"),
        (lambda: total(row, dtype="int8", out=row), DTypeError, "out must have the dtype int8"),
        (lambda: diff(scalar), LayoutIndexError, "diff: axis is out of range: there are none"),
        (lambda: diff(row, n=-1), LayoutError, "diff: n must not be negative; got n=-1"),
        (lambda: diff(row, n=1.5), LayoutError, "diff: n must be an integer"),
        (lambda: diff(row, prepend="1"), DTypeError, "diff: prepend must be a Tensor"),
        (
            lambda: diff(row.astype("int8"), append=row.astype("uint64")),
            DTypeError,
            "diff: cannot mix uint64 with signed integers",
        ),
        (
            lambda: diff(x, append=row),
            LayoutError,
            "diff: prepend and append must match the shape of x except along axis",
        ),
        (
            lambda: diff(x, axis=0, append=x.over(Layout((1, 2)))),
            LayoutError,
            "except along axis 0",
        ),
    ]


@pytest.mark.parametrize("number", range(15))
def test_errors(number):
    call, kind, message = messages()[number]
    with pytest.raises(kind, match=message):
        call()
    assert len(messages()) == 15


def test_the_reference_is_a_sum():
    x = values_of(dml_vk.int64, (3, MARGIN * 100))
    assert np.array_equal(scan(np.add, x), np.cumsum(x, -1))
    assert np.array_equal(scan(np.multiply, x, 0), np.cumprod(x, 0))
    assert np.array_equal(scan(np.add, x, exclusive=True), np.cumsum(x, -1) - x)
    assert scan(np.add, np.float16([[1.5, 2.5]])).dtype == np.float16
