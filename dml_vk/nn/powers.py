"""Division by a norm of any power."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.array.math.elementwise import divide, maximum
from dml_vk.array.statistics.reductions import reduced_layout
from dml_vk.dtypes import float32, float64
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout
from dml_vk.nn.blocks import boxes, part
from dml_vk.nn.float64 import norms as float64_norms
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.elementwise import compute
from dml_vk.ops.numbers import float_words
from dml_vk.ops.reduce import reduce_elements
from dml_vk.ops.view import View, temporary, with_layout
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import result_over
from dml_vk.tracing.formats import operation


@operation(flexible="first")
def divide_by_norm(
    operands: Sequence[Tensor], out: Tensor | None, dims: Ints, power: float, eps: float
) -> Tensor:
    """Return x / max(norm, eps), where powers are those of `pow` and the sum is that of `sum`."""
    what, (x,) = "normalize", operands
    target = result_over(what, x.layout.like(), x.dtype, x, out)
    if not x.size:
        return target
    source = copy_if_overlapping(what, x, target, in_place=True)
    if x.dtype is float64:
        norm = maximum(float64_norms.norms(x, dims, power), eps)
        return divide(x, norm, out=target)
    norms = temporary(what, reduced_layout(x.layout, dims, True), float32, x)
    rows = with_layout(norms, norms.layout.squeeze(dims))
    if power == math.inf:
        _largest(what, source, rows, dims)
    else:
        _sums_of_powers(what, source, rows, dims, power)
        compute(what, OPERATORS["pow"], (rows, None), rows, float32, float_words(1 / power))
    compute(what, OPERATORS["maximum"], (rows, None), rows, float32, float_words(eps))
    compute(what, OPERATORS["divide"], (source, norms), target, float32)
    return target


def _largest(what: str, x: View, rows: View, dims: Ints) -> None:
    """Write the largest magnitudes: of the largest element and the smallest."""
    ends = [temporary(what, rows.layout, x.dtype, x) for _ in range(2)]
    for name, end in zip(("max", "min"), ends):
        reduce_elements(what, name, x, end, dims)
        compute(what, OPERATORS["abs"], (end,), end, float32)
    compute(what, OPERATORS["maximum"], ends, rows, float32)


def _sums_of_powers(what: str, x: View, rows: View, dims: Ints, power: float) -> None:
    """Write the sums of the powers of magnitudes, of as many rows at once as fit into memory."""
    others = tuple([dim for dim in range(x.layout.rank) if dim not in dims])
    turned = with_layout(x, x.layout.permute((*others, *dims)))
    sizes = turned.layout.sizes
    last = tuple(range(len(others), len(sizes)))
    for box in boxes(sizes[: len(others)], math.prod(sizes[len(others) :])):
        near = part(turned, box)
        powers = temporary(what, Layout.packed(near.layout.sizes, near.layout.order), float32, near)
        compute(what, OPERATORS["abs"], (near,), powers, float32)
        compute(what, OPERATORS["pow"], (powers, None), powers, float32, float_words(power))
        reduce_elements(what, "sum", powers, part(rows, box), last)
