"""How programs are made of steps, and where they run."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from types import SimpleNamespace

import numpy as np
import pytest

import dml_vk
from dml_vk.array import calls
from dml_vk.errors import CaptureError, DeviceError, RangeError
from dml_vk.runtime.device import Device
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.spec import Spec
from dml_vk.tracing.capture import Capture
from dml_vk.tracing.recorder import recorded
from tests.kernel.compiler.tensors import bits, same, tensor
from tests.unit.runtime.queues import make_plan

SOURCE = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint x_base; uint y_base; };
void main() {
    uint n = gl_WorkGroupID.x;
    y[y_base + n] = 2.0 * x[x_base + n];
}
"""


def launches_of(compiled):
    return [
        launch
        for program in compiled.programs
        for part in program.parts
        for launch in part.launches
    ]


def test_work_that_follows_a_group_follows_what_joins_it_later():
    def function(x, y):
        a = x + 1
        ordered = dml_vk.sort(a)
        b = y * 2
        total = dml_vk.cumulative_sum(b)
        return ordered, a * total, a * 2, b + ordered

    compiled = dml_vk.compile(function)
    for _ in range(2):
        x, y = tensor(50), tensor(50)
        same(compiled(x, y), function(x, y))


def test_a_chain_with_too_many_results_becomes_several_kernels():
    def function(x):
        ends = []
        for _ in range(40):
            x = x + 1.5
            ends.append(x)
        return [dml_vk.sort(end) for end in ends]

    compiled = dml_vk.compile(function)
    x = tensor(7)
    same(compiled(x), function(x))
    fused = [launch for launch in launches_of(compiled) if launch.work.module == "fused"]
    assert sum(len(launch.parts) for launch in fused) > 30
    assert len(fused) > 1


@pytest.mark.compiler
def test_shaders_of_the_users_take_part():
    double = dml_vk.kernel(SOURCE)

    def function(x):
        y, z = x + 1, dml_vk.empty_like(x)
        double(y, z, groups=x.size)
        double(z, x, groups=x.size)
        return z * 3

    compiled = dml_vk.compile(function)
    for _ in range(3):
        x = tensor(20)
        expected = (x.numpy() + 1) * 2
        assert np.array_equal(compiled(x).numpy(), expected * 3)
        assert np.array_equal(x.numpy(), expected * 2)
    assert "own" in compiled.explain()
    with pytest.raises(CaptureError, match="only elementwise operations can be fused"):
        dml_vk.fuse(function)(tensor(20))


def test_results_at_many_places_are_recorded_for_some_of_them():
    compiled = dml_vk.compile(lambda x: x * 2 + 1)
    x = tensor(300)
    kept = [compiled(x) for _ in range(20)]
    for found in kept:
        assert bits(found) == bits(x * 2 + 1)
    (part,) = compiled.programs[0].parts
    assert 1 <= len(part.recorded) <= 8


def test_memory_is_released_although_a_program_was_recorded_for_it():
    compiled = dml_vk.compile(lambda x: x + 1)
    x = dml_vk.ones(6 * 2**20)
    y = compiled(x)
    program = compiled.programs[0]
    held = dml_vk.memory_stats().in_use + dml_vk.memory_stats().cached
    assert program.alive() != []
    assert set(map(id, program.alive())) <= set(map(id, x.device.queue.runtime_objects()))
    del x, y
    dml_vk.device().release_cached()
    assert program.alive() == []
    stats = dml_vk.memory_stats()
    assert stats.in_use + stats.cached <= held - 2**24
    assert compiled(dml_vk.ones(6 * 2**20))[-1].item() == 2


def test_what_another_library_shares_is_up_to_date_after_a_call():
    compiled = dml_vk.compile(lambda x: x.__iadd__(1))
    x = dml_vk.zeros(10)
    if x.allocation.bytes is None:
        assert compiled(x).tolist() == [1.0] * 10
        return
    seen = np.asarray(x)
    for count in (1, 2, 3):
        compiled(x)
        assert seen.tolist() == [count] * 10


def test_each_launch_of_a_program_is_logged(caplog):
    compiled = dml_vk.compile(lambda x: (dml_vk.sort(x + 1), x * 2))
    x = tensor(40)
    compiled(x)
    with caplog.at_level("DEBUG", logger="dml_vk"):
        dml_vk.synchronize()
        found = compiled(x)
        dml_vk.synchronize()
    same(found, (dml_vk.sort(x + 1), x * 2))
    kernels = [one.dispatch.asked.kernel for one in caplog.records if hasattr(one, "dispatch")]
    assert "fused" in kernels
    assert len(kernels) >= len(launches_of(compiled))


def test_weights_are_returned_as_they_are():
    weight = tensor(3)
    compiled = dml_vk.compile(lambda x: (weight, x + weight))
    for _ in range(2):
        found, _ = compiled(tensor(3))
        assert found is weight


def test_numbers_of_all_kinds_and_comparisons_with_tensors():
    def function(x, n, c, text):
        return n < x, x >= n, x * c, n == x, text

    compiled = dml_vk.compile(function)
    for n, c in ((0.5, 1 + 2j), (0.25, 1 + 2j), (0.25, complex(-0.0, -2))):
        x = tensor(5)
        found, expected = compiled(x, n, c, "text"), function(x, n, c, "text")
        same(found[:-1], expected[:-1])
        assert found[-1] == "text"
    assert len(compiled.programs) == 2


def test_an_explanation_of_one_part():
    compiled = dml_vk.compile(lambda x: x + 1)
    compiled(tensor(3))
    assert compiled.explain().startswith("1 kernel on 1 level, 0 bytes of temporaries\n")


def test_empty_tensors_and_none_at_all():
    compiled = dml_vk.compile(lambda x: (x + 1, dml_vk.sum(x), dml_vk.zeros(0)))
    x = dml_vk.ones((0, 3))
    same(compiled(x), (x + 1, dml_vk.sum(x), dml_vk.zeros(0)))
    constant = dml_vk.compile(lambda: dml_vk.arange(5) * 2)
    assert [constant().tolist() for _ in range(2)] == [[0, 2, 4, 6, 8]] * 2


def test_tensors_on_several_devices_are_refused():
    x = tensor(3)
    other = SimpleNamespace(name="other")
    y = Tensor._over_memory(x.allocation, Spec(x.layout, x.dtype, other))
    with pytest.raises(DeviceError, match="operands must be on one device"):
        dml_vk.compile(lambda x, y: x)(x, y)
    with (
        recorded(Capture(other, [])),
        pytest.raises(DeviceError, match="a compiled function runs on one device"),
    ):
        dml_vk.ones(3)
    assert bits(x + 1) == bits(x + 1)


def test_captures_may_overlap():
    device = dml_vk.device()
    first, second = Capture(device, []), Capture(device, [])
    with recorded(first):
        with recorded(second):
            dml_vk.ones(3)
            assert type(device) is Device  # which other threads use meanwhile
        dml_vk.ones(3)
        device.launch(make_plan(0), [])  # without work
    assert [len(one.steps) for one in (first, second)] == [1, 1]


def test_a_copy_of_the_context_of_a_capture_works_on_devices_after_it():
    """As a task has one that is made in a function while it is captured."""
    copies = []

    @dml_vk.compile
    def function(x):
        copies.append(copy_context())
        return x + 1

    other = dml_vk.compile(lambda x: dml_vk.pad(x, 1) * 3)
    assert function(dml_vk.ones(2)).tolist() == [2.0, 2.0]
    assert copies[0].run(lambda: (dml_vk.asarray([1.0, 2.0]) * 2).tolist()) == [2.0, 4.0]
    assert copies[0].run(lambda: other(dml_vk.ones(1)).tolist()) == [0.0, 3.0, 0.0]
    assert copies[0].run(lambda: dml_vk.random.Generator(5).bits(2).tolist()) == [
        *dml_vk.random.Generator(5).bits(2).tolist()
    ]


def test_a_tensor_of_a_captured_function_is_refused_in_another():
    """The other has memory of its own by that number, of which results would be wrong."""
    kept = []

    def keeps(x):
        kept.append(x * 3)
        return x + 1

    def uses(x):
        return x * 2 + kept[0]

    x = tensor(2, 3)
    dml_vk.compile(keeps)(x)
    for function in (uses, lambda x: (x + 1, kept[0])):
        with pytest.raises(CaptureError, match="cannot be used after it, unless it was returned"):
            dml_vk.compile(function)(x)
    with pytest.raises(CaptureError, match="cannot be used after it, unless it was returned"):
        kept[0] + 1


def test_copies_of_an_operation_that_fails_late_stay_in_the_log():
    def fails(operands, out):
        operands[0].contiguous()
        raise RangeError("late", "it fails", x=0)

    def function(x):
        with suppress(RangeError):
            calls.composed(fails, (x,), None)
        return x + 1

    compiled = dml_vk.compile(function)
    x = tensor(2, 3, 4, 5).to(dml_vk.channels_last)
    for _ in range(2):
        with dml_vk.trace() as log:
            compiled(x)
        assert [entry.op for entry in log.entries] == ["contiguous"]


def test_a_capture_has_each_public_operation_with_its_operands_and_steps():
    x = tensor(2, 3)
    capture = Capture(x.device, [])
    with recorded(capture):
        total = dml_vk.sum(x, axis=1)
        padded = dml_vk.pad(total, (1, 1))  # which calls others
        dml_vk.add(padded, 2, out=padded)
    of = capture.operations
    assert [one.operands for one in of] == [(x,), (total,), (padded, 2)]
    assert [one.result is y for one, y in zip(of, (total, padded, padded))] == [True] * 3
    assert [one.out is None for one in of] == [True, True, False]
    assert [step for one in of for step in one.steps] == capture.steps
    y = tensor(2, 3) * 10
    with recorded(Capture(x.device, [])):
        assert of[0].do((y,), None).shape == (2,)
    assert bits(of[0].do((y,), None)) == bits(dml_vk.sum(y, axis=1))


def test_tables_that_a_function_needs_are_kept_for_all():
    def function(x):
        return dml_vk.fft.fft(x), dml_vk.fft.rfft(x.real)

    compiled = dml_vk.compile(function)
    for _ in range(2):
        x = dml_vk.astype(tensor(2, 11 * 13), dml_vk.complex64)
        same(compiled(x), function(x))


def everything(x):
    """All that a device is asked for."""
    double, twice = dml_vk.kernel(SOURCE), dml_vk.empty_like(x)
    double(x, twice, groups=x.size)
    buffer = dml_vk.Buffer(16)
    buffer.write(b"0123456789abcdef")
    x = x.clone()
    x += twice
    ordered = dml_vk.sort(x)
    taken = ordered[dml_vk.asarray([2, 0, 1])]
    waves = dml_vk.fft.fft(dml_vk.ones(math.prod((3, 5)), dml_vk.complex64) * 2)
    with dml_vk.ones(4).map() as array:
        array[0] = 2
    ends = taken.tolist(), buffer.read().tolist(), waves.numpy().tolist(), array.tolist()
    return ends, dml_vk.zeros((0, 2)).tolist(), (x[:0] + 1).tolist()


@pytest.mark.compiler
def test_a_device_works_for_other_threads_meanwhile():
    x = tensor(6)
    expected = everything(x)
    with ThreadPoolExecutor(1) as pool:
        found = []

        @dml_vk.compile
        def function(y):
            found.append(pool.submit(everything, x).result())
            return y + 1

        assert bits(function(x)) == bits(x + 1)
    assert found == [expected]
