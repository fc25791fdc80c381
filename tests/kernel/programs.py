"""Random shaders: functions of integers, with loops, branches, arrays, specialization constants."""

from __future__ import annotations

import numpy as np

HEAD = """#version 450
#extension GL_EXT_control_flow_attributes : enable
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 8;
layout(constant_id = 1) const uint A = 1;
layout(constant_id = 2) const uint B = 2;
layout(constant_id = 3) const int C = -3;
layout(constant_id = 4) const bool D = true;
layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform Push { uint x_base, y_base; };
struct Pair { uint first; uint second[2]; };
uint shared_word = 5;
uint table[3];
"""
MAIN = """
void main() {
    uint i = gl_GlobalInvocationID.x;
    for (uint k = 0; k < 3; k++) table[k] = x[x_base + i] + k;
    uint b = x[x_base + (i ^ 1)];
    uint result = last(x[x_base + i], b, uvec2(i, A));
    y[y_base + i] = result ^ (b * 3) ^ (shared_word * 5) ^ (table[A % 3] * 7) ^ table[2];
}
"""
BINARY = ("+", "-", "*", "^", "&", "|")
COMPARE = ("<", "<=", ">", ">=", "==", "!=")
SIMPLE = ("a", "b", "v.x", "v.y", "c", "d", "shared_word", "pair.first", "i", "A", "B", "uint(C)")


def random_source(random: np.random.Generator) -> str:
    """The source of a shader."""
    writer = _Writer(random)
    functions = [writer.function(f"f{n}") for n in range(random.integers(1, 4))]
    return HEAD + "".join(functions) + writer.function("last") + MAIN


class _Writer:
    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        self.names: list[str] = []  # of functions

    def of(self, *choices: str) -> str:
        return choices[self.random.integers(len(choices))]

    def number(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.of(*SIMPLE, f"{self.random.integers(5)}u", "v[c & 1]", "pair.second[d & 1]")
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.of(
            *[f"({a} {sign} {b})" for sign in BINARY],
            *(f"({a} / ({b} | 1))", f"({a} % ({b} | 1))", f"({a} << ({b} & 31))"),
            *(f"({a} >> ({b} & 31))", f"uint(int({a}) >> ({b} & 31))", f"min({a}, {b})"),
            *(f"({self.truth(depth - 1)} ? {a} : {b})", f"table[{a} % 3]", f"(~{a})"),
            *(f"uint(int({a}) / int({b} | 3))", f"uint(-int({a}))", f"bitCount({a})"),
        )

    def truth(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.of("D", "!D", "(A == 1)", "(B > 2)", "(C < 0)", "(a < b)", "((c & 1) == 0)")
        a, b = self.number(depth - 1), self.number(depth - 1)
        sign = self.of(*COMPARE)
        p, q = self.truth(depth - 1), self.truth(depth - 1)
        return self.of(
            *(f"({a} {sign} {b})", f"(int({a}) {sign} int({b}))"),
            *(f"({p} && {q})", f"({p} || {q})", f"({p} != {q})", f"({p} == {q})", f"!({p})"),
        )

    def statements(self, depth: int, loop: bool = False, switch: bool = False) -> str:
        count = self.random.integers(1, 4)
        return "".join(self.statement(depth, loop, switch) for _ in range(count))

    def statement(self, depth: int, loop: bool, switch: bool) -> str:
        place = self.of("c", "d", "b", "a", "v.x", "shared_word", "pair.first", "table[d % 3]")
        place = self.of(place, place, "pair.second[1]", "v[c & 1]")
        kinds = ["set"] * 4 + ["call"] * 2 * bool(self.names)
        kinds += ["if", "if", "for", "switch", "leave"] * bool(depth) + ["pair"]
        kind = self.of(*kinds)
        if kind == "call":
            name = self.of(*self.names)
            given = self.of("A", "2u", "c", self.number(1)), self.of("v", "uvec2(A, 1)", "v.yx")
            return f"{place} = {name}({given[0]}, {self.of('b', 'c', 'd')}, {given[1]});\n"
        if kind == "if":
            other = self.of("", f" else {{ {self.statements(depth - 1, loop, switch)} }}")
            return f"if ({self.truth()}) {{ {self.statements(depth - 1, loop, switch)} }}{other}\n"
        if kind == "for":
            end = self.of("A & 3", "B & 3", "3", "c & 3", "1", "A + B")
            inside = self.statements(depth - 1, True)
            mark = self.of("", "[[unroll]]", "[[unroll]]")
            return f"{mark} for (uint i = 0; i < ({end}); i++) {{ {inside} }}\n"
        if kind == "switch":
            on = self.of("A", "B", "c & 3", "A & 1")
            cases = "".join(
                f"case {n}: {self.statements(depth - 1, loop, True)} {self.of('break;', '')}\n"
                for n in range(3)
            )
            return (
                f"switch ({on}) {{ {cases} default: {self.statements(depth - 1, loop, True)} }}\n"
            )
        if kind == "leave":
            ways = [f"return {self.number()};"]
            ways += ["break;"] * (loop or switch) + ["continue;"] * loop
            return f"if ({self.truth(1)}) {self.of(*ways)}\n"
        if kind == "pair":
            return f"pair = Pair({self.number(1)}, uint[]({self.number(1)}, c));\n"
        return f"{place} = {self.number()};\n"

    def function(self, name: str) -> str:
        body = self.statements(2)
        result = self.of(self.number(), self.number(), "A", "a + c")
        text = (
            f"uint {name}(uint a, inout uint b, uvec2 v) {{\n"
            f"uint c = a ^ 1, d = v.y, i = 0; Pair pair = Pair(a, uint[](b, 2));\n"
            f"{body}return {result};\n}}\n"
        )
        self.names.append(name)
        return text
