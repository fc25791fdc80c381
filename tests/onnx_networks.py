"""Seeded networks as ONNX models: the shapes of well-known ones, small."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import onnx
from onnx import helper


class Builder:
    """A graph that grows node by node; each method returns the name of a result."""

    def __init__(self, seed: int, opset: int = 17) -> None:
        self._random = np.random.default_rng(seed)
        self._opset = opset
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._names = (f"v{number}" for number in itertools.count())

    def weight(self, *shape: int, scale: float | None = None) -> str:
        fan = int(np.prod(shape[1:])) or 1
        drawn = self._random.standard_normal(shape) * (scale or fan**-0.5)
        return self.constant(drawn.astype(np.float32))

    def constant(self, array: Any) -> str:
        name = next(self._names)
        self._constants.append(onnx.numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        names = [next(self._names) for _ in range(outputs)]
        self._nodes.append(helper.make_node(op, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def conv(self, x: str, inputs: int, outputs: int, kernel: int = 3, **named: Any) -> str:
        """A convolution with "same" padding, a normalization, and an activation."""
        stride, groups = named.get("stride", 1), named.get("groups", 1)
        pad = kernel // 2
        w = self.weight(outputs, inputs // groups, kernel, kernel)
        shape = {"kernel_shape": [kernel] * 2, "pads": [pad] * 4, "strides": [stride] * 2}
        found = self.node("Conv", x, w, group=groups, **shape)
        if named.get("norm", True):
            found = self.batch_norm(found, outputs)
        activation = named.get("activation", "Relu")
        return self.node(activation, found) if activation else found

    def batch_norm(self, x: str, channels: int) -> str:
        parts = [self._random.uniform(0.5, 1.5, channels) for _ in range(4)]
        names = [self.constant(one.astype(np.float32)) for one in parts]
        return self.node("BatchNormalization", x, *names)

    def linear(self, x: str, inputs: int, outputs: int) -> str:
        w, b = self.weight(outputs, inputs), self.weight(outputs, scale=0.1)
        return self.node("Gemm", x, w, b, transB=1)

    def model(self, inputs: dict[str, list[Any]], output: str, kind: int = 1) -> Any:
        given = [helper.make_tensor_value_info(name, kind, shape) for name, shape in inputs.items()]
        wanted = [helper.make_empty_tensor_value_info(output)]
        graph = helper.make_graph(self._nodes, "network", given, wanted, self._constants)
        # The output's type is found by onnx, as onnxruntime wants it.
        opsets = [helper.make_opsetid("", self._opset)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        return onnx.shape_inference.infer_shapes(model)


def resnet(seed: int = 0) -> Any:
    b = Builder(seed)
    x = b.conv("x", 3, 16, 7, stride=2)
    x = b.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for inputs, outputs, stride in ((16, 16, 1), (16, 32, 2), (32, 32, 1)):
        y = b.conv(x, inputs, outputs, stride=stride)
        y = b.conv(y, outputs, outputs, activation=None)
        if stride > 1:
            x = b.conv(x, inputs, outputs, 1, stride=stride, activation=None)
        x = b.node("Relu", b.node("Add", x, y))
    x = b.node("Flatten", b.node("GlobalAveragePool", x))
    return b.model({"x": ["n", 3, 64, 64]}, b.node("Softmax", b.linear(x, 32, 10)))


def mobilenet_v2(seed: int = 1) -> Any:
    b = Builder(seed)
    low, high = b.constant(np.float32(0)), b.constant(np.float32(6))

    def block(x: str, inputs: int, outputs: int, stride: int) -> str:
        wide = inputs * 4
        y = b.node("Clip", b.conv(x, inputs, wide, 1, activation=None), low, high)
        y = b.conv(y, wide, wide, stride=stride, groups=wide, activation=None)
        y = b.conv(b.node("Clip", y, low, high), wide, outputs, 1, activation=None)
        return b.node("Add", x, y) if stride == 1 and inputs == outputs else y

    x = b.conv("x", 3, 8, stride=2)
    for inputs, outputs, stride in ((8, 12, 2), (12, 12, 1), (12, 16, 2)):
        x = block(x, inputs, outputs, stride)
    x = b.node("ReduceMean", b.conv(x, 16, 32, 1), axes=[2, 3], keepdims=0)
    return b.model({"x": ["n", 3, 48, 48]}, b.linear(x, 32, 10))


def mobilenet_v3(seed: int = 2) -> Any:
    b = Builder(seed)
    x = b.conv("x", 3, 8, stride=2, activation="HardSwish")
    y = b.conv(x, 8, 8, 5, groups=8, activation="HardSwish")
    squeezed = b.node("GlobalAveragePool", y)
    squeezed = b.conv(squeezed, 8, 4, 1, norm=False)
    gate = b.conv(squeezed, 4, 8, 1, norm=False, activation="HardSigmoid")
    x = b.node("Add", x, b.conv(b.node("Mul", y, gate), 8, 8, 1, activation=None))
    x = b.node("Flatten", b.node("GlobalAveragePool", b.node("HardSwish", x)))
    return b.model({"x": ["n", 3, 32, 32]}, b.linear(x, 8, 10))


def densenet(seed: int = 3) -> Any:
    b = Builder(seed)
    x, channels = b.conv("x", 3, 8), 8
    for _ in range(3):
        y = b.node("Relu", b.batch_norm(x, channels))
        y = b.conv(y, channels, 8, norm=False, activation=None)
        x, channels = b.node("Concat", x, y, axis=1), channels + 8
    x = b.node("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = b.node("Flatten", b.node("GlobalMaxPool", x))
    return b.model({"x": ["n", 3, 24, 24]}, b.linear(x, channels, 10))


def squeezenet(seed: int = 4) -> Any:
    b = Builder(seed)
    x = b.conv("x", 3, 16, stride=2, norm=False)
    for _ in range(2):
        y = b.conv(x, 16, 4, 1, norm=False)
        ways = [b.conv(y, 4, 8, size, norm=False) for size in (1, 3)]
        x = b.node("Concat", *ways, axis=1)
    x = b.node("Dropout", x)
    x = b.node("GlobalAveragePool", b.conv(x, 16, 10, 1, norm=False))
    return b.model({"x": ["n", 3, 32, 32]}, b.node("Softmax", b.node("Flatten", x)))


def shufflenet(seed: int = 5) -> Any:
    b = Builder(seed)
    x = b.conv("x", 3, 16, stride=2)
    for _ in range(2):
        y = b.conv(x, 16, 16, 1, groups=2)
        shape = b.node("Shape", y)
        parts = [b.node("Gather", shape, b.constant(np.int64(k))) for k in range(4)]
        parts = [b.node("Unsqueeze", one, b.constant(np.array([0], np.int64))) for one in parts]
        pair = b.constant(np.array([2, 8], np.int64))
        y = b.node("Reshape", y, b.node("Concat", parts[0], pair, *parts[2:], axis=0))
        y = b.node("Transpose", y, perm=[0, 2, 1, 3, 4])
        y = b.node("Reshape", y, shape)
        y = b.conv(y, 16, 16, groups=16, activation=None)
        x = b.node("Relu", b.node("Add", x, y))
    first, second = b.node("Split", x, b.constant(np.array([8, 8], np.int64)), outputs=2, axis=1)
    return b.model({"x": ["n", 3, 24, 24]}, b.node("Concat", second, first, axis=1))


def inception(seed: int = 9) -> Any:
    """Branches of one row or column after the other, and pools that do not change the size."""
    b = Builder(seed)
    x = b.conv(b.node("LRN", b.conv("x", 3, 8, 7, stride=2), size=5), 8, 16)
    x = b.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    for _ in range(2):
        one = b.conv(x, 16, 4, 1)
        three = b.conv(b.conv(x, 16, 4, 1), 4, 4)
        row, column = b.weight(4, 4, 1, 7), b.weight(4, 4, 7, 1)
        seven = b.conv(x, 16, 4, 1)
        seven = b.node("Relu", b.node("Conv", seven, row, pads=[0, 3, 0, 3]))
        seven = b.node("Relu", b.node("Conv", seven, column, pads=[3, 0, 3, 0]))
        pooled = b.node("AveragePool", x, kernel_shape=[3, 3], pads=[1] * 4, count_include_pad=1)
        x = b.node("Concat", one, three, seven, b.conv(pooled, 16, 4, 1), axis=1)
    x = b.node("AveragePool", x, kernel_shape=[8, 8])
    return b.model({"x": ["n", 3, 32, 32]}, b.linear(b.node("Flatten", x), 16, 10))


def efficientnet(seed: int = 10) -> Any:
    """Depthwise blocks, whose channels are weighted by what they have on average, with Swish."""
    b = Builder(seed)

    def swish(x: str) -> str:
        return b.node("Mul", x, b.node("Sigmoid", x))

    def block(x: str, inputs: int, outputs: int, kernel: int, stride: int) -> str:
        wide = inputs * 4
        y = swish(b.conv(x, inputs, wide, 1, activation=None))
        y = swish(b.conv(y, wide, wide, kernel, stride=stride, groups=wide, activation=None))
        gate = b.node("ReduceMean", y, axes=[2, 3], keepdims=1)
        gate = swish(b.conv(gate, wide, inputs // 4, 1, norm=False, activation=None))
        gate = b.conv(gate, inputs // 4, wide, 1, norm=False, activation="Sigmoid")
        y = b.conv(b.node("Mul", gate, y), wide, outputs, 1, activation=None)
        return b.node("Add", y, x) if stride == 1 and inputs == outputs else y

    x = swish(b.conv("x", 3, 8, stride=2, activation=None))
    for inputs, outputs, kernel, stride in ((8, 12, 3, 2), (12, 12, 3, 1), (12, 16, 5, 2)):
        x = block(x, inputs, outputs, kernel, stride)
    x = b.node("GlobalAveragePool", swish(b.conv(x, 16, 32, 1, activation=None)))
    return b.model({"x": ["n", 3, 40, 40]}, b.linear(b.node("Flatten", x), 32, 10))


def unet(seed: int = 6) -> Any:
    b = Builder(seed)
    top = b.conv("x", 1, 8)
    down = b.node("MaxPool", top, kernel_shape=[2, 2], strides=[2, 2])
    down = b.conv(down, 8, 16)
    w = b.weight(16, 8, 2, 2)
    up = b.node("ConvTranspose", down, w, kernel_shape=[2, 2], strides=[2, 2])
    scales = b.constant(np.array([1, 1, 2, 2], np.float32))
    other = b.conv(b.node("Resize", down, "", scales, mode="linear"), 16, 8)
    x = b.conv(b.node("Concat", top, up, other, axis=1), 24, 8)
    x = b.node("Pad", x, b.constant(np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64)), mode="reflect")
    return b.model({"x": ["n", 1, 16, 16]}, b.node("Sigmoid", b.conv(x, 8, 1, 1, norm=False)))


def _attend(b: Builder, x: str, width: int, heads: int, mask: str | None) -> str:
    """Attention of heads over (n, tokens, width), with shapes taken from the input."""
    shape = b.node("Shape", x)
    n, tokens = (b.node("Slice", shape, *_slice(b, k)) for k in (0, 1))
    split = b.constant(np.array([heads, width // heads], np.int64))
    shape4 = b.node("Concat", n, tokens, split, axis=0)
    ways = []
    for _ in range(3):
        y = b.node("Add", b.node("MatMul", x, b.weight(width, width)), b.weight(width, scale=0.1))
        ways.append(b.node("Transpose", b.node("Reshape", y, shape4), perm=[0, 2, 1, 3]))
    q, k, v = ways
    scores = b.node("MatMul", q, b.node("Transpose", k, perm=[0, 1, 3, 2]))
    scores = b.node("Div", scores, b.constant(np.float32((width // heads) ** 0.5)))
    scores = b.node("Add", scores, mask) if mask else scores
    y = b.node("MatMul", b.node("Softmax", scores, axis=-1), v)
    y = b.node("Reshape", b.node("Transpose", y, perm=[0, 2, 1, 3]), shape)
    return b.node("MatMul", y, b.weight(width, width))


def _slice(b: Builder, place: int) -> list[str]:
    return [b.constant(np.array([k], np.int64)) for k in (place, place + 1, 0)]


def _block(b: Builder, x: str, width: int, mask: str | None) -> str:
    norms = [[b.weight(width, scale=1.0) for _ in range(2)] for _ in range(2)]
    x = b.node("Add", x, _attend(b, b.node("LayerNormalization", x, *norms[0]), width, 2, mask))
    y = b.node("MatMul", b.node("LayerNormalization", x, *norms[1]), b.weight(width, 4 * width))
    half, root = b.constant(np.float32(0.5)), b.constant(np.float32(2**0.5))
    gelu = b.node("Add", b.node("Erf", b.node("Div", y, root)), b.constant(np.float32(1)))
    y = b.node("Mul", b.node("Mul", y, gelu), half)
    return b.node("Add", x, b.node("MatMul", y, b.weight(4 * width, width)))


def vit(seed: int = 7) -> Any:
    b = Builder(seed)
    w = b.weight(16, 3, 8, 8)
    x = b.node("Conv", "x", w, kernel_shape=[8, 8], strides=[8, 8])
    shape = b.node(
        "Concat",
        b.node("Slice", b.node("Shape", x), *_slice(b, 0)),
        b.constant(np.array([16, -1], np.int64)),
        axis=0,
    )
    x = b.node("Transpose", b.node("Reshape", x, shape), perm=[0, 2, 1])
    x = _block(b, b.node("Add", x, b.weight(1, 16, 16)), 16, None)
    x = b.node("Gather", x, b.constant(np.int64(0)), axis=1)
    return b.model({"x": ["n", 3, 32, 32]}, b.linear(x, 16, 10))


def gpt(seed: int = 8) -> Any:
    """Tokens (n, t) of int64 to the logits of the next ones."""
    b = Builder(seed)
    table = b.weight(32, 16, scale=1.0)
    x = b.node("Gather", table, "x")
    tokens = b.node("Gather", b.node("Shape", "x"), b.constant(np.int64(1)))
    zero, one = (b.constant(np.int64(k)) for k in (0, 1))
    places = b.node("Range", zero, tokens, one)
    x = b.node("Add", x, b.node("Gather", b.weight(64, 16, scale=0.5), places))
    column = b.node("Unsqueeze", places, b.constant(np.array([1], np.int64)))
    later = b.node("Greater", places, column)
    mask = b.node("Where", later, b.constant(np.float32(-1e4)), b.constant(np.float32(0)))
    for _ in range(2):
        x = _block(b, x, 16, mask)
    return b.model({"x": ["n", "t"]}, b.node("MatMul", x, b.weight(16, 32)), kind=7)


NETWORKS = {
    one.__name__: one
    for one in (
        resnet,
        mobilenet_v2,
        mobilenet_v3,
        densenet,
        squeezenet,
        shufflenet,
        inception,
        efficientnet,
        unet,
        vit,
        gpt,
    )
}


def feed(name: str, batch: int, seed: int = 0) -> Any:
    """An input for a network."""
    random = np.random.default_rng(seed)
    if name == "gpt":
        return random.integers(0, 32, (batch, 5 + batch))
    shapes = {"resnet": (3, 64), "mobilenet_v2": (3, 48), "densenet": (3, 24)}
    shapes |= {"shufflenet": (3, 24), "unet": (1, 16), "efficientnet": (3, 40)}
    channels, size = shapes.get(name, (3, 32))
    return random.standard_normal((batch, channels, size, size)).astype(np.float32)
