"""Normalizations."""

from __future__ import annotations

import dml_vk as dv
from dml_vk import nn
from dml_vk.onnx.context import Context
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor


@operator("BatchNormalization")
def batch_norm(
    node: Context, x: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, var: Tensor
) -> Tensor | tuple[Tensor, ...]:
    """Normalize by the given statistics; in training by those of x, and update the running ones."""
    eps = node["epsilon"]
    if not node.get("training_mode", 0):
        scale, bias = _as(scale, x), _as(bias, x)
        statistics = _as(mean, x), _as(var, x), scale, bias
        return nn.batch_norm(x, *statistics, eps=eps, activation=node.node.activation)
    share = node["momentum"]
    axes = (0, *range(2, x.ndim))
    own_mean, own_var = dv.mean(x, axis=axes), dv.var(x, axis=axes)
    result = nn.batch_norm(x, own_mean, own_var, _as(scale, x), _as(bias, x), eps=eps)
    return (
        result,
        dv.add(dv.multiply(mean, share), dv.multiply(_as(own_mean, mean), 1 - share)),
        dv.add(dv.multiply(var, share), dv.multiply(_as(own_var, var), 1 - share)),
    )


def _as(x: Tensor, other: Tensor) -> Tensor:
    return dv.astype(x, other.dtype, copy=False)


@operator("InstanceNormalization")
def instance_norm(node: Context, x: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
    return nn.instance_norm(x, scale, bias, eps=node["epsilon"])


@operator("GroupNormalization", first=18)
def group_norm(node: Context, x: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
    """Scale and bias are per group before opset 21, and per channel since."""
    groups = node["num_groups"]
    if node.opset < 21:
        each = x.shape[1] // groups
        scale, bias = dv.repeat(scale, each), dv.repeat(bias, each)
    return nn.group_norm(x, groups, scale, bias, eps=node["epsilon"])


@operator("LayerNormalization", first=17)
def layer_norm(
    node: Context, x: Tensor, scale: Tensor, bias: Tensor | None = None
) -> Tensor | tuple[Tensor, ...]:
    axis = node["axis"] % x.ndim
    shape = x.shape[axis:]
    scale = dv.broadcast_to(scale, shape)
    bias = None if bias is None else dv.broadcast_to(bias, shape)
    result = nn.layer_norm(x, shape, scale, bias, eps=node["epsilon"])
    if node.count == 1:
        return result
    wide = dv.astype(x, "float32", copy=False) if x.dtype == dv.float16 else x
    axes = tuple(range(axis, x.ndim))
    mean = dv.mean(wide, axis=axes, keepdims=True)
    var = dv.var(wide, axis=axes, keepdims=True)
    return result, mean, dv.reciprocal(dv.sqrt(dv.add(var, node["epsilon"])))


@operator("RMSNormalization", first=23)
def rms_norm(node: Context, x: Tensor, scale: Tensor) -> Tensor:
    axis = node["axis"] % x.ndim
    shape = x.shape[axis:]
    scale = dv.broadcast_to(_as(scale, x), shape)
    return nn.rms_norm(x, shape, scale, eps=node["epsilon"])


@operator("LRN")
def local_response_norm(node: Context, x: Tensor) -> Tensor:
    size, alpha = node["size"], node["alpha"]
    return nn.local_response_norm(x, size, alpha=alpha, beta=node["beta"], k=node["bias"])


@operator("LpNormalization")
def lp_norm(node: Context, x: Tensor) -> Tensor:
    """Divide each row by its norm; rows whose norm is 0 become 0."""
    axis = node.get("axis", -1)
    if node.get("p", 2) == 1:
        norm = dv.sum(dv.abs(x), axis=axis, keepdims=True)
    else:
        norm = dv.sqrt(dv.sum(dv.square(x), axis=axis, keepdims=True))
    result = dv.where(dv.equal(norm, 0.0), 0.0, dv.divide(x, norm))
    return dv.astype(result, x.dtype, copy=False)


@operator("MeanVarianceNormalization", first=9)
def mean_variance_norm(node: Context, x: Tensor) -> Tensor:
    """(x - mean) / (deviation + 1e-9)."""
    axes = tuple(node.get("axes", [0, 2, 3]))
    mean = dv.mean(x, axis=axes, keepdims=True)
    spread = dv.std(x, axis=axes, keepdims=True)
    return dv.divide(dv.subtract(x, mean), dv.add(spread, 1e-9))
