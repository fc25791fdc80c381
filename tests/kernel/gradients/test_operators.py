"""The gradient of each elementwise operator, beside finite differences."""

from __future__ import annotations

import pytest

import dml_vk
from dml_vk.dtypes import complex128, float64
from dml_vk.gradients.rules.operators import CONSTANT, REFUSED, RULES
from dml_vk.kernels.operators import NOT_PUBLIC, OPERATORS
from tests import tier
from tests.kernel.gradients.differences import check, drawn

# Where functions are defined, if that is not in (0.2, 0.9).
RANGES = {"acosh": (1.2, 3.0), "gammaln": (1.2, 3.0)}
POSITIVE = {*RANGES, "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "pow", "xlogy"}
BY_HAND = {"astype", "clip", "where"}  # tested with their arguments, in test_cases.py
SHAPES = {1: [(2, 3)], 2: [(2, 3), (3,)], 3: [(2, 3)] * 3}


def differentiable(dtype):
    return [
        name
        for name, row in OPERATORS.items()
        if name in RULES
        and name not in NOT_PUBLIC | BY_HAND
        and row.takes(dtype)
        and not (dtype is float64 and name == "sign")
        and not row.result
    ]


@pytest.mark.parametrize("name", differentiable(float64))
def test_of_floats(name):
    low, high = RANGES.get(name, (0.2, 0.9))
    shapes = SHAPES[OPERATORS[name].arity]
    arrays = [drawn(shape, "f", seed, low, high) for seed, shape in enumerate(shapes)]
    # Of gammaln the second derivative needs a function that there is none of.
    check(getattr(dml_vk, name), arrays, again=name != "gammaln")
    if name not in POSITIVE:
        arrays = [drawn(shape, "f", seed, -0.9, -0.2) for seed, shape in enumerate(shapes)]
        check(getattr(dml_vk, name), arrays, again=tier.is_all())


@pytest.mark.parametrize("name", differentiable(complex128))
def test_of_complex_numbers(name):
    shapes = SHAPES[OPERATORS[name].arity]
    arrays = [drawn(shape, "c", k) for k, shape in enumerate(shapes)]
    # Second derivatives are made of the rules of other operators.
    again = name in tier.some(differentiable(complex128), 8)
    check(getattr(dml_vk, name), arrays, again=again)


def test_every_operator_of_floats_has_a_rule_or_a_reason():
    for name, row in OPERATORS.items():
        if set("hsdcz") & set(row.dtypes) and not row.result:
            known = [name in RULES, name in CONSTANT, name in REFUSED]
            is_elsewhere = name in ("where", "cast", "clip_grad")  # of other functions
            assert sum(known) + is_elsewhere == 1, name


@pytest.mark.parametrize("name", REFUSED)
def test_refused_operators_say_why(name):
    arity = OPERATORS[name].arity
    with pytest.raises(dml_vk.DmlVkError, match="gradient"):
        dml_vk.grad(lambda x: dml_vk.sum(getattr(dml_vk, name)(*[x] * arity)))(dml_vk.ones(2))


@pytest.mark.parametrize("name", sorted({"sign", *CONSTANT} - {"trunc_divide"}))
def test_steps_have_no_gradient(name):
    arity = OPERATORS[name].arity
    x = dml_vk.asarray([0.5, -1.25])
    gradient = dml_vk.grad(lambda x: dml_vk.sum(getattr(dml_vk, name)(*[x] * arity)))(x)
    assert gradient.tolist() == [0, 0]
