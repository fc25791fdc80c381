"""Gradients of random compositions beside differences, and compiled beside eager."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk as dv
from tests import tier
from tests.kernel.gradients.random_programs import Program

SHAPES = [(2, 3), (3,), (2, 1, 4)]
STEP = 1e-6


def drawn(seed):
    rng = np.random.default_rng(seed)
    arrays = [rng.uniform(-1, 1, shape) for shape in SHAPES]
    operands = [dv.asarray(array) for array in arrays]
    return rng, arrays, operands, Program(rng, operands, 8)


@pytest.mark.parametrize("seed", tier.some(range(80), 2))
def test_gradients_are_those_of_differences(seed):
    rng, arrays, operands, program = drawn(seed)
    value, gradients = dv.value_and_grad(program, (0, 1, 2))(*operands)
    directions = [rng.uniform(-1, 1, shape) for shape in SHAPES]
    sides = [
        program(*[dv.asarray(a + sign * STEP * d) for a, d in zip(arrays, directions)]).item()
        for sign in (1, -1)
    ]
    own = sum(np.sum(g.numpy() * d) for g, d in zip(gradients, directions))
    scale = sum(np.sum(np.abs(g.numpy() * d)) for g, d in zip(gradients, directions))
    error = 1e-6 * scale + 1e-8 * (1 + abs(value.item()))
    assert abs(own - (sides[0] - sides[1]) / (2 * STEP)) <= error, program.names


@pytest.mark.parametrize("seed", tier.some(range(80, 120), 1))
def test_compiled_and_computed_again_they_have_the_same_bits(seed):
    _, _, operands, program = drawn(seed)
    expected = [g.tobytes() for g in dv.grad(program, (0, 1, 2))(*operands)]
    for other in (
        dv.compile(dv.grad(program, (0, 1, 2))),
        dv.grad(dv.checkpoint(program), (0, 1, 2)),
    ):
        assert [g.tobytes() for g in other(*operands)] == expected, program.names


@pytest.mark.parametrize("seed", tier.some(range(120, 150), 1))
def test_second_derivatives_are_those_of_differences(seed):
    rng, arrays, operands, program = drawn(seed)
    directions = [rng.uniform(-1, 1, shape) for shape in SHAPES]
    weights = [dv.asarray(rng.uniform(-1, 1, shape)) for shape in SHAPES]

    def slope(*operands):
        gradients = dv.grad(program, (0, 1, 2))(*operands)
        return sum([dv.sum(g * w) for g, w in zip(gradients, weights)])

    second = dv.grad(slope, (0, 1, 2))(*operands)
    sides = [
        slope(*[dv.asarray(a + sign * STEP * d) for a, d in zip(arrays, directions)]).item()
        for sign in (1, -1)
    ]
    own = sum(np.sum(g.numpy() * d) for g, d in zip(second, directions))
    scale = sum(np.sum(np.abs(g.numpy() * d)) for g, d in zip(second, directions))
    error = 1e-5 * (1 + scale)
    assert abs(own - (sides[0] - sides[1]) / (2 * STEP)) <= error, program.names
