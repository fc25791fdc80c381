"""NumPy's statistics that are not in the standard: weighted means and ranges of values."""

from __future__ import annotations

from dml_vk.arguments import Axes, Ints, to_bool
from dml_vk.array.creation.arrays import full_like
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.manipulation.shapes import broadcast_to, to_axes
from dml_vk.array.math.elementwise import astype, divide, multiply, subtract
from dml_vk.array.statistics.moments import count_of, mean
from dml_vk.array.statistics.reductions import (
    computed_in,
    max,
    min,
    reduced_axes,
    reduced_target,
    sum,
)
from dml_vk.dtypes import float32
from dml_vk.errors import ErrorsAs, LayoutError
from dml_vk.hints import hinted
from dml_vk.promotion import common_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import check_dtype, of_kinds, to_tensor, to_tensors


@hinted
def ptp(
    x: Tensor, /, axis: Axes | None = None, *, keepdims: bool = False, out: Tensor | None = None
) -> Tensor:
    """Return the maximum minus the minimum over these axes; integers wrap, as in NumPy.

    >>> import dml_vk
    >>> dml_vk.ptp(dml_vk.asarray([[1.0, 7.0], [3.0, 2.0]]), axis=1).tolist()
    [6.0, 1.0]
    """
    what = "ptp"
    x = to_tensor(what, "x", x)
    check_dtype(what, x.dtype, of_kinds("iufc"))
    axes = reduced_axes(what, x, axis)
    target = reduced_target(what, x, axes, keepdims, x.dtype, out)
    with ErrorsAs(what):
        most, least = (extreme(x, axes, keepdims=keepdims) for extreme in (max, min))
        return subtract(most, least, out=target)


@hinted
def average(
    x: Tensor,
    /,
    axis: Axes | None = None,
    weights: Tensor | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the weighted means over these axes.

    Weights have the shape of x, or the sizes of x along the axes. The result has the dtype to which
    the floats and complex numbers among both promote, else float32; integers are computed in
    float64. With `returned`, the sums of the weights are returned too. Where they are 0, the result
    is what the division gives; unlike in NumPy it is not an error, since the call would have to
    wait for it.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1.0, 2.0], [3.0, 6.0]])
    >>> dml_vk.average(x, axis=1, weights=dml_vk.asarray([3.0, 1.0])).tolist()
    [1.25, 3.75]
    """
    what = "average"
    if weights is not None:
        x, weights = upload_operands(what, x, weights)
    x = to_tensor(what, "x", x)
    returned = to_bool(what, "returned", returned)
    axes, keepdims = reduced_axes(what, x, axis), to_bool(what, "keepdims", keepdims)
    if weights is None:
        with ErrorsAs(what):
            result = mean(x, axes, keepdims=keepdims)
        return (result, full_like(result, count_of(x, axes))) if returned else result
    to_tensors(what, [x, to_tensor(what, "weights", weights)])
    floats = [operand.dtype for operand in (x, weights) if operand.dtype.kind in "fc"]
    dtype = common_dtype(what, floats or [float32])
    seen = along_axes(what, x, weights, axes if axis is None else to_axes(what, axis, x.ndim))
    wide = computed_in(dtype, x.dtype, weights.dtype)
    with ErrorsAs(what):
        heavy = astype(seen, wide, copy=False)
        weighed = multiply(astype(x, wide, copy=False), heavy)
        total = sum(weighed, axes, keepdims=keepdims)
        scale = sum(broadcast_to(heavy, x.shape), axes, keepdims=keepdims)
        result = astype(divide(total, scale), dtype, copy=False)
        return (result, astype(scale, dtype, copy=False)) if returned else result


def along_axes(what: str, x: Tensor, weights: Tensor, axes: Ints) -> Tensor:
    """View weights along the given axes with dims that match those of x."""
    if weights.shape == x.shape:
        return weights
    if weights.shape != tuple([x.shape[axis] for axis in axes]):
        rule = "weights must have the shape of x, or that of x along axis"
        raise LayoutError(what, rule, weights=weights.shape, x=x.shape, axis=axes)
    layout = weights.layout.permute(sorted(range(len(axes)), key=axes.__getitem__))
    for dim in range(x.ndim):
        if dim not in axes:
            layout = layout.unsqueeze(dim)
    return weights.over(layout)
