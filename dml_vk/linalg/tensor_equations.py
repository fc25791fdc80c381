"""Linear equations whose unknowns are tensors, solved as those of matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dml_vk.arguments import Ints, to_int
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.manipulation.shapes import moveaxis, reshape, to_axes
from dml_vk.array.math.elementwise import astype
from dml_vk.errors import ErrorsAs, LayoutError, RangeError
from dml_vk.hints import hinted
from dml_vk.linalg.batches import check_result, result_dtype
from dml_vk.linalg.lu import inv, solve
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import to_tensor


@hinted
def tensorsolve(
    x1: Tensor,
    x2: Tensor,
    /,
    axes: int | Sequence[int] | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return the x for which `tensordot(x1, x, x.ndim)` is x2; `axes` of x1 are first moved last.

    A singular x1 raises an error, for which this waits.

    >>> import dml_vk
    >>> a = dml_vk.reshape(dml_vk.asarray([2.0, 0.0, 0.0, 4.0]), (2, 1, 2))
    >>> dml_vk.linalg.tensorsolve(a, dml_vk.asarray([[2.0], [2.0]])).tolist()
    [1.0, 0.5]
    """
    what = "tensorsolve"
    a, b = (
        to_tensor(what, f"x{k}", operand)
        for k, operand in enumerate(upload_operands(what, x1, x2), 1)
    )
    if axes is not None:
        last = to_axes(what, axes, a.ndim, "axes")
        a = moveaxis(a, last, tuple(range(a.ndim - len(last), a.ndim)))
    unknown = a.shape[b.ndim :]
    count = math.prod(unknown)
    if a.size != count * b.size or b.size != count or a.ndim < b.ndim:
        rule = "x1 must have as many equations, of the size of x2, as unknowns"
        raise LayoutError(what, rule, x1=a.shape, x2=b.shape)
    dtype = common_dtype(what, [result_dtype(operand) for operand in (a, b)])
    check_result(what, out, unknown, dtype, a)
    with ErrorsAs(what):
        solution = solve(reshape(a, (count, count)), reshape(b, (count,)))
        return astype(reshape(solution, unknown), dtype, copy=False, out=out)


def tensorinv(x: Tensor, /, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse for `tensordot` over `ind` axes: the first `ind` of x are its last.

    A singular x raises an error, for which this waits.

    >>> import dml_vk
    >>> x = dml_vk.reshape(2 * dml_vk.eye(6), (2, 3, 6))
    >>> dml_vk.linalg.tensorinv(x).shape
    (6, 2, 3)
    """
    what = "tensorinv"
    tensor, first = to_tensor(what, "x", x), to_int(what, "ind", ind)
    if first < 1:
        raise RangeError(what, "ind must be positive", ind=ind)
    shape: Ints = tensor.shape
    count = math.prod(shape[first:])
    if math.prod(shape[:first]) != count:
        rule = "x must have as many elements in its first dims as in the others"
        raise LayoutError(what, rule, shape=shape, ind=ind)
    sizes = (*shape[first:], *shape[:first])
    check_result(what, out, sizes, result_dtype(tensor), tensor)
    with ErrorsAs(what):
        inverse = reshape(inv(reshape(tensor, (count, count))), sizes)
        return astype(inverse, inverse.dtype, copy=False, out=out)
