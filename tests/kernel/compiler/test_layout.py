"""Formats that are chosen for compiled functions: what they compute, and what they cost."""

from __future__ import annotations

import itertools
import random
import threading
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.compiler.passes import formats
from dml_vk.compiler.passes.conversions import Choice, Conversions, estimated_ns
from dml_vk.compiler.passes.cut import ONE, ZERO, Cut
from dml_vk.compiler.passes.operations import weight_of
from dml_vk.errors import DmlVkError, RangeError
from tests import tier
from tests.kernel.compiler.networks import LAYERS, SIZES, Weights, network
from tests.kernel.compiler.tensors import same, tensor
from tests.kernel.compiler.test_programs import SOURCE
from tests.kernel.profiled import profiled
from tests.profiles import CPU

FORMATS = (dml_vk.contiguous_format, dml_vk.channels_last)
layers = st.lists(st.tuples(st.integers(0, LAYERS - 1), st.integers(0, 7)), min_size=1, max_size=7)


def told(tensors):
    memory = [id(x.allocation) for x in tensors]
    return [(x.layout, x.dtype, memory.index(id(x.allocation))) for x in tensors]


def check(layers, returned, source, layout):
    """Twice on new values, with weights that are written in between."""
    ours, plain = Weights(1), Weights(1)
    compiled = dml_vk.compile(network(ours, layers, returned), layout=layout)
    function = network(plain, layers, returned)
    for seed in (2, 3):
        values = np.random.default_rng(seed).standard_normal(SIZES).astype(np.float32)
        a, b = (dml_vk.asarray(values, memory_format=source) for _ in range(2))
        found, expected = [a, *compiled(a)], [b, *function(b)]
        assert told(found) == told(expected)
        for x, y in zip(found, expected):
            assert np.array_equal(x.numpy().view(np.uint32), y.numpy().view(np.uint32))
        for weights in (ours, plain):
            weights.change()
    assert len(compiled.programs) == 1


@settings(max_examples=40 if tier.is_all() else 3)
@given(
    layers,
    st.integers(0, 255),
    st.sampled_from(FORMATS),
    st.sampled_from(["auto", "nchw", "nhwc"]),
)
def test_networks_have_the_same_bits_formats_and_aliases_in_every_layout(
    layers, returned, source, layout
):
    check(layers, returned, source, layout)


@settings(max_examples=60 if tier.is_all() else 4)
@given(layers, st.integers(0, 255), st.sampled_from(FORMATS), st.integers())
def test_they_have_whatever_format_each_operation_is_done_in(layers, returned, source, seed):
    with patch.object(formats.Costs, "choices", at_random(seed)):
        check(layers, returned, source, "nhwc")


def test_a_copy_of_what_was_written_to_is_made_anew():
    def function(x, y):
        before = nn.max_pool(x, 2)
        x += y
        between = nn.max_pool(x, 2)
        dml_vk.tanh(x, out=x)
        after = nn.max_pool(x, 2)
        x[1, 2:5] = 3.0
        return before, between, after, nn.max_pool(x, 2)

    def everything_converts(self, way):
        return [Choice(1)] * len(self.nodes)

    with patch.object(formats.Costs, "choices", everything_converts):
        both(function, values(2, 8, 6, 6), values(2, 8, 6, 6))


def at_random(seed):
    draw = random.Random(seed)

    def choices(self, way):
        found = []
        for operation, _, _ in self.nodes:
            converts = weight_of(operation) is not None and draw.random() < 0.5
            found.append(Choice(draw.randrange(2), converts))
        return found

    return choices


@tier.examples(50)
@given(
    st.integers(1, 6),
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 9)), max_size=25),
)
def test_a_cut_has_the_least_cost_of_all(count, costs):
    cut = Cut()
    nodes = [ONE, ZERO, *[cut.node() for _ in range(count)]]
    costs = [(nodes[a % len(nodes)], nodes[b % len(nodes)], cost) for a, b, cost in costs]
    for one in costs:
        cut.cost(*one)

    def total(labels):
        return sum([cost for a, b, cost in costs if labels[a] and not labels[b]])

    found = cut.least()
    everything = [(True, False, *rest) for rest in itertools.product((False, True), repeat=count)]
    assert found[ONE]
    assert not found[ZERO]
    assert total(found) == min(map(total, everything))


def residual(x, first, second, weight):
    y = dml_vk.relu(nn.conv(x, first, padding=1))
    y = nn.conv(y, second, padding=1)
    y += x
    return nn.max_pool(y, 2), dml_vk.matmul(y.reshape(1, -1), weight)


def operands(channels=32, size=12):
    kernels = tensor(channels, channels, 3, 3), tensor(channels, channels, 3, 3)
    return tensor(1, channels, size, size), *kernels, tensor(channels * size**2, 3)


@pytest.mark.parametrize(("channels", "size"), tier.plus([(16, 6)], [(4, 4), (32, 12)]))
def test_no_choice_of_formats_takes_less_by_the_estimates(channels, size):
    totals = {}

    def choices(self, way):
        best = choose(self, way)
        if way != "auto":
            return best
        ways = [
            [
                Choice(label, w)
                for label in (0, 1)
                for w in {False, weight_of(operation) is not None}
            ]
            for operation, _, _ in self.nodes
        ]
        for one in itertools.product(*ways):
            made = Conversions(self._capture, (), {})
            made.run(self.items, one, self.returned)
            totals[one] = estimated_ns(made.steps)
        totals["chosen"] = totals[tuple(best)]
        return best

    choose = formats.Costs.choices
    with patch.object(formats.Costs, "choices", choices):
        compiled = dml_vk.compile(residual, layout="auto")
        compiled(*operands(channels, size))
    assert len(totals) > 30
    assert totals["chosen"] == min(totals.values())


def test_auto_takes_no_longer_than_the_function_as_it_is():
    small, large = (dml_vk.compile(residual, layout="auto") for _ in range(2))
    small(*operands(4, 4))
    large(*operands(64, 20))
    (few,), (many,) = small.programs, large.programs
    assert (few.formats.chosen, many.formats.chosen) == (None, "auto")
    assert not few.formats.conversions
    for one in (few.formats, many.formats):
        assert one.times[one.chosen] == min(one.times.values())
    assert many.formats.times["auto"] < many.formats.times[None]
    assert "as written; by the estimates" in small.explain()
    assert small.explain().endswith("nothing is converted")


def test_conversions_are_explained_and_in_traces():
    compiled = dml_vk.compile(residual, layout="auto")
    given_ = operands(64, 20)
    compiled(*given_)
    with dml_vk.trace(strict=True) as log:
        compiled(*given_)
    report = compiled.explain().partition("layout: auto")[2]
    lines = report.splitlines()
    conversions = compiled.programs[0].formats.conversions
    assert len(conversions) == len(log.entries) == len(lines) - 2
    for one, entry, line in zip(conversions, log.entries, lines[2:]):
        assert (entry.op, entry.reason, entry.nbytes) == ("compile", "asked", one.nbytes)
        assert f"{entry.source} -> {entry.target}" in line
        assert f"{one.nbytes:,}" in line
    for part in ("weight of conv", "the result", "test_layout.py:"):
        assert part in report
    assert "to channels_last" in compiled.explain().partition("layout: auto")[0]


def test_forced_formats_are_those_of_all_operations_on_images():
    x, first, *_ = operands(8, 5)

    def function(x):
        return nn.avg_pool(nn.conv(x, first), 2, stride=1)

    kernels = {}
    for layout, source in itertools.product(("nchw", "nhwc"), FORMATS):
        compiled = dml_vk.compile(function, layout=layout)
        image = x.to(source)
        same([compiled(image)], [function(image)])
        (program,) = compiled.programs
        kernels[layout, source] = len(program.formats.conversions)
        assert program.formats.chosen == layout
    contiguous, last = FORMATS
    assert kernels["nchw", contiguous] == kernels["nhwc", last] == 0
    assert kernels["nchw", last] == kernels["nhwc", contiguous] == 2


def test_what_is_between_operations_in_a_format_goes_along():
    weight, scale = tensor(8, 8, 3, 3), dml_vk.ones(8)

    def function(x):
        y = nn.conv(x, weight, padding=1, stride=2)
        y = nn.batch_norm(dml_vk.clip(y, 0.0, 6.0), scale, scale)
        y = dml_vk.concat([x, nn.resample(y, scale=2.0, mode="linear")], axis=1)
        y = dml_vk.pad(nn.group_norm(y, 4), [(0, 0), (0, 0), (1, 1), (1, 1)])
        return (nn.softmax(nn.max_pool(y.astype("float16"), 2), axis=1).mean(axis=(2, 3)),)

    with profiled(dml_vk.device(), CPU):
        compiled = both(function, values(2, 8, 8, 8))
    assert [one.needed_by.op for one in compiled.programs[0].formats.conversions] == ["conv"]


def test_sequences_stay_as_they_are_where_images_are_converted():
    def function(x, image):
        return nn.layer_norm(x, 8), nn.softmax(x, axis=1), nn.max_pool(image, 2)

    compiled = both(function, values(2, 6, 8), values(2, 8, 6, 6))
    shapes = {one.source.sizes for one in compiled.programs[0].formats.conversions}
    assert shapes == {(2, 8, 6, 6), (2, 8, 3, 3)}


def test_a_value_is_converted_once_for_all_that_read_it():
    x, first, second, _ = operands(8, 5)

    def function(x):
        return nn.conv(x, first) + nn.conv(x, second), nn.max_pool(x, 2)

    compiled = dml_vk.compile(function, layout="nhwc")
    same(compiled(x), function(x))
    conversions = compiled.programs[0].formats.conversions
    shapes = [one.source.sizes for one in conversions if one.needed_by is not None]
    assert shapes.count(x.shape) == 1


def test_pixels_without_channels_or_extent_need_no_copy():
    x, weight = tensor(2, 1, 6, 6), tensor(4, 1, 6, 6)

    def function(x):
        x = nn.max_pool(x, 1)
        x += 1.0
        return nn.max_pool(nn.conv(x, weight), 1)

    compiled = dml_vk.compile(function, layout="nhwc")
    same([compiled(x)], [function(x)])
    assert not compiled.programs[0].formats.conversions


def test_the_function_runs_once_and_what_it_does_beside_tensors_is_done_once():
    calls, image = [], dml_vk.ones((1, 1, 2, 2))
    other = dml_vk.compile(lambda x: nn.max_pool(x, 2), layout="auto")

    @dml_vk.compile(layout="auto")
    def function(x, weight):
        calls.append(x.memory_format)
        thread = threading.Thread(target=lambda: calls.append(other(image).item()))
        thread.start()
        thread.join()
        return nn.conv(x, weight), 5

    x, weight, *_ = operands(64, 8)
    for _ in range(2):
        y, number = function(x, weight)
        same([y], [nn.conv(x, weight)])
        assert number == 5
    assert calls == [dml_vk.contiguous_format, 1.0]


def test_operations_that_are_not_needed_need_no_conversions():
    x, first, second, _ = operands(8, 5)

    def function(x):
        nn.conv(nn.conv(x, first), second)
        return nn.max_pool(x, 2)

    compiled = dml_vk.compile(function, layout="nhwc")
    same([compiled(x)], [function(x)])
    assert len(compiled.programs[0].formats.conversions) == 2


def both(function, *arguments):
    """What it does on new operands of these values, compiled and not, and the compiled function."""
    compiled = dml_vk.compile(function, layout="nhwc")
    ours, plain = ([dml_vk.asarray(x) for x in arguments] for _ in range(2))
    found, expected = compiled(*ours), function(*plain)
    same([*found, *ours], [*expected, *plain])
    return compiled


def values(*shape):
    return tensor(*shape).numpy()


@pytest.mark.compiler
def test_lists_checked_indexes_kernels_and_draws_go_with_it():
    weight, double = tensor(8, 8, 3, 3), dml_vk.kernel(SOURCE)
    generators = [dml_vk.random.Generator(3) for _ in range(2)]
    turns = iter(generators)

    def function(x, index):
        generator = next(turns)
        y = nn.conv(x, weight, padding=1) * dml_vk.asarray([[[[1.0]], [[2.0]]] * 4])
        y = nn.conv(dml_vk.take_along_axis(y, index, axis=2), weight, padding=1)
        z = dml_vk.empty(y.shape)
        double(y, z, groups=y.size)
        z += nn.one_hot(index[:, 0] % 5, 8, axis=1)
        y = nn.conv(z, weight) * generator.random((2, 8, 4, 4))
        return y, nn.dropout(y, 0.5, generator=generator)

    both(function, values(2, 8, 6, 6), np.random.default_rng(0).integers(0, 6, (2, 8, 6, 6)))


def test_copies_that_operations_make_are_in_traces_once():
    def function(x):
        return dml_vk.sum(nn.max_pool(x, 2), axis=(2, 3), dtype="float64")

    compiled, x = dml_vk.compile(function, layout="nhwc"), tensor(2, 8, 6, 6).astype("int32")
    same([compiled(x)], [function(x)])
    with dml_vk.trace() as ours:
        compiled(x)
    with dml_vk.trace() as plain:
        function(x)
    told = [(one.op, one.reason, one.nbytes) for one in plain.entries]
    found = [(one.op, one.reason, one.nbytes) for one in ours.entries]
    assert len(told) == 1
    # Whether the result of the pool is converted as well, is a question of estimates.
    assert ("compile", "asked", x.nbytes) in found
    assert [each for each in found if each[0] != "compile"] == told


def test_results_in_other_formats_need_no_copies_for_overlap():
    def function(x):
        y = dml_vk.relu(nn.avg_pool(x, 1))
        return nn.max_pool(y, 3, stride=1, padding=1, out=y)

    compiled, x = dml_vk.compile(function, layout="nhwc"), tensor(2, 8, 6, 6)
    same([compiled(x)], [function(x)])
    with dml_vk.trace() as log:
        compiled(x)
    assert [one.op for one in log.entries] == ["compile", "compile"]


def test_means_of_images_need_no_copy_back():
    def function(x):
        return (dml_vk.relu(nn.global_avg_pool(nn.avg_pool(x, 2))).reshape(2, 8),)

    compiled = both(function, values(2, 8, 6, 6))
    assert len(compiled.programs[0].formats.conversions) == 1


@pytest.mark.parametrize("layout", ["NHWC", "", True, 0, dml_vk.channels_last, ["auto"]])
def test_other_layouts_are_errors(layout):
    with pytest.raises(RangeError) as caught:
        dml_vk.compile(residual, layout=layout)
    assert str(caught.value).startswith("compile: layout must be None, 'auto', 'nchw' or 'nhwc'")
    assert isinstance(caught.value, DmlVkError)
