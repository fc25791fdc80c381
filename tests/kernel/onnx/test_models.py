"""Whole models: how they are loaded, fused and run, and other interfaces to them."""

from __future__ import annotations

import threading

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import dml_vk as dv
from dml_vk.onnx import Backend, InferenceSession, ModelError, load
from tests.kernel.onnx.models import node, of_nodes, parsed
from tests.onnx_networks import Builder

F = np.float32
X = np.linspace(-2, 2, 2 * 3 * 8 * 8, dtype=F).reshape(2, 3, 8, 8)


def _network(activation, **attributes):
    """What can be joined, and beside it what cannot: results that others need, missing weights."""
    b = Builder(3)
    x = b.conv("x", 3, 4, activation=None)
    x = b.node(activation, x, **attributes)
    y = b.node("Conv", x, b.weight(4, 4, 1, 1), b.weight(4))
    x = b.node(activation, b.batch_norm(y, 4), **attributes)
    y = b.node("Conv", x, b.weight(4, 4, 1, 1))
    x = b.node("Add", b.node(activation, y, **attributes), y)
    x = b.batch_norm(x, 4)
    x = b.node(activation, x, **attributes)
    x = b.node(activation, x, **attributes)
    x = b.node(activation, b.linear(b.node("Flatten", x), 256, 5), **attributes)
    return b.model({"x": ["n", 3, 8, 8]}, x)


@pytest.mark.parametrize(
    ("activation", "attributes"), [("Relu", {}), ("HardSigmoid", {"alpha": 0.3}), ("Tanh", {})]
)
def test_joined_nodes_give_what_the_nodes_give_with_the_same_bits_in_both_layouts(
    activation, attributes
):
    proto = _network(activation, **attributes)
    expected = ReferenceEvaluator(proto).run(None, {"x": X})[0]
    found = []
    for layout in ("auto", "nchw", "nhwc"):
        model = load(proto, layout=layout)
        assert model.explain().endswith("\nnot run yet")
        found.append(next(iter(model(X).values())).numpy())
        assert f"1 x BatchNormalization + {activation} as one" in model.explain()
        assert "2 x Conv + BatchNormalization as one" in model.explain()
        assert f"2 x Conv + {activation} as one" in model.explain()
        assert f"1 x Gemm + {activation} as one" in model.explain()
    np.testing.assert_allclose(found[0], expected, rtol=1e-5, atol=1e-6)
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()


def test_what_follows_samples_of_regions_is_part_of_their_kernel():
    samples = "(float[2, 3, 8, 8] x, float[4, 4] r, int64[4] b, float[3, 1, 1] s) => (float[n] {})"
    body = "a = RoiAlign <output_height = 3, output_width = 5, sampling_ratio = 2> (x, r, b)"
    alone = load(parsed(f"f {samples.format('a')} {{ {body} }}"))
    proto = parsed(f"f {samples.format('y')} {{ {body} m = Mul(a, s) y = Relu(m) }}")
    model = load(proto)
    for number in range(2):
        regions = np.abs(np.random.default_rng(number).normal(4, 3, (4, 4))).astype(F)
        feeds = {"x": X - number, "r": regions, "b": np.array([0, 1, 1, 0])}
        scale = {"s": np.linspace(-1, 1, 3, dtype=F).reshape(3, 1, 1)}
        expected = np.maximum(alone.run({**feeds, **scale})["a"].numpy() * scale["s"], 0)
        assert (expected > 0).any()
        np.testing.assert_array_equal(model.run({**feeds, **scale})["y"].numpy(), expected)
    *_, last = [line for line in model.explain().splitlines() if "RoiAlign" in line]
    assert last.split()[1] == "roi_samples_float"
    assert "Mul(m), Relu(y)" in last


def test_what_trains_or_has_no_weights_of_floats_is_not_joined():
    b = Builder(3)
    x = b.node("Conv", b.node("Relu", b.node("Conv", "x", "u")), "w")
    parts = [b.constant(np.full(4, size, F)) for size in (1, 2, 3, 4)]
    x = b.node("Relu", b.node("BatchNormalization", x, *parts))
    x, _, _ = b.node("BatchNormalization", x, *parts, outputs=3, training_mode=1)
    y = b.node("Conv", x, b.weight(4, 4, 1, 1))
    y, _, _ = b.node("BatchNormalization", y, *parts, outputs=3, training_mode=1)
    z = b.node("BatchNormalization", y, *parts, training_mode=0)
    w = b.node("Conv", z, b.weight(4, 4, 1, 1))
    w = b.node("BatchNormalization", w, *parts[:3], b.node("Abs", "v"))
    proto = b.model({"x": [2, 3, 8, 8], "u": [3, 3, 1, 1], "w": [4, 3, 1, 1], "v": [4]}, w)
    feeds = {"x": X, "u": np.ones((3, 3, 1, 1), F), "w": np.ones((4, 3, 1, 1), F)}
    feeds["v"] = np.full(4, -4, F)
    model = load(proto)
    found = next(iter(model.run(feeds).values())).numpy()
    expected = ReferenceEvaluator(proto).run(None, feeds)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    assert model.explain().startswith("1 x BatchNormalization + Relu as one\n")


def test_what_others_read_too_is_not_joined():
    b = Builder(5)
    shown = b.node("Conv", "x", b.weight(4, 3, 1, 1))
    twice = b.node("Conv", "x", b.weight(4, 3, 1, 1))
    last = b.node("Add", b.node("Relu", shown), b.node("Add", b.node("Relu", twice), twice))
    proto = b.model({"x": [2, 3, 8, 8]}, last)
    proto.graph.output.append(onnx.helper.make_tensor_value_info(shown, 1, None))
    model = load(proto)
    for found, expected in zip(model(X).values(), ReferenceEvaluator(proto).run(None, {"x": X})):
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)
    assert "as one" not in model.explain()


def test_weights_of_two_dtypes_are_not_joined():
    constants = [np.ones((1, 1, 1, 1), np.float16), *[np.ones(1, F)] * 4]
    names = ["w", "s", "b", "m", "v"]
    made = [onnx.numpy_helper.from_array(one, name) for one, name in zip(constants, names)]
    nodes = [
        node("Cast", ["x"], ["h"], to=10),
        node("Conv", ["h", "w"], ["c"]),
        node("BatchNormalization", ["c", "s", "b", "m", "v"], ["y"], epsilon=0.0),
    ]
    model = load(of_nodes(*nodes, constants=made))
    assert model(X[:, :1])["y"].numpy().tobytes() == X[:, :1].astype(np.float16).tobytes()
    assert "as one" not in model.explain()


def test_functions_and_loops_of_a_model_run():
    text = """f (int64 n, float[k] x) => (float[k] y, int64[m] p, float[j, 3] q) {
        t, p, q = Loop <body = b (int64 i, bool c, float[k] a)
            => (bool d, float[k] e, int64 i, float[3] r) {
            d = Identity(c)
            e = own.twice <factor: float = 2.0> (a)
            r = Constant <value_floats = [1.0, 2.0, 3.0]> ()
        }> (n, , x)
        y = own.more(t)
    }
    <domain: "own", opset_import: ["": 20]> twice <factor> (a) => (b)
        { f = Constant <value_float: float = @factor> () b = Mul(a, f) }
    <domain: "own", opset_import: ["": 20, "own": 1]> more (a, b) => (c)
        { c = own.twice <factor: float = 0.5> (a) }"""
    model = load(parsed(text, head=', "own": 1'))
    found = model.run({"n": np.array(3), "x": F([1, 2])})
    assert {name: one.tolist() for name, one in found.items()} == {
        "y": [4.0, 8.0], "p": [0, 1, 2], "q": [[1.0, 2.0, 3.0]] * 3,
    }  # fmt: skip
    nothing = model.run({"n": np.array(0), "x": F([1, 2])})
    assert [one.shape for one in nothing.values()] == [(2,), (0,), (0, 3)]


def test_a_model_that_needs_values_on_the_way_runs_node_by_node_and_says_why():
    text = """f (float[n] x) => (float[m] y) {
        i = NonZero(x) s = Shape(i) k = Constant <value_ints = [-1]> () a = Reshape(i, k)
        y = Gather(x, a)
    }"""
    model = load(parsed(text))
    for _ in range(2):
        assert model(F([0, 3, 0, 5]))["y"].tolist() == [3.0, 5.0]
        assert model.explain().startswith("node by node, since ")


def test_a_model_that_needs_values_is_measured_node_by_node():
    model = load(parsed("f (float[n] x) => (int64[1, m] y) {z = Neg(x) y = NonZero(z)}"))
    outputs, times = model.measure({"x": F([0, 3, 0, 5])})
    assert outputs["y"].tolist() == [[1, 3]]
    assert [one.nodes for one in times] == [("Neg(z)",), ("NonZero(y)",)]


@pytest.mark.parametrize(
    ("layout", "formats"),
    [
        ("auto", [dv.contiguous_format, dv.channels_last]),
        ("nchw", [dv.contiguous_format] * 2),
        ("nhwc", [dv.channels_last] * 2),
    ],
)
def test_inputs_may_be_tensors_on_the_device_and_get_the_layout(layout, formats):
    text = "f (float[a, b, c, d] x) => (float[a, b, c, d] y) {y = Neg(x)}"
    model = load(parsed(text), layout=layout)
    for given, wanted in zip((dv.contiguous_format, dv.channels_last), formats):
        found = model(dv.asarray(X, memory_format=given))["y"]
        assert found.memory_format == wanted
        assert np.array_equal(found.numpy(), -X)


def test_a_model_in_float16_takes_both_dtypes():
    model = load(parsed("f (float[n] x) => (float[n] y) {y = Exp(x)}"), dtype="float16")
    for x in (F([0, 1]), np.float16([0, 1])):
        found = model(x)["y"].numpy()
        assert (found.dtype, found[0]) == (np.float16, 1)


def test_shapes_that_inputs_give_are_part_of_the_signature():
    text = "f (float[n] x, int64[m] s) => (float[a, b] y) {y = Reshape(x, s)}"
    model = load(parsed(text))
    x = np.arange(6, dtype=F)
    for sizes in ([2, 3], [3, 2], [2, 3]):
        assert np.array_equal(model(x, sizes)["y"].numpy(), x.reshape(sizes))
    assert model.outputs["y"].shape == ("a", "b")


def test_sequences_are_given_as_lists():
    given = onnx.helper.make_tensor_sequence_value_info("s", 1, None)
    made = onnx.helper.make_empty_tensor_value_info("y")
    join = node("ConcatFromSequence", ["s"], ["y"], axis=0)
    graph = onnx.helper.make_graph([join], "f", [given], [made])
    model = load(onnx.helper.make_model(graph, ir_version=9))
    assert model(s=[F([1]), F([2, 3])])["y"].tolist() == [1.0, 2.0, 3.0]


def test_two_weights_of_one_file_are_read_from_it(tmp_path):
    constants = []
    for place, name in enumerate("ab"):
        tensor = onnx.TensorProto(name=name, data_type=1, dims=[2], data_location=1)
        for key, value in {"location": "w.bin", "offset": 8 * place, "length": 8}.items():
            tensor.external_data.add(key=key, value=str(value))
        constants.append(tensor)
    model = of_nodes(node("Sum", ["x", "a", "b"], ["y"]), constants=constants)
    (tmp_path / "w.bin").write_bytes(F([1, 2, 3, 4]).tobytes())
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    assert load(str(tmp_path / "model.onnx"))(F([0, 10]))["y"].tolist() == [4.0, 16.0]


def test_a_model_is_used_by_several_threads():
    proto = _network("Relu")
    model = load(proto)
    expected = [next(iter(load(proto)(X[:n]).values())).numpy() for n in (1, 2)]
    found = [[], []]

    def use(place):
        for _ in range(5):
            found[place].append(next(iter(model(X[: place + 1]).values())).numpy())

    threads = [threading.Thread(target=use, args=(place,)) for place in (0, 1)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for place in (0, 1):
        assert len(found[place]) == 5
        assert all(one.tobytes() == expected[place].tobytes() for one in found[place])


@pytest.mark.parametrize(("layout", "kept"), [("auto", True), ("nchw", False), ("nhwc", True)])
def test_weights_of_convolutions_are_uploaded_once_in_the_format_of_the_layout(layout, kept):
    b = Builder(5)
    x = b.node("Conv", "x", b.weight(4, 3, 3, 3))
    shared = b.weight(2, 4, 1, 1)
    other = b.node("Mul", shared, b.node("ReduceMax", "x", keepdims=0))
    y = b.node("Mul", b.node("Conv", x, shared), b.node("ReduceSum", other, keepdims=0))
    proto = b.model({"x": ["n", 3, 8, 8]}, y)
    model = load(proto, layout=layout)
    text = "1 weights of convolutions are kept as channels_last"
    assert (text in model.explain()) is kept  # the other one is read by somebody else
    for batch in (1, 2):
        found = next(iter(model(X[:batch]).values()))
        expected = ReferenceEvaluator(proto).run(None, {"x": X[:batch]})[0]
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=1e-5)
    assert "weight of" not in model.explain()


def test_programs_name_the_nodes_and_what_the_layout_converts():
    b = Builder(6)
    x = b.conv("x", 3, 8, activation="Relu")
    x = b.node("Exp", x, name="grow")
    model = load(b.model({"x": ["n", 3, 8, 8]}, x), layout="nhwc")
    model(dv.asarray(X))
    text = model.explain()
    assert "Exp(grow)" in text
    assert "layout: nhwc; by the estimates" in text


@pytest.mark.parametrize(("opset", "dtype"), [(7, np.float32), (10, np.bool_)])
def test_masks_of_dropout_have_the_dtype_of_their_opset(opset, dtype):
    kind = "float" if dtype is np.float32 else "bool"
    model = load(
        parsed(f"f (float[n] x) => (float[n] y, {kind}[n] m) {{y, m = Dropout(x)}}", opset)
    )
    mask = model(dv.ones(3))["m"]
    assert mask.numpy().dtype == dtype
    assert mask.tolist() == [1, 1, 1]


def test_a_session_has_the_methods_of_onnxruntime():
    text = "f (float[n, 2] x, double d) => (float[n, 2] y, float[n, 2] z) {y = Neg(x) z = Abs(x)}"
    options = {"providers": ["CPU"], "provider_options": [{"device_id": 0}]}
    session = InferenceSession(parsed(text).SerializeToString(), **options)
    assert [tuple(one) for one in session.get_inputs()] == [
        ("x", "tensor(float)", ["n", 2]), ("d", "tensor(double)", []),
    ]  # fmt: skip
    assert [one.name for one in session.get_outputs()] == ["y", "z"]
    assert session.get_providers() == ["dml_vk"]
    feed = {"x": F([[1, -2]]), "d": np.array(1.0)}
    assert [one.tolist() for one in session.run(None, feed)] == [[[-1, 2]], [[1, 2]]]
    (found,) = session.run(["z"], feed)
    assert isinstance(found, np.ndarray)
    with pytest.raises(ModelError, match="outputs must be asked for by their names"):
        session.run(["w"], feed)


def test_the_backend_tells_what_it_can_run():
    good = parsed("f (float[n] x) => (float[n] y) {y = Neg(x)}")
    assert Backend.is_compatible(good)
    assert not Backend.is_compatible(of_nodes(node("Frobnicate", ["x"], ["y"])))
    assert Backend.supports_device("CPU")
    assert not Backend.supports_device("TPU:0")
    prepared = Backend.prepare(good)
    x = F([1, 2])
    for given in (x, [x], {"x": x}):
        assert prepared.run(given)[0].tolist() == [-1.0, -2.0]
    pair = of_nodes(node("SequenceConstruct", ["x", "x"], ["y"]))
    assert [one.tolist() for one in Backend.run_model(pair, [x])[0]] == [[1, 2]] * 2
