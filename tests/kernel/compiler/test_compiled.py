"""Compiled functions do what the functions do: the same bits, views, writes and errors."""

from __future__ import annotations

import gc
import re
import sys
import threading
import weakref
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import CaptureError, DTypeError
from tests.kernel.compiler.tensors import bits, tensor

Pair = namedtuple("Pair", "left right")


def test_results_have_the_same_bits_at_every_call():
    def function(x, m, s):
        y = (x - m) / s
        return {"scaled": y * 2 + 1, "sums": [y.sum(axis=1), y.sum()]}

    compiled = dml_vk.compile(function)
    for _ in range(3):
        x, m, s = tensor(17, 31), tensor(31), tensor(1)
        found, expected = compiled(x, m, s=s), function(x, m, s=s)
        assert bits(found["scaled"]) == bits(expected["scaled"])
        assert list(map(bits, found["sums"])) == list(map(bits, expected["sums"]))


def test_arguments_are_written_in_place_and_results_are_views_of_them():
    @dml_vk.compile
    def function(x, w):
        x += w
        x[1:] *= 2
        return x.T, x

    x, w = tensor(3, 4), tensor(4)
    expected = x.numpy()
    for _ in range(3):
        expected += w.numpy()
        expected[1:] *= 2
        turned, same = function(x, w)
        assert same is x
        assert turned.allocation is x.allocation
        assert np.array_equal(turned.numpy(), expected.T)


@pytest.mark.parametrize("shift", [0, 1])
def test_arguments_that_share_memory_have_a_program_of_their_own(shift):
    @dml_vk.compile
    def function(x, y):
        y += x
        x *= 2
        return x + y

    for shared in (False, True, False):
        base = tensor(9)
        expected = base.numpy()
        x, y = base[:8], base[shift : 8 + shift] if shared else tensor(8)
        a, b = expected[:8], expected[shift : 8 + shift] if shared else y.numpy()
        b += a
        a *= 2
        assert np.array_equal(function(x, y).numpy(), a + b)
        assert np.array_equal(base.numpy(), expected)


def test_tensors_from_outside_are_read_and_written_at_each_call():
    weight, count = tensor(5), dml_vk.zeros(())

    @dml_vk.compile
    def function(x):
        count[...] += 1
        return x * weight

    x = tensor(5)
    for number in (1.0, 2.0, 3.0):
        assert bits(function(x)) == bits(x * weight)
        assert count.item() == number
        weight += 1
    # The argument is what is outside: the function itself is called.
    assert bits(function(weight)) == bits(weight * weight)


def test_generators_draw_what_they_would_draw():
    one, other = (dml_vk.random.Generator(7) for _ in range(2))

    def function(generator, x):
        fresh = dml_vk.random.Generator(3).bits(2)
        return generator.normal((3, 5)) + x, generator.permutation(11), fresh

    compiled = dml_vk.compile(function)
    for _ in range(3):
        found, expected = compiled(one, tensor(5)), function(other, tensor(5))
        assert found[0].shape == (3, 5)
        assert bits(found[1]) == bits(expected[1])
        assert bits(found[2]) == bits(expected[2])
        assert one.state == other.state


def test_a_generator_tells_no_state_while_it_is_captured():
    generator = dml_vk.random.Generator(7)
    for ask in (
        lambda: generator.counter,
        lambda: generator.split(2),
        lambda: generator.advance(1),
    ):
        with pytest.raises(CaptureError, match="values are not known"):
            dml_vk.compile(lambda x, ask=ask: (ask(), x)[1])(tensor(2))
    assert generator.state == dml_vk.random.Generator(7).state


def test_what_the_host_gives_is_uploaded_once_and_may_be_changed():
    @dml_vk.compile
    def function(x):
        given = dml_vk.asarray([1.0, 2.0, 3.0])
        fixed = dml_vk.asarray(np.array([4.0, 5.0, 6.0], np.float32))
        given += x
        return given * fixed, dml_vk.asarray([7, 8])

    for _ in range(2):
        product, constant = function(dml_vk.ones(3))
        assert product.tolist() == [8.0, 15.0, 24.0]
        assert constant.tolist() == [7, 8]
        constant += 1


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x if x.sum() > 0 else -x,
        lambda x: x.numpy(),
        lambda x: x.sum().item(),
        lambda x: dml_vk.nonzero(x),
        lambda x: np.asarray(x),
        lambda x: str(x),
        lambda x: np.from_dlpack(x),
    ],
)
def test_what_needs_values_is_an_error_that_names_the_line(function):
    x = tensor(3)
    line = rf"line='{__file__}:\d+'"
    with pytest.raises(CaptureError, match=f"values are not known .*{line}"):
        dml_vk.compile(function)(x)
    assert bits(x + 1) == bits(x + 1)  # The device is as before.


def test_the_host_cannot_write_what_is_outside():
    outside = dml_vk.Buffer(16)

    @dml_vk.compile
    def function(x):
        outside.write(b"abcd")
        return x

    with pytest.raises(CaptureError, match="the host cannot write memory from outside"):
        function(tensor(3))


def test_a_tensor_that_escapes_cannot_be_used():
    kept = []

    @dml_vk.compile
    def function(x):
        kept.append(x * 2)
        return x + 1

    function(tensor(3))
    with pytest.raises(CaptureError, match="cannot be used after it, unless it was returned"):
        kept[0] + 1


def test_signatures_tell_apart_what_differs():
    calls = []

    @dml_vk.compile
    def function(x, *rest):
        calls.append(rest)
        return x + 1 if not rest else x

    x = tensor(2, 2, 2, 2)
    for args in (
        (x,),
        (x.permute(3, 2, 1, 0),),
        (x.to(dml_vk.channels_last),),
        (x, 1),
        (x, 1.0),
        (x, True),
        (x, -0.0),
    ):
        for _ in range(2):
            function(*args)
    assert len(calls) == 6  # -0.0 is a float as 1.0 is
    with pytest.raises(DTypeError, match="arguments must be tensors or hashable"):
        function(x, {1, 2})
    with pytest.raises(DTypeError, match="function must be callable"):
        dml_vk.compile(3)


def test_a_program_explains_itself():
    @dml_vk.compile
    def function(x, index):
        y = dml_vk.exp(x) * 2 + 1
        return y[index][index], y.sum()

    function(tensor(100), dml_vk.asarray([1, 0]))
    said = function.explain()
    assert "in 2 parts: values are checked in between" in said
    assert "exp, multiply, add" in said
    assert "Tensor.sum" in said
    (program,) = function.programs
    assert program.times == []
    x, index = tensor(100), dml_vk.asarray([0, 1])
    for found, expected in zip(function.measure(x, index), function(x, index)):
        assert bits(found) == bits(expected)
    assert len(program.times) == sum(len(part.launches) for part in program.parts)
    assert min(program.times) > 0
    assert f"{program.times[0]:.1f}" in function.explain()


def test_the_log_says_how_long_a_capture_took(caplog):
    function = dml_vk.compile(lambda x: x + 1)
    with caplog.at_level("INFO", logger="dml_vk"):
        function(tensor(3))
        function(tensor(3))
    said = [record.getMessage() for record in caplog.records if "captured" in record.getMessage()]
    assert len(said) == 1
    assert re.search(r"test_compiled\.py:\d+\): captured <lambda> us=\d+\.\d", said[0])


def test_fuse_takes_functions_that_compute_by_elements():
    @dml_vk.fuse
    def function(x, y):
        return dml_vk.where(x > y, x, y) * dml_vk.asarray([1.0, 2.0, 3.0]), x + y

    x, y = tensor(4, 3), tensor(3)
    for found, expected in zip(function(x, y), function.__wrapped__(x, y)):
        assert bits(found) == bits(expected)
    (part,) = function.programs[0].parts
    assert [launch.work.module for launch in part.launches] == ["fused"]
    with pytest.raises(CaptureError, match=r"elementwise operations can be fused.*Tensor\.sum"):
        dml_vk.fuse(lambda x: x.sum())(x)
    with pytest.raises(CaptureError, match="only elementwise operations can be fused"):
        dml_vk.fuse(lambda x: x[dml_vk.asarray([1])])(x)
    with pytest.raises(DTypeError, match="function must be callable"):
        dml_vk.fuse(None)


def modules(function):
    (program,) = function.programs
    return [launch.work.module for part in program.parts for launch in part.launches]


def test_chains_that_meet_become_one_kernel():
    function = dml_vk.compile(lambda a, b, c: (a * 2 + b * 3) * (c - 1) - (b / 4 + c * c))
    operands = [tensor(50) for _ in range(3)]
    assert bits(function(*operands)) == bits(function.__wrapped__(*operands))
    assert modules(function) == ["fused"]


def test_chains_do_not_meet_around_what_lies_between():
    def function(x, y):
        scaled = x * 2
        y = dml_vk.sort(scaled) + y * 3
        x *= 5  # after it was read
        return y * scaled, x[::-1] + y * 7

    compiled = dml_vk.compile(function)
    for _ in range(2):
        x, y = tensor(50), tensor(50)
        again = x.clone()
        assert list(map(bits, compiled(x, y))) == list(map(bits, function(again, y)))
        assert bits(x) == bits(again)


def test_structures_come_back_as_they_are():
    @dml_vk.compile
    def function(pair, more):
        return Pair(pair.right, [more["a"] + 1, None, "text"])

    x, y, z = tensor(2), tensor(3), tensor(4)
    found = function(Pair(x, y), {"a": z})
    assert type(found) is Pair
    assert found.left is y
    assert bits(found.right[0]) == bits(z + 1)
    assert found.right[1:] == [None, "text"]


def test_methods_and_nested_compiled_functions():
    class Scale:
        def __init__(self):
            self.factor = tensor(3)

        @dml_vk.compile
        def apply(self, x):
            """Scale."""
            return inner(x) * self.factor

    inner = dml_vk.compile(lambda x: x + 1)
    scale, x = Scale(), tensor(3)
    assert bits(scale.apply(x)) == bits((x + 1) * scale.factor)
    assert Scale.apply.__doc__ == "Scale."
    assert repr(Scale.apply) == "<compiled apply: 1 programs>"


def test_dead_work_goes_and_temporaries_share_memory():
    @dml_vk.compile
    def function(x):
        x * 3 + x.sum()
        for _ in range(20):
            x = dml_vk.sort(x)
        return x

    plain = dml_vk.compile(lambda x: dml_vk.sort(x))
    x = tensor(1000)
    assert bits(function(x)) == bits(plain(x))
    (long,), (short,) = function.programs, plain.programs
    assert sum(len(part.launches) for part in long.parts) == 20 * len(short.parts[0].launches)
    assert long.temporary_bytes <= 3 * max(4096, short.temporary_bytes)


def test_nothing_is_kept_when_the_function_is_gone():
    def make():
        weight = tensor(1000)
        made = dml_vk.compile(lambda x: x * weight)
        made(tensor(1000))
        return made, weakref.ref(made), weakref.ref(weight.allocation)

    function, *gone = make()
    assert [one() is None for one in gone] == [False, False]
    del function
    gc.collect()
    assert [one() for one in gone] == [None, None]


def test_other_threads_work_while_a_function_is_captured():
    x = tensor(10)
    with ThreadPoolExecutor(1) as pool:

        @dml_vk.compile
        def function(y):
            other = pool.submit(lambda: (x * 2).numpy()).result()
            return y + dml_vk.asarray(other)

        assert bits(function(x)) == bits(x + x * 2)


def test_other_threads_allocate_while_functions_are_captured_one_after_another():
    kept = [dml_vk.asarray(np.float32([n])) for n in range(1000)]
    interval, done = sys.getswitchinterval(), threading.Event()

    def allocate():
        while not done.is_set():
            for _ in range(20):
                dml_vk.empty(3)
            assert (dml_vk.full(3, 2.0) + 1).tolist() == [3.0] * 3

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(allocate)
            try:
                found = [dml_vk.compile(lambda x, n=n: x + kept[n])(kept[7]) for n in range(50)]
            finally:
                done.set()
            other.result()
    finally:
        sys.setswitchinterval(interval)
    assert [one.item() for one in found] == [n + 7 for n in range(50)]
