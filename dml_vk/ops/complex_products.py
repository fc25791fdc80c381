"""Products of complex elements along dims, by elementwise multiplications of halves."""

from __future__ import annotations

from dml_vk.arguments import Ints
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout
from dml_vk.ops.copy import copied, copy_elements
from dml_vk.ops.elementwise import compute
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.view import View, temporary, temporary_like, with_layout


def multiply_along(what: str, source: View, target: View, dims: Ints) -> None:
    """Write the products along `dims`, which the target lacks: the tree of `dml_vk.ops.reduce`.

    Each round multiplies elements at even indexes by their right neighbours. An odd last one stays.
    """
    own = source.layout
    others = [dim for dim in range(own.rank) if dim not in dims]
    sizes = tuple([own.sizes[dim] for dim in others])
    length = own.numel // Layout(sizes).numel if Layout(sizes).numel else 0
    if not length:
        fill_constant(what, target, target.dtype, 1)
        return
    ordered = own.permute(*others, *dims)
    ordered = Layout(ordered.sizes, ordered.strides, ordered.offset, range(own.rank))
    view = copied(
        what, with_layout(source, ordered)
    )  # The target may share memory with the source.
    row = view.layout.view(*sizes, length)
    assert row is not None  # It is packed in this order.
    view = with_layout(view, row)
    while length > 1:
        half, left = divmod(length, 2)
        products = temporary(what, Layout((*sizes, half + left)), view.dtype, view)
        pairs = [_steps(view, first, 2 * half, 2) for first in (0, 1)]
        compute(what, OPERATORS["multiply"], pairs, _steps(products, 0, half), view.dtype)
        if left:
            copy_elements(what, _steps(view, 2 * half, length), _steps(products, half, half + 1))
        view, length = products, half + left
    copy_elements(what, with_layout(view, view.layout.select(-1, 0)), target)


def scan_products(what: str, target: View, dim: int) -> None:
    """Replace each element by the product of all up to it along a dim.

    Round k multiplies each element with the one that is 2**k before it.
    """
    length, step = target.layout.sizes[dim], 1
    while step < length:
        before = temporary_like(what, target, target.dtype)
        copy_elements(what, target, before)
        pairs = [_steps(before, *span, dim=dim) for span in ((0, length - step), (step, length))]
        later = _steps(target, step, length, dim=dim)
        compute(what, OPERATORS["multiply"], pairs, later, target.dtype)
        step *= 2


def _steps(view: View, start: int, stop: int, step: int = 1, *, dim: int = -1) -> View:
    return with_layout(view, view.layout.slice(dim, start, stop, step))
