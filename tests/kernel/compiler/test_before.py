"""Elementwise work becomes part of kernels that read its results several times, or not all."""

from __future__ import annotations

import contextlib
import dataclasses

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.compiler.passes import inline
from dml_vk.compiler.program import Part
from dml_vk.kernels.codegen.inlined import built
from dml_vk.kernels.plan import inlined
from dml_vk.kernels.plan.chain import Inlined
from tests.chance import chance
from tests.kernel.compiler.tensors import same, tensor
from tests.kernel.profiled import profiled
from tests.kernel.rounds import counting_queue
from tests.modules import check_valid
from tests.profiles import GPU, PROFILES, SHUFFLING

LAST = dml_vk.channels_last
F16, F32, F64 = dml_vk.float16, dml_vk.float32, dml_vk.float64
WIDE = {
    name: dataclasses.replace(profile, max_storage_buffers=8)
    for name, profile in (*PROFILES.items(), ("shuffling", SHUFFLING))
}


def numbers(*sizes):
    return dml_vk.asarray(chance().integers(0, 256, sizes, np.uint8))


def halves(*sizes):
    return tensor(*sizes).to(F16)


def nhwc(*sizes):
    return dml_vk.asarray(tensor(*sizes), memory_format=LAST, copy=True)


def dequantized(q, scale):
    return (q.to(F32) - 128) * scale


def rows(count, of):
    return dml_vk.asarray(chance().integers(0, of, count))


# name: (function, its arguments, kernels that are left)
CASES = {
    "relu of rows": (lambda x, y: dml_vk.relu(x) @ y, lambda: (tensor(37, 52), tensor(52, 21)), 1),
    "scaled columns": (
        lambda x, y, s: x @ (y * s),
        lambda: (tensor(37, 52), tensor(52, 24), tensor(24)),
        1,
    ),
    "both sides": (
        lambda x, y: (x * 2) @ (y + 1).mT,
        lambda: (tensor(40, 50), tensor(44, 50)),
        1,
    ),
    "float16 as float32": (
        lambda x, y: x.to(F32) @ y,
        lambda: (halves(33, 64), tensor(64, 20)),
        1,
    ),
    "weights of bytes": (
        lambda x, q, s: x @ dequantized(q, s),
        lambda: (tensor(8, 64), numbers(64, 36), tensor(36)),
        1,
    ),
    "rows of bytes that are no quads": (
        lambda x, q, s: dequantized(q, s) @ x,
        lambda: (tensor(33, 8), numbers(7, 33), tensor(7, 1)),
        1,
    ),
    "float16 alone": (lambda x, y: dml_vk.relu(x) @ y, lambda: (halves(36, 64), halves(64, 36)), 1),
    "large": (lambda x, y: dml_vk.relu(x) @ y, lambda: (tensor(96, 100), tensor(100, 72)), 1),
    "vector": (lambda x, y: abs(x) @ y, lambda: (tensor(300, 60), tensor(60)), 1),
    "batches": (
        lambda x, y: dml_vk.relu(x - 1) @ y,
        lambda: (tensor(3, 9, 16), tensor(3, 16, 8)),
        1,
    ),
    "float64": (lambda x, y: x.to(F64) @ y, lambda: (tensor(9, 17), tensor(17).to(F64)), 1),
    "integers": (
        lambda x, y: (x.to(dml_vk.int32) - 3) @ y,
        lambda: (numbers(8, 17), rows((17, 12), 9).to(dml_vk.int32)),
        1,
    ),
    "linear": (
        lambda x, w, b: nn.linear(dml_vk.relu(x), w, b),
        lambda: (tensor(20, 36), tensor(24, 36), tensor(24)),
        1,
    ),
    "convolution": (
        lambda x, w: nn.conv(dml_vk.relu(x), w, padding=1),
        lambda: (tensor(2, 3, 7, 5), tensor(5, 3, 3, 3)),
        1,
    ),
    "convolution, NHWC": (
        lambda x, w, s: nn.conv(x * s, w, stride=2),
        lambda: (nhwc(2, 8, 7, 9), nhwc(5, 8, 3, 3), tensor(8, 1, 1)),
        1,
    ),
    "convolution of many channels": (
        lambda x, w: nn.conv(dml_vk.relu(x), w),
        lambda: (nhwc(1, 32, 9, 9), tensor(24, 32, 1, 1)),
        1,
    ),
    "weights of a convolution": (
        lambda x, q: nn.conv(x, q.to(F32) * 0.5),
        lambda: (tensor(1, 4, 5, 5), numbers(3, 4, 3, 3)),
        1,
    ),
    "depthwise": (
        lambda x, w: nn.conv(dml_vk.relu(x), w, groups=4, padding=1),
        lambda: (tensor(1, 4, 9, 12), tensor(4, 1, 3, 3)),
        1,
    ),
    "depthwise, NHWC": (
        lambda x, w: nn.conv(x * 2, w, groups=4),
        lambda: (nhwc(1, 4, 9, 9), tensor(4, 1, 3, 3)),
        1,
    ),
    "largest of windows": (lambda x: nn.max_pool(x * 2, 2), lambda: (tensor(2, 3, 9, 8),), 1),
    "means of windows": (
        lambda x: nn.avg_pool(x + 1, 3, stride=2, padding=1),
        lambda: (nhwc(2, 4, 9, 9),),
        1,
    ),
    "windows of bytes": (lambda x: nn.max_pool(x // 2, 2), lambda: (numbers(1, 3, 8, 8),), 1),
    "windows of float16": (lambda x: nn.max_pool(-x, 2), lambda: (halves(1, 3, 8, 8),), 1),
    "large windows": (
        lambda x: nn.lp_pool(x * 2, 2.0, 5, stride=5),
        lambda: (tensor(1, 2, 15, 15),),
        1,
    ),
    "windows that divide the input": (
        lambda x: nn.adaptive_avg_pool(x * 2, 3),
        lambda: (tensor(2, 3, 10, 10),),
        1,
    ),
    "interpolated": (
        lambda x: nn.resample(x * 2, size=(7, 10)),
        lambda: (tensor(1, 3, 5, 5),),
        1,
    ),
    "rows by index": (
        lambda x, i: dml_vk.take(x * 2, i, axis=0),
        lambda: (tensor(9, 16), rows(5, 9)),
        3,  # with what checks indexes
    ),
    "softmax": (lambda x, y: nn.softmax(x + y), lambda: (tensor(64, 77), tensor(77)), 1),
    "softmax of columns": (lambda x: nn.softmax(x * 2, axis=0), lambda: (tensor(19, 256),), 1),
    "sums of a part": (
        lambda x, y: (x * y)[5:].sum(axis=1),
        lambda: (tensor(64, 65), tensor(65)),
        1,
    ),
    "sums backwards": (
        lambda x, y: (x + y)[:, ::-1].sum(axis=1),
        lambda: (tensor(64, 65), tensor(65)),
        1,
    ),
    "norm": (
        lambda x, w: nn.layer_norm(dml_vk.relu(x), (32,), w),
        lambda: (tensor(100, 32), tensor(32)),
        1,
    ),
}


# Where they are planned as for other devices, and how many kernels are left there.
ELSEWHERE = {
    ("GPU", "relu of rows"): 1,  # in shared memory
    ("GPU", "both sides"): 1,
    ("GPU", "weights of bytes"): 1,
    ("GPU", "convolution, NHWC"): 1,
    ("GPU", "softmax"): 1,
    ("CPU", "scaled columns"): 2,  # since five tiles would compute each
    ("CPU", "large"): 1,
    ("CPU", "linear"): 1,
}


def launches_of(compiled):
    return [
        launch
        for program in compiled.programs
        for part in program.parts
        for launch in part.launches
    ]


def check(case, profile, count, path):
    function, arguments, _ = CASES[case]
    compiled = dml_vk.compile(function)
    with profiled(dml_vk.device(), profile):
        given = arguments()
        for _ in range(2):
            same([compiled(*given)], [function(*given)])
            given[0][...] = given[0] + given[0]
    launches = launches_of(compiled)
    assert len(launches) == count, compiled.explain()
    recipes = [launch.work.recipe for launch in launches if isinstance(launch.work.recipe, Inlined)]
    assert len(recipes) == (count != 2)
    for recipe in recipes:
        check_valid(built(recipe, 0), path, case)


# On a device whose lanes share rows, these three are enough of what is planned elsewhere too.
SHARED = ("relu of rows", "scaled columns", "convolution, NHWC")
# Kernels that others of the cases are of as well.
ALIKE = {
    *("convolution of many channels", "depthwise, NHWC", "windows of float16", "large windows"),
    *("windows that divide the input", "float16 as float32", "batches"),
}
ONLY_HERE = [
    name for name in CASES if name in SHARED or name not in ALIKE | {case for _, case in ELSEWHERE}
]


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[] if case in ONLY_HERE else pytest.mark.product) for case in CASES],
)
def test_before(case, tmp_path):
    check(case, WIDE["shuffling"], CASES[case][2], tmp_path / "module.spv")


@pytest.mark.parametrize(("kind", "case"), ELSEWHERE)
def test_elsewhere(kind, case, tmp_path):
    check(case, WIDE[kind], ELSEWHERE[kind, case], tmp_path / "module.spv")


APART = {
    "a long function of what is read again": (
        lambda x, w: nn.conv(dml_vk.gelu(x), w, padding=1),
        lambda: (tensor(1, 16, 9, 9), tensor(24, 16, 3, 3)),
        2,
    ),
    "what is returned too": (
        lambda x, y: (lambda z: (z, z @ y))(x * 2),
        lambda: (tensor(20, 30), tensor(30, 5)),
        2,
    ),
    "both sides of a product": (
        lambda x: (lambda z: z @ z.mT)(x * 2),
        lambda: (tensor(20, 30),),
        2,
    ),
}


@pytest.mark.parametrize("what", APART)
def test_apart(what):
    function, arguments, count = APART[what]
    compiled = dml_vk.compile(function)
    given = arguments()
    found, expected = compiled(*given), function(*given)
    if isinstance(found, tuple):
        same(found, expected)
    else:
        same([found], [expected])
    assert len(launches_of(compiled)) == count
    assert not any(isinstance(launch.work.recipe, Inlined) for launch in launches_of(compiled))


def long(x):
    """What takes loops."""
    return dml_vk.hypot(x, 2.0)


LOOPS = {
    "product": (lambda x, y: long(x) @ y, lambda: (tensor(20, 28), tensor(28, 9))),
    "product of a team": (lambda x, y: long(x) @ y, lambda: (tensor(40, 40), tensor(40, 24))),
    "product of float64": (
        lambda x, y: long(x) @ y,
        lambda: (tensor(6, 9).to(F64), tensor(9, 5).to(F64)),
    ),
    "convolution": (
        lambda x, w: nn.conv(long(x), w),
        lambda: (tensor(1, 2, 6, 6), tensor(2, 2, 2, 2)),
    ),
    "depthwise": (
        lambda x, w: nn.conv(long(x), w, groups=3),
        lambda: (tensor(1, 3, 6, 6), tensor(3, 1, 2, 2)),
    ),
    "windows": (lambda x: nn.avg_pool(long(x), 2), lambda: (tensor(1, 3, 9, 8),)),
    "windows one by one": (lambda x: nn.max_pool(x // 3, 2), lambda: (numbers(1, 3, 9, 9),)),
    "interpolated": (
        lambda x: nn.resample(long(x), size=(7, 10)),
        lambda: (tensor(1, 3, 5, 5),),
    ),
    "rows by index": (
        lambda x, i: dml_vk.take(long(x), i, axis=0),
        lambda: (tensor(9, 16), rows(5, 9)),
    ),
    "softmax": (lambda x: nn.softmax(long(x)), lambda: (tensor(64, 77),)),
    "sums": (lambda x: long(x).sum(axis=1), lambda: (tensor(20, 77),)),
    "sums down": (lambda x: long(x).sum(axis=0), lambda: (tensor(20, 77),)),
    "after sums": (lambda x: long(x.sum(axis=0)), lambda: (tensor(20, 77),)),
    "after a product": (lambda x, y: long(x @ y), lambda: (tensor(20, 28), tensor(28, 9))),
    "after a softmax": (lambda x: long(nn.softmax(x)), lambda: (tensor(64, 77),)),
    "after windows": (lambda x: long(nn.max_pool(x, 2)), lambda: (tensor(1, 3, 9, 8),)),
    "after a copy": (
        lambda x: long(dml_vk.reshape(x.mT, (-1,), copy=True)),
        lambda: (tensor(20, 77),),
    ),
}


# The loops of some are those of others at another place.
ONCE = ("product of float64", "depthwise", "sums down", "after windows", "after a softmax")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.product if name in ONCE else []) for name in LOOPS],
)
def test_rounds(name, monkeypatch):
    """No invocation takes more rounds of loops than the plan says: one group does all."""
    function, arguments = LOOPS[name]
    device = dml_vk.device()
    base = GPU if "team" in name else SHUFFLING
    profile = dataclasses.replace(base, groups_wanted=1, max_storage_buffers=8)
    monkeypatch.setattr(inline, "cost", lambda step: 0.0)
    monkeypatch.setattr(inlined, "_MOST_UNROLLED", 10**6)
    monkeypatch.setattr(Part, "run", launched)
    compiled, given = dml_vk.compile(function), arguments()
    with (
        profiled(device, profile),
        contextlib.contextmanager(counting_queue)(device, monkeypatch) as runtime,
    ):
        compiled(*given)
    (one,) = [
        launch.work for launch in launches_of(compiled) if isinstance(launch.work.recipe, Inlined)
    ]
    counted = [each for each in runtime.counted if each.module == one.module]
    assert any(each.by_source for each in counted)
    assert all(max(each.by_source, each.by_driver) <= each.said for each in counted)


def launched(part, device, memory, words):
    """Launch what a part of a program has recorded, one by one."""
    for plan, accesses, params in part._works(memory, words):
        device.queue.add(plan, accesses, params)
