"""What it takes to compute elements again: an instruction or two, or a function."""

from __future__ import annotations

from dml_vk.dtypes import float16, float32, int32
from dml_vk.kernels.plan.chain import COPY, FILL, Node
from dml_vk.kernels.plan.recompute import recompute_ns
from tests.unit.kernels.plan.test_fused import node


def test_elements_that_are_moved_take_nothing():
    assert recompute_ns([Node(COPY, (4,), (0,)), Node(FILL, (4,), ())]) == 0


def test_products_take_less_than_choices_and_these_less_than_functions():
    quick = recompute_ns([node("MULTIPLY", 0, 1)])
    assert recompute_ns([node("RELU", 0, 1, kernel="float_activation")]) == quick
    assert recompute_ns([node("ADD", 0, 1, kernel="int_arithmetic", dtype=int32)]) == quick
    short = recompute_ns([node("MAXIMUM", 0, 1)])
    long = recompute_ns([node("SIGMOID", 0, 1, kernel="float_activation")])
    assert quick < short < long
    assert recompute_ns([node("DIVIDE", 0, 1)]) > short  # which may take loops
    half = recompute_ns([node("ADD", 0, 1, dtype=float16)])
    assert quick < half < short
    many = [node("MULTIPLY", 0, 1), node("MAXIMUM", 0, 1, dtype=float32)]
    assert recompute_ns(many) == quick + short
