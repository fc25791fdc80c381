"""What a node cannot take is refused by an error of its own."""

from __future__ import annotations

import sys

import numpy as np
import onnx
import pytest
from onnx import helper

from dml_vk.errors import DmlVkError
from dml_vk.onnx import Backend, ModelError, load
from tests.kernel.onnx.models import node, of_nodes, parsed

F = np.float32
X = np.ones((1, 1, 4, 4), F)
I64 = np.array
ONE = helper.make_tensor("c", 1, [2], [1, 2])
CASES = [
    (node("Constant", [], ["y"], value_string="a"), [], "a constant must be numbers"),
    (node("ConstantOfShape", ["x"], ["y"], value=ONE), [I64([2])], "value must be one number"),
    (node("Range", ["a", "b", "c"], ["y"]), [F(0), F(2), F(0)], "and delta not 0"),
    (node("EyeLike", ["x"], ["y"]), [X], "the input must be a matrix"),
    (node("Split", ["x", "s"], ["y", "z"], axis=2), [X, I64([1, 2])], "parts must add up"),
    (
        node("RNN", ["x", "w", "r"], ["y"], hidden_size=1, activations=["Sine"]),
        [np.ones((1, 1, 1), F)] * 3, "activations must be of relu",
    ),
    (node("Resize", ["x", "", "s"], ["y"]), [X, F([2, 2])], "scales or sizes must be given"),
    (node("Resize", ["x", "", "s"], ["y"]), [X, F([1, 1, -1, 1])], "must be positive"),
    (node("Resize", ["x", "", "", "s"], ["y"]), [X, I64([2])], "sizes must be given for each"),
    (node("Resize", ["x", "", "s"], ["y"], mode="odd"), [X, F([1, 1, 2, 2])], "linear or cubic"),
    (
        node("Resize", ["x", "", "s"], ["y"], coordinate_transformation_mode="odd"),
        [X, F([1, 1, 2, 2])], "coordinates must be of ONNX's modes",
    ),
    (
        node("ScatterElements", ["x", "i", "u"], ["y"], reduction="odd"),
        [F([1]), I64([0]), F([2])], "reduction must be none, add",
    ),
    (node("TopK", ["x", "k"], ["y", "z"]), [X, I64([5])], "k must be from 0"),
    (node("Reshape", ["x", "s"], ["y"]), [X, I64([3, -1])], "as many elements"),
    (node("Reshape", ["x", "s"], ["y"]), [np.zeros((0, 2), F), I64([0, -1])], "as many elements"),
    (node("Slice", ["x", "b", "e", "a"], ["y"]), [X, I64([0]), I64([1]), I64([4])], "axes must be"),
    (node("MaxPool", ["x"], ["y"], kernel_shape=[2]), [X], "kernel_shape must have a number"),
    (
        node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], pads=[1, 1]), [X],
        "pads must have two numbers",
    ),
    (node("MaxPool", ["x"], ["y"], kernel_shape=[6, 1]), [X], "windows must not exceed the padded"),
    (node("SplitToSequence", ["x", "s"], ["y"]), [F([1, 2]), I64([1])], "parts must add up"),
    (node("Neg", ["x"], ["y", "z"]), [X], "not have more outputs"),
    (node("NegativeLogLikelihoodLoss", ["", "t"], ["y"]), [X], "function must be known"),
    (node("Attention", ["q", "", "v"], ["y"]), [X, X], "inputs and attributes must fit"),
    (node("STFT", ["x", "s"], ["y"]), [X[0], I64(2)], "inputs and attributes must fit"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "inputs", "message"), CASES)
def test_a_node_that_cannot_be_computed_is_refused(one, inputs, message):
    with pytest.raises(ModelError, match=message):
        Backend.run_node(one, inputs)


def _of_sequence(*nodes):
    return of_nodes(node("SequenceConstruct", ["x", "x"], ["s"]), *nodes)


def _loop(body):
    head = "f (int64 n, float[k] x) => (float[k] y) "
    return parsed(head + "{ y = Loop <body = b " + body + "> (n, , x) }")


SCAN = """f (float[n] x, float[m] z) => (float[n] y) { y = Scan <num_scan_inputs = 2,
    body = b (float p, float q) => (float r) { r = Add(p, q) }> (x, z) }"""


@pytest.mark.parametrize(
    ("model", "feeds", "message"),
    [
        (_of_sequence(node("Neg", ["s"], ["y"])), {"x": X}, "an input must be a tensor"),
        (_of_sequence(node("Reshape", ["x", "s"], ["y"])), {"x": X}, "an input must be a tensor"),
        (
            _of_sequence(
                node("Constant", [], ["k"], value_int=2), node("SequenceAt", ["s", "k"], ["y"])
            ),
            {"x": X}, "a place must be in the sequence",
        ),
        (
            of_nodes(
                node("Optional", [], ["o"]), node("OptionalGetElement", ["o"], ["y"]), inputs=()
            ),
            {}, "an optional must have an element",
        ),
        (
            _loop("(int64 i, bool c) => (bool d, float e) {d = Identity(c) e = Cast <to = 1> (i)}"),
            {"n": np.array(2), "x": F([1])}, "as many values as it has inputs",
        ),
        (parsed(SCAN), {"x": F([1]), "z": F([1, 2])}, "scanned inputs must have one length"),
        (
            of_nodes(
                node("Scan", ["l", "x"], ["y"], num_scan_inputs=1, body=helper.make_graph(
                    [node("Neg", ["p"], ["q"])], "b",
                    [helper.make_tensor_value_info("p", 1, None)],
                    [helper.make_tensor_value_info("q", 1, None)],
                )),
                inputs=("l", "x"), opset=8,
            ),
            {"l": F([1]), "x": X}, "sequences must be as long as their tensor",
        ),
        (
            of_nodes(node("Upsample", ["x", "s"], ["y"], mode="odd"), inputs=("x", "s"), opset=9),
            {"x": X, "s": F([1, 1, 2, 2])}, "mode must be nearest or linear",
        ),
    ],
)  # fmt: skip
def test_a_model_that_cannot_be_run_is_refused(model, feeds, message):
    with pytest.raises(ModelError, match=message):
        load(model).run(feeds)


def test_what_load_and_runs_do_not_take_is_refused():
    text = "f (float[n] x, float[n] y) => (float[n] z) {z = Add(x, y)}"
    with pytest.raises(DmlVkError, match='layout must be "auto", "nchw" or "nhwc"'):
        load(parsed(text), layout="nchwc")
    with pytest.raises(DmlVkError, match="dtype must be float16, float32 or float64"):
        load(parsed(text), dtype="int32")
    model = load(parsed(text))
    with pytest.raises(ModelError, match="as many arguments as it has inputs"):
        model(1, 2, 3)
    with pytest.raises(ModelError, match="inputs must be given by their names"):
        model(x=F([1]))
    with pytest.raises(ModelError, match="input y must be of dtype float32"):
        model(F([1]), np.array([1]))
    with pytest.raises(DmlVkError, match=r"input y must have the shape \('n',\); got .*'n': 2"):
        model(F([1, 2]), F([1, 2, 3]))
    with pytest.raises(DmlVkError, match=r"input x must have the shape"):
        model(F([[1]]), F([1]))


def test_negative_sizes_of_inputs_are_refused():
    model = of_nodes(node("Neg", ["x"], ["y"]))
    model.graph.input[0].type.tensor_type.shape.dim.add(dim_value=-1)
    with pytest.raises(ModelError, match="sizes must be at least 0"):
        load(model)


def test_attributes_of_other_kinds_are_refused():
    model = of_nodes(node("Constant", [], ["y"]), inputs=())
    tensors = onnx.AttributeProto(name="value", type=onnx.AttributeProto.TENSORS)
    model.graph.node[0].attribute.append(tensors)
    with pytest.raises(ModelError, match="must be"):
        load(model)


def test_without_the_package_onnx_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModelError, match=r"pip install dml-vk\[onnx\]"):
        load(b"")
