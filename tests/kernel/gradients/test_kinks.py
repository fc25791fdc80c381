"""Gradients at ties, kinks and edges, where they are chosen: as PyTorch chooses."""

from __future__ import annotations

import pytest

import dml_vk

X = [1.0, 2.0, 3.0]


def gradient(function, *values, argnums=0, dtype=None):
    tensors = [dml_vk.asarray(value, dtype=dtype) for value in values]
    return dml_vk.grad(lambda *x: dml_vk.sum(function(*x)), argnums)(*tensors).tolist()


@pytest.mark.parametrize("is_traced", [False, True])
def test_numbers_that_pad_get_the_sum_over_the_padding(is_traced):
    def padded(values):
        x = dml_vk.asarray(X)
        own = x * values if is_traced and not values.shape else x
        form = (values[0], values[1]) if values.shape == (2,) else values
        return dml_vk.pad(own, (1, 2), constant_values=form)

    assert gradient(padded, 5.0) == 3 + is_traced * sum(X)
    assert gradient(padded, [5.0, 6.0]) == [1, 2]


def test_a_tensor_of_padding_has_the_forms_of_numbers():
    x = dml_vk.zeros((2, 2))
    for values, expected in (
        ([5.0, 6.0], [2 + 4, 2 + 4]),
        ([[5.0, 6.0], [7.0, 8.0]], [[2, 2], [4, 4]]),
    ):
        f = lambda values: dml_vk.pad(x, 1, constant_values=values)  # noqa: E731
        assert f(dml_vk.asarray(values)).tolist() == f(values).tolist()
        assert gradient(f, values) == expected
    assert gradient(lambda v: dml_vk.pad(x, 1, constant_values=((v, 0), (0, v))), 5.0) == 6
    assert gradient(lambda v: dml_vk.pad(x, 1, value=v), 5.0) == 12
