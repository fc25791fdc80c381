"""Products of matrices."""

from __future__ import annotations

import dml_vk as dv
from dml_vk import linalg, nn
from dml_vk.onnx.context import Context
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor


@operator("MatMul")
def matmul(node: Context, a: Tensor, b: Tensor) -> Tensor:
    return dv.matmul(a, b)


@operator("Gemm")
def gemm(node: Context, a: Tensor, b: Tensor, c: Tensor | None = None) -> Tensor:
    alpha, beta = node["alpha"], node["beta"]
    turned_a, turned_b = bool(node["transA"]), bool(node["transB"])
    if a.dtype.kind == "f":
        return nn.gemm(
            a,
            b,
            c,
            alpha=alpha,
            beta=beta,
            transpose_a=turned_a,
            transpose_b=turned_b,
            activation=node.node.activation,
        )
    a, b = a.mT if turned_a else a, b.mT if turned_b else b
    product = dv.multiply(dv.matmul(a, b), int(alpha))
    return product if c is None else dv.add(product, dv.multiply(c, int(beta)))


@operator("Det", first=11)
def det(node: Context, x: Tensor) -> Tensor:
    return linalg.det(x)
