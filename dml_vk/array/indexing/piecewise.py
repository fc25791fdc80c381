"""NumPy's choices between several values for each element, angles without jumps, and trimming."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi

from dml_vk.arguments import Axes, Ints, to_axis, to_tuple
from dml_vk.array.creation.arrays import zeros_like
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.indexing.modes import check_mode, in_range
from dml_vk.array.indexing.selection import within
from dml_vk.array.manipulation.shapes import flip, to_axes
from dml_vk.array.math.cumulative import cumulative_sum, diff
from dml_vk.array.math.elementwise import (
    abs,
    add,
    astype,
    equal,
    greater,
    less,
    logical_and,
    logical_not,
    logical_or,
    remainder,
    subtract,
    where,
)
from dml_vk.array.statistics.answers import answers
from dml_vk.array.statistics.reductions import any, argmax, computed_in, count_nonzero
from dml_vk.dtypes import int64
from dml_vk.errors import ErrorsAs, LayoutError, RangeError
from dml_vk.hints import hinted
from dml_vk.promotion import float_dtype
from dml_vk.strides.order import row_major
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import ArrayLike
from dml_vk.tensor.operands import Operand, check_dtype, of_kinds, result_over, to_number, to_tensor


def choose(
    a: Tensor,
    choices: Sequence[ArrayLike],
    /,
    *,
    mode: str = "raise",
    out: Tensor | None = None,
) -> Tensor:
    """Take each element from the choice that the integer in `a` names; all broadcast.

    Integers must be less than the number of choices, for whose check this waits; "wrap" takes them
    modulo this number, and "clip" the nearest one.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1, 2, 3])
    >>> dml_vk.choose(dml_vk.asarray([0, 1, 0]), [x, 10 * x]).tolist()
    [1, 20, 3]
    """
    what = "choose"
    listed = to_tuple(what, "choices", choices)
    if not listed:
        raise LayoutError(what, "choices must not be empty", choices=choices)
    check_mode(what, mode)
    a, *values = upload_operands(what, a, *listed)
    index, count = to_tensor(what, "a", a), len(values)
    check_dtype(what, index.dtype, of_kinds("iu"))
    with ErrorsAs(what):
        index = within(what, index, count) if mode == "raise" else in_range(mode, index, count)
        result: Tensor = values[-1]
        for k in range(max(0, count - 2), -1, -1):
            result = where(equal(index, k), values[k], result, out=None if k else out)
        return result


def piecewise(
    x: Tensor,
    condlist: Sequence[ArrayLike],
    funclist: Sequence[Operand | Callable[..., Operand]],
    /,
    *args: object,
    out: Tensor | None = None,
    **named: object,
) -> Tensor:
    """Return, where a condition is true, the value of its function; the last such one counts.

    A value is a number, a tensor, or a function, which is called with all of x and the other
    arguments. One more value is for where no condition is true, which is otherwise 0. The result
    has the dtype and the format of x.

    >>> import dml_vk
    >>> x = dml_vk.asarray([-2.0, 0.5, 3.0])
    >>> dml_vk.piecewise(x, [x < 0, x > 1], [-1, lambda x: x * x, 0]).tolist()
    [-1.0, 0.0, 9.0]
    """
    what = "piecewise"
    x = to_tensor(what, "x", x)
    is_one = not isinstance(condlist, (list, tuple))
    conditions = list(upload_operands(what, x, *([condlist] if is_one else condlist)))[1:]
    values, count = list(to_tuple(what, "funclist", funclist)), len(conditions)
    if not count or len(values) not in (count, count + 1):
        rule = "funclist must have a function for each condition, and at most one more"
        raise LayoutError(what, rule, condlist=count, funclist=len(values))
    with ErrorsAs(what):
        if len(values) > count:
            some = conditions[0]
            for condition in conditions[1:]:
                some = logical_or(some, condition)
            conditions.append(logical_not(some))
        result = zeros_like(x)
        for condition, value in zip(conditions, values):
            chosen = value(x, *args, **named) if callable(value) else value
            if isinstance(chosen, Tensor):
                chosen = astype(chosen, x.dtype, copy=False)
            result = where(condition, chosen, result)
        return result if out is None else astype(result, x.dtype, out=out)


@hinted
def unwrap(
    p: Tensor,
    /,
    discont: float | None = None,
    axis: int = -1,
    *,
    period: float = 2 * pi,
    out: Tensor | None = None,
) -> Tensor:
    """Add multiples of the period, such that neighbours differ by half of it at most.

    Differences of less than `discont` stay. Integers with a whole period stay integers; float16 is
    computed in float32.

    >>> import dml_vk
    >>> dml_vk.unwrap(dml_vk.asarray([0, 3, 1, 2, 0]), period=4).tolist()
    [0, -1, -3, -2, -4]
    """
    what = "unwrap"
    p, turn = to_tensor(what, "p", p), to_number(what, "period", period)
    check_dtype(what, p.dtype, of_kinds("iuf"))
    dim = to_axis(what, "axis", axis, p.ndim)
    whole = p.dtype.kind == "i" and isinstance(turn, int)
    dtype = p.dtype if whole else float_dtype(p.dtype)
    most = turn / 2 if discont is None else to_number(what, "discont", discont)
    half: float = turn // 2 if whole else turn / 2
    target = result_over(what, p.layout.like(), dtype, p, out)
    with ErrorsAs(what):
        x = astype(p, computed_in(dtype), copy=False)
        if x.shape[dim] < 2:
            return astype(x, dtype, out=target)
        steps = diff(x, axis=dim)
        near = add(remainder(subtract(steps, -half), turn), -half)
        if not whole or turn % 2 == 0:
            at_end = logical_and(equal(near, -half), greater(steps, 0))
            near = where(at_end, half, near)
        turns = where(less(abs(steps), most), 0, subtract(near, steps))
        shifts = cumulative_sum(turns, axis=dim, dtype=x.dtype)
        halves = (0, 1), (1, steps.shape[dim])
        first, rest = [x.over(x.layout.narrow(dim, *part)) for part in halves]
        places = [target.over(target.layout.narrow(dim, *part)) for part in halves]
        moved = add(rest, shifts)
        astype(first, dtype, out=places[0])
        astype(moved, dtype, out=places[1])
        return target


@hinted
def trim_zeros(x: Tensor, /, trim: str = "fb", axis: Axes | None = None) -> Tensor:
    """View a tensor without the zeros at its front ("f"), its back ("b") or both ("fb").

    Along each axis, or these, indexes are left out at which all elements are 0. It waits for their
    number.

    >>> import dml_vk
    >>> dml_vk.trim_zeros(dml_vk.asarray([0, 0, 3, 0, 5, 0])).tolist()
    [3, 0, 5]
    """
    what = "trim_zeros"
    x = to_tensor(what, "x", x)
    axes = row_major(x.ndim) if axis is None else to_axes(what, axis, x.ndim)
    ends = trim.lower() if isinstance(trim, str) else ""
    if ends not in ("f", "b", "fb", "bf"):
        raise RangeError(what, "trim must be 'f', 'b' or 'fb'", trim=trim)
    layout = x.layout
    for dim, (count, before, behind) in zip(axes, _zeros_at_ends(x, axes)):
        start = before if count and "f" in ends else 0
        end = x.shape[dim] - (behind if "b" in ends else 0)
        layout = layout.narrow(dim, start, end - start if count else 0)
    return x.over(layout)


def _zeros_at_ends(x: Tensor, axes: Ints) -> list[list[int]]:
    """Return, for each axis, at how many indexes not all elements are 0, and of the others how many
    are before these and behind them.
    """
    if not x.size:
        return [[0, 0, 0] for _ in axes]
    asked = []
    for dim in axes:
        some = any(x, axis=tuple([k for k in range(x.ndim) if k != dim]))
        asked += [(count_nonzero, some), (argmax, some), (argmax, flip(some))]
    numbers: list[int] = answers(int64, *asked).tolist() if asked else []
    return [numbers[k : k + 3] for k in range(0, len(numbers), 3)]
