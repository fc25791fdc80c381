"""Loops of a user's shader whose turns its SPIR-V tells."""

from __future__ import annotations

import pytest

from dml_vk.errors import ShaderError
from dml_vk.spirv.loops import fixed_rounds
from dml_vk.user_kernel import compile_glsl

pytestmark = pytest.mark.compiler

SOURCE = """#version 450
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint N = 100;
layout(constant_id = 1) const uint STEP = 1;
layout(binding = 0) buffer X {{ uint x[]; }};
layout(push_constant) uniform Push {{ uint x_base, n; }};
uint at;
void work(uint k) {{ x[x_base + at] = x[x_base + at] * 3 + k; }}
void again() {{ for (uint k = 0; k < 300; k++) work(k); }}
void main() {{
    at = gl_GlobalInvocationID.x;
    {body}
}}
"""
FIXED = {
    "for (uint k = 0; k < 70; k++) work(k);": 71,
    "for (uint k = 0; k <= 70; k += 7) work(k);": 12,
    "for (int k = 10; k >= -70; k--) work(k);": 82,
    "for (int k = 10; k > -70; k -= 8) work(k);": 11,
    "for (uint k = 90; k > 7; k--) work(k);": 84,
    "for (uint k = 90; k >= 7; k -= 3) work(k);": 29,
    "for (int k = -9; k < 7; k++) work(k);": 17,
    "for (int k = -9; k <= 7; k++) work(k);": 18,
    "if (at >= n) return; for (uint k = 0; k < 70; k++) work(k);": 71,
    "if (at < n) for (uint k = 0; k < 70; k++) work(k);": 71,
    "for (uint k = 0; k < 30; k++) for (uint j = 0; j < 20; j++) work(j);": 30 * 22 + 1,
    "for (uint k = 0; k < 30; k++) work(k); for (uint k = 0; k < 20; k++) work(k);": 31 + 21,
    "for (uint k = 0; k < 30; k++) again();": 30 * 302 + 1,
    "uint k = 0; while (k != 500) { work(k); k += 2; }": 251,
    "uint k = 0; do { work(k); k += 2; } while (k < 500);": 250,
    "for (uint k = 0; k < N; k++) work(k);": 101,
    "for (uint k = 0; k < N; k += STEP) work(k);": 101,
    # Nobody knows, or nothing is to be known.
    "work(1);": 0,
    "for (uint k = 0; k < n; k++) work(k);": 0,
    "for (uint k = n; k < 70; k++) work(k);": 0,
    "for (uint k = 0; k < 70; k += n) work(k);": 0,
    "for (uint k = 1; k < 70; k *= 2) work(k);": 0,
    "for (uint k = 1; k < 70; k = x[k]) work(k);": 0,
    "for (uint k = 0; k < 70; k++) { work(k); if (x[x_base] == 7) break; }": 0,
    "for (float f = 0; f < 70; f++) work(uint(f));": 0,
    "while (x[x_base] != 7) work(1);": 0,
    "bool more = n > 3; for (; more; more = false) work(1);": 0,
    "[[unroll]] for (uint k = 0; k < 16; k++) work(k);": 0,
    "for (uint k = 0; k < 30; k++) [[unroll]] for (uint j = 0; j < 4; j++) work(j);": 31,
}


def compiled(body):
    return compile_glsl(SOURCE.format(body=body)).spirv


@pytest.mark.parametrize(("body", "rounds"), FIXED.items(), ids=list(FIXED))
def test_rounds_of_loops_with_known_ends_are_counted(body, rounds):
    assert fixed_rounds(compiled(body), (), 10**6) == rounds


def test_specialization_constants_count_as_they_are_set():
    spirv = compiled("for (uint k = 0; k < N; k += STEP) work(k);")
    assert [fixed_rounds(spirv, spec, 10**6) for spec in ((7,), (90, 3))] == [8, 31]


@pytest.mark.parametrize("bound", [70_000, 2**32 - 1])
def test_counting_stops_beyond_the_limit(bound):
    assert (
        65535
        < fixed_rounds(compiled(f"for (uint k = 0; k < {bound}u; k++) work(k);"), (), 65535)
        < 70_000
    )
    several = "for (uint k = 0; k < 60000; k++) work(k);" * 3
    assert 65535 < fixed_rounds(compiled(several), (), 65535) < 180_000


def test_an_endless_loop_has_no_known_number_of_rounds():
    with pytest.raises(ShaderError):
        compiled("for (;;) nothing;")
    assert fixed_rounds(compiled("for (;;) work(1);"), (), 65535) == 0
