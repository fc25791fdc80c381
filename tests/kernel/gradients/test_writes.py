"""Writes to what a gradient needs: it has the values before, or an error says why not."""

from __future__ import annotations

import pytest

import dml_vk as dv
from dml_vk.errors import GradientError

X = [1.0, 2.0, 3.0]
ONES = [1.0, 1.0, 1.0]


def x():
    return dv.asarray(X)


def refused(call, match):
    with pytest.raises(GradientError, match=match) as caught:
        call()
    return str(caught.value)


def test_a_pullback_has_the_values_of_its_call():
    a, w = x(), x()
    y, square = dv.vjp(dv.square, a)
    _, product = dv.vjp(lambda b: b * w, a)
    result, exp = dv.vjp(dv.exp, dv.zeros(3))
    _, taken = dv.vjp(lambda b, places: dv.take(b, places), a, places := dv.asarray([1, 1, 2]))
    for written in (a, y, w, result, places):
        written[...] = 0
    for _ in range(2):
        assert square(dv.ones(3))[0].tolist() == [2, 4, 6]
        assert product(dv.ones(3))[0].tolist() == X
        assert exp(dv.ones(3))[0].tolist() == ONES
        assert taken(dv.ones(3))[0].tolist() == [0, 2, 1]
        w -= 1


def test_a_pullback_within_a_gradient_has_the_values_of_its_call():
    def outer(a):
        w = dv.zeros(3)
        w[:] = a
        _, pull = dv.vjp(lambda b: b * w, a)
        w[:] = a * 100
        return dv.sum(pull(a)[0])

    assert dv.grad(outer)(x()).tolist() == [2, 4, 6]


def test_repeated_argnums_are_refused():
    for transform in (dv.jacobian, dv.hessian):
        with pytest.raises(dv.DmlVkError, match="argnums must not repeat"):
            transform(lambda a, b: dv.sum(a * b), (0, -1, 1))(x(), x())
