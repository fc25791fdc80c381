"""Pairs and quads of words that are loaded and stored as 64-bit integers."""

from __future__ import annotations

import pytest

from dml_vk.kernels.codegen import library
from dml_vk.limits import Profile
from dml_vk.runtime.queue import Queue
from dml_vk.spirv import glslang
from dml_vk.spirv import spec as op
from dml_vk.spirv.capabilities import CLEAN
from dml_vk.spirv.instructions import lines_of, words_of
from dml_vk.spirv.passes.widen import widened
from tests.modules import check_valid, codes
from tests.unit.runtime.queues import Runtime, arena, make_plan, operand

BITCAST = 124
QUADS = (64, 8, 1, 0, 1, 16, 1, 1, 1, 1)  # of a copy
HEAD = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 0) readonly buffer A2 { uvec2 a2[]; };
layout(binding = 0) readonly buffer A4 { uvec4 a4[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(binding = 1) writeonly buffer B4 { uvec4 b4[]; };
layout(push_constant) uniform Push { uint n; };
"""


@pytest.fixture
def bitcasts(tmp_path):
    """How many elements become wide, in a valid module."""

    def count(body):
        spirv = widened(glslang.compile(f"{HEAD}void main() {{ {body} }}"))
        check_valid(spirv, tmp_path / "module.spv", body)
        capabilities = [
            line[1] for line in lines_of(words_of(spirv)) if line[0] & 0xFFFF == op.CAPABILITY
        ]
        found = codes(spirv)[BITCAST]
        assert (
            {op.Capability.INT64}
            >= set(capabilities) - CLEAN.keys()
            >= ({op.Capability.INT64} if found else set())
        )
        return found

    return count


def test_pairs_and_quads_are_wide(bitcasts):
    assert bitcasts("b4[n] = a4[n];") == 2
    assert bitcasts("b4[n] = uvec4(a2[n], a4[n].xy);") == 3


def test_words_and_arrays_of_whose_elements_parts_are_accessed_are_left(bitcasts):
    assert bitcasts("b[n] = a[n];") == 0
    assert bitcasts("b4[n].y = 1; b4[n + 1] = uvec4(a[n]);") == 0
    assert bitcasts("b4[n].y = 1; b4[n + 1] = a4[n];") == 1


def test_a_module_without_pairs_is_returned_as_it_is():
    spirv = library.load("linalg_lu_float32")
    assert widened(spirv) is spirv


@pytest.mark.parametrize("widens", [True, False])
def test_only_devices_that_gain_by_it_get_wide_elements(monkeypatch, widens):
    spirv, given = library.load_for("copy_words_32", QUADS), []
    runtime = Runtime()
    plain = runtime.pipeline
    monkeypatch.setattr(
        runtime, "pipeline", lambda code, *rest: given.append(code) or plain(code, *rest)
    )
    monkeypatch.setenv("DML_VK_CACHE", "off")  # where kernels are named by their modules
    monkeypatch.setattr(library, "load_for", lambda module, spec, **given: spirv)
    queue = Queue(runtime, Profile(widens=widens), lambda: None)
    queue.launch(make_plan(), [operand(arena(), 0, 16, True)])
    assert given == [widened(spirv) if widens else spirv]
    assert widened(spirv) != spirv
