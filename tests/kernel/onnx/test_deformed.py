"""Deformed convolutions: those of offsets 0, of whole offsets, and ONNX's own of any."""

from __future__ import annotations

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from dml_vk.onnx import load
from tests.chance import chance
from tests.kernel.onnx.models import node, of_nodes

CASES = {
    1: {"strides": [2], "pads": [1, 2], "dilations": [2]},
    2: {"strides": [2, 1], "pads": [1, 0, 0, 2], "dilations": [1, 2], "group": 2},
    3: {"pads": [0, 1, 1, 1, 0, 1], "group": 2},
}


def numbers(*sizes):
    return chance().normal(size=sizes).astype(np.float32)


def run(op, inputs, **attributes):
    names = list("xwobm")[: len(inputs)]
    model = of_nodes(node(op, names, ["y"], **attributes), inputs=names, opset=22)
    return load(model)(*inputs)["y"].numpy(), model, dict(zip(names, inputs))


@pytest.mark.parametrize("rank", CASES)
def test_without_offsets_it_is_a_convolution_and_whole_ones_move_the_image(rank):
    sizes, kernel, attributes = (9, 8, 7)[:rank], (3, 2, 2)[:rank], CASES[rank]
    groups = attributes.get("group", 1)
    x, w, b = numbers(2, 4, *sizes), numbers(6, 4 // groups, *kernel), numbers(6)
    plain, _, _ = run("Conv", [x, w], **attributes)
    offset = np.zeros((2, 2 * rank * np.prod(kernel), *plain.shape[2:]), np.float32)
    mask = np.full((2, 2 * np.prod(kernel), *plain.shape[2:]), 0.5, np.float32)
    found, _, _ = run("DeformConv", [x, w, offset, b, mask], offset_group=2, **attributes)
    expected = 0.5 * plain + b.reshape(-1, *[1] * rank)
    np.testing.assert_allclose(found, expected, 1e-5, 1e-5)
    # All places one further along the last axis: as if the image were one back.
    moved = np.concatenate([x[..., 1:], np.zeros_like(x[..., :1])], axis=-1)
    offset.reshape(2, 2, -1, rank, *plain.shape[2:])[:, :, :, -1] = 1
    found, _, _ = run("DeformConv", [x, w, offset], offset_group=2, **attributes)
    inner = (..., slice(1, -2)) if rank < 3 else (..., slice(1, -1))
    expected, _, _ = run("Conv", [moved, w], **attributes)
    np.testing.assert_allclose(found[inner], expected[inner], 1e-5, 1e-5)


def test_any_offsets_are_those_of_the_reference():
    x, w, b = numbers(2, 4, 5, 6), numbers(4, 2, 2, 3), numbers(4)
    offset, mask = numbers(2, 2 * 2 * 6, 3, 6), numbers(2, 2 * 6, 3, 6)
    attributes = {"strides": [2, 1], "pads": [1, 1, 0, 1], "group": 2, "offset_group": 2}
    found, model, feeds = run("DeformConv", [x, w, offset, b, mask], **attributes)
    expected = ReferenceEvaluator(model).run(None, feeds)[0]
    np.testing.assert_allclose(found, expected, 1e-4, 1e-4)
    wide, _, _ = run("DeformConv", [x, w, offset, b, mask], **attributes)
    assert wide.tobytes() == found.tobytes()


@pytest.mark.parametrize(("bands", "length", "rate"), [(8, 16, 8192), (20, 64, 8000), (3, 9, 900)])
def test_bands_of_equal_width_in_mel(bands, length, rate):
    whole = [np.array(one, np.int64) for one in (bands, length, rate)]
    ends = [np.array(one, np.float32) for one in (0, rate / 2)]
    names = list("clrab")
    model = of_nodes(
        node("MelWeightMatrix", names, ["y"], output_datatype=11), inputs=names, opset=17
    )
    for one in model.graph.input[:3]:
        one.type.tensor_type.elem_type = 7
    feeds = dict(zip(names, [*whole, *ends]))
    found = load(model).run(feeds)["y"].numpy()
    expected = ReferenceEvaluator(model).run(None, feeds)[0]
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, 1e-6)
