"""Values that shapes are computed from: on the host as on the device, and as onnx computes them."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

import dml_vk as dv
from dml_vk.onnx import Backend, ModelError, load
from dml_vk.onnx.execute import MOST_ON_HOST
from tests.kernel.onnx.models import node, of_nodes, parsed

F = np.float32
I64 = np.array
WIDE = np.arange(MOST_ON_HOST // 2)
TALL = np.arange(1, 5)[:, None]
A = I64([[7, -7, 3], [-2, 5, 1]])
CASES = {
    "sums": ("Add", [A, I64([1, 2, 3])], {}),
    "sums of much": ("Add", [WIDE, TALL], {}),
    "sums of more": ("Add", [WIDE, np.repeat(WIDE, 3).reshape(3, -1)], {}),
    "halves of numbers": ("Add", [np.float16([1.5]), np.float16([2.25])], {}),
    "several maxima": ("Max", [A, I64([0]), I64([[1], [6]])], {}),
    "roots": ("Sqrt", [F([2, 9])], {}),
    "choices": ("Where", [I64([True, False, True]), A, -A], {}),
    "quotients towards zero": ("Div", [A, I64([2, -2, 2])], {}),
    "quotients of floats": ("Div", [F([1, 2]), F([3, 4])], {}),
    "quotients of much": ("Div", [WIDE, TALL], {}),
    "remainders": ("Mod", [A, I64([2, -2, 2])], {}),
    "remainders with the sign of x": ("Mod", [A, I64([2, -2, 2])], {"fmod": 1}),
    "remainders of floats": ("Mod", [F([7, -7]), F([2, 2])], {"fmod": 1}),
    "floats as integers": ("Cast", [F([1.9, -1.9])], {"to": 7}),
    "numbers as smaller ones": ("Cast", [I64([1, 255])], {"to": 2}),
    "chosen rows": ("Gather", [A, I64([1, -1])], {"axis": 1}),
    "repeated rows": ("Expand", [I64([1, 2]), I64([3, 2])], {}),
    "much of one row": ("Expand", [I64([1, 2]), I64([MOST_ON_HOST, 2])], {}),
    "tiles": ("Tile", [A, I64([2, 1])], {}),
    "many tiles": ("Tile", [A, I64([1, MOST_ON_HOST])], {}),
    "zeros": ("ConstantOfShape", [I64([2, 3])], {}),
    "many zeros": ("ConstantOfShape", [I64([2, MOST_ON_HOST])], {}),
    "a range": ("Range", [I64(2), I64(9), I64(3)], {}),
    "a long range": ("Range", [I64(0), I64(MOST_ON_HOST + 1), I64(1)], {}),
    "parts": ("Split", [A, I64([1, 2])], {"axis": 1}),
    "products of rows": ("ReduceProd", [A], {"axes": [1]}),
    "sums of all": ("ReduceSum", [A], {"keepdims": 0}),
    "sums of floats": ("ReduceSum", [F([1, 2])], {}),
}


@pytest.mark.parametrize("name", CASES)
def test_constants_are_computed_as_onnx_does(name):
    op, inputs, attributes = CASES[name]
    names = [f"i{place}" for place in range(len(inputs))]
    constants = [numpy_helper.from_array(np.asarray(x), one) for one, x in zip(names, inputs)]
    outputs = ["y", "z"] if op == "Split" else ["y"]
    one, opset = node(op, names, outputs, **attributes), 17
    proto = of_nodes(one, constants=constants, inputs=(), outputs=outputs, opset=opset)
    expected = ReferenceEvaluator(proto).run(None, {})
    for found, wanted in zip(load(proto)().values(), expected, strict=True):
        assert (found.dtype.numpy_name, found.shape) == (str(wanted.dtype), wanted.shape)
        assert np.array_equal(found.numpy(), wanted)


@pytest.mark.parametrize(
    ("op", "inputs"),
    [
        ("Div", [I64([4]), I64([0])]),
        ("Div", [F([4]), F([0])]),
        ("Mod", [I64([4]), I64([0])]),
    ],
)
def test_what_the_device_defines_is_left_to_it(op, inputs):
    constants = [numpy_helper.from_array(x, one) for one, x in zip("ab", inputs)]
    found = load(of_nodes(node(op, ["a", "b"], ["y"]), constants=constants, inputs=()))()["y"]
    (expected,) = Backend.run_node(node(op, ["a", "b"], ["y"]), inputs)
    assert found.numpy().tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("one", "inputs", "message"),
    [
        (node("Add", ["a", "b"], ["y"]), [I64([1, 2]), I64([1, 2, 3])], "sizes must agree"),
        (node("Gather", ["a", "b"], ["y"]), [I64([1, 2]), I64([2])], "index"),
        (node("Cast", ["a"], ["y"], to=8), [F([1])], "element types must be"),
    ],
)
def test_an_error_is_that_of_the_device(one, inputs, message):
    constants = [numpy_helper.from_array(x, name) for name, x in zip("ab", inputs)]
    with pytest.raises((dv.DmlVkError, ModelError), match=message):
        load(of_nodes(one, constants=constants, inputs=()))()


def test_large_floats_as_integers_are_left_to_the_device():
    constants = [numpy_helper.from_array(F([3e9, -1]), "a")]
    model = load(of_nodes(node("Cast", ["a"], ["y"], to=7), constants=constants, inputs=()))
    assert model()["y"].tolist() == [3 * 10**9, -1]


def test_shapes_are_computed_in_branches_and_functions():
    text = """f (bool c, int64[2] s, float[n] x) => (float[a, b] y) {
        t = own.turned(s)
        y = If (c) <
            then_branch = g () => (float[a, b] p) {p = Reshape(x, t)},
            else_branch = h () => (float[a, b] q) {q = Reshape(x, s)}
        >
    }
    <domain: "own", opset_import: ["": 20]> turned (a, b) => (c) {
        i = Constant <value_ints = [1, 0]> ()
        c = Gather <axis = 0> (a, i)
    }"""
    model = load(parsed(text, head=', "own": 1'))
    x = np.arange(6, dtype=F)
    for condition, shape in ((True, (3, 2)), (False, (2, 3)), (True, (3, 2))):
        found = model(np.array(condition), [2, 3], x)["y"]
        assert np.array_equal(found.numpy(), x.reshape(shape))
    assert "kernels" in model.explain() or "0 bytes" in model.explain()
