"""Activations."""

from __future__ import annotations

import dml_vk as dv
from dml_vk.onnx.context import Context
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor


@operator("Relu")
def relu(node: Context, x: Tensor) -> Tensor:
    return dv.relu(x) if x.dtype.kind == "f" else dv.maximum(x, 0)


@operator("LeakyRelu")
def leaky_relu(node: Context, x: Tensor) -> Tensor:
    return dv.leaky_relu(x, node["alpha"])


@operator("PRelu")
def prelu(node: Context, x: Tensor, slope: Tensor) -> Tensor:
    if node.opset < 7 and slope.ndim == 1:  # one for each channel
        slope = dv.reshape(slope, (-1, *[1] * (x.ndim - 2)))
    if x.dtype.kind in "iu":
        return dv.where(dv.less(x, 0), dv.multiply(x, slope), x)
    return dv.parameterized_relu(x, slope)


@operator("Elu")
def elu(node: Context, x: Tensor) -> Tensor:
    return dv.elu(x, node["alpha"])


@operator("Selu")
def selu(node: Context, x: Tensor) -> Tensor:
    return dv.scaled_elu(x, node["alpha"], node["gamma"])


@operator("Celu", first=12)
def celu(node: Context, x: Tensor) -> Tensor:
    return dv.celu(x, node["alpha"])


@operator("Gelu", first=20)
def gelu(node: Context, x: Tensor) -> Tensor:
    if node["approximate"] != "tanh":
        return dv.gelu(x)
    inner = dv.multiply(dv.add(x, dv.multiply(dv.pow(x, 3.0), 0.044715)), (2 / dv.pi) ** 0.5)
    return dv.multiply(dv.multiply(x, 0.5), dv.add(dv.tanh(inner), 1.0))


@operator("HardSigmoid")
def hard_sigmoid(node: Context, x: Tensor) -> Tensor:
    return dv.hard_sigmoid(x, node["alpha"], node["beta"])


@operator("HardSwish", first=14)
def hard_swish(node: Context, x: Tensor) -> Tensor:
    return dv.hard_swish(x)


@operator("Sigmoid")
def sigmoid(node: Context, x: Tensor) -> Tensor:
    return dv.sigmoid(x)


@operator("Swish", first=24)
def swish(node: Context, x: Tensor) -> Tensor:
    return dv.swish(x, node["alpha"])


@operator("Softplus")
def softplus(node: Context, x: Tensor) -> Tensor:
    return dv.softplus(x)


@operator("Softsign")
def softsign(node: Context, x: Tensor) -> Tensor:
    return dv.softsign(x)


@operator("Mish", first=18)
def mish(node: Context, x: Tensor) -> Tensor:
    return dv.multiply(x, dv.tanh(dv.softplus(x)))


@operator("ThresholdedRelu", first=10)
def thresholded_relu(node: Context, x: Tensor) -> Tensor:
    return dv.thresholded_relu(x, node["alpha"])


@operator("Shrink", first=9)
def shrink(node: Context, x: Tensor) -> Tensor:
    return dv.shrink(x, node["bias"], node["lambd"])
