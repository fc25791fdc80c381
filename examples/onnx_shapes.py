"""Runs an ONNX model file on a device: a residual network that tells shapes apart.

`python examples/onnx_shapes.py [FILE.onnx]` makes the file if it is not there, always the same one,
from the weights of shapes.py. It then classifies pictures, in both memory formats with equal bits,
and prints what became of the nodes. A file of your own runs by
`python -m dml_vk run FILE.onnx --profile`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from resnet import KINDS, WIDTHS, loaded
from shapes import SIZE, drawn

import dml_vk
from dml_vk.onnx import load
from dml_vk.random import Generator


def made(weights: Mapping[str, np.ndarray]) -> Any:
    """The network of resnet.py as a ModelProto, whose batch may have any size."""
    nodes: list[Any] = []
    arrays = {**weights, "one": np.ones(3, np.float32), "zero": np.zeros(3, np.float32)}

    def node(op: str, inputs: list[str], output: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(op, inputs, [output], output, **attributes))
        return output

    def conv(x: str, name: str, stride: int = 1) -> str:
        pads = [weights[f"{name}.weight"].shape[2] // 2] * 4
        return node("Conv", [x, f"{name}.weight"], name, strides=[stride] * 2, pads=pads)

    def norm(x: str, name: str) -> str:
        parts = ("weight", "bias", "running_mean", "running_var")
        return node("BatchNormalization", [x, *[f"{name}.{part}" for part in parts]], name)

    x = node("InstanceNormalization", ["pictures", "one", "zero"], "normalized")
    x = node("Relu", [norm(conv(x, "stem.conv"), "stem.norm")], "stem")
    seen = []
    for number in range(len(WIDTHS)):
        name = f"blocks.{number}"
        stride = 2 if f"{name}.shortcut.weight" in weights else 1
        y = norm(conv(x, f"{name}.conv1", stride), f"{name}.norm1")
        y = norm(conv(node("Relu", [y], f"{name}.relu"), f"{name}.conv2"), f"{name}.norm2")
        if stride > 1:
            x = conv(x, f"{name}.shortcut", stride)
        x = node("Relu", [node("Add", [x, y], f"{name}.sum")], name)
        for pool in ("Average", "Max"):
            pooled = node(f"Global{pool}Pool", [x], f"{name}.{pool}")
            seen.append(node("Flatten", [pooled], f"{pooled}.flat"))
    x = node("Concat", seen, "seen", axis=1)
    x = node("Gemm", [x, "head.weight", "head.bias"], "head", transB=1)
    node("Softmax", [x], "kinds")
    given, answer = (
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n", *sizes])
        for name, sizes in (("pictures", (3, SIZE, SIZE)), ("kinds", (len(KINDS),)))
    )
    stored = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    graph = helper.make_graph(nodes, "shapes", [given], [answer], stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def main() -> None:
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "shapes.onnx")
    if not path.exists():
        weights = loaded(path.with_suffix(".safetensors"))
        onnx.save(made({name: tensor.numpy() for name, tensor in weights.items()}), str(path))
    kinds = dml_vk.arange(10, dtype="int32") % len(KINDS)
    pictures = drawn(kinds, Generator(seed=2026))
    models = {layout: load(path, layout=layout) for layout in ("nchw", "nhwc", "auto")}
    found = {layout: model(pictures)["kinds"].numpy() for layout, model in models.items()}
    scores = found["auto"]
    for kind, row in zip(kinds.tolist(), scores):
        print(f"drawn: {KINDS[kind]:8}  found: {KINDS[row.argmax()]:8}  by {row.max():.0%}")
    equal = all(one.tobytes() == scores.tobytes() for one in found.values())
    print(f"\nequal bits in all layouts: {equal}\n\n{models['auto'].explain()}")


if __name__ == "__main__":
    main()
