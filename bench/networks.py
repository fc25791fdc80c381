"""Networks as lists of nodes, run by dml_vk, PyTorch, ONNX Runtime and ncnn's Vulkan.

A node is (operation, inputs, given). Its result is known by its number; number 0 is the input.
"""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

import dml_vk
from bench.cases import FORMATS
from dml_vk import nn


class Node(NamedTuple):
    operation: str  # "conv", "max_pool", "add", "mean" of channels, "linear"
    inputs: tuple[int, ...]
    weight: np.ndarray | None = None
    window: int = 1
    stride: int = 1
    padding: int = 0
    groups: int = 1
    relu: bool = False

    @property
    def bias(self):
        return np.linspace(-1, 1, self.weight.shape[0], dtype=np.float32)


def random(*sizes):
    scale = np.prod(sizes[1:]) ** -0.5
    return (np.random.default_rng(sum(sizes)).standard_normal(sizes) * scale).astype(np.float32)


def conv(source, sizes, stride=1, padding=0, groups=1, relu=False):
    return Node("conv", (source,), random(*sizes), sizes[-1], stride, padding, groups, relu)


def resnet18():
    nodes = [conv(0, (64, 3, 7, 7), 2, 3, relu=True), Node("max_pool", (1,), None, 3, 2, 1)]
    inputs = 64
    for outputs in (64, 128, 256, 512):
        for block in range(2):
            start, stride = len(nodes), 2 if block == 0 and outputs > 64 else 1
            nodes.append(conv(start, (outputs, inputs, 3, 3), stride, 1, relu=True))
            nodes.append(conv(start + 1, (outputs, outputs, 3, 3), 1, 1))
            short = start
            if inputs != outputs:
                nodes.append(conv(start, (outputs, inputs, 1, 1), stride))
                short = start + 3
            nodes.append(Node("add", (start + 2, short), relu=True))
            inputs = outputs
    nodes.append(Node("mean", (len(nodes),)))
    nodes.append(Node("linear", (len(nodes),), random(1000, 512)))
    return nodes


def mobilenet_v2():
    """With relu in place of relu6."""
    nodes, inputs = [conv(0, (32, 3, 3, 3), 2, 1, relu=True)], 32
    for factor, outputs, repeats, first_stride in (
        *((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2)),
        *((6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)),
    ):
        for stride in (first_stride, *[1] * (repeats - 1)):
            start, wide = len(nodes), inputs * factor
            if factor > 1:
                nodes.append(conv(start, (wide, inputs, 1, 1), relu=True))
            nodes.append(conv(len(nodes), (wide, 1, 3, 3), stride, 1, wide, relu=True))
            nodes.append(conv(len(nodes), (outputs, wide, 1, 1)))
            if stride == 1 and inputs == outputs:
                nodes.append(Node("add", (start, len(nodes))))
            inputs = outputs
    nodes.append(conv(len(nodes), (1280, 320, 1, 1), relu=True))
    nodes.append(Node("mean", (len(nodes),)))
    nodes.append(Node("linear", (len(nodes),), random(1000, 1280)))
    return nodes


def by_dml_vk(nodes, array, order):
    memory_format = FORMATS[order]

    def put(data):
        return dml_vk.asarray(data, memory_format=memory_format if data.ndim == 4 else None)

    x = put(array)
    weights = [
        None if node.weight is None else (put(node.weight), put(node.bias)) for node in nodes
    ]

    def call():
        values = [x]
        for node, weight in zip(nodes, weights):
            values.append(one_of_dml_vk(node, weight, [values[k] for k in node.inputs]))
        dml_vk.synchronize()
        return values[-1]

    return call


def one_of_dml_vk(node, weight, inputs):
    x = inputs[0]
    given = {"stride": node.stride, "padding": node.padding}
    if node.operation == "conv":
        activation = "relu" if node.relu else None
        return nn.conv(x, *weight, **given, groups=node.groups, activation=activation)
    if node.operation == "max_pool":
        return nn.max_pool(x, node.window, **given)
    if node.operation == "add":
        return dml_vk.relu(x + inputs[1]) if node.relu else x + inputs[1]
    if node.operation == "mean":
        return dml_vk.mean(x, axis=(2, 3))
    return nn.linear(x, *weight)


def by_torch(nodes, array, order):
    import torch
    from torch.nn import functional

    memory_format = torch.channels_last if order == "NHWC" else torch.contiguous_format

    def put(data):
        tensor = torch.from_numpy(data)
        return tensor.contiguous(memory_format=memory_format) if data.ndim == 4 else tensor

    x = put(array)
    weights = [
        None if node.weight is None else (put(node.weight), put(node.bias)) for node in nodes
    ]

    def one(node, weight, inputs):
        x = inputs[0]
        if node.operation == "conv":
            found = functional.conv2d(x, *weight, node.stride, node.padding, 1, node.groups)
            return found.relu_() if node.relu else found
        if node.operation == "max_pool":
            return functional.max_pool2d(x, node.window, node.stride, node.padding)
        if node.operation == "add":
            return (x + inputs[1]).relu_() if node.relu else x + inputs[1]
        return x.mean((2, 3)) if node.operation == "mean" else functional.linear(x, *weight)

    def call():
        values = [x]
        with torch.inference_mode():
            for node, weight in zip(nodes, weights):
                values.append(one(node, weight, [values[k] for k in node.inputs]))
        return values[-1]

    return call


def onnx_model(nodes, sizes):
    """The nodes as a ModelProto, for batches of any size."""
    from onnx import helper, numpy_helper

    made, weights = [], []
    for number, node in enumerate(nodes, 1):
        names, to = [f"v{k}" for k in node.inputs], f"v{number}"
        if node.weight is not None:
            for name, data in (("w", node.weight), ("b", node.bias)):
                weights.append(numpy_helper.from_array(data, f"{name}{number}"))
                names.append(f"{name}{number}")
        sides = {"strides": [node.stride] * 2, "pads": [node.padding] * 4}
        raw = to + "_" if node.relu else to
        if node.operation == "conv":
            made.append(helper.make_node("Conv", names, [raw], group=node.groups, **sides))
        elif node.operation == "max_pool":
            window = [node.window] * 2
            made.append(helper.make_node("MaxPool", names, [to], kernel_shape=window, **sides))
        elif node.operation == "add":
            made.append(helper.make_node("Add", names, [raw]))
        elif node.operation == "mean":
            made.append(helper.make_node("GlobalAveragePool", names, [to + "_"]))
            made.append(helper.make_node("Flatten", [to + "_"], [to]))
        else:
            made.append(helper.make_node("Gemm", names, [to], transB=1))
        if raw != to:
            made.append(helper.make_node("Relu", [raw], [to]))
    last = f"v{len(nodes)}"
    of = helper.make_tensor_value_info
    graph = helper.make_graph(
        made, "g", [of("v0", 1, ["n", *sizes[1:]])], [of(last, 1, None)], initializer=weights
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def by_onnxruntime(nodes, array, _order):
    import onnxruntime

    session = onnxruntime.InferenceSession(
        onnx_model(nodes, array.shape).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return lambda: session.run(None, {"v0": array})[0]


def by_ncnn(nodes, array, _order):
    import ncnn

    uses = [sum(node.inputs.count(k) for node in nodes) for k in range(len(nodes) + 1)]
    lines, data, taken = [], [], [0] * len(uses)

    def made(number):
        """The name of a result as it is written; one that is used twice needs copies."""
        return f"v{number}"

    def used(number):
        taken[number] += 1
        return f"v{number}_{taken[number]}" if uses[number] > 1 else f"v{number}"

    def layer(kind, inputs, to, params=""):
        names = " ".join([*inputs, made(to)])
        lines.append(f"{kind} n{len(lines)} {len(inputs)} 1 {names} {params}")
        split(to)

    def split(number):
        if uses[number] > 1:
            names = " ".join(f"v{number}_{k + 1}" for k in range(uses[number]))
            lines.append(f"Split n{len(lines)} 1 {uses[number]} v{number} {names}")

    _, channels, height, width = array.shape
    lines.append(f"Input n0 0 1 v0 0={width} 1={height} 2={channels}")
    split(0)
    for number, node in enumerate(nodes, 1):
        inputs = [used(k) for k in node.inputs]
        window = f"1={node.window} 3={node.stride}"
        pool = f"1={node.window} 2={node.stride} 3={node.padding}"
        if node.weight is not None:
            # A zero says that float32 follows.
            data += [np.zeros(1, np.float32), node.weight.ravel(), node.bias]
            size = f"0={node.weight.shape[0]}", f"6={node.weight.size}"
        if node.operation == "conv":
            kind = "Convolution" if node.groups == 1 else "ConvolutionDepthWise"
            rest = f"4={node.padding} 5=1 {size[1]} 7={node.groups} 9={int(node.relu)}"
            layer(kind, inputs, number, f"{size[0]} {window} {rest}")
        elif node.operation == "max_pool":
            layer("Pooling", inputs, number, f"0=0 5=1 {pool}")
        elif node.operation == "add":
            if node.relu:
                lines.append(f"BinaryOp n{len(lines)} 2 1 {' '.join(inputs)} s{number} 0=0")
                layer("ReLU", [f"s{number}"], number)
            else:
                layer("BinaryOp", inputs, number, "0=0")
        elif node.operation == "mean":
            layer("Pooling", inputs, number, "0=1 4=1")
        else:
            layer("InnerProduct", inputs, number, f"{size[0]} 1=1 2={node.weight.size}")
    blobs = sum(int(line.split()[3]) for line in lines)
    net = ncnn.Net()
    net.opt.use_vulkan_compute = True
    for name in ("fp16_packed", "fp16_storage", "fp16_arithmetic", "bf16_storage"):
        setattr(net.opt, f"use_{name}", False)
    with tempfile.TemporaryDirectory() as folder:
        param, model = Path(folder, "n.param"), Path(folder, "n.bin")
        param.write_text("\n".join(["7767517", f"{len(lines)} {blobs}", *lines]) + "\n")
        model.write_bytes(b"".join(part.tobytes() for part in data))
        assert net.load_param(str(param)) == 0
        assert net.load_model(str(model)) == 0
    images = [ncnn.Mat(one).clone() for one in array]

    def one(image):
        extractor = net.create_extractor()
        extractor.input("v0", image)
        return np.array(extractor.extract(made(len(nodes)))[1])

    def call():
        return np.stack(list(map(one, images)))

    call.net = net  # lives as long as what uses it
    return call


BY = {"dml_vk": by_dml_vk, "torch": by_torch, "onnxruntime": by_onnxruntime, "ncnn": by_ncnn}
BY = {who: make for who, make in BY.items() if importlib.util.find_spec(who) is not None}
