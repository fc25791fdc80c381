"""Operations that are done in another format: which follow, and with which settings."""

from __future__ import annotations

import pytest

import dml_vk
from dml_vk import nn
from dml_vk.kernels.plan.inlined import kernel_of
from tests.kernel.compiler.tensors import same, tensor


def test_windows_of_images_are_taken_in_the_format_asked_for():
    x = tensor(2, 8, 6, 5)

    def function(x):
        return (nn.unfold(dml_vk.relu(x), 3),)

    for layout in ("nchw", "nhwc"):
        compiled = dml_vk.compile(function, layout=layout)
        same(compiled(x), function(x))
        copies = [one.target.memory_format for one in compiled.programs[0].formats.conversions]
        assert (dml_vk.channels_last in copies) == (layout == "nhwc")


@pytest.mark.parametrize("exact", [True, False])
def test_operations_in_another_format_are_as_exact_as_the_function_says(exact):
    x, weight = tensor(2, 8, 6, 5), tensor(8, 8, 3, 3)

    def function(x):
        with dml_vk.settings(exact=exact):
            return (nn.conv(x, weight, padding=1),)

    compiled = dml_vk.compile(function, layout="nhwc")
    with dml_vk.settings(exact=not exact):
        same(compiled(x), function(x))
    (program,) = compiled.programs
    (plan,) = [
        launch.work
        for part in program.parts
        for launch in part.launches
        if "conv" in launch.work.module
    ]
    kernel = kernel_of(plan)
    assert (kernel.kernel or kernel).fma == (not exact)  # a copy may be inlined into it
