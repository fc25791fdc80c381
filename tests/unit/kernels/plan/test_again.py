"""What it takes to compute elements again: an instruction or two, or a function."""

from __future__ import annotations

from dml_vk.dtypes import float16, float32, int32
from dml_vk.kernels.plan.again import again_ns
from dml_vk.kernels.plan.chain import COPY, FILL, Node
from tests.unit.kernels.plan.test_fused import node


def test_elements_that_are_moved_take_nothing():
    assert again_ns([Node(COPY, (4,), (0,)), Node(FILL, (4,), ())]) == 0


def test_products_take_less_than_choices_and_these_less_than_functions():
    quick = again_ns([node("MULTIPLY", 0, 1)])
    assert again_ns([node("RELU", 0, 1, kernel="float_activation")]) == quick
    assert again_ns([node("ADD", 0, 1, kernel="int_arithmetic", dtype=int32)]) == quick
    short = again_ns([node("MAXIMUM", 0, 1)])
    long = again_ns([node("SIGMOID", 0, 1, kernel="float_activation")])
    assert quick < short < long
    assert again_ns([node("DIVIDE", 0, 1)]) > short  # which may take loops
    half = again_ns([node("ADD", 0, 1, dtype=float16)])
    assert quick < half < short
    many = [node("MULTIPLY", 0, 1), node("MAXIMUM", 0, 1, dtype=float32)]
    assert again_ns(many) == quick + short
