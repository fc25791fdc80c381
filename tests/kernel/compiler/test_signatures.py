"""Arguments reach the function as they are, and what differs there has programs of its own."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from typing import NamedTuple

import pytest

import dml_vk
from tests.kernel.compiler.tensors import bits, tensor


class Pair(NamedTuple):
    left: object
    right: object = 2.0


class Row(list):
    name = "row"


class Table(dict):
    def __missing__(self, key):
        return key


class Point(tuple):
    __slots__ = ()

    def __new__(cls, x, y):
        return super().__new__(cls, (x, y))


def test_equal_keys_of_other_types_are_other_signatures():
    def function(x, options):
        return x * 2 if type(next(iter(options))) is bool else x * 3

    compiled, x = dml_vk.compile(function), tensor(4)
    for key in (1, True, 1.0, 1):
        assert bits(compiled(x, {key: None})) == bits(function(x, {key: None}))
    assert len(compiled.programs) == 3


def test_the_order_of_keys_counts():
    def function(options):
        first, *_ = options.values()
        return first + 1

    compiled = dml_vk.compile(function)
    x, y = tensor(4), tensor(4)
    assert bits(compiled({"a": x, "b": y})) == bits(x + 1)
    assert bits(compiled({"b": y, "a": x})) == bits(y + 1)


@pytest.mark.parametrize(
    "make",
    [
        lambda x, y: Pair(x, y),
        lambda x, y: Pair([x], {1: y}),
        lambda x, y: OrderedDict(b=x, a=y),
        lambda x, y: defaultdict(list, {"b": x, 3: y}),
        lambda x, y: Row([x, y]),
        lambda x, y: Table(a=x, b=(y,)),
        lambda x, y: Counter({"a": x, "b": y}),
        lambda x, y: Point(x, Point(y, y)),
        lambda x, y: (x, [y, ()], {}),
    ],
)
def test_containers_keep_their_types(make):
    seen = []

    def function(given):
        seen.append(given)
        return given, make(given, 1)

    compiled = dml_vk.compile(function)
    for _ in range(2):
        x, y = tensor(3), tensor(2)
        given = make(x, y)
        found, other = compiled(given)
        assert shape(found) == shape(given) == shape(seen[0])
        assert shape(other) == shape(make(given, 1))
        assert leaves(found) == leaves(given)
    assert len(seen) == 1


def shape(value):
    if isinstance(value, dict):
        kind = type(value), getattr(value, "default_factory", None)
        return kind, [(type(key), key, shape(one)) for key, one in value.items()]
    if isinstance(value, (tuple, list)):
        return type(value), [shape(one) for one in value]
    return type(value).__name__


def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for one in value for leaf in leaves(one)]
    return [id(value)]


def test_one_tensor_that_is_given_twice_is_one():
    def function(x, y, more):
        return x * 2 if x is y else x * 3, x is more[0], y is more[0]

    compiled = dml_vk.compile(function)
    x = tensor(5)
    same = x[:]
    for y in (x, same, x[::-1], tensor(5)):
        for z in (x, y, same):
            found, expected = compiled(x, y, [z]), function(x, y, [z])
            assert bits(found[0]) == bits(expected[0])
            assert found[1:] == expected[1:]
