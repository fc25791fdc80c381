"""Gradients of linear layers and of scaled products of matrices."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.array.manipulation.shapes import reshape
from dml_vk.array.math.elementwise import multiply
from dml_vk.array.products.matrix_products import matmul
from dml_vk.array.statistics.reductions import sum
from dml_vk.gradients.rules.activations import before
from dml_vk.gradients.rules.fitting import like
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.gradients.rules.shapes import summed_to
from dml_vk.nn.products import _gemm, _linear, gemm, linear
from dml_vk.tensor.core import Tensor


@rule(_linear)
def linear_layer(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    x, weight, *biases = noted.operands
    (activation,) = noted.params
    cotangent = before(activation, noted, cotangent, lambda: linear(*noted.operands))
    outputs, inputs = weight.shape
    rows = reshape(cotangent, (-1, outputs) if cotangent.size else (0, outputs))
    factors = matmul(rows.mT, reshape(x, (rows.shape[0], inputs)))
    shares = [like(sum(rows, axis=0), bias) for bias in biases]
    return [like(matmul(cotangent, weight), x), like(factors, weight), *shares]


@rule(_gemm)
def scaled_product(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    alpha, beta, turned, activation = noted.params
    a, b, *added = noted.operands

    def again() -> Tensor:
        transposed = {"transpose_a": turned[0], "transpose_b": turned[1]}
        return gemm(*noted.operands, alpha=alpha, beta=beta, **transposed)

    cotangent = before(activation, noted, cotangent, again)
    scaled = cotangent if alpha == 1 else multiply(cotangent, alpha)
    left, right = a.mT if turned[0] else a, b.mT if turned[1] else b
    pair = matmul(scaled, right.mT), matmul(left.mT, scaled)
    gradients = [
        like(summed_to(each.mT if is_turned else each, x.shape), x)
        for each, is_turned, x in zip(pair, turned, (a, b))
    ]
    shares = [like(summed_to(multiply(cotangent, beta), c.shape), c) for c in added]
    return [*gradients, *shares]
