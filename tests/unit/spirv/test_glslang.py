"""Compiling one shader: what comes out, and what is said when nothing does."""

from __future__ import annotations

import pytest

from dml_vk.errors import ShaderError
from dml_vk.spirv import glslang
from dml_vk.spirv.interface import read

pytestmark = pytest.mark.compiler

WHOLE = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(binding = 2) readonly buffer Unused { uint unused[]; };
layout(constant_id = 3) const uint ALSO_UNUSED = 7;
void main() {
  float a = x[0];
  y[0] = BODY;
}
"""
OPCODES = {"OpFAdd": 129, "OpFSub": 131, "OpFMul": 133, "OpFDiv": 136}


def opcodes(spirv):
    words = [int.from_bytes(spirv[at : at + 4], "little") for at in range(0, len(spirv), 4)]
    at, found = 5, []
    while at < len(words):
        found.append(words[at] & 0xFFFF)
        at += words[at] >> 16
    return found


def error_of(source, **arguments):
    with pytest.raises(ShaderError) as caught:
        glslang.compile(source, **arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("a * 0.0", ["OpFMul"]),
        ("a * 1.0", ["OpFMul"]),
        ("a + 0.0", ["OpFAdd"]),
        ("a - a", ["OpFSub"]),
        ("a / a", ["OpFDiv"]),
        ("a / 3.0", ["OpFDiv"]),
        ("(a + 1.0) + 2.0", ["OpFAdd", "OpFAdd"]),
        ("(a * 2.0) * 3.0", ["OpFMul", "OpFMul"]),
    ],
)
def test_arithmetic_is_kept_as_written(body, kept):
    found = opcodes(glslang.compile(WHOLE, {"BODY": body}))
    assert [op for op in found if op in OPCODES.values()] == [OPCODES[name] for name in kept]


def test_functions_that_are_called_stay_once_and_others_go():
    functions = "float f(float b) { return b * b; }\nfloat g(float b) { return -b; }\n"
    source = WHOLE.replace("void main", functions + "void main")
    op_function, op_negate = 54, 127
    found = opcodes(glslang.compile(source, {"BODY": "f(a) + f(a + a)"}))
    assert found.count(op_function) == 2
    assert found.count(OPCODES["OpFMul"]) == 1
    assert found.count(op_negate) == 0


def test_bindings_constants_and_names_that_nothing_uses_are_kept():
    module = read(glslang.compile(WHOLE, {"BODY": "a"}))
    assert [(b.number, b.block, b.array) for b in module.bindings] == [
        (0, "X", "x"),
        (1, "Y", "y"),
        (2, "Unused", "unused"),
    ]
    assert [(s.number, s.name, s.default) for s in module.spec] == [(3, "ALSO_UNUSED", 7)]


def test_the_same_source_gives_the_same_bytes():
    assert glslang.compile(WHOLE, {"BODY": "a"}) == glslang.compile(WHOLE, {"BODY": "a"})
    assert glslang.compile(WHOLE, {"BODY": "a"}) != glslang.compile(WHOLE, {"BODY": "-a"})


def test_errors_name_the_line_of_the_source_and_nothing_of_ours():
    source = WHOLE.replace("float a = x[0];", "float a = nothing;\n  int b = 3.5;")
    assert error_of(source, macros={"BODY": "a"}, name="mine") == (
        "mine: the shader does not compile; got log=\nline 8: 'nothing' : undeclared identifier"
    )
    source = WHOLE.replace("float a = x[0];", "\n\n  int b = 3.5;")
    assert error_of(source, macros={"BODY": "a"}).splitlines()[1:] == [
        "line 10: '=' :  cannot convert from ' const float' to ' temp highp int'"
    ]


def test_errors_in_a_head_name_the_head(tmp_path):
    include = "#extension GL_GOOGLE_include_directive : require\n#include "
    (tmp_path / "good_head.glsl").write_text("const float HALF = 0.5;\n#define BODY HALF\n")
    (tmp_path / "bad_head.glsl").write_text("\nconst float HALF = quarter;\n#define BODY HALF\n")
    good, bad, no = (
        WHOLE.replace("layout", f'{include}"{name}_head.glsl"\nlayout', 1)
        for name in ("good", "bad", "no")
    )
    assert read(glslang.compile(good, None, (tmp_path,))).entry == "main"
    said = error_of(bad, include_dirs=(tmp_path,))
    assert "bad_head.glsl: line 2: 'quarter' : undeclared identifier" in said
    assert str(tmp_path) not in said
    assert "line 3: '#include'" in error_of(no, include_dirs=(tmp_path,))
    assert glslang.included(good, (tmp_path,)) == {
        "good_head.glsl": (tmp_path / "good_head.glsl").read_text()
    }
    with pytest.raises(ShaderError, match=r"included file not found; got include='no_head.glsl'"):
        glslang.included(no, (tmp_path,))


def test_heads_of_heads_are_found_once(tmp_path):
    (tmp_path / "a_head.glsl").write_text('# include "b_head.glsl"\n')
    (tmp_path / "b_head.glsl").write_text('#include "a_head.glsl"\n')
    assert sorted(glslang.included('#include "a_head.glsl"', (tmp_path,))) == [
        "a_head.glsl",
        "b_head.glsl",
    ]


@pytest.mark.parametrize("source", ["", "hello", "#version 450\n", "#version 450\nvoid f() {}"])
def test_what_is_no_shader_is_an_error(source):
    said = error_of(source)
    assert said.startswith("shader: the shader does not compile; got log=\n")
    assert "it.comp" not in said


def test_what_compiles_but_is_not_valid_is_an_error():
    # An execution mode without its capability: glslang leaves that to us.
    mode = (
        "#extension GL_EXT_spirv_intrinsics : require\nspirv_execution_mode(4462, 32);\nvoid main"
    )
    said = error_of(WHOLE.replace("void main", mode), macros={"BODY": "a"}, name="mine")
    assert said.startswith("mine: the shader is not valid SPIR-V; got log=\n")
    assert "RoundingModeRTE" in said
    assert "it.lean" not in said


@pytest.mark.parametrize(
    ("macros", "must"),
    [
        (3, "macros must be a mapping of names to values; got macros=3"),
        ({"1X": 1}, "name must be an identifier; got macro='1X'"),
        ({"A B": 1}, "name must be an identifier; got macro='A B'"),
        ({3: 1}, "name must be an identifier; got macro=3"),
        ({"X": "1\n#define Y"}, "an int or one line of text; got X="),
        ({"X": 1.5}, "an int or one line of text; got X=1.5"),
        ({"X": True}, "an int or one line of text; got X=True"),
    ],
)
def test_macros_are_checked(macros, must):
    assert must in error_of(WHOLE, macros=macros)


def test_a_missing_tool_names_its_package(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "install the package glslang-tools" in error_of(WHOLE, macros={"BODY": "a"})


def test_versions_are_numbers():
    assert sorted(glslang.versions()) == ["glslang-tools", "spirv-tools"]
    assert all(version[0].isdigit() for version in glslang.versions().values())
