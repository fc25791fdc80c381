"""What linear and gemm do with each sum: the bias, the activation, and the result's dtype."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.dtypes import float16, float32
from dml_vk.kernels.plan import matmul as planning
from dml_vk.layout import Layout, channels_last
from dml_vk.ops import matmul as operation
from tests import tier
from tests.kernel.matrices import assert_bits, every_other, operand, packed, turned
from tests.kernel.memory import elements, memory_for
from tests.kernel.nn import activations
from tests.kernel.planned import planned
from tests.kernel.profiled import profiled

# What the device itself has, tiles of workgroups, and lanes alone; always in one part.
WAYS = {
    "CPU": {"units_wanted": 1, "coalesces": False},
    "GPU": {"units_wanted": 1, "coalesces": True, "shuffles": False},
    "lanes": {"units_wanted": 1, "coalesces": False, "shuffles": False},
}


@pytest.fixture
def plans(monkeypatch):
    return planned(monkeypatch, operation, "plan_matmul")


@pytest.fixture(params=sorted(WAYS))
def way(request):
    device = dml_vk.device()
    with profiled(device, dataclasses.replace(device.profile, **WAYS[request.param])):
        yield request.param


def launches(plans):
    """The constants of those with an epilogue."""
    names = next(one for one in planning.KERNELS if one.name == "matmul_linear").spec
    ours = [made.plan for made in plans if made.plan.module.startswith("matmul_linear")]
    return [dict(zip(names, plan.spec)) for plan in ours]


def applied(name, sums):
    return (getattr(dml_vk, name, None) or getattr(nn, name))(sums)


def in_steps(x, weight, bias):
    """The sums of float32, with the bias."""
    sums = dml_vk.matmul(x.astype(float32), weight.astype(float32).mT)
    return sums if bias is None else sums + bias.astype(float32)


@pytest.mark.parametrize("name", activations.of("linear"))
def test_activations_are_those_of_a_function_applied_afterwards(name, plans):
    x, weight = operand(packed(9, 20))[0] * 0.1, operand(packed(12, 20))[0] * 0.1
    bias, _ = operand(packed(12))
    with profiled(dml_vk.device(), dataclasses.replace(dml_vk.device().profile, units_wanted=1)):
        found = nn.linear(x, weight, bias, activation=name)
        assert_bits(found.numpy(), applied(name, in_steps(x, weight, bias)).numpy(), name)
        if has_gemm := name in tier.some(activations.of("linear"), 3):
            found = nn.gemm(x, weight, transpose_b=True, activation=name)
            assert_bits(found.numpy(), applied(name, in_steps(x, weight, None)).numpy(), name)
    assert len(launches(plans)) == 1 + has_gemm


SIZES = ((1, 1, 1), (5, 7, 3), (33, 64, 40), (20, 67, 71), (70, 68, 1))


FORMS = [(packed, False), (packed, True), (turned, True), (turned, False)]
IN_WAYS = tier.crossed([float32, float16], sorted(WAYS))


@pytest.mark.parametrize(("dtype", "way"), IN_WAYS, indirect=["way"])
def test_all_sizes_and_layouts(dtype, plans, way):
    cases = tier.crossed(SIZES, FORMS)
    for (m, k, n), (form, has_bias) in cases:
        (x, _), (weight, _) = operand(form(m, k), dtype), operand(form(n, k), dtype)
        bias = operand(every_other(n), dtype)[0] if has_bias else None
        found = nn.linear(x, weight, bias, activation="relu")
        expected = dml_vk.relu(in_steps(x, weight, bias)).astype(dtype)
        assert_bits(found.numpy(), expected.numpy(), (way, m, k, n, form, has_bias))
    made = launches(plans)
    assert len(made) == len(cases)
    assert {one["BIAS"] for one in made} == {0, 1, 2}
    assert {one["BY_ROWS"] for one in made} == {int(dtype is float16)}
    assert {one["PAIRS"] for one in made} == ({0, 1} if dtype is float16 else {0})
    by_teams = {made.plan.by_teams for made in plans if "linear" in made.plan.module}
    assert by_teams == ({False, True} if way == "GPU" else {False})


def test_images_and_batches(plans, way):
    for form in (None, channels_last):
        x, _ = operand(packed(2, 5, 6, 24, order=form))
        weight, bias = operand(packed(20, 24))[0], operand(packed(20))[0]
        found = nn.linear(x, weight, bias, activation="gelu")
        assert found.layout.order == x.layout.order
        expected = applied("gelu", in_steps(x, weight, bias))
        assert_bits(found.numpy(), expected.numpy(), form)
    (a, _), (b, _) = operand(packed(3, 1, 21, 17)), operand(packed(2, 17, 22))
    found = nn.gemm(a, b, activation="tanh")
    assert_bits(found.numpy(), dml_vk.tanh(dml_vk.matmul(a, b)).numpy(), "batches")
    assert len(launches(plans)) == 3


@pytest.mark.parametrize(("dtype", "way"), IN_WAYS, indirect=["way"])
def test_amid_other_elements(dtype, way):
    x, weight = operand(packed(21, 18), dtype)[0], operand(packed(22, 18), dtype)[0]
    bias = operand(packed(22), dtype)[0]
    expected = in_steps(x, weight, bias).astype(dtype).numpy()
    every = [
        Layout((21, 22), (24, 1), 1),
        Layout((21, 22), (24, 1), 2),
        Layout((21, 22), (23, 1)),
        Layout((21, 22), (1, 22), 3),
        Layout((21, 22), (44, 2)),
        packed(21, 22).flip(0),
        packed(21, 22).flip(1),
    ]
    for to in every if way == "CPU" else tier.some(every, 3):
        memory, to = memory_for(to, dtype.itemsize)
        whole = dml_vk.asarray(memory.view(dtype.name))
        nn.linear(x, weight, bias, out=whole.over(to))
        found = whole.numpy().view(memory.dtype)
        assert_bits(elements(found.view(dtype.name), to), expected, (way, to))
        elements(memory, to)[...] = elements(found, to)
        assert np.array_equal(found, memory), (way, to)


def test_what_one_launch_does_not_add_takes_several(plans):
    device = dml_vk.device()
    bias = operand(packed(5))[0]
    cases = {
        "many terms": (packed(3, 4100), packed(5, 4100), {"units_wanted": 1}),
        "parts": (packed(3, 200), packed(5, 200), {"units_wanted": 10**6}),
        "rows that are one": (packed(1, 20).expand(4, 20), packed(5, 20), {"units_wanted": 1}),
    }
    for name, (a, b, fields) in cases.items():
        with profiled(device, dataclasses.replace(device.profile, **fields)):
            (x, _), (weight, _) = operand(a), operand(b)
            found = nn.linear(x, weight, bias, activation="relu")
            expected = dml_vk.relu(in_steps(x, weight, bias))
            assert_bits(found.numpy(), expected.numpy(), name)
    (x, _), (weight, _) = operand(packed(3, 20)), operand(packed(5, 20))
    with dml_vk.settings(exact=False):
        assert np.allclose(nn.linear(x, weight, bias).numpy(), in_steps(x, weight, bias).numpy())
    assert nn.linear(x[:0], weight, bias).shape == (0, 5)
    assert nn.linear(x[:, :0], weight[:, :0], bias).numpy()[0].tolist() == bias.numpy().tolist()
    ours = [made.plan for made in plans if made.plan.module.startswith("matmul_linear")]
    assert {plan.sizes[-1] for plan in ours} <= {200}  # planned, but not launched: in parts
