"""The execution modes of floats: which a module gets, where, and by which rules of a device."""

from __future__ import annotations

import itertools
import subprocess

import pytest

from dml_vk.driver.float_controls import WIDTHS, Control, FloatControls, Independence, Mode
from dml_vk.kernels.codegen.library import load
from dml_vk.spirv import spec as op
from dml_vk.spirv.glslang import compile as compile_glsl
from dml_vk.spirv.instructions import lines_of, words_of
from dml_vk.spirv.passes.float_modes import with_float_modes

ALL = FloatControls(Control(mode, WIDTHS) for mode in Mode)


def modes_of(spirv):
    """(mode, width) of all execution modes of floats."""
    found = set()
    for line in lines_of(words_of(spirv)):
        if line[0] & 0xFFFF == op.EXECUTION_MODE and line[2] in list(Mode):
            found.add((Mode(line[2]), line[3]))
    return found


@pytest.mark.parametrize(
    ("source", "widths"),
    [
        ("float a = uintBitsToFloat(y[1]);", {32}),
        ("double a = packDouble2x32(uvec2(y[1], y[2]));", {64}),
        ("uint a = y[1];", set()),
    ],
)
def test_a_module_gets_the_modes_of_the_floats_in_it(source, widths):
    spirv = compile_glsl(
        "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer Y { uint y[]; };\n"
        f"void main() {{ {source} y[0] = uint(a * a); }}"
    )
    made = with_float_modes(spirv, ALL)
    assert modes_of(made) == set(itertools.product(Mode, widths))
    if not widths:
        assert made == spirv
    before, after = ([*lines_of(words_of(one))] for one in (spirv, made))
    assert [line for line in after if line in before] == before, "all else stays, in its order"


@pytest.mark.parametrize("name", ["float_check_float32", "double_check_float64"])
def test_a_shipped_module_with_modes_is_valid(name, tmp_path):
    path = tmp_path / "made.spv"
    path.write_bytes(with_float_modes(load(name), ALL))
    done = subprocess.run(
        ["spirv-val", "--target-env", "vulkan1.1", path], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_is_asked_for_that_a_device_does_not_list():
    listed = FloatControls([Control(Mode.ROUNDING_MODE_RTE, (32,))])
    assert modes_of(with_float_modes(load("float_check_float32"), listed)) == {
        (Mode.ROUNDING_MODE_RTE, 32)
    }
    for nothing in (FloatControls(), FloatControls([Control(Mode.ROUNDING_MODE_RTE, (16, 64))])):
        spirv = load("float_check_float32")
        assert with_float_modes(spirv, nothing) == spirv


@pytest.mark.parametrize(
    ("independence", "has", "used", "got"),
    [
        (Independence.ALL, (32,), (32, 64), {32}),
        (Independence.NONE, (32,), (32, 64), set()),
        (Independence.NONE, (32,), (32,), {32}),
        (Independence.NONE, (16, 32, 64), (16, 32, 64), {16, 32, 64}),
        (Independence.ONLY_32, (32, 64), (16, 32, 64), {32}),
        (Independence.ONLY_32, (16, 64), (16, 32, 64), {16, 64}),
        (Independence.ONLY_32, (64,), (32, 64), {64}),
    ],
)
def test_widths_that_a_device_cannot_tell_apart_are_treated_alike(independence, has, used, got):
    controls = FloatControls([Control(Mode.DENORM_PRESERVE, has, independence)])
    assert {width for _, width in controls.modes(used)} == got
