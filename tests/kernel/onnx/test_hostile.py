"""Models that are malformed, truncated or meant to do harm."""

from __future__ import annotations

import random
import sys

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from dml_vk.errors import DmlVkError
from dml_vk.onnx import ModelError, load
from tests.kernel.onnx.models import node, of_nodes, parsed

TEXT = """f (float[n, 4] x) => (float[n, 2] y)
<float[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}> {
    p = MatMul(x, w)
    c = Constant <value = float[2] {1, 2}> ()
    q = Add(p, c)
    y = LeakyRelu <alpha = 0.5> (q)
}"""


def test_a_truncated_model_is_refused():
    data = parsed(TEXT).SerializeToString()
    refused = 0
    for size in range(len(data)):
        try:
            load(data[:size])
        except ModelError:
            refused += 1
    assert refused == len(data)


def test_a_model_with_random_bytes_is_refused_or_fails_by_an_error_of_ours():
    data, changes = parsed(TEXT).SerializeToString(), random.Random(5)
    refused = 0
    for _ in range(400):
        own = bytearray(data)
        for _ in range(changes.randint(1, 4)):
            own[changes.randrange(len(own))] = changes.randrange(256)
        try:
            load(bytes(own)).run({"x": np.ones((3, 4), np.float32)})
        except DmlVkError:
            refused += 1
    assert refused > 100


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (of_nodes(node("Add", ["x", "b"], "a"), node("Neg", ["a"], "b"), node("Neg", ["b"], "y")),
         "the graph has a cycle"),
        (of_nodes(node("Neg", ["x"], ["y"]), node("Abs", ["x"], "y")), "name is defined twice"),
        (of_nodes(node("Neg", ["z"], ["y"])), "uses names that nothing defines"),
        (of_nodes(node("Neg", ["x"], ["a"])), "uses names that nothing defines"),
        (of_nodes(node("Neg", ["x"], ["y"]), inputs=("x", "x")), "names of their own"),
        (of_nodes(node("Neg", ["x", "x"], ["y"])), "Neg takes 1 to 1 inputs"),
        (of_nodes(node("Neg", [], ["y"])), "Neg takes 1 to 1 inputs"),
        (of_nodes(node("Softmax", ["x"], ["y"], axis="last")), "axis of Softmax must be of"),
        (of_nodes(node("Frobnicate", ["x"], ["a"], name="first"), node("Gnarl", ["a"], ["y"])),
         r"missing=\['ai.onnx.Frobnicate\(first\), opset 20', 'ai.onnx.Gnarl\(y\), opset 20'\]"),
        (of_nodes(node("Neg", ["x"], ["y"], domain="who")), r"who.Neg\(y\), opset 0"),
        (of_nodes(node("Neg", ["x"], ["y"]), node("Gnarl", [], [])), r"'ai.onnx.Gnarl, opset 20'"),
        (parsed("f (float[n] x) => (float[n] y) {y = Neg(x)}", opset=999), "the opset must be"),
        (parsed("f (string[n] x) => (string[n] y) {y = Identity(x)}"), "type='STRING'"),
    ],
)  # fmt: skip
def test_a_malformed_graph_is_refused(model, message):
    with pytest.raises(ModelError, match=message):
        load(model)


def test_nodes_may_come_in_any_order():
    model = of_nodes(
        node("Sub", ["a", "b"], ["y"]), node("Abs", ["x"], ["a"]), node("Exp", ["a"], ["b"])
    )
    assert load(model)(np.zeros(2, np.float32))["y"].tolist() == [-1.0, -1.0]


def _tensor(**changes):
    tensor = numpy_helper.from_array(np.ones((2, 3), np.float32), "w")
    for name, value in changes.items():
        if isinstance(value, list):
            del getattr(tensor, name)[:]
            getattr(tensor, name).extend(value)
        else:
            setattr(tensor, name, value)
    return of_nodes(node("Add", ["x", "w"], ["y"]), constants=[tensor])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (_tensor(dims=[2, 4]), "as many bytes as its shape and type say"),
        (_tensor(dims=[2**20, 2**20]), "as many bytes as its shape and type say"),
        (_tensor(dims=[0, 2**40, 2**40]), "their product at most"),
        (_tensor(dims=[-2, -3]), "sizes must be at least 0"),
        (_tensor(raw_data=b"abc"), "as many bytes as its shape and type say"),
        (_tensor(data_type=16), "type='BFLOAT16'"),
        (_tensor(data_type=77), "type='77'"),
        (_tensor(data_type=22), "as many bytes as its shape and type say"),
    ],
)
def test_a_tensor_that_is_not_what_it_says_is_refused(model, message):
    with pytest.raises(ModelError, match=message):
        load(model)


@pytest.mark.parametrize(
    ("kind", "count"), [(1, 5), (7, 7), (10, 5), (11, 0), (14, 6), (22, 2), (13, 1)]
)
def test_a_tensor_with_another_number_of_numbers_is_refused(kind, count):
    tensor = onnx.TensorProto(name="w", data_type=kind, dims=[2, 3])
    for name in ("float_data", "int32_data", "int64_data", "double_data", "uint64_data"):
        getattr(tensor, name).extend([1] * count)
    with pytest.raises(ModelError, match="as many numbers as its shape says"):
        load(of_nodes(node("Add", ["x", "w"], ["y"]), constants=[tensor]))


def test_sparse_tensors_are_refused():
    model = of_nodes(node("Neg", ["x"], ["y"]))
    values = numpy_helper.from_array(np.ones(1, np.float32), "s")
    places = numpy_helper.from_array(np.zeros(1, np.int64), "i")
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, places, [2**40]))
    with pytest.raises(ModelError, match="sparse tensors are not supported"):
        load(model)


def _external(tmp_path, location, nbytes=24, **entries):
    tensor = onnx.TensorProto(name="w", data_type=1, dims=[2, 3], data_location=1)
    for key, value in {"location": location, "length": nbytes, **entries}.items():
        tensor.external_data.add(key=key, value=str(value))
    folder = tmp_path / "model"
    folder.mkdir()
    path = folder / "model.onnx"
    path.write_bytes(
        of_nodes(node("Add", ["x", "w"], ["y"]), constants=[tensor]).SerializeToString()
    )
    return path


def test_external_data_are_read_from_the_folder(tmp_path):
    path = _external(tmp_path, "weights.bin", offset=4)
    (path.parent / "weights.bin").write_bytes(np.arange(7, dtype=np.float32).tobytes())
    found = load(path)(np.zeros((2, 3), np.float32))["y"]
    assert found.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


@pytest.mark.parametrize(
    "location", ["../weights.bin", "", "nothing.bin", "a\0b", ".", "/etc/hostname"]
)
def test_external_data_outside_of_the_folder_are_refused(tmp_path, location):
    path = _external(tmp_path, location)
    (tmp_path / "weights.bin").write_bytes(bytes(24))
    with pytest.raises(ModelError, match="must be a file in the model's folder"):
        load(path)


@pytest.mark.linux
def test_a_link_does_not_lead_out_of_the_folder(tmp_path):
    path = _external(tmp_path, "weights.bin")
    (tmp_path / "elsewhere.bin").write_bytes(bytes(24))
    (path.parent / "weights.bin").symlink_to(tmp_path / "elsewhere.bin")
    with pytest.raises(ModelError, match="must be a file in the model's folder"):
        load(path)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"offset": 8}, "must lie within their file"),
        ({"offset": -1}, "must lie within their file"),
        ({"nbytes": 2**62}, "must lie within their file"),
        ({"nbytes": 20}, "as many bytes as its shape and type say"),
        ({"offset": "first"}, "must have numbers as offset and length"),
    ],
)
def test_external_data_beyond_their_file_are_refused(tmp_path, entries, message):
    path = _external(tmp_path, "weights.bin", **entries)
    (path.parent / "weights.bin").write_bytes(bytes(24))
    with pytest.raises(ModelError, match=message):
        load(path)


def test_external_data_without_a_length_go_on_to_the_end(tmp_path):
    path = _external(tmp_path, "weights.bin")
    model = onnx.load(path, load_external_data=False)
    del model.graph.initializer[0].external_data[1]
    path.write_bytes(model.SerializeToString())
    (path.parent / "weights.bin").write_bytes(b"")
    with pytest.raises(ModelError, match=r"as many bytes .*; got .*bytes=0"):
        load(path)


def test_external_data_of_a_model_without_a_folder_are_refused(tmp_path):
    path = _external(tmp_path, "weights.bin")
    with pytest.raises(ModelError, match="must be a file in the model's folder"):
        load(path.read_bytes())


def _functions(*texts):
    head = ', "own": 1'
    return parsed("f (float[n] x) => (float[n] y) {y = own.f0(x)}\n" + "\n".join(texts), head=head)


def _function(name, body):
    return f'<domain: "own", opset_import: ["": 20, "own": 1]> {name} (a) => (b) {{{body}}}'


def test_a_function_that_calls_itself_is_refused():
    with pytest.raises(ModelError, match="at most 64 deep in each other"):
        load(_functions(_function("f0", "b = own.f0(a)")))


def test_functions_that_double_the_nodes_again_and_again_are_refused(monkeypatch):
    monkeypatch.setattr(sys.modules["dml_vk.onnx.reading"], "MOST_NODES", 1000)
    bodies = [f"c = own.f{k + 1}(a) b = own.f{k + 1}(c)" for k in range(40)]
    texts = [_function(f"f{k}", body) for k, body in enumerate(bodies)]
    with pytest.raises(ModelError, match="at most 1000 nodes"):
        load(_functions(*texts, _function("f40", "b = Neg(a)")))


def test_what_does_not_fit_an_operator_is_an_error_with_its_node():
    model = of_nodes(node("Split", ["x"], ["y"], axis=7, name="cut"))
    with pytest.raises(ModelError, match=r"Split\(cut\): inputs and attributes must fit"):
        load(model)(np.zeros((2, 2), np.float32))
    model = of_nodes(node("MatMul", ["x", "x"], ["y"], name="square"))
    with pytest.raises(DmlVkError, match=r"MatMul\(square\): matmul: "):
        load(model)(np.zeros((2, 3), np.float32))


def test_an_attribute_that_is_missing_is_an_error():
    with pytest.raises(ModelError, match=r"Concat: an attribute is missing; got attribute='axis'"):
        load(of_nodes(node("Concat", ["x", "x"], ["y"])))(np.zeros(2, np.float32))


def test_texts_must_be_in_utf_8():
    model = of_nodes(node("Gelu", ["x"], ["y"], approximate=b"\xff"))
    with pytest.raises(ModelError, match="texts must be UTF-8"):
        load(model)


def test_what_is_no_model_is_refused(tmp_path):
    for given in (None, 5, {"graph": 1}):
        with pytest.raises(ModelError, match="model must be a path, bytes or a ModelProto"):
            load(given)
    with pytest.raises(ModelError, match="a model must have a graph"):
        load(onnx.ModelProto())
    with pytest.raises(ModelError, match="a model must be a protobuf of ONNX"):
        load(b"no model")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.onnx")


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "model.onnx"
    path.write_bytes(bytes(100))
    monkeypatch.setattr(sys.modules["dml_vk.onnx.loading"], "MOST_BYTES", 99)
    with pytest.raises(ModelError, match="must have less than 2 GiB"):
        load(path)
