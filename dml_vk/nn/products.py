"""Products of matrices with what networks add to them."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import to_bool
from dml_vk.array.calls import call
from dml_vk.array.products.einsum import Factor, spread
from dml_vk.dtypes import float16, float32, float64
from dml_vk.errors import LayoutError
from dml_vk.hints import hinted
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout
from dml_vk.nn.activations import Activation, finish, to_activation
from dml_vk.nn.operands import arrays_beside, network_dtype, sums_for
from dml_vk.ops.activation import opcode_of
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.elementwise import compute
from dml_vk.ops.matmul import add_products, write_linear
from dml_vk.ops.numbers import scalar_words
from dml_vk.ops.view import View, temporary_like
from dml_vk.strides.propagate import broadcast_sizes
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import result_over, to_tensor
from dml_vk.tracing.formats import operation


@hinted
def linear(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    activation: object = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return `x @ weight.T + bias` for x (..., in), weight (out, in) and bias (out,).

    The sums are those of `matmul`. `activation` is the name of an activation, or
    (name, {parameters}). The result has the input's format.

    >>> import dml_vk
    >>> from dml_vk import nn
    >>> x, weight = dml_vk.asarray([[1.0, 2.0]]), dml_vk.asarray([[1.0, 10.0], [-1.0, 0.0]])
    >>> nn.linear(x, weight, dml_vk.asarray([0.5, 0.0]), activation="relu").tolist()
    [[21.5, 0.0]]
    """
    what = "linear"
    operands = arrays_beside(what, *((x, weight) if bias is None else (x, weight, bias)))
    for name, operand in zip(("x", "weight", "bias"), operands):
        to_tensor(what, name, operand)
    return call(_linear, operands, out, to_activation(what, activation))


@operation(flexible="first")
def _linear(
    operands: Sequence[Tensor], out: Tensor | None, activation: Activation | None
) -> Tensor:
    what = "linear"
    dtype = network_dtype(what, operands)
    x, weight, *biases = operands
    if not x.shape or len(weight.shape) != 2 or x.shape[-1] != weight.shape[1]:
        rule = "weight must be a matrix (outputs, inputs), and x.shape[-1] the inputs"
        raise LayoutError(what, rule, x=x.shape, weight=weight.shape)
    outputs, inputs = weight.shape
    for bias in biases:
        if bias.shape != (outputs,):
            raise LayoutError(what, f"bias must have the shape ({outputs},)", bias=bias.shape)
    layout = Layout.packed((*x.shape[:-1], outputs), x.layout.order)
    target = result_over(what, layout, dtype, x, out)
    added = [copy_if_overlapping(what, bias, target) for bias in biases]
    rank = layout.rank - 1
    factors = Factor(x, (*range(rank), None), (rank,)), Factor(weight, (*[None] * rank, 0), (1,))
    first, second = [spread(what, factor, target, (inputs,)) for factor in factors]
    finished = activation or added or target.dtype is float16
    epilogue = (*added, None)[0], target, opcode_of(activation)
    if finished and dtype is not float64 and write_linear(what, first, second, *epilogue):
        return target
    sums = sums_for(what, target)
    add_products(what, first, second, sums)
    for bias_view in added:
        compute(what, OPERATORS["add"], (sums, bias_view), sums, sums.dtype)
    finish(what, sums, target, activation)
    return target


@hinted
def gemm(
    a: Tensor,
    b: Tensor,
    c: Tensor | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transpose_a: bool = False,
    transpose_b: bool = False,
    activation: object = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return `alpha * (a @ b) + beta * c`, of matrices or batches of them, which broadcast.

    A transposed operand is read by its columns. c broadcasts to the result; with `beta=0` it is not
    read. The sums are those of `matmul`; then each step is rounded. The result is row-major.

    >>> import dml_vk
    >>> from dml_vk import nn
    >>> a, b = dml_vk.asarray([[1.0, 2.0]]), dml_vk.asarray([[1.0, 10.0], [3.0, 4.0]])
    >>> nn.gemm(a, b, dml_vk.asarray([1.0, 2.0]), alpha=2.0, beta=0.5, transpose_b=True).tolist()
    [[42.5, 23.0]]
    """
    what = "gemm"
    operands = arrays_beside(what, *((a, b) if c is None else (a, b, c)))
    for name, operand in zip("abc", operands):
        to_tensor(what, name, operand)
    for name, number in (("alpha", alpha), ("beta", beta)):
        scalar_words(what, name, float32, number)
    transposed = (
        to_bool(what, "transpose_a", transpose_a),
        to_bool(what, "transpose_b", transpose_b),
    )
    numbers = float(alpha), float(beta)
    return call(_gemm, operands, out, *numbers, transposed, to_activation(what, activation))


@operation(flexible="first")
def _gemm(
    operands: Sequence[Tensor],
    out: Tensor | None,
    alpha: float,
    beta: float,
    transposed: tuple[bool, bool],
    activation: Activation | None,
) -> Tensor:
    what = "gemm"
    dtype = network_dtype(what, operands)
    shapes = [x.shape for x in operands]
    if min(map(len, shapes[:2])) < 2:
        raise LayoutError(what, "a and b must have at least two dims", a=shapes[0], b=shapes[1])
    a, b = [
        x.over(x.layout.transpose(-2, -1)) if turned else x
        for x, turned in zip(operands, transposed)
    ]
    if a.shape[-1] != b.shape[-2]:
        rule = "the columns of a must be as many as the rows of b, after they are transposed"
        raise LayoutError(what, rule, a=a.shape, b=b.shape)
    sizes = (*broadcast_sizes(what, (a.shape[:-2], b.shape[:-2])), a.shape[-2], b.shape[-1])
    target = result_over(what, Layout(sizes), dtype, a, out)
    added = None
    for c in operands[2:]:
        if broadcast_sizes(what, (c.shape, sizes)) != sizes:
            raise LayoutError(what, "c must broadcast to the result", c=c.shape, result=sizes)
        added = copy_if_overlapping(what, c, target) if beta else None
    factors = _factor(a, len(sizes), -1), _factor(b, len(sizes), -2)
    first, second = [spread(what, factor, target, (a.shape[-1],)) for factor in factors]
    finished = added is None and alpha == 1 and (activation or dtype is float16)
    if (
        finished
        and dtype is not float64
        and write_linear(what, first, second, None, target, opcode_of(activation))
    ):
        return target
    sums = sums_for(what, target)
    add_products(what, first, second, sums)
    if alpha != 1:
        _scale(what, sums, alpha, sums)
    if added is not None:
        scaled = added
        if beta != 1:
            scaled = temporary_like(what, added, sums.dtype)
            _scale(what, added, beta, scaled)
        compute(what, OPERATORS["add"], (sums, scaled), sums, sums.dtype)
    finish(what, sums, target, activation)
    return target


def _factor(matrices: Tensor, rank: int, summed: int) -> Factor:
    """The operand over dims of the result, of which it lacks one: the other's rows or columns."""
    own = len(matrices.shape)
    dims: list[int | None] = [None] * (rank - own) + list(range(own))
    dims[summed] = None
    return Factor(matrices, tuple(dims), (own + summed,))


def _scale(what: str, source: View, number: float, target: View) -> None:
    words = scalar_words(what, "number", target.dtype, number)
    compute(what, OPERATORS["multiply"], (source, None), target, target.dtype, words)
