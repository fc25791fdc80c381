"""Rows that have the same number, reduced by the tree that ops/segments.py specifies."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk.kernels.plan.segments import LOG_WIDE, MOST_CHILDREN, levels_of
from dml_vk.ops.scan import MAXIMUM, MINIMUM, PRODUCT, SUM
from dml_vk.ops.segments import ALL, reduce_rows
from tests import tier
from tests.chance import chance
from tests.kernel.memory import bits
from tests.kernel.profiled import profiled
from tests.profiles import CPU, GPU

WIDE = 1 << LOG_WIDE
DTYPES = ("float32", "float64", "complex64", "int32", "int64", "uint8")
COMBINED = {SUM: np.add, PRODUCT: np.multiply, MAXIMUM: np.maximum, MINIMUM: np.minimum}


@pytest.fixture(params=(CPU, GPU), ids=("cpu", "gpu"), autouse=True)
def profile(request):
    with profiled(dml_vk.device(), request.param):
        yield request.param


def tree(rows, combine):
    """Combine pairs of neighbours until one row is left."""
    while len(rows) > 1:
        pairs = combine(rows[: len(rows) // 2 * 2 : 2], rows[1::2])
        rows = np.concatenate([pairs, rows[len(pairs) * 2 :]])
    return rows[0]


def expected(numbers, rows, target, operator=SUM, backwards=False, onto=False):
    result = target.copy()
    for number in np.unique(numbers):
        own = rows[numbers == number]
        with np.errstate(over="ignore"):
            value = tree(own[::-1] if backwards else own, COMBINED[operator])
            result[number] = COMBINED[operator](target[number], value) if onto else value
    return result


def check(numbers, rows, count, operator=SUM, **options):
    target = np.ones((count, *rows.shape[1:]), rows.dtype)
    mine = dml_vk.asarray(target)
    reduce_rows("it", operator, dml_vk.asarray(numbers), dml_vk.asarray(rows), mine, **options)
    model = {name: options[name] for name in options.keys() - {"full"}}
    assert np.array_equal(
        bits(mine.numpy()), bits(expected(numbers, rows, target, operator, **model))
    )


def some(sizes, dtype):
    if dtype[0] in "iu":
        return chance().integers(0, 100, sizes).astype(dtype)
    parts = chance().normal(size=(2, *sizes)) * 10.0 ** chance().integers(-4, 5, (2, *sizes))
    return (parts[0] + 1j * parts[1]).astype(dtype) if dtype[0] == "c" else parts[0].astype(dtype)


# Round a quad, a node, its parent, and the most nodes of a result.
LENGTHS = (1, 2, 3, 5, WIDE - 1, WIDE, WIDE + 1, 2 * WIDE + 1, 251, MOST_CHILDREN, 257, 4095, 4096)
LENGTHS += (4097, MOST_CHILDREN * WIDE + WIDE - 1, MOST_CHILDREN * WIDE + WIDE)


@tier.parametrize("length dtype", LENGTHS, DTYPES)
def test_one_number_and_several_of_all_lengths(length, dtype):
    rows = some((length,), dtype)
    check(np.zeros(length, np.int64), rows, 1)
    numbers = chance().integers(0, 5, length)
    numbers[chance().random(length) < 0.5] = 3
    check(numbers, rows, 7, backwards=True)


@tier.parametrize("count", (1, 2, 255, 256, 257, 65_535, 65_536, 65_537))
def test_numbers_round_those_that_take_another_digit(count):
    numbers = chance().integers(0, count, 300)
    numbers[:4] = 0, count - 1, count - 1, count // 2
    check(numbers, some((300,), "float32"), count)


@tier.parametrize("operator dtype", COMBINED, ("float32", "float64", "int64"))
def test_operators_and_results_onto_what_is_there(operator, dtype):
    numbers = chance().integers(0, 9, 700)
    rows = chance().integers(1, 9, (700, 3)) / 4 if dtype[0] == "f" else some((700, 3), dtype)
    check(numbers, rows.astype(dtype), 12, operator, onto=True)
    check(numbers, rows.astype(dtype), 12, operator)


@pytest.mark.parametrize("columns", [1, 3, 64, 127])
def test_rows_of_any_layout(columns):
    numbers, rows = chance().integers(0, 4, 500), some((500, columns), "float32")
    target = np.ones((6, columns), np.float32)
    model = expected(numbers, rows, target)
    wide = dml_vk.zeros((1000, 2 * columns))
    wide[::2, ::2] = dml_vk.asarray(rows)
    across, back = dml_vk.asarray(rows.T.copy()).mT, dml_vk.asarray(rows[::-1].copy())[::-1]
    for x in (wide[::2, ::2], across, back):
        for to in (dml_vk.ones((6, columns)), dml_vk.ones((6, 2 * columns))[:, ::2]):
            reduce_rows("it", SUM, dml_vk.asarray(numbers), x, to)
            assert np.array_equal(bits(to.numpy()), bits(model))


def test_zeros_that_fill_up_a_tree_show_in_sums_of_negative_zeros():
    numbers, rows = np.array([0, 0, 1, 2, 2, 2]), np.full(6, -0.0, np.float32)
    signs = {0: [1, 1, 1], 2: [1, 0, 1], 3: [0, 0, 1], 4: [0, 0, 0], ALL: [0, 0, 0]}
    for full, negative in signs.items():
        to = dml_vk.ones(3)
        reduce_rows("it", SUM, dml_vk.asarray(numbers), dml_vk.asarray(rows), to, full=full)
        assert np.signbit(to.numpy()).tolist() == negative, full
    to = dml_vk.ones(3)
    order = {"backwards": True, "full": ALL}
    reduce_rows("it", SUM, dml_vk.asarray(numbers), dml_vk.asarray(rows), to, **order)
    assert np.signbit(to.numpy()).tolist() == [1, 0, 0]


def test_nothing():
    to = dml_vk.ones((3, 2))
    reduce_rows("it", SUM, dml_vk.zeros(0, "int64"), dml_vk.zeros((0, 2)), to)
    reduce_rows("it", SUM, dml_vk.zeros(2, "int64"), dml_vk.zeros((2, 0)), dml_vk.ones((3, 0)))
    assert to.tolist() == [[1, 1]] * 3


def test_levels_grow_with_the_logarithm_of_rows():
    assert [levels_of(n) for n in (1, 256, 257, 2**14, 2**14 + 63, 2**14 + 64, 10**6)] == [
        *(0, 0, 1, 1, 1, 2, 2)
    ]
    assert levels_of(2**31 - 1) == 4
