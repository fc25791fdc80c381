"""Elementwise work before and after other kernels becomes part of them, with the same bits."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dml_vk
from dml_vk import nn
from dml_vk.compiler.passes import inline
from dml_vk.kernels import registry
from dml_vk.kernels.codegen import library
from dml_vk.kernels.codegen.inlined import built
from dml_vk.kernels.plan.chain import Inlined
from dml_vk.kernels.plan.inlined import kernel_for, plan_inlined
from dml_vk.spirv.module import Module
from dml_vk.spirv.outline import outline_of
from tests import tier
from tests.kernel.compiler.tensors import same, tensor
from tests.kernel.forms import mixed
from tests.kernel.profiled import profiled
from tests.modules import check_valid
from tests.profiles import PROFILES, SHUFFLING

LAST = dml_vk.channels_last


def launches_of(compiled):
    return [
        launch
        for program in compiled.programs
        for part in program.parts
        for launch in part.launches
    ]


def images(*sizes, last=False):
    x = tensor(*sizes)
    return dml_vk.asarray(x, memory_format=LAST, copy=True) if last else x


def distance(x, y):
    return dml_vk.sqrt(((x - y) * (x - y)).sum(axis=-1))


def both_results(x, w):
    y = nn.conv(x, w)
    return dml_vk.relu(y), y * 2


WEIGHT = (5, 3, 3, 3)
# name: (function, sizes of the arguments, kernels that are left)
CASES = {
    "convolution, sum, relu": (
        lambda x, w, y: dml_vk.relu(nn.conv(x, w, padding=1) + y),
        ((2, 3, 7, 5), WEIGHT, (2, 5, 7, 5)),
        1,
    ),
    "convolution and scales of channels": (
        lambda x, w, s, b: nn.conv(x, w) * s + b,
        ((2, 3, 7, 5), WEIGHT, (5, 1, 1), (1, 5, 1, 1)),
        1,
    ),
    "a large convolution": (
        lambda x, w: nn.conv(x, w, padding=1) / 3,
        ((1, 32, 19, 19), (40, 32, 3, 3)),
        1,
    ),
    "depthwise": (
        lambda x, w: abs(nn.conv(x, w, groups=4)) + 1,
        ((1, 4, 9, 9), (4, 1, 3, 3)),
        1,
    ),
    "product, bias, sigmoid": (
        lambda x, y, b: dml_vk.sigmoid(x @ y + b),
        ((37, 50), (50, 21), (21,)),
        1,
    ),
    "batched product": (lambda x, y, b: x @ y - b, ((3, 8, 16), (3, 16, 4), (8, 1)), 1),
    "distances": (distance, ((11, 97), (97,)), 1),
    "distances from rows": (distance, ((11, 97), (11, 1)), 1),
    "sums down": (lambda x, y: (x * y).sum(axis=0) / 2, ((50, 33), (50, 33)), 1),
    "largest": (lambda x: (x * 2 + 1).max(axis=1) - 1, ((9, 131),), 1),
    "products of all": (lambda x: dml_vk.prod(x + 1, axis=0), ((9, 5),), 1),
    "counts": (lambda x: (x > 0.5).sum(axis=1), ((6, 77),), 1),
    "whether any": (lambda x: dml_vk.logical_not((x > 3).any(axis=0)), ((6, 77),), 2),
    "sums in float64": (
        lambda x: dml_vk.astype(x * 2, dml_vk.float64).sum(axis=1) * 0.5,
        ((6, 77),),
        1,
    ),
    "the place of the largest": (lambda x: dml_vk.argmax(x * x, axis=1), ((6, 77),), 1),
    "softmax": (lambda x, y: nn.softmax(x, axis=-1) * y, ((6, 77), (77,)), 2),
    "layer norm": (lambda x: dml_vk.relu(nn.layer_norm(x, (33,))), ((100, 33),), 1),
    "pool": (lambda x: dml_vk.relu(nn.max_pool(x, 2)), ((2, 3, 8, 8),), 1),
    "copy": (
        lambda x, y: dml_vk.reshape((x + 1).permute(2, 0, 1), (-1,), copy=True) + y,
        ((5, 2, 2), (20,)),
        1,
    ),
    "two results": (both_results, ((1, 3, 6, 6), WEIGHT), 1),
    "uniform numbers": (
        lambda y: dml_vk.random.Generator(3).random((9, 13)) * 2 - y,
        ((13,),),
        1,
    ),
    "uniform halves": (
        lambda y: dml_vk.random.Generator(3).random((8, 14), dtype="float16") * 2,
        ((1,),),
        1,
    ),
    "normal numbers": (
        lambda y: dml_vk.exp(dml_vk.random.Generator(3).normal((9, 13)) * y),
        ((9, 1),),
        1,
    ),
    "integers at random": (
        lambda y: dml_vk.random.Generator(3).integers(-5, 10**9, (9, 13)) * 3,
        ((1,),),
        1,
    ),
    "a sequence": (lambda y: dml_vk.linspace(0, 1, 117) * y, ((117,),), 1),
    "places in an order": (
        lambda x: dml_vk.searchsorted(dml_vk.arange(9, dtype="float32"), x) * 2 + 1,
        ((9, 13),),
        2,
    ),
    "a result of several rows": (
        lambda x, y: (x + y).sum(axis=1) + y[:, 0],
        ((13, 40), (13, 40)),
        1,
    ),
}


# Of arrays of four dims in both formats; others have one.
IMAGES = [case for case, (_, sizes, _) in CASES.items() if max(map(len, sizes)) == 4]
FORMATS = [(case, False) for case in CASES if case not in IMAGES]
FORMATS += tier.crossed(IMAGES, (True, False))
# Kernels that others of the cases are of as well.
ALIKE = ("batched product", "distances from rows", "products of all", "a large convolution")


@pytest.mark.parametrize(
    ("case", "last"),
    [pytest.param(*one, marks=pytest.mark.product if one[0] in ALIKE else []) for one in FORMATS],
)
def test_inlined(case, last, tmp_path):
    function, sizes, count = CASES[case]
    compiled = dml_vk.compile(function)
    with profiled(dml_vk.device(), dataclasses.replace(SHUFFLING, max_storage_buffers=8)):
        for _ in range(2):
            given = [images(*one, last=last and len(one) == 4) for one in sizes]
            found, expected = compiled(*given), function(*given)
            results = found if isinstance(found, tuple) else (found,)
            same(results, expected if isinstance(expected, tuple) else (expected,))
    launches = launches_of(compiled)
    assert len(launches) == count
    recipes = [launch.work.recipe for launch in launches if isinstance(launch.work.recipe, Inlined)]
    assert recipes
    for recipe in recipes:
        check_valid(built(recipe, 0), tmp_path / "module.spv", case)


# One of each kind of kernel that devices do in different ways.
DIFFERENT = ("convolution, sum, relu", "depthwise", "product, bias, sigmoid", "sums down")
DIFFERENT += ("distances", "softmax", "layer norm", "pool")
ELSEWHERE = list(CASES if tier.is_all() else DIFFERENT)
tier.leave_out((len(CASES) - len(ELSEWHERE)) * len(PROFILES))


@tier.parametrize("case profile", ELSEWHERE, PROFILES)
def test_inlined_on_other_devices(case, profile):
    device, (function, sizes, _) = dml_vk.device(), CASES[case]
    with profiled(device, dataclasses.replace(PROFILES[profile], max_storage_buffers=8)):
        given = [tensor(*one) for one in sizes]
        found, expected = dml_vk.compile(function)(*given), function(*given)
        results = found if isinstance(found, tuple) else (found,)
        same(results, expected if isinstance(expected, tuple) else (expected,))


def apart(function, *sizes):
    """The launches of a function that must stay as many, and has the same bits."""
    compiled = dml_vk.compile(function)
    given, others = [tensor(*one) for one in sizes], [tensor(*one) for one in sizes]
    for one, other in zip(given, others):
        other[...] = one
    found, expected = compiled(*given), function(*others)
    same([found, *given], [expected, *others])
    return len(launches_of(compiled))


def test_what_is_written_over_what_a_kernel_reads_stays_apart():
    def function(x, w):
        x += nn.conv(x, w, padding=1)
        return x

    assert apart(function, (1, 3, 6, 6), (3, 3, 3, 3)) == 2


def test_a_source_that_is_written_before_the_chain_stays_as_it_was():
    def function(x, y, b):
        z = x @ y
        x *= 2
        return z + b

    assert apart(function, (6, 5), (5, 4), (4,)) == 3


def test_a_reduction_of_what_is_returned_reads_it():
    def function(x):
        y = x * 2
        total = y.sum(axis=0)
        y += 1
        return total

    assert apart(function, (40, 3)) == 1


def test_a_transposed_reading_stays_apart():
    assert apart(lambda x, y: (x @ y) + (x @ y).T, (5, 5), (5, 5)) == 2


def test_what_is_broadcast_stays_apart():
    assert apart(lambda x: x - x.sum(axis=1, keepdims=True), (7, 40)) == 2


def test_long_chains_stay_apart():
    def function(x, y):
        z = x @ y
        for _ in range(30):
            z = dml_vk.exp(z * 0.5)
        return z

    assert apart(function, (40, 40), (40, 40)) == 3  # of which two are for the chain


KERNELS = {
    "sum": lambda x: x.sum(axis=-1),
    "sum down": lambda x: x.sum(axis=0),
    "all": lambda x: x.sum(),
    "product": lambda x: dml_vk.prod(x, axis=1),
    "minimum": lambda x: x.min(axis=-2),
    "matmul": lambda x: x @ dml_vk.permute_dims(x, (0, 2, 1)),
    "softmax": lambda x: nn.softmax(x, axis=-1),
    "norm": lambda x: nn.layer_norm(x, x.shape[-1:]),
    "pool": lambda x: nn.max_pool(x, 1),
    "copy": lambda x: dml_vk.reshape(dml_vk.permute_dims(x, (2, 0, 1)), (-1,), copy=True),
    "cumulative": lambda x: dml_vk.cumulative_sum(x, axis=-1),
}
STEPS = {
    "add": lambda x, y: x + y,
    "multiply": lambda x, y: y * x,
    "divide": lambda x, y: x / y,
    "maximum": dml_vk.maximum,
    "relu": lambda x, y: dml_vk.relu(x),
    "sqrt": lambda x, y: dml_vk.sqrt(abs(x)),
    "exp": lambda x, y: dml_vk.exp(x),
    "where": lambda x, y: dml_vk.where(y > 0, x, 0.25),
    "half": lambda x, y: dml_vk.astype(dml_vk.astype(x, dml_vk.float16), dml_vk.float32),
    "reversed": lambda x, y: x + (y[..., ::-1] if y.ndim else y),
}


def operand(chosen, x):
    """An operand that broadcasts against a result of this shape."""
    shape = [1 if chosen & 1 << k else size for k, size in enumerate(x.shape)]
    y = tensor(*shape)
    return y if chosen & 8 else dml_vk.broadcast_to(y, x.shape)


@tier.examples(40, deadline=None)
@given(
    kernel=st.sampled_from(sorted(KERNELS)),
    before=st.lists(st.sampled_from(sorted(STEPS)), max_size=2),
    after=st.lists(st.sampled_from(sorted(STEPS)), max_size=2),
    shape=st.tuples(*[st.sampled_from([1, 2, 3, 8, 17, 40])] * 3),
    chosen=st.integers(0, 15),
)
def test_random_steps_before_and_after_kernels(kernel, before, after, shape, chosen):
    x = dml_vk.asarray(mixed("float32", shape, chosen))
    operands = [operand(chosen, x) for _ in before]
    shape_after = KERNELS[kernel](x)
    others = [operand(chosen, shape_after) for _ in after]

    def function(x, *given):
        for name, y in zip(before, given):
            x = STEPS[name](x, y)
        x = KERNELS[kernel](x)
        for name, y in zip(after, given[len(before) :]):
            x = STEPS[name](x, y)
        return x

    compiled = dml_vk.compile(function)
    for _ in range(2):
        found, expected = compiled(x, *operands, *others), function(x, *operands, *others)
        assert found.layout == expected.layout
        assert np.array_equal(found.numpy(), expected.numpy(), equal_nan=True)
        x += 1


def asked(function, *sizes):
    """What a plan is asked for, of which there is one."""
    found = []

    def plan(*given):
        made = plan_inlined(*given)
        found.append(given)
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inline, "plan_inlined", plan)
        dml_vk.compile(function)(*[tensor(*one) for one in sizes])
    (given,) = found
    assert plan_inlined(*given) is not None
    return given


def test_what_a_kernel_cannot_take_is_refused():
    plan, kernel, params, passing, chain, profile, outline = asked(
        lambda x, y: x @ y + 1, (37, 50), (50, 21)
    )
    (node,) = chain.nodes
    refused = [
        (dataclasses.replace(plan, launches=plan.launches * 2), chain, profile),
        (plan, chain._replace(nodes=(node._replace(kernel="complex_arc"),)), profile),
        (plan, chain._replace(nodes=(node._replace(kernel="float_trig"),)), profile),
        (plan, chain._replace(nodes=chain.nodes * 2000), profile),
        (plan, chain._replace(sizes=(0, 21)), profile),
        (dataclasses.replace(plan, base_bytes=(4, 4, 2)), chain, profile),
        (dataclasses.replace(plan, module="transfer copy"), chain, profile),
        (plan, chain, dataclasses.replace(profile, max_storage_buffers=2)),
        (plan, chain, dataclasses.replace(profile, max_push_bytes=16)),
    ]
    for work, steps, device in refused:
        kernel = kernel_for(work, passing, steps)
        assert not kernel or not plan_inlined(work, kernel, params, passing, steps, device, outline)


def test_a_kernel_that_does_more_than_to_store_words_is_refused():
    shared = Module(library.load("copy_packed_8"))  # It adds to words that others write as well.
    number = registry.KERNELS["copy_packed"].bindings.index("Dst")
    assert outline_of(shared, number, is_read=False) is None
    beyond = len(registry.KERNELS["copy_packed"].bindings)
    assert outline_of(shared, beyond, is_read=False) is None


def test_what_is_written_between_quads():
    def function(x, y, z):
        part = z[1:257].reshape(16, 16)
        part += x @ y
        return z

    assert apart(function, (16, 8), (8, 16), (260,)) <= 2


def test_part_of_a_result_stays_apart():
    assert apart(lambda x, y: (x @ y)[:3] + 1, (6, 5), (5, 4)) == 2


@pytest.mark.parametrize("columns", [64, 63])
def test_results_of_other_sizes(columns, monkeypatch, tmp_path):
    """Whole words of bytes and halves, or parts of them, in place of what the kernel writes."""
    monkeypatch.setattr(inline, "cost", lambda step: 0.0)

    def function(x, y):
        z = x @ y
        return (z - 1).to(dml_vk.float16), z > 0, z.to(dml_vk.float64)

    compiled = dml_vk.compile(function)
    x, y = tensor(37, 50), tensor(50, columns)
    with profiled(dml_vk.device(), dataclasses.replace(SHUFFLING, max_storage_buffers=8)):
        same(compiled(x, y), function(x, y))
    (launch,) = launches_of(compiled)
    assert launch.work.shares_words == (columns % 4 > 0)
    check_valid(built(launch.work.recipe, 0), tmp_path / "module.spv")


def test_a_result_with_gaps_is_refused():
    plan, kernel, params, passing, chain, profile, outline = asked(
        lambda x, y: x @ y + 1, (37, 50), (50, 21)
    )
    apart = passing._replace(operand=passing.operand._replace(strides=(42, 2)))
    assert kernel_for(plan, apart, chain) == kernel
    assert plan_inlined(plan, kernel, params, apart, chain, profile, outline) is None


def test_without_an_outline_of_whole_elements_there_is_no_plan(monkeypatch):
    *given, outline = asked(lambda x, y: x @ y + 1, (37, 50), (50, 21))
    assert plan_inlined(*given, outline._replace(narrowest=0)) is None
    monkeypatch.setattr(inline, "outline", lambda *_: None)
    assert apart(lambda x, y: x @ y + 1, (37, 50), (50, 21)) == 2


def test_a_sine_before_a_sum_is_a_kernel_of_its_own():
    assert apart(lambda x: dml_vk.sin(x).sum(axis=1), (7, 40)) == 2
