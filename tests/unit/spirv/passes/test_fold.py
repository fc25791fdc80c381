"""What is left of a shader when its specialization constants are known."""

from __future__ import annotations

import subprocess

import pytest

from dml_vk.spirv import interface
from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import lines_of, words_of
from dml_vk.spirv.module import Module
from dml_vk.spirv.passes import fold
from dml_vk.spirv.passes.specialize import specialized
from tests.modules import check_valid, codes, stored
from tests.unit.spirv.passes.folding import folding

pytestmark = pytest.mark.compiler

BRANCHES = (op.BRANCH_CONDITIONAL, op.SWITCH)
NAMED = "layout(constant_id = 0) const uint LOCAL_SIZE = 1;\n"


@pytest.fixture
def folded(tmp_path):
    return folding(tmp_path / "module.spv")


def test_constants_are_what_the_spec_says_or_their_defaults(folded):
    source = "void main() { x[0] = N * 7 + (YES ? 1 : 2) - uint(-3); z[0] = HALF; }"
    half, quarter = 0x3F000000, 0x3E800000
    assert stored(folded(source)) == [7 + 1 + 3, half]
    assert stored(folded(source, 8, 5, 0)) == [35 + 2 + 3, half]
    assert stored(folded(source, 8, 5, 1, quarter)) == [35 + 1 + 3, quarter]


def test_the_local_size_and_shared_arrays(folded):
    source = NAMED + "shared uint s[gl_WorkGroupSize.x * N];\n"
    source += "void main() { s[x[1]] = 3; barrier(); x[0] = s[x[2]] + gl_WorkGroupSize.x; }"
    module = interface.read(folded(source, 16, 3))
    assert (module.local_sizes({}), module.shared_bytes({})) == ((16, 1, 1), 4 * 48)
    literal = "layout(local_size_y = 4) in; void main() { x[gl_LocalInvocationIndex] = N; }"
    assert interface.read(folded(literal, 16)).local_sizes({}) == (16, 4, 1)


def test_vectors_of_constants(folded):
    """Of each the operators that GLSL allows on vectors of specialization constants."""
    source = (
        "void main() {{ uvec2 v = {} ^ (uvec2(N, 5) + uvec2(2, N)); x[x[9] & 1] = v[x[8] & 1]; }}"
    )
    spirv = folded(source.format("uvec2(N, N)"), 1, 9)
    lines = list(lines_of(words_of(spirv)))
    constants = {line[2]: line[3] for line in lines if line[0] & 0xFFFF == op.CONSTANT}
    vectors = [line[3:] for line in lines if line[0] & 0xFFFF == op.CONSTANT_COMPOSITE]
    assert (9 ^ 11, 9 ^ 14) in [tuple(constants.get(one) for one in parts) for parts in vectors]


PARTS = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %array ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %x DescriptorSet 0
OpDecorate %x Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%pair = OpTypeVector %uint 2
%quad = OpTypeVector %uint 4
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%buffer = OpTypePointer StorageBuffer %block
%element = OpTypePointer StorageBuffer %uint
%x = OpVariable %buffer StorageBuffer
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%five = OpConstant %uint 5
%main = OpFunction %void None %function
%begin = OpLabel
%place = OpAccessChain %element %x %zero %zero
%some = OpLoad %uint %place
%first = OpCompositeConstruct %pair %some %one
%made = OpCompositeConstruct %quad %first %two %five
%third = OpCompositeExtract %uint %made 2
OpStore %place %third
OpReturn
OpFunctionEnd
"""


def test_a_vector_may_be_made_of_vectors(tmp_path):
    """As glslang never does: its third component is not its third part."""
    text, path = tmp_path / "module.spvasm", tmp_path / "module.spv"
    text.write_text(PARTS)
    subprocess.run(["spirv-as", "--target-env", "vulkan1.1", text, "-o", path], check=True)
    spirv = specialized(Module(path.read_bytes()), ())
    check_valid(spirv, path)
    assert stored(spirv) != [5]


def test_what_is_undefined_is_not_computed(folded):
    assert stored(folded("void main() { x[0] = N == 0 ? 7 : 9 / N; }", 1, 0)) == [7]
    both = codes(folded("uint f(uint d) { return 9 / d; } void main() { x[0] = f(N); }", 1, 0))
    assert both[134] == 1


@pytest.mark.parametrize(("n", "results"), [(0, [5]), (1, [6]), (2, [8, 7]), (9, [8])])
def test_branches_that_are_known_are_gone(folded, n, results):
    source = """
    void main() {
        switch (N) {
        case 0: if (YES) x[0] = 5; else x[0] = 4; return;
        case 1: x[0] = 6; break;
        case 2: x[0] = 7;
        default: x[0] = 8;
        }
    }"""
    spirv = folded(source, 1, n)
    assert sorted(stored(spirv)) == sorted(results)
    assert not any(codes(spirv)[code] for code in (*BRANCHES, op.SELECTION_MERGE))


def test_a_switch_that_is_left_from_within_stays_one(folded):
    source = """
    void f() {
        switch (N) {
        case 3: if (x[1] > 7) { x[0] = 5; break; } x[0] = 6; break;
        default: x[0] = 7;
        }
        x[2] = 8;
    }
    void main() { f(); }"""
    spirv = folded(source, 1, 3)
    assert (sorted(stored(spirv)), codes(spirv)[op.SWITCH]) == ([5, 6, 8], 1)
    assert codes(folded(source, 1, 2))[op.SWITCH] == 0


def test_branches_that_are_unknown_stay(folded):
    source = """
    uint f(uint a) {
        switch (a) {
        case 1: return 5;
        case 2: return 6;
        default: return a;
        }
    }
    void main() { x[0] = f(x[1]); if (x[2] == N) x[3] = N; }"""
    counts = codes(folded(source, 1, 4))
    assert (counts[op.SWITCH], counts[op.BRANCH_CONDITIONAL]) == (1, 1)


def test_a_function_that_returns_at_one_place_is_written_where_it_is_called(folded):
    source = """
    uint f(uint a, uint way) {
        switch (way) {
        case 1: return a + 1;
        case 2: if (x[a] == 1) x[a] = 5; return a * 3;
        case 3: if (a == 7) return 9; return 4;
        case 4: for (;;) { if (x[a] == 7) return 1; x[a]++; }
        default: return 8;
        }
    }
    void main() { x[0] = f(x[1], N) + f(x[2], N); }"""
    functions = [codes(folded(source, 1, n))[op.FUNCTION] for n in range(5)]
    assert functions == [1, 1, 1, 2, 2]
    assert stored(folded(source, 1, 0)) == [16]


def test_other_functions_are_written_once_for_what_is_known(folded):
    source = """
    uint f(uint a, uint b) { if (x[a] == 7) return b * 2; x[a] = b; return b * 2; }
    void main() {
        x[0] = f(x[1], N);
        x[1] = f(x[2], N);
        x[2] = f(x[3], 5);
        x[3] = f(x[4], x[5]);
        x[4] = f(x[6], x[7]);
    }"""
    spirv = folded(source, 1, 3)
    assert (codes(spirv)[op.FUNCTION], codes(spirv)[op.FUNCTION_CALL]) == (4, 5)
    # What always returns the same is a constant to its caller.
    assert sorted(stored(spirv)) == [-1, -1, -1, 3, 5, 6, 6, 10]


LONG = "".join(f"c = c * c / (b + {n}u); " for n in range(fold.LEAST_SHARED // 3))


@pytest.mark.parametrize(
    ("body", "calls", "functions"),
    [
        (LONG, 2, 2),
        ("c = c * c / b; ", 0, 1),
        (LONG + "c += x[b]; ", 0, 1),
        (LONG + "x[b] = c; ", 0, 1),
        (LONG + "p = c; ", 0, 1),
        (LONG + "c += g(b); ", 2, 2),
        (LONG + "c += h(b); ", 0, 1),
    ],
    ids=["computes", "short", "reads", "writes", "keeps", "calls", "calls what reads"],
)
def test_long_functions_that_only_compute_are_written_twice_at_most(folded, body, calls, functions):
    source = f"""uint p = 0;
    uint g(uint a) {{ return a * 7; }}
    uint h(uint a) {{ return x[a]; }}
    uint f(uint a, uint b) {{ uint c = a; {body} return c; }}
    void main() {{
        uint a = f(x[1], x[2]), b = f(x[3], x[4]), c = f(x[5], x[6]), d = f(x[7], 3);
        f(x[8], x[9]);
        x[0] = a + b + c + d + p;
    }}"""
    counts = codes(folded(source))
    assert (counts[op.FUNCTION_CALL], counts[op.FUNCTION]) == (calls, functions)


def test_what_is_no_longer_called_is_not_written(folded):
    """While it is tried whether `f` can be written where it is called, `g` has a known argument."""
    source = """
    uint g(uint a) { if (x[a] == 7) return 1; x[1] = a; return 2; }
    uint f(inout uint a) { if (g(a) == 1) return 3; a++; return 4; }
    void main() { uint a = N; x[0] = f(a); x[2] = a; }"""
    spirv = folded(source, 1, 3)
    assert codes(spirv)[op.FUNCTION] == 3
    assert 3 in stored(spirv)


def test_truths(folded):
    source = """
    bool and_(bool p, bool q) { return p && q; }
    bool or_(bool p, bool q) { return p || q; }
    void main() {
        bool some = x[9] == 7;
        x[0] = uint(and_(YES, some));
        x[1] = uint(or_(some, YES));
    }"""
    for yes, known in ((0, 0), (1, 1)):
        spirv = folded(source, 1, 1, yes)
        assert stored(spirv).count(known) == 1
        assert codes(spirv)[op.LOGICAL_AND] == codes(spirv)[op.LOGICAL_OR] == 0


def test_results_by_parameters(folded):
    source = """
    uint total = 1, kept = N;
    void f(inout uint a, out uint b) { b = a; if (x[9] == a) return; a = 7; total = a; }
    void main() {
        uint a = 2, b = 3;
        f(a, b);
        x[0] = a; x[1] = b; x[2] = total; x[3] = kept;
    }"""
    spirv = folded(source, 1, 4)
    # To a, total, total, a and x[3]; the others are not known, and nobody sees the rest.
    assert sorted(one for one in stored(spirv) if one != -1) == [1, 2, 4, 7, 7]


def test_variables_are_followed_by_part(folded):
    source = """
    struct Pair { uint first; uint second[2]; };
    void main() {
        Pair pair = Pair(N, uint[](x[9], 3));
        x[0] = pair.first;
        pair.second[1] = N + 1;
        x[1] = pair.second[1];
        pair.second[x[9] & 1] = 5;
        x[2] = pair.second[1];
        uvec3 v = uvec3(N + 2, x[9], x[8]);
        x[3] = v.x; x[4] = v[x[7] % 3];
    }"""
    assert [one for one in stored(folded(source, 1, 9)) if one != -1][-5:] == [9, 10, 10, 5, 11]


@pytest.mark.parametrize("n", [3, 4, 7, 2**32 - 1])
def test_an_index_out_of_range_is_left_to_the_driver(folded, n):
    """It may be in code that is never run."""
    source = """
    void main() {{
        uvec4 v = {};
        if (x[9] > 3) v[x[8] & 1] = 7;
        x[0] = v[N];
        uint a[4] = uint[](x[1], x[2], x[3], 5);
        x[1] = a[N] + a[x[7] & 1];
    }}"""
    for vector in ("q[0]", "uvec4(x[4], x[5], x[6], 5)"):
        folded(source.format(vector), 1, n)


def test_precise_arithmetic_stays_precise(folded):
    source = """
    float f(float a) { precise float b = min(a, 7.0) * 3.0 + HALF; return b; }
    void main() { z[0] = max(f(z[1]), f(z[2])) + z[3]; }"""
    spirv = folded(source)
    precise = [
        line
        for line in lines_of(words_of(spirv))
        if line[0] & 0xFFFF == op.DECORATE and line[2] == op.Decoration.NO_CONTRACTION
    ]
    assert len(precise) == 4
    assert codes(spirv)[129] == 3


def test_effects_stay(folded):
    source = """
    shared uint s;
    void main() {
        atomicOr(x[0], 3); s = 1; memoryBarrierShared(); barrier();
        uint unused = x[5] * 7; x[1] = min(s, N);
    }"""
    counts = codes(folded(source, 1, 2))
    assert [counts[code] for code in (241, op.MEMORY_BARRIER, op.CONTROL_BARRIER)] == [1, 1, 1]
    assert counts[op.STORE] == 2
    assert counts[132] == 0
