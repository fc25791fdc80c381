"""Numbers among the arguments of compiled functions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError
from tests import tier
from tests.kernel.compiler.tensors import bits, tensor


def test_numbers_vary_as_operands_and_are_fixed_where_their_values_count():
    calls = []

    def function(x, factor, start, plus=0):
        calls.append(start)
        y = factor * x[start:] + plus
        return dml_vk.where(y > factor, y, plus), start

    compiled = dml_vk.compile(function)
    x = tensor(6)
    for factor, start, plus in ((0.5, 1, 2), (-2.0, 1, 3), (float("nan"), 1, -1), (0.5, 2, 2)):
        found, expected = compiled(x, factor, start, plus=plus), function(x, factor, start, plus)
        assert bits(found[0]) == bits(expected[0])
        assert (found[1], type(found[1])) == (start, int)
    assert calls == [1, 1, 1, 1, 2, 2]
    with pytest.raises(DTypeError, match="uint8"):
        dml_vk.compile(lambda x, n: x + n)(dml_vk.ones(3, "uint8"), 300)


@pytest.mark.parametrize(
    "ask",
    [
        lambda n: n + 1, lambda n: 1 - n, lambda n: divmod(7, n), lambda n: n < 3, lambda n: n == n,
        lambda n: -n, lambda n: [n] * n, lambda n: range(n), lambda n: f"{n:03}", lambda n: {n: n},
        lambda n: np.float32(n), lambda n: np.arange(3) * n, lambda n: n * np.arange(3), bool, repr,
        lambda n: n.bit_length(), lambda n: math.sqrt(n), lambda n: isinstance(n, int) and n + n,
    ],
)  # fmt: skip
def test_a_number_whose_value_is_asked_for_has_a_program_for_each_value(ask):
    compiled = dml_vk.compile(lambda x, n: (x * n, str(ask(n))))
    x = tensor(3)
    for number in (2, 3, 2):
        product, said = compiled(x, number)
        assert bits(product) == bits(x * number)
        assert said == str(ask(number))
    assert len(compiled.programs) == 2


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64"])
def test_powers_that_are_computed_as_products_or_roots_have_the_same_bits(dtype):
    x = dml_vk.asarray(np.array([0.3535, 1.1, 7.3, 30.7]) * (100 if dtype == "int32" else 1))
    x = x.astype(dtype)
    compiled = dml_vk.compile(lambda x, n: (x**n, dml_vk.pow(x, n), x == n))
    # Powers of float32 and of integers tell one from the other; complex ones take a driver longest.
    numbers = (3, 4, 2, 1, 5, *(() if dtype == "int32" else (0.5, -1, 3.0, 2.5, 2)))
    for number in numbers if dtype in ("float32", "int32") else tier.some(numbers, 3):
        for found, expected in zip(compiled(x, number), (x**number, dml_vk.pow(x, number))):
            assert bits(found) == bits(expected)


def test_numbers_that_say_yes_or_no():
    compiled = dml_vk.compile(lambda x, bias: dml_vk.cov(x, bias=bias))
    x = tensor(3, 5)
    for bias in (0, 1):
        assert bits(compiled(x, bias)) == bits(dml_vk.cov(x, bias=bias))


def test_a_number_has_no_more_attributes_than_its_value():
    compiled = dml_vk.compile(lambda x, n: (x * n, hasattr(n, "dtype")))
    assert compiled(tensor(3), 2)[1] is False
    assert len(compiled.programs) == 1


def test_static_numbers_are_part_of_the_signature():
    @dml_vk.compile(static_argnums=1)
    def function(x, n):
        return x * n

    x = tensor(3)
    for n in (2, 3, 2, 0.0, -0.0):
        assert bits(function(x, n)) == bits(x * n)
    assert len(function.programs) == 4


def test_programs_of_numbers_that_nobody_asks_for_again_go():
    compiled = dml_vk.compile(lambda x, n: x * int(n))
    for n in range(70):
        compiled(tensor(1), n)
    assert len(compiled.programs) == 64


def test_programs_of_numbers_of_numpy_do_not_add_up(monkeypatch):
    monkeypatch.setattr("dml_vk.compiler.compiled.MOST_SIGNATURES", 5)
    compiled = dml_vk.compile(lambda x, n: x * n)
    x = tensor(1)
    for n in np.linspace(0, 1, 12):
        assert bits(compiled(x, n)) == bits(x * n)
    assert len(compiled.programs) == 5
