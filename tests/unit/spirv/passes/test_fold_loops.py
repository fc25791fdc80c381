"""Loops of a shader when its specialization constants are known."""

from __future__ import annotations

import pytest

from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import lines_of, words_of
from dml_vk.spirv.passes import control_flow
from tests import tier
from tests.modules import codes, stored
from tests.unit.spirv.passes.folding import folding

pytestmark = pytest.mark.compiler


@pytest.fixture
def folded(tmp_path):
    return folding(tmp_path / "module.spv")


LOOP = """
void main() {
    for (uint i = 0; i < x[9]; i++) {
        if (x[i] == 7) continue;
        switch (N) {
        case 1: x[i] *= 2; break;
        case 2: if (x[i] > 1) break; x[i] -= 1; break;
        case 3: x[i] = 0; return;
        case 4: if (x[i] == 2) continue; x[i] = 0; break;
        default: x[i] += 1;
        }
        x[i] *= 3;
    }
}
"""


@tier.parametrize("n goes_on", range(6), [True, False])
def test_loops_stay_loops(folded, n, goes_on):
    """Even one that a case leaves at once."""
    source = LOOP if goes_on else LOOP.replace("if (x[i] == 7) continue;", "")
    assert codes(folded(source, 1, n))[op.LOOP_MERGE] == 1


def test_a_loop_that_ends_in_its_first_round(folded):
    source = (
        "void main() { for (uint i = 0; i < x[9]; i++) { x[i] = 5; if (N == 1) break; x[i] = 6; } }"
    )
    assert [stored(folded(source, 1, n)) for n in (1, 2)] == [[5], [5, 6]]


def test_a_loop_that_goes_on_nowhere(folded):
    source = """
    void main() {
        for (uint i = 0; ; i++) {
            if (x[i] == 7) { if (N == 1) break; continue; }
            if (YES) { x[i] = i; break; }
            if (x[i] == 9) continue;
            x[i] = 3;
        }
    }"""
    for n, yes in ((1, 1), (2, 1), (1, 0), (2, 0)):
        assert codes(folded(source, 1, n, yes))[op.LOOP_MERGE] == 1


UNROLLED = """#extension GL_EXT_control_flow_attributes : enable
void main() {{ uint a = x[7]; uint p[9] = uint[](1, 2, 3, 4, 5, 6, 7, 8, 9); {} }}"""


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize(
    "loop",
    [
        "[[unroll]] for (uint i = 0; i < N; i++) { x[i] = 5; }",
        "[[unroll]] for (uint i = N; i > 0; i--) { if (p[i - 1] > 8) continue; x[i - 1] = 5; }",
        "[[unroll]] for (uint i = 0; ; i++) { if (i >= N) break; a += x[i]; x[i] = 5; }",
        "[[unroll]] for (uint i = 0; i < N; i++) { if (x[9] == i) x[9] = a; x[i] = 5; }",
    ],
)
def test_a_loop_of_known_length_is_its_iterations(folded, loop, n):
    spirv = folded(UNROLLED.format(loop), 1, n)
    assert codes(spirv)[op.LOOP_MERGE] == 0
    assert stored(spirv).count(5) == n


def test_no_loop_is_unrolled_for_a_driver_that_takes_long_for_it(tmp_path):
    fold = folding(tmp_path / "module.spv", unrolls=False)
    spirv = fold(UNROLLED.format("[[unroll]] for (uint i = 0; i < 3; i++) x[i] = 5;"))
    assert codes(spirv)[op.LOOP_MERGE] == 1


def test_iterations_begin_with_what_the_one_before_ended_with(folded):
    source = (
        "uint c = 3, d = 4; [[unroll]] for (uint i = 0; i < N; i++) { uint e = c; c = d; d = e; }"
    )
    for n in range(4):
        results = stored(folded(UNROLLED.format(source + " x[0] = c; x[1] = d;"), 1, n))
        assert results == ([4, 3] if n % 2 else [3, 4])


def test_loops_in_loops_are_unrolled_as_far_as_they_are_known(folded):
    inner = "[[unroll]] for (uint k = 0; k <= i % 2; k++) x[i] = 5;"
    for outer, loops, stores in (("[[unroll]]", 0, 6), ("", 2, 1)):
        spirv = folded(UNROLLED.format(f"{outer} for (uint i = 0; i < 4; i++) {{ {inner} }}"))
        assert (codes(spirv)[op.LOOP_MERGE], stored(spirv).count(5)) == (loops, stores)


def test_loops_in_branches_of_unrolled_loops_are_unrolled_each_time(folded):
    inner = "[[unroll]] for (uint k = 0; k < 2; k++) x[k] = 5;"
    outer = f"[[unroll]] for (uint i = 0; i < 3; i++) {{ if (x[i] > a) {{ {inner} }} }}"
    spirv = folded(UNROLLED.format(outer))
    assert (codes(spirv)[op.LOOP_MERGE], stored(spirv).count(5)) == (0, 6)


@pytest.mark.parametrize(
    "loop",
    [
        "for (uint i = 0; i < x[9]; i++) x[i] = 5;",
        "bool on = x[9] > 2; for (uint i = 0; i < 3 && on; i++) x[i] = 5;",
        "for (uint i = 0; i < 3; i++) { if (x[i] == 7) break; x[i] = 5; }",
        "for (uint i = 0; i < 3; i++) { if (x[i] == 7) continue; x[i] = 5; }",
        f"for (uint i = 0; i < {control_flow.MOST_ROUNDS + 1}; i++) x[i] = 5;",
        "for (uint i = 0; i < 30; i++) { x[i] = 5; "
        + "".join(f"x[i + {n}] += x[{n}] / x[i]; " for n in range(control_flow.MOST_LINES // 128))
        + "}",
    ],
    ids=["unknown", "at most", "break", "continue", "long", "large"],
)
def test_other_loops_keep_their_mark(folded, loop):
    spirv = folded(UNROLLED.format(loop.replace("for", "[[unroll]] for")))
    marks = [line[3] for line in lines_of(words_of(spirv)) if line[0] & 0xFFFF == op.LOOP_MERGE]
    assert marks == [op.LoopControl.UNROLL]
    assert stored(spirv).count(5) == 1


def test_loops_may_call_functions_with_branches(folded):
    source = """
    uint f(uint a) { uint b = a; if (x[a] == 1) b = 2; else x[a] = N; return b * 3; }
    void main() {
        uint i = 0;
        while (f(i) < 70) { x[i] += f(i + 1); i++; }
        do { i += f(i); } while (f(i) > 7);
    }"""
    counts = codes(folded(source, 1, 2))
    assert (counts[op.LOOP_MERGE], counts[op.FUNCTION]) == (2, 1)


def test_what_a_loop_stores_is_unknown_in_it(folded):
    source = """
    uint total;
    void more() { total++; }
    void main() {
        total = N;
        for (uint i = 0; i < x[9]; i++) { x[i] = total; more(); }
        x[8] = total;
    }"""
    assert stored(folded(source, 1, 3)).count(3) == 1
