"""A user's own shader on tensors: bases, constants, order with other work."""

from __future__ import annotations

import numpy as np
import pytest

import dml_vk

pytestmark = pytest.mark.compiler

SOURCE = """#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 32;
layout(constant_id = 2) const float SCALE = 1.0;
layout(constant_id = 3) const bool NEGATE = false;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { int y[]; };
layout(binding = 1) buffer Quads { ivec4 quads[]; };
layout(push_constant) uniform Push { int shift; uint x_base, y_base, quads_base, n; float factor; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= n) return;
    if (i < 4) {
        if (i == 0) quads[quads_base] = ivec4(7);
        return;
    }
    int value = int(x[x_base + i] * factor * SCALE) + shift;
    y[y_base + i] = NEGATE ? -value : value;
}
"""


def test_every_argument_reaches_the_shader():
    x = dml_vk.asarray(np.arange(100, dtype=np.float32))
    part = x.over(x.layout.slice(0, 10, 50, 1))
    y = dml_vk.asarray(np.full(40, -1, np.int32))
    push = {"shift": -3, "n": 38, "factor": 2.0}
    dml_vk.kernel(SOURCE)(part, y, groups=2, push=push, spec={"SCALE": 3.0, "NEGATE": True})
    expected = -(np.arange(10, 50) * 6 - 3)
    expected[:4] = 7
    expected[38:] = -1
    assert y.tolist() == expected.tolist()


def test_groups_and_local_size_decide_how_much_runs():
    x = dml_vk.asarray(np.arange(100, dtype=np.float32))
    kernel = dml_vk.kernel(SOURCE)
    for groups, spec, reached in ((1, (), 32), (3, 16, 48), ((2, 1, 1), {"LOCAL_SIZE": 8}, 16)):
        y = dml_vk.asarray(np.full(100, -1, np.int32))
        kernel(x, y, groups=groups, push=(0, 100, 1.0), spec=spec)
        expected = [7] * 4 + list(range(4, reached)) + [-1] * (100 - reached)
        assert y.tolist() == expected


def test_calls_wait_for_the_work_before_them():
    source = """#version 450
    layout(local_size_x = 64) in;
    layout(binding = 0) readonly buffer X { uint x[]; };
    layout(binding = 1) writeonly buffer Y { uint y[]; };
    layout(push_constant) uniform Push { uint x_base, y_base, n; };
    void main() {
        uint i = gl_GlobalInvocationID.x;
        if (i < n) y[y_base + i] = x[x_base + n - 1 - i] + 1;
    }
    """
    kernel, n = dml_vk.kernel(source, name="add_reversed"), 1000
    x = dml_vk.asarray(np.arange(n, dtype=np.uint32))
    y = dml_vk.empty(n, dml_vk.uint32)
    for _ in range(5):
        kernel(x, y, groups=16, push=n)
        kernel(y, x, groups=16, push=n)
    z = x.clone()
    kernel(x, y, groups=16, push=n)
    dml_vk.copy(y, x)
    assert z.tolist() == list(range(10, n + 10))
    assert x.tolist() == list(range(n + 10, 10, -1))


TURNS = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer X { uint x[]; };
layout(push_constant) uniform Push { uint turns, x_base; };
void main() {
    uint done = 0;
    while (done < turns) done++;
    x[x_base] = done;
}
"""


def test_a_device_goes_as_many_rounds_as_it_says():
    """And llvmpipe, not one more: it is where wrong numbers once came from."""
    most = dml_vk.device().limits.max_rounds
    x = dml_vk.asarray(np.array([5], np.uint32))
    dml_vk.kernel(TURNS)(x, groups=1, push=(most - 1,))
    assert x.item() == most - 1
    assert (most == 65535) == dml_vk.device().name.startswith("llvmpipe")
    if dml_vk.device().limits.ends_loops:
        dml_vk.kernel(TURNS)(x, groups=1, push=(most + 1000,))
        assert x.item() < most + 1000
