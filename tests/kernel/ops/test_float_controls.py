"""What a shader may rely on in floats: `precise`, and operands that no compiler sees.

Drivers fold x - x to 0, (x + y) - x to y and constants times anything, unless told not to. The
execution modes that forbid it (SignedZeroInfNanPreserve, RoundingModeRTE) are asked for where a
device lists them: not every driver does. `precise` does much the same by core SPIR-V.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import dml_vk
from dml_vk.driver.float_controls import WIDTHS, Control, FloatControls, Mode
from dml_vk.errors import ShaderError
from dml_vk.kernels.codegen.library import load
from dml_vk.runtime.kompute import Kompute
from dml_vk.runtime.vulkan import engine
from dml_vk.runtime.vulkan.engine import Vulkan
from tests.unit.spirv.passes.test_float_modes import modes_of

SOURCE = """#version 450
#extension GL_EXT_spirv_intrinsics : enable
MODE
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { float as[]; };
layout(binding = 1) readonly buffer B { float bs[]; };
layout(binding = 2) readonly buffer C { float cs[]; };
layout(binding = 3) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint as_base, bs_base, cs_base, y_base, n; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= n) return;
    float a = as[as_base + i], b = bs[bs_base + i], c = cs[cs_base + i];
    precise float value = BODY;
    y[y_base + i] = value;
}
"""
EXPRESSIONS = {
    "a + b": lambda a, b, c: a + b,
    "a - b": lambda a, b, c: a - b,
    "a * b": lambda a, b, c: a * b,
    "a - a": lambda a, b, c: a - a,
    "a + b - a": lambda a, b, c: a + b - a,
    "a + (b + c)": lambda a, b, c: a + (b + c),
    "a * b + c": lambda a, b, c: a * b + c,
    "a * b - a * b": lambda a, b, c: a * b - a * b,
    "-(a - b)": lambda a, b, c: -(a - b),
    "float(a == a)": lambda a, b, c: (a == a).astype(np.float32),
    "float(a != a)": lambda a, b, c: (a != a).astype(np.float32),
    "float(!(a < b))": lambda a, b, c: (~(a < b)).astype(np.float32),
}
# No subnormals, not even as results: drivers flush or keep them as they like.
VALUES = np.array(
    [
        0.0,
        -0.0,
        1.0,
        -1.0,
        3.0,
        1 / 3,
        2.0**-24,
        1 + 2.0**-23,
        1e30,
        -1e30,
        np.inf,
        -np.inf,
        np.nan,
    ],
    np.float32,
)


@pytest.fixture(scope="module")
def operands():
    return [np.ascontiguousarray(one.ravel()) for one in np.meshgrid(VALUES, VALUES, VALUES)]


@pytest.mark.compiler
@pytest.mark.parametrize("body", EXPRESSIONS)
def test_precise_arithmetic_is_ieee_arithmetic(body, operands):
    kernel = dml_vk.kernel(SOURCE, macros={"BODY": body, "MODE": ""})
    y = dml_vk.full(operands[0].shape, 77.0, dml_vk.float32)
    n = operands[0].size
    kernel(*map(dml_vk.asarray, operands), y, groups=-(-n // 64), push=n)
    with np.errstate(all="ignore"):
        expected = EXPRESSIONS[body](*operands)
    assert len(np.unique(expected)) > 1
    # Which NaN it is, nobody promises; everything else to the bit, the sign of zero too.
    found = y.numpy()
    nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(found), nan)
    np.testing.assert_array_equal(found[~nan].view(np.uint32), expected[~nan].view(np.uint32))


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("mode", "capability"),
    [(4461, "SignedZeroInfNanPreserve"), (4462, "RoundingModeRTE"), (4459, "DenormPreserve")],
)
def test_execution_modes_that_nothing_enables_are_refused(mode, capability):
    number = {4461: 4466, 4462: 4467, 4459: 4464}[mode]
    declared = (
        'spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], '
        f"capabilities = [{number}], {mode}, 32);"
    )
    with pytest.raises(ShaderError, match=f"got capability='{capability}'"):
        dml_vk.kernel(SOURCE, macros={"BODY": "a", "MODE": declared})


@pytest.mark.parametrize("kind", ["kompute", "vulkan"])
def test_drivers_get_the_modes_with_every_module(kind, monkeypatch):
    """Whatever they list here: they are told that they list everything."""
    runtime = {"kompute": Kompute, "vulkan": Vulkan}[kind](dml_vk.device().info)
    everything = FloatControls(Control(mode, WIDTHS) for mode in Mode)
    monkeypatch.setattr(runtime, "_float_controls", everything)
    seen = []
    if kind == "vulkan":
        monkeypatch.setattr(engine, "Pipeline", lambda *given: seen.append(given[3]))
    else:
        manager = SimpleNamespace(pipeline=lambda *given: seen.append(given[0]))
        monkeypatch.setattr(runtime, "_manager", manager)
    for name, width in (("float_check_float32", 32), ("double_check_float64", 64)):
        runtime.pipeline(load(name), (), 4, 3)
        assert modes_of(seen.pop()) == {(mode, width) for mode in Mode}
