"""Windows over memory as views: any strides, and sliding windows.

Elements of such views may share addresses. Every function reads them; `out` and assignments refuse
them, like all targets whose elements overlap.
"""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import Axes, several, to_axis, to_sizes, to_tuple
from dml_vk.errors import ErrorsAs, LayoutError
from dml_vk.hints import hinted
from dml_vk.layout import Layout
from dml_vk.ops.view import check_fits
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import to_tensor


def as_strided(
    x: Tensor,
    /,
    shape: int | Sequence[int] | None = None,
    strides: int | Sequence[int] | None = None,
    offset: int | None = None,
) -> Tensor:
    """View the memory of x with this shape and these strides; what is left out is that of x.

    Strides and the offset are in elements, as everywhere in dml_vk, not in bytes as in NumPy. Every
    element must lie in the memory that x and its views share, which is checked.

    >>> import dml_vk
    >>> dml_vk.as_strided(dml_vk.arange(5), (3, 2), (1, 2)).tolist()
    [[0, 2], [1, 3], [2, 4]]
    """
    what = "as_strided"
    own = to_tensor(what, "x", x).layout
    sizes = own.sizes if shape is None else several(shape)
    steps = own.strides if strides is None else several(strides)
    with ErrorsAs(what, sizes="shape"):
        seen = x._over(Layout(sizes, steps, own.offset if offset is None else offset))
        check_fits(what, seen, "the view")
    return seen


@hinted
def sliding_window_view(
    x: Tensor, /, window_shape: int | Sequence[int], axis: Axes | None = None
) -> Tensor:
    """View every window of these sizes along these axes, by default all; they are new last dims.

    >>> import dml_vk
    >>> dml_vk.sliding_window_view(dml_vk.arange(4), 2).tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    what = "sliding_window_view"
    layout = to_tensor(what, "x", x).layout
    with ErrorsAs(what, sizes="window_shape"):
        window = to_sizes(what, several(window_shape))
    listed = range(layout.rank) if axis is None else to_tuple(what, "axis", several(axis))
    axes = [to_axis(what, "axis", number, layout.rank) for number in listed]
    if len(axes) != len(window):
        rule = "window_shape must have one size for each axis"
        raise LayoutError(what, rule, window_shape=window, axis=axis, shape=x.shape)
    with ErrorsAs(what):
        for dim, size in zip(axes, window):
            layout = layout.unfold(dim, size, 1)
    return x.over(layout)
