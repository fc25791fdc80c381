"""The memory of a step: what is kept is freed once it was used, and weights need no copy."""

from __future__ import annotations

import contextlib
from itertools import pairwise

import dml_vk
from dml_vk import optim
from tests.each import each

MIB = 2**20
LAYERS = 16


@contextlib.contextmanager
def limited(nbytes):
    """No more memory than this beside what is in use."""
    device = dml_vk.device()
    dml_vk.synchronize()
    device.release_cached()
    stats = device.memory_stats()
    device.memory_limit = stats.in_use + stats.cached + nbytes
    try:
        yield
    finally:
        device.memory_limit = None


def layer(x):
    return dml_vk.exp(dml_vk.sin(x) * 1e-3)


def layers(x, block):
    for _ in range(LAYERS):
        x = block(x)
    return dml_vk.sum(x)


def test_what_is_kept_is_freed_as_soon_as_it_was_used():
    live = []

    @dml_vk.custom_vjp
    def watched(x):
        return x

    def backward(_, gradient):
        live.append(dml_vk.memory_stats().in_use)
        return (gradient,)

    watched.defvjp(lambda x: (x, None), backward)
    x = dml_vk.ones(MIB // 4)
    dml_vk.grad(lambda x: layers(x, lambda x: watched(layer(x))))(x)
    freed = [before - after for before, after in pairwise(live)]
    assert len(freed) == LAYERS - 1
    # What a layer keeps is at least the sine's operand and the exponential's result.
    assert all(nbytes >= 2 * x.nbytes for nbytes in freed[1:]), freed


def gradient_of(block, is_compiled):
    gradient = dml_vk.grad(lambda x: layers(x, block))
    return dml_vk.compile(gradient) if is_compiled else gradient


def refusal(function, *args):
    """The message of the error, without what its traceback holds."""
    try:
        function(*args)
    except dml_vk.DeviceMemoryError as error:
        return str(error)
    raise AssertionError("there was memory")


@each("is_compiled", [False, True])
def test_what_exceeds_the_device_is_told_of_checkpoint(is_compiled):
    x = dml_vk.ones(4 * MIB // 4)
    # Two layers in one part: what lies between the parts is kept.
    part = dml_vk.checkpoint(lambda x: layer(layer(x)))

    def in_parts(x):
        for _ in range(LAYERS // 2):
            x = part(x)
        return dml_vk.sum(x)

    smaller = dml_vk.grad(in_parts)
    smaller = dml_vk.compile(smaller) if is_compiled else smaller
    with limited((48 if is_compiled else 96) * MIB):
        message = refusal(gradient_of(layer, is_compiled), x)
        assert message.count("checkpoint") == 1, message
        found = smaller(x)
    assert found.tobytes() == gradient_of(layer, is_compiled)(x).tobytes()
    with limited(MIB):
        message = refusal(dml_vk.compile(lambda x: dml_vk.repeat(x, 64)), x)
    assert "checkpoint" not in message, "there is no gradient"


def test_a_step_that_is_given_its_weights_needs_no_second_copy_of_them():
    opt = optim.SGD(0.1, momentum=0.9)
    params = {str(number): dml_vk.ones(4 * MIB // 4) for number in range(8)}
    state = opt.init(params)

    def loss(params):
        return sum((dml_vk.mean(x * x) for x in params.values()), dml_vk.zeros(()))

    def step(params, state):
        return opt.update(params, dml_vk.grad(loss)(params), state)

    given = dml_vk.compile(step, donate=(0, 1))
    params, state = given(params, state)
    with limited(40 * MIB):  # of 64 MiB that weights and momenta have
        in_use = dml_vk.memory_stats().in_use
        for _ in range(2):
            params, state = given(params, state)
            assert dml_vk.memory_stats().in_use == in_use
        assert "out of device memory" in refusal(dml_vk.compile(step), params, state)
