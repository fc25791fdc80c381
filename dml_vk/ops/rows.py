"""Softmax and norms in two steps: a pair of numbers for each row, then each element from them.

A row is the elements that are reduced to one pair. Its elements count in logical row-major order of
the reduced dims, in chunks of 16, and the chunks are the leaves of a binary tree as in a sum
(`dml_vk.ops.reduce`). So pairs depend on nothing else: not on layouts, other rows, or the split of
the work. Numbers of a pair are float32.

- "exp_sum": the largest element m, and 1 / s, where s is the sum of exp(x - m). "log_sum": m and
  log(s). "weights": as "exp_sum", but the softmax of a row of -infinity is then 0. Within a chunk,
  terms are subtracted from the chunk's own m and added as a tree. Two nodes have the larger m; the
  sum of the one with the smaller m is multiplied by exp of the difference.
- "scale": the mean and 1 / sqrt(variance + eps). "statistics": the mean and the variance, and then
  this pair: the only result of four numbers. A chunk has
  the mean of its elements, the first plus the mean difference from it, and the sum of squared
  deviations from the mean; both sums are trees. A node of n
  elements has the mean a + (b - a) * share, where share is the part of n that the right half has,
  and the sum of both sums and (b - a)**2 * share * (n of the left half). "squares": 0 and
  1 / sqrt(mean square + eps), with 0 for every mean. "means": the mean and 1. "norm_1", "norm_2":
  0 and the reciprocal of the sum of magnitudes, or of the root of the sum of squares, or of eps if
  that is larger.

Each element is read once for its row's pair and once for the result.
"""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType, float32, uint64
from dml_vk.kernels import finishes
from dml_vk.kernels.kernel import SCALAR_WORDS
from dml_vk.kernels.plan.reduce_kernels import PAIRS
from dml_vk.kernels.plan.rows import Finish, plan_rows
from dml_vk.layout import Layout
from dml_vk.ops.activation import Activation, opcode_of
from dml_vk.ops.copy import copy_if_overlapping
from dml_vk.ops.elementwise import launch, places_of
from dml_vk.ops.numbers import float_words
from dml_vk.ops.reduce import reduce_present
from dml_vk.ops.view import (
    View,
    access,
    check_count,
    check_target,
    temporary,
    with_layout,
)

PAIR = uint64  # two numbers of float32; kernels only see the size


def pairs_of(
    what: str, name: str, x: View, dims: Ints, eps: float = 0.0, dtype: DType = PAIR
) -> View:
    """Return the pair of each row of x, which has elements, as dims of size 1.

    Rows of partial results, which `dtype=PARTIAL_RESULT` asks for, make larger rows.
    """
    layout = x.layout
    others = [dim for dim in range(layout.rank) if dim not in dims]
    order = [others.index(dim) for dim in layout.order if dim not in dims]
    packed = Layout.packed([layout.sizes[dim] for dim in others], order)
    pairs = temporary(what, packed, dtype, x)
    write_pairs(what, name, x, pairs, dims, eps)
    strides = [
        0 if dim in dims else packed.strides[others.index(dim)] for dim in range(layout.rank)
    ]
    sizes = [1 if dim in dims else size for dim, size in enumerate(layout.sizes)]
    return with_layout(pairs, Layout(sizes, strides))


def write_pairs(what: str, name: str, x: View, target: View, dims: Ints, eps: float = 0.0) -> None:
    """Write the pair of each row of x, which has elements, to a target without these dims."""
    check_count(what, x, "x")
    constants = float_words(eps) if PAIRS[name] == "moments" else ()
    reduce_present(what, name, x, target, dims, constants)


def write_rows(
    what: str,
    pair: str,
    name: str,
    x: View,
    target: View,
    dims: Ints,
    *,
    part: int | None = None,
    affine: Sequence[View | None] = (None, None),
    eps: float = 0.0,
    activation: Activation | None = None,
) -> bool:
    """Compute the pair of each row of x, and finish it as `finish` does for `name`, in one launch.

    Rows are along `dims`, in ascending order, and continue along the dim `part` if there is one.
    Weight and bias broadcast to x. Returns False, and does nothing, if several launches are faster.
    """
    layout, device = target.layout, target.device
    check_target(what, target, "out")
    check_count(what, x, "x")
    source = copy_if_overlapping(what, x, target, in_place=True)
    weights = [
        None if operand is None else copy_if_overlapping(what, operand, target)
        for operand in affine
    ]
    missing = sum([(operand is None) << k for k, operand in enumerate(weights, 1)])
    operands = [source, *[source if operand is None else operand for operand in weights], target]
    after, numbers = opcode_of(activation)
    done = Finish(
        *(pair, float_words(eps) if PAIRS[pair] == "moments" else ()),
        *(finishes.NAMES.index(name), after, missing),
        tuple([operand.dtype.code for operand in operands[:-1]]),
    )
    places = places_of(operands[:-1], target, missing)
    plan = plan_rows(layout.sizes, places, tuple(dims), part, done, device.profile)
    if plan is None:
        return False
    reads = [access(operand, False) for operand in operands[:-1]]
    words = (*numbers, *(0,) * (SCALAR_WORDS[3] - len(numbers)))
    device.launch(plan, (*reads, access(target, True)), words)
    return True


def write_joined(what: str, name: str, first: View, second: View, target: View, eps: float) -> None:
    """Write pairs to the target: of weights and biases, or for "scale" of means and scales.

    Then the second number is a variance, of which the scale is 1 / sqrt(variance + eps).
    """
    steps = finishes.PAIRS.index(name), 0
    launch(what, "pairs", 2, steps, (first, second), target, float32, float_words(eps))


def finish(
    what: str,
    name: str,
    sources: Sequence[View | None],
    target: View,
    activation: Activation | None = None,
) -> None:
    """Compute each element of the target from x, the pairs of its rows, and weights and biases.

    An activation, a name and the words of its parameters, is applied before results are rounded.
    """
    after, numbers = opcode_of(activation)
    steps = finishes.NAMES.index(name), after
    launch(what, "finish", 3, steps, (*sources, None, None)[:3], target, float32, numbers)
