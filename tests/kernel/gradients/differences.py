"""Gradients beside finite differences in float64, along random directions."""

from __future__ import annotations

import numpy as np

import dml_vk

STEP = 1e-6


def drawn(shape, kind, seed, low=0.2, high=0.9):
    """Elements away from the points where functions have kinks, by default in (0.2, 0.9)."""
    rng = np.random.default_rng(seed)
    values = rng.uniform(low, high, shape)
    if kind == "c":
        values = values + 1j * rng.uniform(low, high, shape)
    return values


def as_scalar(function, weights):
    """The sum of the results, each times its weight: a real scalar."""

    def loss(*operands):
        return dml_vk.sum(dml_vk.real(function(*operands) * weights))

    return loss


def check(function, arrays, *, rtol=1e-6, again=True):
    """Compare grad and jvp with differences of values, and their gradient with those of grad."""
    operands = [dml_vk.asarray(array) for array in arrays]
    result = function(*operands)
    weights = dml_vk.asarray(drawn(result.shape, result.dtype.kind, 5, -1, 1))
    loss, argnums = as_scalar(function, weights), tuple(range(len(arrays)))
    gradients = dml_vk.grad(loss, argnums)(*operands)
    for x, gradient in zip(operands, gradients):
        assert (gradient.shape, gradient.dtype) == (x.shape, x.dtype)
    directions = [drawn(a.shape, a.dtype.kind, 7 + k, -1, 1) for k, a in enumerate(arrays)]
    expected = _difference(lambda *xs: loss(*xs).item(), arrays, directions)
    own = sum(np.sum((g.numpy() * d.conj()).real) for g, d in zip(gradients, directions))
    np.testing.assert_allclose(own, expected, rtol=rtol, atol=1e-7)
    tangents = tuple([dml_vk.asarray(d) for d in directions])
    _, tangent = dml_vk.jvp(loss, tuple(operands), tangents)
    np.testing.assert_allclose(tangent.item(), expected, rtol=rtol, atol=1e-7)
    if again:

        def pulled(*xs):
            own = dml_vk.grad(loss, argnums)(*xs)
            return sum([as_scalar(lambda g: g, t)(g) for g, t in zip(own, weighted)])

        weighted = [
            dml_vk.asarray(drawn(a.shape, a.dtype.kind, 11 + k, -1, 1))
            for k, a in enumerate(arrays)
        ]
        second = dml_vk.grad(pulled, argnums)(*operands)
        expected = _difference(lambda *xs: pulled(*xs).item(), arrays, directions)
        own = sum(np.sum((g.numpy() * d.conj()).real) for g, d in zip(second, directions))
        np.testing.assert_allclose(own, expected, rtol=1e-5, atol=1e-6)


def _difference(function, arrays, directions):
    values = [
        function(*[dml_vk.asarray(a + sign * STEP * d) for a, d in zip(arrays, directions)])
        for sign in (1, -1)
    ]
    return (values[0] - values[1]) / (2 * STEP)
