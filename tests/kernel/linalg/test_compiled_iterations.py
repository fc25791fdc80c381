"""Decompositions that iterate, in programs, which do a number of rounds that is known before."""

import numpy as np
import pytest

import dml_vk
from dml_vk import linalg
from tests import tier
from tests.chance import chance

FUNCTIONS = [linalg.eigh, linalg.eigvalsh, linalg.svd, linalg.svdvals]


def bits(result):
    return [x.numpy().tobytes() for x in (result if isinstance(result, tuple) else (result,))]


@tier.parametrize("function dtype", FUNCTIONS, ["float32", "complex64"])
def test_programs_have_the_bits_of_eager_mode(function, dtype):
    compiled = dml_vk.compile(function)
    for n in (1, 7):
        for _ in range(2):  # the second has the values of the first in no part of its program
            x = dml_vk.asarray(chance().normal(size=(3, n, n)).astype(dtype))
            assert bits(compiled(x)) == bits(function(x))
        assert bits(compiled(dml_vk.eye(n, dtype=dtype))) == bits(
            function(dml_vk.eye(n, dtype=dtype))
        )


def test_programs_raise_what_eager_mode_does():
    compiled = dml_vk.compile(linalg.eigh)
    compiled(dml_vk.eye(3))
    with pytest.raises(np.linalg.LinAlgError, match="matrices must be finite"):
        compiled(dml_vk.full((3, 3), np.nan))[0].numpy()


def test_gradients_of_decompositions_compile():
    x = dml_vk.asarray(chance().normal(size=(4, 4)))
    grad = dml_vk.grad(lambda x: dml_vk.sum(linalg.svdvals(x)) + linalg.eigvalsh(x)[0])
    assert bits(dml_vk.compile(grad)(x)) == bits(grad(x))
