"""Gradients of parts of the data: the bits of one device, on any workers."""

from __future__ import annotations

import itertools

import pytest

import dml_vk
from dml_vk import nn
from dml_vk.dask import value_and_grad
from dml_vk.errors import RangeError
from dml_vk.random import Generator

SIZES = (7, 20, 1, 12)


def loss(params, x, kinds):
    y = nn.linear(x, params["hidden"], activation="relu")
    rows = nn.linear(y, *params["head"])
    return nn.cross_entropy(rows, kinds, reduction="sum") / sum(SIZES)


def whole(params, parts):
    total = loss(params, *parts[0])
    for part in parts[1:]:
        total = total + loss(params, *part)
    return total


@pytest.fixture(scope="module")
def given():
    draw = Generator(4)
    params = {"hidden": draw.normal((32, 9)), "head": [draw.normal((5, 32)), draw.normal(5)]}
    params["count"] = dml_vk.asarray(3)
    parts = [(draw.normal((size, 9)), draw.integers(0, 5, size)) for size in SIZES]
    return params, parts


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_parts_have_the_bits_of_one_device(given, scheduler):
    params, parts = given
    value, gradient = value_and_grad(loss, params, parts).compute(scheduler=scheduler)
    exact, wanted = dml_vk.value_and_grad(whole)(params, parts)
    assert gradient["count"] is wanted["count"] is None
    pairs = [
        (value, exact),
        (gradient["hidden"], wanted["hidden"]),
        *zip(gradient["head"], wanted["head"]),
    ]
    for x, y in pairs:
        assert x.tobytes() == y.tobytes()


def test_the_order_matters(given):
    """In another one, some gradient has other bits: so this is what the test above tests."""
    params, parts = given
    found = set()
    for order in itertools.permutations(parts):
        _, gradient = value_and_grad(loss, params, order).compute(scheduler="synchronous")
        found.add(gradient["hidden"].tobytes())
    assert len(found) > 1


def test_no_parts():
    with pytest.raises(RangeError, match="value_and_grad: parts must not be empty"):
        value_and_grad(loss, {}, [])
