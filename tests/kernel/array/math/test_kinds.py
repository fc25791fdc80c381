"""Operands of several kinds: the dtypes that PyTorch gives, and the bits of casting them first."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import dml_vk
from dml_vk.dtypes import to_dtype
from dml_vk.errors import DTypeError
from dml_vk.layout import Layout, channels_last, elementwise
from dml_vk.testing import products
from dml_vk.testing.elementwise import cast, reference
from dml_vk.testing.strategies import layouts, targets
from tests import tier, torch_kinds
from tests.kernel.elementwise import compare, source_of
from tests.kernel.forms import forms, mixed
from tests.kernel.matrices import assert_bits
from tests.real_dtypes import DTYPES

CASES = torch_kinds.load()
CALLS = sorted({case["call"] for case in CASES})
UNSIGNED = ("uint16", "uint32", "uint64")
# What is asked of a lower kind beside another, in which it is computed.
MIXED = (
    ("add", "int8", "float16"),
    ("where", "uint16", "float16"),
    ("less", "int64", "float32"),
    ("floor_divide", "bool", "float32"),
    ("multiply", "uint64", "float64"),
    ("maximum", "bool", "int16"),
    ("where", "bool", "int32"),
    ("add", "bool", "uint64"),
)


def result_of(call: str, operands) -> str:
    """Without elements, they are asked for their dtype alone; with --all, additions are run."""
    count = 2 if call == "add" and tier.is_all() else 0
    given = [dml_vk.ones(count, x) if isinstance(x, str) else x for x in operands]
    if call == "result_type":
        return dml_vk.result_type(*given).numpy_name
    first = [dml_vk.ones(count, "bool")] if call == "where" else []
    return getattr(dml_vk, call)(*first, *given).dtype.numpy_name


def highest(a: str, b: str) -> str | None:
    """The rule in other words, for what PyTorch lacks: None is an error."""
    heights = ["biuf".replace("u", "i").index("i" if k == "u" else k) for k in kinds(a, b)]
    if heights[0] != heights[1]:
        return a if heights[0] > heights[1] else b
    found = np.result_type(a, b)
    return None if found.kind == "f" and kinds(a, b) != "ff" else found.name


def kinds(*names: str) -> str:
    return "".join(np.dtype(name).kind for name in names)


def test_pytorch_is_asked_of_every_pair_of_kinds():
    asked = {tuple(case["operands"]) for case in CASES if case["call"] == "add"}
    assert asked >= set(product(torch_kinds.DTYPES, repeat=2))
    assert asked >= set(product(torch_kinds.NUMBERS, torch_kinds.DTYPES))
    assert set(torch_kinds.DTYPES) | set(UNSIGNED) == {one.numpy_name for one in DTYPES.values()}


@pytest.mark.parametrize("call", CALLS)
def test_dtypes_are_those_of_pytorch(call):
    for case in CASES:
        if case["call"] == call:
            assert result_of(call, case["operands"]) == case["dtype"], case


@pytest.mark.parametrize("name", UNSIGNED)
def test_dtypes_beside_those_that_pytorch_lacks(name):
    for other in (one.numpy_name for one in DTYPES.values()):
        expected = highest(name, other)
        for operands in ((name, other), (other, name)):
            if expected is None:
                assert (name, other[:3]) == ("uint64", "int")
                for call in ("add", "less", "where", "divide", "result_type"):
                    with pytest.raises(DTypeError, match=f"^{call}: cannot mix uint64 with sig"):
                        result_of(call, operands)
                continue
            assert result_of("add", operands) == result_of("where", operands) == expected
            assert result_of("result_type", operands) == expected
            assert result_of("less", operands) == "bool"
            quotient = expected if expected.startswith("float") else "float32"
            assert result_of("divide", operands) == quotient
    for number, expected in ((True, name), (2, name), (0.5, "float32")):
        assert result_of("add", (name, number)) == result_of("add", (number, name)) == expected
        assert result_of("divide", (name, number)) == "float32"
    assert result_of("sqrt", [name]) == "float32"


def test_can_cast_is_what_promotion_gives():
    for a, b in product(DTYPES.values(), repeat=2):
        found = highest(a.numpy_name, b.numpy_name)
        assert dml_vk.can_cast(a, b) is (found == b.numpy_name)


@pytest.mark.parametrize(("name", "lower", "common"), tier.some(MIXED, 5))
# Each takes new pipelines, and the first is the smallest of all.
@settings(max_examples=3 if tier.is_all() else 2, phases=[Phase.explicit, Phase.generate])
@given(st.data())
def test_bits_are_those_of_casting_first(name, lower, common, data):
    sizes = data.draw(st.tuples(*[st.integers(1, 9)] * 3))
    repeated = sizes[data.draw(st.integers(0, 3)) :]
    pair = data.draw(st.permutations([lower, common]))
    asked = [(lower, sizes)] * (name == "where") + list(zip(pair, (sizes, repeated)))
    operands = [
        source_of(to_dtype("test", dtype), data.draw(layouts(sizes=shape)), seed=k)
        for k, (dtype, shape) in enumerate(asked)
    ]
    ours = [one[0] for one in operands]
    seen = [cast(one[1], common) for one in operands]
    expected = reference(name, *seen)
    found = getattr(dml_vk, name)(*ours)
    compare(name, seen, found.numpy(), expected)
    assert found.layout == elementwise(*[x.layout for x in ours])
    out, _ = source_of(found.dtype, data.draw(targets(sizes=sizes)))
    assert getattr(dml_vk, name)(*ours, out=out) is out
    compare(name, seen, out.numpy(), expected)


@tier.parametrize(
    "name dtype",
    ["sqrt", "exp", "reciprocal", "sigmoid", "isposinf", "signbit"],
    ["bool", "int8", "uint32", "int64"],
)
def test_functions_of_floats_take_integers_as_float32(name, dtype):
    for turned in (Layout((5, 40)), Layout((40, 5)).transpose(0, 1), Layout((5, 40), (81, 2))):
        x, values = source_of(to_dtype("test", dtype), turned)
        seen = cast(values, "float32")
        found = getattr(dml_vk, name)(x)
        compare(name, [seen], found.numpy(), reference(name, seen))
    assert dml_vk.leaky_relu(dml_vk.asarray([-4, 2]), 0.5).tolist() == [-2.0, 2.0]


@pytest.mark.parametrize(
    ("call", "dtype", "expected"),
    [
        (lambda x: x * 0.5, "float32", [-1.0, 0.0, 1.5]),
        (lambda x: 0.5 - x, "float32", [2.5, 0.5, -2.5]),
        (lambda x: x / 2, "float32", [-1.0, 0.0, 1.5]),
        (lambda x: 6 / (x * x + 1), "float32", [1.2000000476837158, 6.0, 0.6000000238418579]),
        (lambda x: x // 0.4, "float32", [-5.0, 0.0, 7.0]),
        (lambda x: x % 1.5, "float32", [1.0, 0.0, 0.0]),
        (lambda x: x < 0.5, "bool", [True, True, False]),
        (lambda x: x == 3.0, "bool", [False, False, True]),
        (lambda x: x**2, "int32", [4, 0, 9]),
        (lambda x: x**2.0, "float32", [4.0, 0.0, 9.0]),
        (lambda x: x**-1.0, "float32", [-0.5, float("inf"), 0.3333333432674408]),
        (lambda x: x**3.0, "float32", [-8.0, 0.0, 27.0]),
        (lambda x: 2.0**x, "float32", [0.25, 1.0, 8.0]),
        (lambda x: dml_vk.pow(x * x, 0.5), "float32", [2.0, 0.0, 3.0]),
        (lambda x: (x > 0) + 1, "int64", [1, 1, 2]),
        (lambda x: (x > 0) * 0.5, "float32", [0.0, 0.0, 0.5]),
        (lambda x: (x > 0) ** 2, "int64", [0, 0, 1]),
        (lambda x: (x > 0) << 2, "int64", [0, 0, 4]),
        (lambda x: (x > 0) | 2, "int64", [2, 2, 3]),
        (lambda x: dml_vk.where(x > 0, 0.5, x), "float32", [-2.0, 0.0, 0.5]),
        (lambda x: dml_vk.where(x > 0, x, 0.5), "float32", [0.5, 0.5, 3.0]),
        (lambda x: dml_vk.where(x, x > 0, 7), "int64", [0, 7, 1]),
        (lambda x: dml_vk.clip(x, -0.5, 2.5), "float32", [-0.5, 0.0, 2.5]),
        (lambda x: dml_vk.clip(x, x > 0, 2.5), "float32", [0.0, 0.0, 2.5]),
        (lambda x: dml_vk.clip(x > 0, 1, 5), "int64", [1, 1, 1]),
        (lambda x: dml_vk.clip(x, None, dml_vk.asarray([1, 1, 1])), "int64", [-2, 0, 1]),
        (lambda x: dml_vk.logical_and(x, dml_vk.asarray([0.5])), "bool", [True, False, True]),
        (lambda x: dml_vk.diff(x, append=dml_vk.asarray([0.5])), "float32", [2.0, 3.0, -2.5]),
        (lambda x: dml_vk.searchsorted(x, dml_vk.asarray([0.5, 2.0])), "int64", [2, 2]),
        (lambda x: dml_vk.linalg.outer(x, dml_vk.asarray([0.5])).T[0], "float32", [-1.0, 0.0, 1.5]),
    ],
)
def test_numbers_and_tensors_of_other_kinds(call, dtype, expected):
    x = dml_vk.asarray([-2, 0, 3], dml_vk.int32)
    for _ in range(2):  # and what is remembered of the first call
        found = call(x)
        assert (found.dtype.numpy_name, found.tolist()) == (dtype, expected)


def test_numbers_of_both_kinds_are_remembered_apart():
    x = dml_vk.asarray([True, False])
    for _ in range(2):
        assert [(x * 2).tolist(), (x * 2.5).tolist()] == [[2, 0], [2.5, 0.0]]
        assert (x * True).dtype is dml_vk.bool_


@pytest.mark.parametrize(
    "call",
    [
        lambda x: dml_vk.add(x, 2**40),
        lambda x: dml_vk.multiply(x.astype("bool"), 2**70),
        lambda x: dml_vk.where(x, x.astype("bool"), 2**70),
        lambda x: dml_vk.add(x.astype("float16"), 10**400),
    ],
)
def test_ranges_are_checked_as_before(call):
    with pytest.raises(DTypeError, match=r"^\w+: number must be"):
        call(dml_vk.asarray([1, 2], dml_vk.int8))


@pytest.mark.parametrize("name", ["concat", "stack", "vstack"])
def test_joins(name):
    arrays = [mixed(dtype, (2, 3, 4, 5), k) for k, dtype in enumerate(("bool", "int64", "float16"))]
    for tensors in zip(*map(forms, arrays)):
        for count, dtype in ((2, "int64"), (3, "float16")):
            function = {"concat": np.concatenate}.get(name) or getattr(np, name)
            expected = function([cast(one, dtype) for one in arrays[:count]])
            found = getattr(dml_vk, name)(list(tensors[:count]))
            assert_bits(found.numpy(), expected, (name, tensors[0].layout, dtype))


@pytest.mark.parametrize(
    ("first", "second", "common"),
    tier.some(
        [
            ("int32", "float32", "float32"),
            ("bool", "float64", "float64"),
            ("float16", "int64", "float16"),
            ("bool", "int8", "int8"),
            ("uint64", "bool", "uint64"),
        ],
        3,
    ),
)
def test_products(first, second, common):
    a, b = mixed(first, (2, 5, 70)), mixed(second, (2, 70, 6), 1)
    wide = [cast(one, common) for one in (a, b)]
    expected = products.matmul(*wide)
    for x, y in tier.some(tier.crossed(forms(a), forms(b)), 2):
        told = (x.layout, y.layout)
        assert_bits(dml_vk.matmul(x, y).numpy(), expected, told)
        assert_bits(dml_vk.einsum("nij,njk->nik", x, y).numpy(), expected, told)
        dots = dml_vk.vecdot(x[:, 0], y[:, :, 1])
        assert_bits(dots.numpy(), expected[:, 0, 1], told)
    x, y = dml_vk.asarray(a), dml_vk.asarray(b)
    found = dml_vk.tensordot(x, y[0], axes=1)
    assert_bits(found.numpy(), products.matmul(wide[0], wide[1][:1]), "tensordot")
    found = dml_vk.einsum("nij,nki->nijk", x[:, :, :3], y[:, :4, :5])
    outer = reference(
        "multiply", wide[0][:, :, :3, None], wide[1][:, :4, :5].swapaxes(1, 2)[:, :, None]
    )
    assert_bits(found.numpy(), outer, "einsum that sums nothing")
    out = dml_vk.empty((2, 5, 6), common)
    assert dml_vk.matmul(x, y, out=out) is out
    assert_bits(out.numpy(), expected, "out")


@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
def test_spreads_of_integers_keep_formats(name):
    x = dml_vk.asarray(mixed("int8", (2, 3, 4, 5)), memory_format=channels_last)
    assert getattr(dml_vk, name)(x, 2, keepdims=True).memory_format is channels_last


def test_norms_of_integers_are_those_of_float32():
    x = dml_vk.asarray([[3, -4], [0, 12]], dml_vk.int16)
    floats = x.astype(dml_vk.float32)
    for order in (0, 1, 2, 3, float("inf"), float("-inf")):
        found = dml_vk.linalg.vector_norm(x, axis=1, ord=order)
        assert found.dtype is dml_vk.float32
        assert found.tolist() == dml_vk.linalg.vector_norm(floats, axis=1, ord=order).tolist()
    for kind in ("fro", 1):
        found = dml_vk.linalg.matrix_norm(x, ord=kind)
        assert found.item() == dml_vk.linalg.matrix_norm(floats, ord=kind).item()
    out = dml_vk.empty((2,))
    assert dml_vk.linalg.vector_norm(x, axis=1, out=out).tolist() == [5.0, 12.0]


IN_PLACE = "cannot cast the in-place result to {}; got result="


@pytest.mark.parametrize(
    ("dtype", "name", "other"),
    [
        ("int64", "add", 0.5),
        ("int64", "add", np.float64(2.0)),
        ("int64", "truediv", 2),
        ("int64", "truediv", "int64"),
        ("int8", "mul", "float16"),
        ("int8", "add", "int16"),
        ("bool", "add", 1),
        ("bool", "or", "uint8"),
        ("uint8", "pow", 0.5),
        ("float16", "mul", "float32"),
        ("int32", "matmul", "float32"),
    ],
)
def test_in_place_the_result_must_fit(dtype, name, other):
    x = dml_vk.ones((2, 2), dtype)
    y = dml_vk.ones((2, 2), other) if isinstance(other, str) else other
    with pytest.raises(DTypeError) as caught:
        getattr(x, f"__i{name}__")(y)
    assert IN_PLACE.format(x.dtype.name) in str(caught.value)
    assert x.tolist() == dml_vk.ones((2, 2), dtype).tolist()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_in_place_floats_take_all_numbers(dtype):
    x = dml_vk.full((2, 2), 8, dtype)
    memory = x.allocation
    x += dml_vk.asarray([1, 2])
    x *= dml_vk.asarray([True, False])
    x /= 2
    x -= np.int64(1)
    x //= dml_vk.asarray([[1], [2]], dml_vk.uint8)
    assert x.allocation is memory
    assert (x.dtype.name, x.tolist()) == (dtype, [[3.0, -1.0], [1.0, -1.0]])
    y = dml_vk.asarray([5, 6])
    y += dml_vk.asarray([True, False])
    y **= 2
    assert (y.dtype, y.tolist()) == (dml_vk.int64, [36, 36])


def test_out_must_have_the_dtype_of_the_result():
    x, floats = dml_vk.asarray([4, 9]), dml_vk.asarray([0.5, 1.5])
    for call in (
        lambda out: dml_vk.add(x, floats, out=out),
        lambda out: dml_vk.sqrt(x, out=out),
        lambda out: dml_vk.divide(x, 2, out=out),
        lambda out: dml_vk.clip(x, 0.5, out=out),
        lambda out: dml_vk.pow(x, 2.0, out=out),
        lambda out: dml_vk.where(x, x, 0.5, out=out),
        lambda out: dml_vk.std(x, out=out[0]),
        lambda out: dml_vk.concat([x[:1], floats[:1]], out=out),
    ):
        with pytest.raises(DTypeError, match=r": out must have the dtype float32; got out="):
            call(x)
        out = dml_vk.empty((2,))
        found = call(out)
        assert found.dtype is dml_vk.float32
    assert x.tolist() == [4, 9]


def test_operators_of_bits_take_no_floats():
    x = dml_vk.asarray([1, 2])
    for call in (lambda: x & 1.5, lambda: x | dml_vk.ones(2), lambda: x << 1.0, lambda: 0.5 ^ x):
        with pytest.raises(DTypeError, match=r"^bitwise_\w+: dtype must be one of .*float32$"):
            call()


def test_the_copy_that_casts_is_traced():
    x, y = dml_vk.asarray([[1, 2], [3, 4]], dml_vk.int8), dml_vk.ones(2)
    truths = dml_vk.asarray([True, False])
    with dml_vk.trace() as log:
        dml_vk.add(x, y)
        dml_vk.matmul(y, x)
        dml_vk.sqrt(x)
        dml_vk.add(x, truths)  # Kernels of integers read bools.
    assert [(one.op, one.reason, one.nbytes) for one in log.entries] == [
        ("add", "dtype", 16),
        ("matmul", "dtype", 16),
        ("sqrt", "dtype", 16),
    ]


def test_numpy_functions():
    x, y = dml_vk.asarray([1, 2, 4]), dml_vk.asarray([0.5, 1.5, 2.5])
    assert np.add(x, y).tolist() == [1.5, 3.5, 6.5]
    assert np.sqrt(x).dtype is np.true_divide(x, 2).dtype is dml_vk.float32
    assert np.append(x, 0.5).tolist() == [1.0, 2.0, 4.0, 0.5]
    assert np.append(x, [True, False]).tolist() == [1, 2, 4, 1, 0]
    assert np.append(x, [0.5]).dtype is dml_vk.float32
    assert np.searchsorted(x, 1.5).item() == 1
    assert np.select([x > 1], [x], 0.5).tolist() == [0.5, 2.0, 4.0]
    assert np.isin(x, dml_vk.asarray([2.0, 2.5])).tolist() == [False, True, False]
    expected = np.cov(x.numpy(), y.numpy()).astype("float32")
    assert np.cov(x, y).tolist() == expected.tolist()
    with pytest.raises(DTypeError, match=r"^copyto: cannot store a number of this kind"):
        np.copyto(x, 0.5, where=x > 1)
    np.copyto(x, 7, where=x > 1)
    assert x.tolist() == [1, 7, 7]
