"""Local response normalization: division by a power of the squares near each element."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dml_vk.arguments import Ints, to_bool
from dml_vk.array.calls import call
from dml_vk.array.math.elementwise import add, divide, multiply, pow
from dml_vk.dtypes import float32, float64
from dml_vk.hints import hinted
from dml_vk.kernels.elementwise import SCALED
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan.pool import Pooling
from dml_vk.layout import Layout
from dml_vk.nn.arguments import to_least
from dml_vk.nn.blocks import boxes, part
from dml_vk.nn.float64 import pooling as float64_pooling
from dml_vk.nn.float64.taps import check_taps
from dml_vk.nn.operands import floats
from dml_vk.nn.windows import spatial_rank
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.elementwise import compute
from dml_vk.ops.numbers import float_words
from dml_vk.ops.pool import add_squares
from dml_vk.ops.view import check_count, temporary, with_layout
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import result_over, to_number
from dml_vk.tracing.formats import operation
from dml_vk.windows import Window


@hinted
def local_response_norm(
    x: Tensor,
    size: int,
    *,
    alpha: float = 1e-4,
    beta: float = 0.75,
    k: float = 1.0,
    cross_channel: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """Return x / (k + alpha / size * sum(x**2)) ** beta, with sums over `size` channels.

    The window of a channel begins `size // 2` channels before it; what it lacks counts as 0, also
    in `size`. Without `cross_channel` it has `size` elements in each spatial dim instead, and the
    sum is still divided by `size`, as in DirectML.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[[1.0], [2.0], [0.0]]])
    >>> dml_vk.nn.local_response_norm(x, 2, alpha=2.0, beta=1.0).tolist()
    [[[0.5], [0.3333333432674408], [0.0]]]
    """
    what = "local_response_norm"
    x = floats(what, x)
    spatial_rank(what, x.shape)
    numbers = {"alpha": alpha, "beta": beta, "k": k}
    reals = [float(to_number(what, name, number)) for name, number in numbers.items()]
    width, across = to_least(what, "size", size, 1), to_bool(what, "cross_channel", cross_channel)
    return call(_normalised, (x,), out, width, *reals, across)


@operation(flexible="first", images=True)
def _normalised(
    operands: Sequence[Tensor],
    out: Tensor | None,
    size: int,
    alpha: float,
    beta: float,
    k: float,
    across: bool,
) -> Tensor:
    what, (x,) = "local_response_norm", operands
    target = result_over(what, x.layout.like(), x.dtype, x, out)
    check_count(what, x, "x")
    if not x.size:
        return target
    source = copy_if_overlapping(what, x, target)
    # Dims with windows last; the others are cut into boxes.
    dims, first = ((0, *range(2, x.ndim), 1), x.ndim - 1) if across else (range(x.ndim), 2)
    views = [with_layout(view, view.layout.permute(dims)) for view in (source, target)]
    others, windowed = views[0].layout.sizes[:first], views[0].layout.sizes[first:]
    if x.dtype is float64:
        near, to = views
        total = temporary(what, Layout.packed(near.layout.sizes, near.layout.order), float64, near)
        around = _around(windowed, size)
        check_taps(what, around.kernel, size=size, x=x.shape)
        float64_pooling.add_squares(what, near, total, around)
        powers = pow(add(multiply(Tensor(total), alpha / size), k), beta)
        divide(Tensor(near), powers, out=Tensor(to))
        return target
    # The factor and k are applied in the launch of the power.
    words = float_words(beta, 0.0, alpha / size, k)
    for box in boxes(others, math.prod(windowed)):
        near, to = [part(view, box) for view in views]
        sums = temporary(what, Layout.packed(near.layout.sizes, near.layout.order), float32, near)
        add_squares(near, sums, _around(windowed, size))
        compute(what, OPERATORS["pow"], (sums, None), sums, float32, words, SCALED)
        compute(what, OPERATORS["divide"], (near, sums), to, float32)
    return target


def _around(sizes: Ints, width: int) -> Pooling:
    """Return windows of this width around each element, without what no window can reach."""
    windows = []
    for size in sizes:
        before, after = min(width // 2, size - 1), min((width - 1) // 2, size - 1)
        windows.append(Window(size, size, 1 + before + after, before=before, after=after))
    return Pooling("lp", tuple(windows), power=2.0)
