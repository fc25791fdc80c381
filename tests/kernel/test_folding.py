"""Modules with their specialization constants folded in compute what whole ones do."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import dml_vk
from dml_vk.kernels.codegen import library
from dml_vk.spirv.module import Module
from dml_vk.spirv.passes.specialize import specialized
from tests import tier
from tests.chance import chance
from tests.kernel.programs import random_source
from tests.modules import check_valid

pytestmark = pytest.mark.usefixtures("makes_kernels")
N = 16


@pytest.mark.parametrize("number", tier.some(range(25), 4))
def test_random_programs(number, tmp_path):
    whole = dml_vk.compile_glsl(random_source(chance()))
    program = Module(whole.spirv)
    for _ in range(3):
        spec = {"LOCAL_SIZE": 8, "A": 0, "B": 0, "C": int(chance().integers(-3, 3))}
        spec |= {name: int(chance().integers(4)) for name in "AB"}
        spec["D"] = bool(chance().integers(2))
        spirv = specialized(program, [int(value) % 2**32 for value in spec.values()])
        check_valid(spirv, tmp_path / "module.spv", spec)
        most = int(chance().choice([5, 2**32]))
        x = dml_vk.asarray(chance().integers(0, most, N, np.uint32))
        results = []
        for shader in (whole, dataclasses.replace(whole, spirv=spirv)):
            y = dml_vk.zeros(N, dml_vk.uint32)
            dml_vk.kernel(shader)(x, y, groups=N // 8, spec=spec)
            results.append(y.tolist())
        assert results[0] == results[1], spec


FUNCTIONS = {
    "add": lambda x: x + x.T,
    "add a row": lambda x: x + x[0],
    "floor_divide": lambda x: x // x.T,
    "pow": lambda x: x**3,
    "less": lambda x: x < x.T,
    "where": lambda x: dml_vk.where(x < 3, x, x.T),
    "int16": lambda x: x.to(dml_vk.int16),
    "float64": lambda x: x.to(dml_vk.float64) * 0.3,
    "sum": lambda x: x.sum(axis=0),
    "argmax": lambda x: x.argmax(axis=1),
    "cumsum": lambda x: dml_vk.cumulative_sum(x, axis=1),
    "sort": lambda x: dml_vk.sort(x),
    "take": lambda x: x[[2, 0, 1]],
    "nonzero": lambda x: dml_vk.nonzero(x)[0],
    "matmul": lambda x: x @ x,
}


# What the functions are of: a packed matrix, and one with gaps between all elements.
GIVEN = [
    (dtype, key)
    for key in ((0,), (1, slice(None, None, 2), slice(1, None, 2)))
    for dtype in (dml_vk.float32, dml_vk.float16, dml_vk.int64)
]


# Those of float64 take a driver half a minute with all that is not folded.
FEW = ["add", "add a row", "floor_divide", "where", "sum", "cumsum", "take", "matmul"]


OTHERS = [name for name in FUNCTIONS if name not in FEW]


@tier.parametrize("name given", tier.plus(FEW, OTHERS), GIVEN)
def test_kernels(name, given, monkeypatch):
    dtype, key = given
    values = chance().integers(-7, 7, (3, 40, 40)).astype(dtype.numpy_name)
    seen = []

    def load_whole(module, spec, **given):
        seen.append(spec)
        return library.load(module)

    def results():
        return np.asarray(FUNCTIONS[name](dml_vk.asarray(values)[key])).tobytes()

    folded = results()
    runtime, queue = dml_vk.device()._runtime, dml_vk.device().queue
    plain = runtime.pipeline
    monkeypatch.setattr(
        runtime, "pipeline", lambda spirv, spec, *rest: plain(spirv, seen[-1], *rest)
    )
    monkeypatch.setattr(queue.pipelines, "_cached", {})
    monkeypatch.setattr(queue.encoder, "_known", {})
    monkeypatch.setattr(queue.encoder, "_same", {})
    monkeypatch.setattr(library, "load_for", load_whole)
    assert results() == folded
    assert seen
