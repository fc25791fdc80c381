"""Products and sums become fused multiply-adds, each of the products that only one sum uses."""

from __future__ import annotations

import pytest

from dml_vk.kernels.codegen import library
from dml_vk.limits import Profile
from dml_vk.runtime.pipelines import Key, Pipelines
from dml_vk.spirv import glslang
from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import lines_of, words_of
from dml_vk.spirv.passes.fma import with_fma
from tests.modules import check_valid, fmas
from tests.unit.runtime.queues import Runtime

ADD, MULTIPLY, NO_CONTRACTION = 129, 133, 42
HEAD = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Z { float z[]; };
void main() {
    precise float a = z[0], b = z[1], c = z[2], product = a * b, sum;
"""


@pytest.fixture
def counted(tmp_path):
    """How many (fused, sums, products) are left."""

    def count(body):
        spirv = with_fma(glslang.compile(f"{HEAD}{body}\n}}"))
        check_valid(spirv, tmp_path / "module.spv", body)
        kinds = [line[0] & 0xFFFF for line in lines_of(words_of(spirv))]
        return len(fmas(spirv)), kinds.count(ADD), kinds.count(MULTIPLY)

    return count


def test_a_product_is_fused_with_the_sum_that_it_is_a_term_of(counted):
    assert counted("sum = product + c; z[3] = sum;") == (1, 0, 0)
    assert counted("sum = c + product; z[3] = sum;") == (1, 0, 0)
    assert counted("precise float other = b * c; sum = product + other; z[3] = sum;") == (1, 0, 1)


def test_a_product_that_is_needed_itself_is_left(counted):
    assert counted("sum = product + c; z[3] = sum; z[4] = product;") == (0, 1, 1)
    assert counted("sum = product + product; z[3] = sum;") == (0, 1, 1)
    assert counted("sum = product + c; z[3] = sum; sum = product + a; z[4] = sum;") == (0, 2, 1)
    assert counted("sum = product * product; z[3] = sum;") == (0, 0, 2)


def test_the_operands_are_those_of_the_product_and_the_other_term():
    spirv = glslang.compile(f"{HEAD} sum = c + product; z[3] = sum; }}")
    lines = {line[0] & 0xFFFF: line for line in lines_of(words_of(spirv))}
    (made,) = fmas(with_fma(spirv)).values()
    other = next(term for term in lines[ADD][3:] if term != lines[MULTIPLY][2])
    assert made[5:] == (*lines[MULTIPLY][3:], other)
    assert made[1:3] == lines[ADD][1:3]


def test_what_is_made_is_one_operation_to_the_driver():
    spirv = with_fma(glslang.compile(f"{HEAD} sum = product + c; z[3] = sum; }}"))
    decorations = [line for line in lines_of(words_of(spirv)) if line[0] & 0xFFFF == op.DECORATE]
    decorated = {line[1] for line in decorations if line[2] == NO_CONTRACTION}
    assert decorated == set(fmas(spirv))


@pytest.mark.parametrize("is_fused", [False, True])
def test_pipelines_are_made_of_the_module_that_is_asked_for(monkeypatch, is_fused):
    spirv, given = library.load("matmul_tile_float32"), []
    monkeypatch.setattr(library, "load_for", lambda module, spec, **given: spirv)
    runtime = Runtime()
    plain = runtime.pipeline
    monkeypatch.setattr(
        runtime, "pipeline", lambda code, *rest: given.append(code) or plain(code, *rest)
    )
    pipelines = Pipelines(runtime, lambda: None, unrolls=Profile().unrolls)
    first = pipelines.get(Key("matmul_tile_float32", (), 8, 3, is_fused))
    assert given == [with_fma(spirv) if is_fused else spirv]
    assert pipelines.get(Key("matmul_tile_float32", (), 8, 3, not is_fused)) is not first
