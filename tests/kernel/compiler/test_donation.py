"""Donated arguments: their memory becomes that of results, and they cannot be used any more."""

from __future__ import annotations

import contextlib
import gc

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import CaptureError, DeviceMemoryError, DTypeError, LayoutError, RangeError
from tests.kernel.compiler.tensors import bits, tensor

BYTES = 2**18
GONE = "x was donated to a compiled function and can no longer be used"


def step(x):
    return x * 0.5 + 1


def in_use():
    gc.collect()
    return dml_vk.memory_stats().in_use


def large():
    return dml_vk.astype(dml_vk.arange(BYTES // 4), dml_vk.float32)


def test_a_state_stays_in_its_memory():
    compiled = dml_vk.compile(step, donate=0)
    x, plain = large(), large()
    dml_vk.synchronize()
    place, before = x.allocation.offset, in_use()
    for _ in range(5):
        x, plain = compiled(x), step(plain)
        assert x.allocation.offset == place
        assert in_use() == before
    assert bits(x) == bits(plain)
    (program,) = compiled.programs
    assert program.temporary_bytes == 0


USES = {
    "tolist": lambda x: x.tolist(),
    "print": repr,
    "add": lambda x: x + 1,
    "later": lambda x: 1 - x[2:].reshape(-1),
    "write": lambda x: x.__setitem__(0, 1.0),
    "clone": lambda x: x.clone(),
    "array": np.asarray,
    "compiled": dml_vk.compile(step),
    "donated": dml_vk.compile(step, donate=0),
    "from outside": lambda x: dml_vk.compile(lambda y: x + y)(dml_vk.ones(10)),
    "sum": lambda x: x.sum(),
    "buffer": lambda x: x.buffer.read(),
    "out": lambda x: dml_vk.exp(dml_vk.ones(10), out=x),
    "matmul": lambda x: dml_vk.matmul(x, x),
    "map": lambda x: x.map().__enter__(),
    "copy": lambda x: dml_vk.copy(dml_vk.ones(10), x),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_donated_tensor_cannot_be_used(use):
    x = tensor(10)
    x + 1  # which it is then known for
    dml_vk.compile(step, donate=0)(x)
    assert (x.shape, x.dtype) == ((10,), dml_vk.float32)
    with pytest.raises(CaptureError, match=f"{GONE}; got line='.*:[0-9]+'"):
        use(x)


def test_only_those_in_the_places_are_donated_at_any_depth():
    compiled = dml_vk.compile(lambda a, b, c: (a["x"][0] + b, b + c[0]), donate=(0, -1))
    a, b, c = {"x": [tensor(5)]}, tensor(5), (tensor(5),)
    expected = a["x"][0] + b, b + c[0]
    assert list(map(bits, compiled(a, b, c))) == list(map(bits, expected))
    assert bits(b) == bits(b)
    for gone in (a["x"][0], c[0]):
        with pytest.raises(CaptureError, match=GONE):
            gone.tolist()


@pytest.mark.parametrize("look", [lambda x: x[3:], lambda x: x.buffer, lambda x: x[None]])
def test_memory_that_is_seen_elsewhere_is_not_written(look):
    compiled = dml_vk.compile(lambda x: dml_vk.sort(step(x)) + 1, donate=0)
    for _ in range(2):
        x = tensor(50)
        expected, values = dml_vk.sort(step(x)) + 1, x.numpy()
        seen = look(x)
        assert bits(compiled(x)) == bits(expected)
        kept = seen.read("float32") if isinstance(seen, dml_vk.Buffer) else seen.numpy().reshape(-1)
        assert np.array_equal(kept, values[-kept.size :])
        with pytest.raises(CaptureError, match=GONE):
            x.tolist()


def test_what_numpy_holds_stays_as_it_is():
    compiled = dml_vk.compile(step, donate=0)
    for _ in range(2):
        x = tensor(50)
        expected, values = step(x), x.numpy()
        seen = np.asarray(x)
        found = compiled(x)
        assert bits(found) == bits(expected)
        assert np.array_equal(seen, values)
        if x.device.unified:
            assert np.array_equal(x.numpy(), values)
            del seen
            compiled(x)
        with pytest.raises(CaptureError, match=GONE):
            x.tolist()


def test_a_failed_check_leaves_memory_that_is_seen_elsewhere_alone():
    def function(x, index):
        y = x[index]
        x[...] = 7.0
        return y

    compiled = dml_vk.compile(function, donate=0)
    x, source = tensor(3), np.asarray([1.0, 2.0, 3.0], np.float32)
    held = dml_vk.asarray(source)
    view, before, array = x[:], bits(x), np.asarray(held)
    for target in (x, held):
        with pytest.raises(IndexError):
            compiled(target, dml_vk.asarray([0, 3]))
    assert bits(view) == before
    assert np.array_equal(array, source)


def test_what_is_returned_lives_on_in_a_tensor_of_its_own():
    def function(x, y):
        x += 1
        return x, x[2:], y

    compiled = dml_vk.compile(function, donate=0)
    for _ in range(2):
        x, y, plain = dml_vk.zeros(5), tensor(3), dml_vk.zeros(5)
        found = compiled(x, y)
        expected = function(plain, y)
        assert found[2] is y
        assert found[0] is not x
        assert list(map(bits, found)) == list(map(bits, expected))
        found[0][3] = 7
        assert found[1].tolist() == [1, 7, 1]
        with pytest.raises(CaptureError, match=GONE):
            x.tolist()


def test_what_is_returned_as_it_is_keeps_its_memory():
    compiled = dml_vk.compile(lambda pair: (pair[0], pair[1] * 2, pair[0] * 4), donate=0)
    pair = tensor(5), tensor(5)
    first, second = [x.numpy() for x in pair]
    for factor in (2, 4):
        *pair, product = compiled(tuple(pair))
        assert np.array_equal(pair[0].numpy(), first)
        assert np.array_equal(pair[1].numpy(), second * factor)
        assert np.array_equal(product.numpy(), first * 4)


def test_memory_must_be_given_once():
    compiled = dml_vk.compile(lambda x, y: x + y, donate=(0,))
    x = tensor(5)
    rule = "a donated argument must share no memory with other arguments"
    for y in (x, x[::-1]):
        with pytest.raises(CaptureError, match=rf"<lambda>: {rule}; got shape=\(5,\)"):
            compiled(x, y)
    assert bits(compiled(x, tensor(5))) != bits(tensor(5))


def test_a_small_result_does_not_keep_a_large_piece_of_memory():
    compiled = dml_vk.compile(lambda x: x.sum(), donate=0)
    compiled(large())
    before = in_use()
    kept = [compiled(large()) for _ in range(3)]
    assert in_use() - before < BYTES
    assert len({one.item() for one in kept}) == 1


def test_temporaries_take_it_too():
    def function(x, y):
        return dml_vk.sort(dml_vk.sort(x + 1)[::-1] * y).sum()

    compiled = dml_vk.compile(function, donate=(0, 1))
    plain = dml_vk.compile(function)
    x, y = large(), large()
    expected = plain(x, y)
    assert bits(compiled(x, y)) == bits(expected)
    assert compiled.programs[0].temporary_bytes < plain.programs[0].temporary_bytes


def test_it_is_kept_where_the_function_is_called_as_it_is():
    weight = tensor(5)
    compiled = dml_vk.compile(lambda x: x + weight, donate=0)
    assert bits(compiled(weight)) == bits(weight + weight)
    outer = dml_vk.compile(lambda x: (compiled(x), x * 2))
    x = tensor(5)
    assert list(map(bits, outer(x))) == [bits(x + weight), bits(x * 2)]


def test_without_memory_for_results_nothing_is_lost():
    device = dml_vk.device()
    compiled = dml_vk.compile(lambda x: dml_vk.concat([x] * 40), donate=0)
    x = large()
    compiled(large())
    device.synchronize()
    device.release_cached()
    before, device.memory_limit = device.memory_limit, 0
    kept = []
    try:
        with contextlib.suppress(DeviceMemoryError):
            while True:  # until nothing that is cached is left
                kept.append(dml_vk.empty(BYTES, dtype="uint8"))
        with pytest.raises(DeviceMemoryError):
            compiled(x)
    finally:
        device.memory_limit = before
    del kept
    assert x[-1].item() == BYTES / 4 - 1


def test_a_place_is_static_or_donated():
    rule = "donate and static_argnums must not overlap"
    with pytest.raises(DTypeError, match=rule):
        dml_vk.compile(lambda x, y: x, donate=0, static_argnums=(1, -2))
    with pytest.raises(LayoutError, match="donate must be a sequence of integers"):
        dml_vk.compile(step, donate="x")
    for places in ({"donate": 2}, {"static_argnums": -3}):
        rule = "must be positions of the function's positional arguments; got .*arguments=2"
        with pytest.raises(RangeError, match=rule):
            dml_vk.compile(lambda x, y, *, z=1: x, **places)
    with pytest.raises(RangeError, match=r"donate must be positions .*; got donate=-1"):
        dml_vk.compile(lambda *x: x, donate=-1)
    last = dml_vk.compile(lambda x, y: x + y, donate=-1)
    given = dml_vk.ones(3), dml_vk.ones(3)
    assert last(*given).tolist() == [2.0] * 3
    assert given[0].tolist() == [1.0] * 3
    with pytest.raises(CaptureError, match="was donated to a compiled function"):
        given[1].tolist()


def test_functions_whose_parameters_are_not_known_take_any_place():
    assert callable(dml_vk.compile(max, donate=7))
    with pytest.raises(RangeError, match="donate must be positions"):
        dml_vk.compile(max, donate=-1)

    @dml_vk.compile(donate=[1])
    def function(n, x):
        return x * n

    x = tensor(5)
    assert bits(function(2, x)) != bits(tensor(5))
    with pytest.raises(CaptureError, match=GONE):
        x.tolist()


def test_what_is_given_by_name_is_not_donated():
    x = tensor(5)
    assert bits(dml_vk.compile(step, donate=0)(x=x)) == bits(step(x))
