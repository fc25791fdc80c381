"""How the results of tiles are stored: drivers take long to compile many stores."""

from __future__ import annotations

import pytest

from dml_vk.dtypes import float16, float32, int32
from dml_vk.kernels.operators import OPCODES
from dml_vk.kernels.plan import conv, matmul, rounds
from dml_vk.kernels.plan.conv import Channels, Epilogue, plan_conv
from dml_vk.kernels.plan.linear import Linear
from dml_vk.kernels.plan.matmul import plan_matmul
from dml_vk.kernels.plan.matmul_tile import RUN
from dml_vk.kernels.plan.tasks import Operand
from dml_vk.kernels.plan.windows import from_inside, image
from dml_vk.windows import Window
from tests.profiles import GPU, SHUFFLING

RELU, GELU = int(OPCODES["RELU"]), int(OPCODES["GELU"])
SIZES = 1, 5, 20, 64, 700, 2048


def convolution(outputs, positions, profile, activation=0, to=float32, depth=600):
    line = from_inside((Window(positions, positions, 1),), Window())
    strides, dtypes = ((0, positions, 1), (depth, 1, 1), (0, positions, 1)), (float32, float32, to)
    operands = [image(Operand(each, 0, dtype.itemsize)) for each, dtype in zip(strides, dtypes)]
    channels, epilogue = Channels(1, 1, depth, outputs), Epilogue(activation)
    return plan_conv(channels, line, tuple(operands), dtypes, None, profile, 0, epilogue)


def product(rows, columns, profile, activation=None, to=float32, depth=600, dtype=float32):
    linear = None if activation is None else Linear(activation)
    dtypes = dtype, dtype, to if linear else dtype
    operands = [
        Operand(strides, 0, each.itemsize)
        for strides, each in zip(((depth, 0, 1), (0, depth, 1), (columns, 1)), dtypes)
    ]
    return plan_matmul((rows, columns), depth, operands, dtypes, profile, linear=linear).plan


def stored(plan):
    """(the results of a tile, whether a loop stores them)."""
    (kernel,) = [
        one for one in (*conv.KERNELS, *matmul.KERNELS) if plan.module.startswith(one.name)
    ]
    constants = dict(zip(kernel.spec, plan.spec, strict=True))
    return constants["ROWS"] * constants["COLUMNS"], bool(constants["BY_ROWS"])


WAYS = {
    "conv": convolution,
    "conv, relu": lambda *sizes: convolution(*sizes, RELU),
    "product": product,
    "product of int32": lambda *sizes: product(*sizes, dtype=int32),
    "linear": lambda *sizes: product(*sizes, 0),
    "linear, relu": lambda *sizes: product(*sizes, RELU),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_loop_stores_large_tiles(way):
    plans = [
        WAYS[way](rows, columns, profile)
        for profile in (SHUFFLING, GPU)
        for rows in SIZES
        for columns in SIZES
    ]
    seen = {stored(plan) for plan in plans if plan.module != "matmul_row_float32"}
    assert {is_by_rows for _, is_by_rows in seen} == {False, True}
    assert all(is_by_rows == (results > 64) for results, is_by_rows in seen)


@pytest.mark.parametrize("make", [convolution, product])
def test_it_stores_results_that_take_many_instructions(make):
    for sizes in ((1, 5), (64, 700)):
        for activation, to in ((GELU, float32), (RELU, float16)):
            assert stored(make(*sizes, SHUFFLING, activation, to))[1]


@pytest.mark.parametrize("make", [convolution, product])
def test_it_does_not_store_sums_of_few_terms_for_which_that_takes_long(make):
    assert {stored(make(700, 700, SHUFFLING, 0, depth=n))[1] for n in (64, 511)} == {False}
    assert {stored(make(700, 700, SHUFFLING, 0, depth=n))[1] for n in (512, 4096)} == {True}


def test_its_rounds_are_counted():
    """Of two plans of equal tiles, which have more terms than are unrolled in the shorter one."""
    few, many = product(2048, 2048, SHUFFLING, depth=508), product(2048, 2048, SHUFFLING, depth=512)
    assert (stored(few), stored(many)) == ((256, False), (256, True))
    between = rounds.matmul_tile(512, RUN, 4) - rounds.matmul_tile(508, RUN, 4)
    assert many.unit_rounds - few.unit_rounds == between + rounds.loop(32)
