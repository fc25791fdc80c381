"""Pools whose windows exceed the padded input, beside onnxruntime."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from onnx import helper

from dml_vk.errors import ModelError
from dml_vk.onnx import load
from tests import tier

CASES = tier.crossed((1, 3), (2, 4, 5), (1, 2, 3, 5), ([0, 0], [0, 1], [1, 1]), (1, 2), (0, 1))


def model(name, window, stride, pads, dilation, ceil):
    more = {"count_include_pad": ceil} if name == "AveragePool" else {}
    node = helper.make_node(
        *(name, ["x"], ["y"]),
        kernel_shape=[window],
        strides=[stride],
        pads=pads,
        ceil_mode=ceil,
        **({"dilations": [dilation]} if dilation > 1 else {}),
        **more,
    )
    (x, y) = (helper.make_tensor_value_info(one, 1, [1, 2, None]) for one in "xy")
    graph = helper.make_graph([node], "pool", [x], [y])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)])
    made.ir_version = 10
    return made


@pytest.mark.parametrize("name", ["MaxPool", "AveragePool", "LpPool"])
def test_windows_that_exceed_the_padded_input(name):
    onnxruntime.set_default_logger_severity(4)
    rng, seen = np.random.default_rng(3), []
    for size, window, stride, pads, dilation, ceil in CASES:
        beyond = (window - 1) * dilation + 1 - size - sum(pads)
        places = np.arange(window) * dilation - pads[0]
        if beyond <= 0 or not ((places >= 0) & (places < size)).any():
            continue
        made = model(name, window, stride, pads, dilation, ceil)
        x = rng.normal(size=(1, 2, size)).astype(np.float32)
        session = onnxruntime.InferenceSession(made.SerializeToString())
        if beyond >= 2 * stride:
            with pytest.raises(ModelError, match="windows must not exceed the padded input"):
                load(made)(x)
            continue
        (expected,) = session.run(None, {"x": x})
        (found,) = load(made)(x).values()
        assert found.shape == expected.shape
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
        seen.append(found.shape[2])
    assert {0, 1} == set(seen)
