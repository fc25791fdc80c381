"""Modules less the operators that a call does not ask for."""

from __future__ import annotations

import subprocess

import pytest

from dml_vk.kernels.operators import CASTS, OPERATORS
from dml_vk.kernels.registry import COMPUTED, KERNELS
from dml_vk.kernels.spirv import glslang, library, reader
from dml_vk.kernels.spirv.specialize import only_case

SWITCHED = [
    (module, kernel)
    for kernel in KERNELS.values()
    if kernel.body in COMPUTED and kernel.body != "where"
    for module in kernel.modules
]


def asked(kernel):
    """The opcodes that somebody calls this kernel with."""
    if kernel == "cast":
        return [int(code) for code in CASTS.values()]
    return [operator.code for operator in OPERATORS.values() if kernel in operator.kernels]


@pytest.mark.parametrize(("module", "kernel"), SWITCHED, ids=[module for module, _ in SWITCHED])
def test_a_module_with_one_operator_is_valid_smaller_and_called_alike(module, kernel, tmp_path):
    whole = library.load(module)
    place = kernel.spec.index("OP")
    # The operators are alike on all paths, so that one path of each kernel may do for most.
    opcodes = asked(kernel.body)
    for opcode in opcodes if COMPUTED[kernel.body][1][0] in module else opcodes[::8]:
        case = only_case(whole, place, opcode)
        assert len(case) < len(whole)
        assert library.differences(kernel, case) == {}
        path = tmp_path / "case.spv"
        path.write_bytes(case)
        said = subprocess.run(
            ["spirv-val", "--target-env", "vulkan1.1", path], capture_output=True, text=True
        )
        assert said.returncode == 0, f"{opcode}: {said.stderr}"


def test_a_loader_gives_the_operator_asked_for_and_other_modules_whole():
    kernel = KERNELS["float_exp_words"]
    place = kernel.spec.index("OP")
    spec = (*(0,) * place, OPERATORS["exp"].code, 0, 0)
    case = library.load_for("float_exp_words_32", spec)
    assert case == only_case(library.load("float_exp_words_32"), place, spec[place])
    assert library.load_for("copy_words_32", (1, 2, 3)) == library.load("copy_words_32")


def test_what_has_no_such_switch_stays_as_it_is():
    whole = library.load("copy_words_32")
    assert only_case(whole, 4, 7) == whole


def test_another_value_leaves_the_default(monkeypatch):
    whole = library.load("float_exp_words_32")
    place = KERNELS["float_exp_words"].spec.index("OP")
    least = only_case(whole, place, 10_000)
    assert len(least) < min(len(only_case(whole, place, opcode)) for opcode in asked("float_exp"))
    assert reader.read(least) == reader.read(whole)


LOOP = """#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint OP = 0;
layout(binding = 0) buffer X { float x[]; };
void main() {
    for (uint i = 0; i < 4; i++) {
        switch (OP) {
        case 1: x[i] *= 2.0; break;
        case 2: if (x[i] > 1.0) break; x[i] -= 1.0; break;
        case 3: x[i] = 0.0; return;
        default: x[i] += 1.0;
        }
        x[i] *= 3.0;
    }
}
"""


@pytest.mark.parametrize("value", range(5))
def test_what_structure_names_stays(value, tmp_path):
    """A loop that a case leaves at once keeps all its cases, for it names where it would go on."""
    whole = glslang.compile(LOOP, name="loop")
    case = only_case(whole, 0, value)
    assert (case == whole) == (value == 3)
    path = tmp_path / "case.spv"
    path.write_bytes(case)
    said = subprocess.run(
        ["spirv-val", "--target-env", "vulkan1.1", path], capture_output=True, text=True
    )
    assert said.returncode == 0, said.stderr
