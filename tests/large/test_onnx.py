"""An ONNX model with more than 2 GiB of weights in a file beside it."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

import dml_vk
from dml_vk.onnx import load

SIZE = 5 * 2**28  # bytes of each of two weights
PLACES = (0, 1, SIZE // 2, SIZE - 1)


def test_weights_beyond_2_gib_of_a_file(tmp_path):
    bytes_of = np.arange(1, 1 + 2 * len(PLACES), dtype=np.uint8).reshape(2, -1)
    with open(tmp_path / "weights.bin", "wb") as file:
        file.truncate(2 * SIZE)
        for number, values in enumerate(bytes_of):
            for place, value in zip(PLACES, values):
                file.seek(number * SIZE + place)
                file.write(bytes([value]))
    weights = []
    for number in range(2):
        weight = TensorProto(name=f"w{number}", data_type=TensorProto.UINT8, dims=[SIZE])
        weight.data_location = TensorProto.EXTERNAL
        entries = {"location": "weights.bin", "offset": number * SIZE, "length": SIZE}
        for key, value in entries.items():
            weight.external_data.add(key=key, value=str(value))
        weights.append(weight)
    graph = helper.make_graph(
        [helper.make_node("Gather", [f"w{number}", "i"], [f"y{number}"]) for number in range(2)],
        "large",
        [helper.make_tensor_value_info("i", TensorProto.INT64, [len(PLACES)])],
        [
            helper.make_tensor_value_info(f"y{n}", TensorProto.UINT8, [len(PLACES)])
            for n in range(2)
        ],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    found = load(tmp_path / "model.onnx").run({"i": np.array(PLACES)})
    assert [found[f"y{number}"].tolist() for number in range(2)] == bytes_of.tolist()
    assert dml_vk.memory_stats().in_use >= 2 * SIZE
