"""Reading what a module declares, and refusing what Kompute cannot run."""

from __future__ import annotations

import random
import struct

import pytest

from dml_vk.errors import ShaderError
from dml_vk.spirv import glslang
from dml_vk.spirv.capabilities import CLEAN, UNCLEAN, check_capabilities
from dml_vk.spirv.interface import Binding, SpecConstant, read

pytestmark = pytest.mark.compiler

MANY = """#version 450
layout(local_size_x_id = 0, local_size_y = 2) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
layout(constant_id = 1) const int RANK = -3;
layout(constant_id = 2) const float SCALE = 1.5;
layout(constant_id = 5) const bool DENSE = true;
struct Pair { uint a; float b; };
layout(push_constant) uniform Push {
  uint first; int shift; float alpha; uint sizes[3]; vec2 two; Pair pair; mat2 square; vec3 last;
} push;
layout(set = 0, binding = 1) readonly buffer Src { uint src[]; };
layout(set = 0, binding = 1) readonly buffer Quads { uvec4 quads[]; };
layout(set = 0, binding = 0) writeonly buffer Dst { float dst[]; } other;
layout(set = 2, binding = 7) buffer Both { int count; Pair both[]; };
shared uint a[gl_WorkGroupSize.x * 3 + 1];
struct Two { vec4 first; mat2 second; bool third; };
shared vec4 b[2];
shared Two c[3];
void main() {
  uint i = gl_LocalInvocationIndex % 3;
  a[0] = src[push.first]; b[1] = vec4(push.last, push.square[1][0]);
  c[i].first = vec4(RANK); c[i].third = DENSE; c[i].second = mat2(2.0);
  barrier();
  float sum = quads[0].x + float(a[0]) + push.pair.b;
  other.dst[0] = b[1].x * c[2 - i].first.x * SCALE + float(RANK) + sum;
  if (DENSE && c[2 - i].third) count = push.shift + int(c[2 - i].second[0][0]);
}
"""
PLAIN = """#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_clustered : enable
layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;
layout(binding = 0) buffer X { float x[]; };
void main() { BODY }
"""


@pytest.fixture(scope="module")
def many():
    return read(glslang.compile(MANY))


def test_header_and_entry(many):
    assert (many.version, many.entry, many.extensions) == ((1, 3), "main", ())
    assert many.capabilities == (1,)
    assert many.others == ()
    assert not many.asks_length


def test_bindings(many):
    assert many.bindings == (
        Binding(0, 0, "Dst", "dst", 4, "float", True),
        Binding(0, 1, "Quads", "quads", 16, "uint", False),
        Binding(0, 1, "Src", "src", 4, "uint", False),
        Binding(2, 7, "Both", None, 0, "", True),
    )


def test_spec_constants(many):
    assert many.spec == (
        SpecConstant(0, "LOCAL_SIZE", "uint", 64),
        SpecConstant(1, "RANK", "int", 2**32 - 3),
        SpecConstant(2, "SCALE", "float", 0x3FC00000),
        SpecConstant(5, "DENSE", "bool", 1),
    )


def test_push_members(many):
    told = [(m.name, m.offset, [(at.offset, at.type) for at in m.leaves]) for m in many.push]
    assert told == [
        ("first", 0, [(0, "uint")]),
        ("shift", 4, [(4, "int")]),
        ("alpha", 8, [(8, "float")]),
        ("sizes", 12, [(12, "uint"), (16, "uint"), (20, "uint")]),
        ("two", 24, [(24, "float"), (28, "float")]),
        ("pair", 32, [(32, "uint"), (36, "float")]),
        ("square", 40, [(40, "float"), (44, "float"), (48, "float"), (52, "float")]),
        ("last", 64, [(64, "float"), (68, "float"), (72, "float")]),
    ]
    assert many.push_bytes == 76


def test_local_size(many):
    assert many.local_sizes({}) == (64, 2, 1)
    assert many.local_sizes({0: 8, 1: 5}) == (8, 2, 1)
    assert read(glslang.compile(PLAIN, {"BODY": "x[0] = 1.0;"})).local_sizes({}) == (8, 4, 2)


def test_shared_memory(many):
    # The nameless twin that gl_WorkGroupSize is made of has the default 1, LOCAL_SIZE has 64.
    assert many.shared_bytes({0: 64}) == 4 * (64 * 3 + 1) + 2 * 16 + 3 * 36
    assert many.shared_bytes({0: 8}) == 4 * (8 * 3 + 1) + 2 * 16 + 3 * 36


def test_lengths_of_shared_arrays_that_cannot_be_computed_are_refused():
    multiply, shuffle = (struct.pack("<I", opcode) for opcode in (132, 79))
    spirv = glslang.compile(MANY)
    # OpSpecConstantOp, of 6 words, is followed by its type, its result and what it does.
    at = next(
        at
        for at in range(20, len(spirv), 4)
        if spirv[at : at + 4] == struct.pack("<I", 6 << 16 | 52)
        and spirv[at + 12 :][:4] == multiply
    )
    rule = "the length of a shared array may use only operations on integers and booleans"
    with pytest.raises(ShaderError, match=f"{rule}; got opcode=79"):
        read(spirv[: at + 12] + shuffle + spirv[at + 16 :])


def test_length_and_other_resources():
    assert read(glslang.compile(PLAIN, {"BODY": "x[0] = float(x.length());"})).asks_length
    more = "layout(binding = 1) uniform U { float u; };\nvoid main"
    source = PLAIN.replace("void main", more)
    assert read(glslang.compile(source, {"BODY": "x[0] = u;"})).others == ("U",)
    blocks = PLAIN.replace("{ float x[]; }", "{ float x[]; } several[2]")
    assert read(glslang.compile(blocks, {"BODY": "several[1].x[0] = 1.0;"})).others == ("several",)


def test_pointers_in_blocks_are_refused():
    more = """#extension GL_EXT_buffer_reference : require
    layout(buffer_reference) buffer R { float r[]; };
    layout(push_constant) uniform Push { R there; };
    void main"""
    spirv = glslang.compile(PLAIN.replace("void main", more), {"BODY": "x[0] = there.r[0];"})
    with pytest.raises(
        ShaderError, match="a block may contain only numbers, vectors, matrices, arrays and structs"
    ):
        read(spirv)


@pytest.mark.parametrize(
    ("body", "capability"),
    [
        ("double d = x[0]; x[1] = float(d * d);", "Float64"),
        ("int64_t d = int64_t(x[0]); x[1] = float(d * d);", "Int64"),
        ("int16_t d = int16_t(x[0]); x[1] = float(d * d);", "Int16"),
        ("int8_t d = int8_t(x[0]); x[1] = float(d * d);", "Int8"),
        ("float16_t d = float16_t(x[0]); x[1] = float(d * d);", "Float16"),
        ("x[0] = subgroupClusteredAdd(x[0], 4);", "GroupNonUniformClustered"),
    ],
)
def test_capabilities_that_need_a_feature_are_refused(body, capability):
    module = read(glslang.compile(PLAIN, {"BODY": body}))
    with pytest.raises(ShaderError, match=f"got capability='{capability}'"):
        check_capabilities(module)


@pytest.mark.parametrize(
    "body", ["x[0] = 2.0;", "x[0] = subgroupAdd(x[0]);", "x[0] = unpackHalf2x16(7u).x;"]
)
def test_capabilities_that_every_device_has_pass(body):
    check_capabilities(read(glslang.compile(PLAIN, {"BODY": body})))


def patched(spirv, instruction):
    """The module with one more instruction at its start."""
    return spirv[:20] + struct.pack(f"<{len(instruction)}I", *instruction) + spirv[20:]


def test_versions_extensions_and_unknown_capabilities_are_refused():
    spirv = glslang.compile(PLAIN, {"BODY": "x[0] = 2.0;"})
    newer = spirv[:4] + struct.pack("<I", 0x00010500) + spirv[8:]
    with pytest.raises(ShaderError, match=r"must be 1\.3 or older.*version=\(1, 5\)"):
        check_capabilities(read(newer))
    with pytest.raises(ShaderError, match="got capability='9999'"):
        check_capabilities(read(patched(spirv, (2 << 16 | 17, 9999))))
    core = b"SPV_KHR_storage_buffer_storage_class".ljust(40, b"\0")
    check_capabilities(read(patched(spirv, (11 << 16 | 10, *struct.unpack("<10I", core)))))
    text = struct.unpack("<3I", b"SPV_WHAT\0\0\0\0")
    with pytest.raises(ShaderError, match="got extension='SPV_WHAT'"):
        check_capabilities(read(patched(spirv, (4 << 16 | 10, *text))))


def test_the_lists_of_capabilities_do_not_overlap():
    assert not set(CLEAN) & set(UNCLEAN)
    assert "Shader" in CLEAN.values()


@pytest.mark.parametrize(
    "spirv",
    [
        b"",
        b"\x03\x02\x23\x07",
        bytes(20),
        b"\x07\x23\x02\x03" + bytes(16),
        b"#version 450 is no module",
    ],
)
def test_what_is_no_module_is_refused(spirv):
    with pytest.raises(ShaderError, match=r"mine: a module must"):
        read(spirv, "mine")


def test_no_damage_to_a_module_raises_anything_else():
    spirv = glslang.compile(MANY)
    rng = random.Random(7)
    refused = 0
    for _ in range(2000):
        words = bytearray(spirv)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(20, len(words))
            words[at] = rng.choice((0, 1, 0xFF, rng.randrange(256)))
        cut = rng.choice((len(words), rng.randrange(0, len(words), 4)))
        try:
            read(bytes(words[:cut]))
        except ShaderError:
            refused += 1
    assert refused > 500


def test_a_module_needs_one_compute_entry_point():
    spirv = glslang.compile(PLAIN, {"BODY": "x[0] = 2.0;"})
    second = (5 << 16 | 15, 5, 1, *struct.unpack("<2I", b"second\0\0"))
    with pytest.raises(ShaderError, match="one entry point, a compute shader; got entries="):
        read(patched(spirv, second))
