"""Random numbers. Each node has its own generator, seeded by its `seed`."""

from __future__ import annotations

from collections.abc import Sequence

import dml_vk as dv
from dml_vk.dtypes import DType
from dml_vk.onnx.context import Context
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor


@operator("RandomNormal", is_random=True)
def normal(node: Context) -> Tensor:
    return _normal(node, node["shape"], node.dtype(node["dtype"]))


@operator("RandomNormalLike", is_random=True)
def normal_like(node: Context, x: Tensor) -> Tensor:
    return _normal(node, x.shape, _like(node, x))


@operator("RandomUniform", is_random=True)
def uniform(node: Context) -> Tensor:
    return _uniform(node, node["shape"], node.dtype(node["dtype"]))


@operator("RandomUniformLike", is_random=True)
def uniform_like(node: Context, x: Tensor) -> Tensor:
    return _uniform(node, x.shape, _like(node, x))


@operator("Bernoulli", first=15, is_random=True)
def bernoulli(node: Context, x: Tensor) -> Tensor:
    """1 with probability x, else 0."""
    draws = node.generator().random(x.shape, x.dtype)
    return dv.astype(dv.less(draws, x), _like(node, x))


@operator("Multinomial", is_random=True)
def multinomial(node: Context, x: Tensor) -> Tensor:
    """Sample classes from unnormalized log probabilities, by the Gumbel-max trick."""
    count = node["sample_size"]
    draws = node.generator().random((x.shape[0], count, x.shape[1]), "float32")
    # From (0, 1]: a logarithm of 0 would rule a class out.
    noise = dv.negative(dv.log(dv.negative(dv.log(dv.subtract(1.0, draws)))))
    scores = dv.add(dv.astype(dv.expand_dims(x, axis=1), "float32", copy=False), noise)
    return dv.astype(dv.argmax(scores, axis=2), node.dtype(node["dtype"]), copy=False)


def _like(node: Context, x: Tensor) -> DType:
    number = node.get("dtype")
    return x.dtype if number is None else node.dtype(number)


def _normal(node: Context, shape: Sequence[int], dtype: DType) -> Tensor:
    drawn = dv.float32 if dtype is dv.float64 else dtype
    mean, scale = node["mean"], node["scale"]
    numbers = node.generator().normal(tuple(shape), drawn, mean=mean, std=scale)
    return dv.astype(numbers, dtype, copy=False)


def _uniform(node: Context, shape: Sequence[int], dtype: DType) -> Tensor:
    return node.generator().uniform(node["low"], node["high"], tuple(shape), dtype)
