"""`dropout`: which elements stay follows from the generator's stream alone."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.errors import DTypeError, LayoutError, RangeError
from dml_vk.layout import channels_last
from dml_vk.random import Generator
from tests import tier
from tests.chance import chance
from tests.kernel.forms import few_forms
from tests.kernel.memory import bits

X = dml_vk.ones((2, 3))


def expected(array, p, key):
    kept = Generator(key=key).random(array.shape).numpy() >= np.float32(p)
    factor = np.float32(1 / (1 - p)) if p < 1 else np.float32(1)
    scaled = (array.astype(np.float32) * factor).astype(array.dtype)
    return np.where(kept, scaled, array.dtype.type(0))


@tier.parametrize("p dtype", [0, 0.1, 0.3, 0.5, 1], ["float32", "float16"])
def test_the_mask_is_the_same_in_every_form(dtype, p):
    array = chance().standard_normal((2, 3, 5, 7)).astype(dtype)
    array[0, 0, :2] = [[-0.0], [np.inf]]
    for turn, x in enumerate(few_forms(array, 4)):
        generator = Generator(key=5)
        found = nn.dropout(x, p, generator=generator)
        assert np.array_equal(bits(found.numpy()), bits(expected(array, p, 5))), turn
        assert found.layout.order == x.layout.order
        assert generator.counter == -(-array.size // 4)
    assert found.memory_format is channels_last


def test_in_place_and_of_nothing():
    array = chance().standard_normal((4, 5)).astype(np.float32)
    x = dml_vk.asarray(array)
    assert nn.dropout(x, 0.4, generator=Generator(key=1), out=x) is x
    assert np.array_equal(x.numpy(), expected(array, 0.4, 1))
    turned = x.mT[:4]
    assert nn.dropout(x[:, :4], 0.4, generator=Generator(key=1), out=turned) is turned
    assert nn.dropout(dml_vk.zeros((0, 3)), 0.5, generator=Generator(key=1)).shape == (0, 3)


def test_an_element_whose_number_is_p_is_kept():
    drawn = Generator(key=3).random(8).numpy()
    found = nn.dropout(dml_vk.ones(8), float(drawn[5]), generator=Generator(key=3)).numpy()
    assert np.array_equal(found > 0, drawn >= drawn[5])


def test_about_as_many_are_dropped_as_asked_for():
    found = nn.dropout(dml_vk.ones(40_000), 0.25, generator=Generator(key=9)).numpy()
    assert abs((found == 0).mean() - 0.25) < 0.01
    assert set(found) == {0, np.float32(4 / 3)}


@pytest.mark.parametrize(
    ("arguments", "named", "error", "message"),
    [
        ((3, 0.5), {}, DTypeError, "x must be a Tensor"),
        ((dml_vk.asarray([1]), 0.5), {}, DTypeError, "dtype must be one of float16, float32"),
        ((X, 1.5), {}, RangeError, "p must be from 0 to 1; got p=1.5"),
        ((X, float("nan")), {}, RangeError, "p must be from 0 to 1; got p=nan"),
        ((X, "x"), {}, DTypeError, "p must be a real number"),
        ((X, 0.5), {"generator": 3}, DTypeError, "generator must be .*; got generator='int'"),
        ((X, 0.5), {"out": X[0]}, LayoutError, "out must have the shape"),
    ],
)
def test_what_is_refused_draws_nothing(arguments, named, error, message):
    generator = Generator(key=0)
    with pytest.raises(error, match=f"^dropout: {message}"):
        nn.dropout(*arguments, **{"generator": generator, **named})
    assert generator.counter == 0
