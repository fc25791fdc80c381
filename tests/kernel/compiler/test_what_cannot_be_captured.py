"""What a captured function may do with errors, generators and Python's numbers, and what not."""

from __future__ import annotations

import functools
import json
import math
from types import ModuleType

import numpy as np
import pytest

import dml_vk
from dml_vk import linalg
from dml_vk.errors import CaptureError, DmlVkError, DTypeError, LayoutError
from dml_vk.random import Generator
from tests.kernel.compiler.tensors import bits, tensor


def caught(asks, kind):
    """A function that goes on without the values that it asked for."""

    def function(x):
        try:
            number = float(asks(x))
        except kind:
            number = 1.0
        return x * number

    return function


ASKS = {
    "int": (lambda x: int(x.sum()), Exception),
    "unique": (lambda x: dml_vk.unique(x).size, Exception),
    "lstsq": (lambda x: linalg.lstsq(x[None], x[:1])[0].shape[0], DmlVkError),
    "state": (lambda x: OUTSIDE.counter, CaptureError),
    "print": (lambda x: len(repr(x)), Exception),
}
OUTSIDE = Generator(4)


@pytest.mark.parametrize("name", ASKS)
def test_an_error_that_was_caught_comes_again_with_its_line(name):
    asks, kind = ASKS[name]
    function = dml_vk.compile(caught(asks, kind))
    for _ in range(2):
        with pytest.raises(CaptureError, match=r"values are not known.*test_what_cannot_be_cap"):
            function(tensor(3))
    assert function.programs == []


def test_the_first_of_the_errors_comes_also_in_place_of_another():
    @dml_vk.compile
    def function(x):
        try:
            return x.sum().item()
        except CaptureError as error:
            raise KeyError("something else") from error

    with pytest.raises(CaptureError, match="values are not known"):
        function(tensor(3))


def test_errors_that_do_not_depend_on_values_may_be_caught():
    def function(x):
        try:
            return x.reshape(5)
        except LayoutError:
            return x * 2

    x = tensor(3)
    assert bits(dml_vk.compile(function)(x)) == bits(function(x))


def test_a_generator_without_a_seed_draws_other_numbers_at_each_call():
    @dml_vk.compile
    def function(x):
        one, other = Generator(counter=7), Generator(3)
        return x + one.random(50), x + one.random(50), x + other.random(50)

    zeros = dml_vk.zeros(50)
    calls = [function(zeros) for _ in range(3)]
    fresh = [one.tolist() for call in calls for one in call[:2]]
    assert len({tuple(one) for one in fresh}) == 6
    known = Generator(3).random(50).tolist()
    assert [call[2].tolist() for call in calls] == [known] * 3


def test_draws_of_such_a_generator_go_on_from_its_counter():
    drawn = []

    @dml_vk.compile
    def function(x):
        drawn.append(Generator(counter=2**80))
        return drawn[0].bits(5) + x, drawn[0].bits(8) + x

    first, second = function(dml_vk.zeros((), "uint32"))
    same = Generator(key=drawn[0].key, counter=2**80)
    assert first.tolist() == same.bits(5).tolist()
    assert second.tolist() == same.bits(8).tolist()


def test_what_needs_its_key_is_refused_by_its_line():
    function = dml_vk.compile(lambda x: x + Generator().split(2)[0].random(3))
    with pytest.raises(CaptureError, match=r"values are not known.*test_what_cannot_be_cap"):
        function(tensor(3))


def doubled_if_float(x, s):
    return x * (2 * s if type(s) is float else s)


class Scaled:
    factor = 2

    def helped(self, x, s):
        return x * (self.factor * s if type(s) is float else s)

    def __call__(self, x, s):
        return self.helped(x, s)

    def plain(self, x, s):
        return x * s

    def method(self, x, s):
        return self.helped(x, s)


def _around():
    inner = doubled_if_float
    return lambda x, s: inner(x, s)


class Counted(float):
    """A number of somebody's own, which is part of a signature."""


NUMBERS = {
    "type": doubled_if_float,
    "called by a name": lambda x, s: doubled_if_float(x, s),
    "in a function within": lambda x, s: (lambda: x if type(s) is int else x + s)(),
    "called from around it": _around(),
    "an object": Scaled(),
    "a method": Scaled().method,
    "a part": functools.partial(doubled_if_float),
    "of a module": lambda x, s: HELPERS.twice(x, s),
    "isinstance": lambda x, s: x * (2 if isinstance(s, float) else 3),
    "asarray": lambda x, s: x * dml_vk.asarray(s),
    "asarray of a list": lambda x, s: x + dml_vk.asarray([s, 2 * s, 0]),
    "asarray of nested ones": lambda x, s: x + dml_vk.asarray(([s, 1, (s)],))[0],
    "full": lambda x, s: x + dml_vk.full(3, s),
    "trunc": lambda x, s: x * math.trunc(s),
    "floor": lambda x, s: x * math.floor(s) + math.ceil(s),
    "json": lambda x, s: x * len(json.dumps({"s": s})),
    "json of a list": lambda x, s: x * json.loads(json.dumps([s]))[0],
    "bytes": lambda x, s: x * len(bytes(int(s))),
    "hex": lambda x, s: x * len(float.hex(float(s))),
    "of a class": lambda x, s: x * float.__add__(float(s), 1.0),
    "numpy": lambda x, s: x * dml_vk.asarray(np.float32(s)),
    "format": lambda x, s: x * float(f"{s:.3f}") + float("%.2f" % s),  # noqa: UP031
}
HELPERS = ModuleType("helpers")
HELPERS.twice = doubled_if_float


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_what_they_are_without_compile(name):
    function = NUMBERS[name]
    compiled = dml_vk.compile(function)
    for s in (2.5, 3.0, 3, 2.5, 7):
        x = tensor(3)
        assert bits(compiled(x, s)) == bits(function(x, s)), s


def test_an_index_is_taken_by_its_value():
    compiled = dml_vk.compile(lambda x, i: dml_vk.take(x, i))
    for i in (2, 0, 2):
        x = tensor(3)
        assert compiled(x, i).item() == x[i].item()


@pytest.mark.parametrize(
    "function", [lambda x, s: x * s + dml_vk.where(x > s, x, s), dml_vk.multiply, Scaled().plain]
)
def test_numbers_stay_live_where_nothing_asks_for_them(function):
    compiled = dml_vk.compile(function)
    for s in range(5):
        compiled(tensor(3), float(s))
    assert len(compiled.programs) == 1


async def _later(x):
    return x + 1


def _steps(x):
    yield x + 1


async def _later_steps(x):
    yield x + 1


class Later:
    async def __call__(self, x):
        return x + 1


@pytest.mark.parametrize("make", [dml_vk.compile, dml_vk.fuse])
@pytest.mark.parametrize(
    "function", [_later, _steps, _later_steps, Later(), functools.partial(_later)]
)
def test_functions_that_compute_later_are_refused(make, function):
    with pytest.raises(DTypeError, match="must not be"):
        make(function)


@pytest.mark.parametrize("made", [lambda x: map(abs, x), lambda x: (1, _steps(x))])
def test_results_that_compute_later_are_refused(made):
    with pytest.raises(CaptureError, match="computes later"):
        dml_vk.compile(made)(tensor(3))


def test_a_coroutine_as_result_is_refused():
    made = []

    @dml_vk.compile
    def function(x):
        made.append(_later(x))
        return made[0]

    with pytest.raises(CaptureError, match="computes later"):
        function(tensor(3))
    made[0].close()


def test_what_was_written_before_an_error_of_the_first_call_stays():
    def function(x, y, s):
        x += y
        x[0] = s
        if s > 2:
            raise KeyError("too large")
        return x

    for call in (function, dml_vk.compile(function)):
        x, y = tensor(3), tensor(3)
        expected = x + y
        expected[0] = 7.0
        with pytest.raises(KeyError, match="too large"):
            call(x, y, 7.0)
        assert bits(x) == bits(expected)


def test_nothing_is_written_where_the_function_cannot_be_compiled():
    @dml_vk.compile
    def function(x):
        x += 1
        return x.item()

    x = tensor(1)
    before = bits(x)
    with pytest.raises(CaptureError):
        function(x)
    assert bits(x) == before
