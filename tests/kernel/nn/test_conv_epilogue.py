"""What convolutions do with each sum: the bias, the activation, and the result's dtype."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.dtypes import float16, float32
from dml_vk.kernels.plan import conv as planning
from dml_vk.layout import Layout, channels_last
from dml_vk.ops import conv as operation
from tests import tier
from tests.kernel.matrices import assert_bits, operand, packed
from tests.kernel.nn import activations
from tests.kernel.nn.convolutions import check
from tests.kernel.planned import planned


@pytest.fixture
def plans(monkeypatch):
    return planned(monkeypatch, operation, "plan_conv")


@pytest.mark.parametrize("name", activations.of("conv"))
def test_activations_are_those_of_a_function_applied_afterwards(name):
    function = getattr(dml_vk, name, None) or getattr(nn, name)
    cases = ((None, (2, 3, 5, 6), 18), (channels_last, (1, 4, 6, 7), 3))
    for order, shape, outputs in cases if name == "gelu" or tier.is_all() else cases[:1]:
        x, _ = operand(packed(*shape, order=order))
        weight, _ = operand(packed(outputs, shape[1], 3, 2))
        bias, _ = operand(packed(outputs))
        x, weight = x * 0.01, weight * 0.01  # so that nothing is saturated
        found = nn.conv(x, weight, bias, padding=1, activation=name)
        expected = function(nn.conv(x, weight, bias, padding=1))
        assert_bits(found.numpy(), expected.numpy(), (name, order))


def test_parameters_of_activations():
    x, weight = operand(packed(1, 2, 6, 6))[0], operand(packed(17, 2, 3, 3))[0]
    for name, params in (("leaky_relu", {"alpha": 0.25}), ("linear", {"alpha": 2, "beta": -3})):
        found = nn.conv(x, weight, activation=(name, params))
        sums = nn.conv(x, weight).numpy()
        below = np.where(sums < 0, np.float32(0.25) * sums, sums)
        expected = below if name == "leaky_relu" else np.float32(2) * sums + np.float32(-3)
        assert_bits(found.numpy(), expected, name)


def test_float16_is_written_without_a_temporary(plans):
    told = set()
    sizes = [
        ((1, 3, 5, 5), (3, 3, 2, 2)),
        ((2, 4, 6, 8), (20, 4, 3, 3)),
        ((1, 8, 5, 6), (8, 1, 3, 3)),
        ((1, 5, 5, 5), (17, 5, 1, 1)),
        ((2, 4, 6, 8), (20, 4, 3, 3)),
    ]
    # Twice the one whose neighbours are words in either format.
    for (x, weight), order in tier.crossed(sizes, (None, channels_last)):
        groups = 8 if weight[1] == 1 else 1
        a, b = packed(*x, order=order), packed(*weight, order=order)
        options = {"groups": groups, "padding": 1}
        check(a, b, packed(weight[0]), dtype=float16, told=(order, weight), **options)
        told.add(dict(zip(planning.KERNELS[0].spec, plans[-1].spec))["PAIRS"])
        if not tier.is_all() and weight[0] != 20:
            continue
        (first, _), (second, _) = operand(a, float16), operand(b, float16)
        wide = nn.conv(first.astype(float32), second.astype(float32), **options)
        found = nn.conv(first, second, activation="tanh", **options)
        expected = dml_vk.tanh(wide).astype(float16)
        assert_bits(found.numpy(), expected.numpy(), (order, weight, "tanh"))
    assert told == {0, 1, 2}
    assert {plan.shares_words for plan in plans} == {True, False}


def test_float16_amid_other_elements():
    for to in (
        Layout((1, 6, 4, 4), (200, 20, 5, 1), 1),
        Layout((1, 6, 4, 4), (120, 1, 26, 6), 1),
        Layout((1, 6, 4, 4), (120, 1, 26, 6), 2),
        Layout((1, 6, 4, 4), (200, 32, 8, 2)),
    ):
        check(packed(1, 4, 6, 6), packed(6, 4, 3, 3), packed(6), to, float16, to)


def test_many_terms_of_float16_are_added_in_float32(plans):
    x, weight = packed(1, 1600, 3, 3), packed(2, 1600, 3, 3)
    check(x, weight, packed(2), dtype=float16)
    assert len(plans) == 2
    (a, _), (b, _) = operand(x), operand(weight)
    found = nn.conv(a, b, activation="relu")
    assert_bits(found.numpy(), np.maximum(nn.conv(a, b).numpy(), 0), "relu")


def test_a_loop_stores_large_tiles_of_many_terms(plans):
    for outputs, order in ((40, channels_last), (64, None)):
        x, weight = packed(1, 64, 7, 19, order=order), packed(outputs, 64, 3, 3, order=order)
        check(x, weight, packed(outputs), padding=1)
        (a, _), (b, _) = operand(x), operand(weight)
        found = nn.conv(a, b, padding=1, activation="relu")
        assert_bits(found.numpy(), np.maximum(nn.conv(a, b, padding=1).numpy(), 0), order)
    told = [dict(zip(planning.KERNELS[0].spec, plan.spec)) for plan in plans]
    assert {one["BY_ROWS"] for one in told if one["ROWS"] * one["COLUMNS"] > 64} == {1}
