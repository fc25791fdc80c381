"""Softmax and norms in two steps: a pair of numbers for each row, then each element from them.

A row is the elements that are reduced to one pair. Its elements count in logical row-major order of
the reduced dims, in chunks of 16, and the chunks are the leaves of a binary tree as in a sum
(`dml_vk.ops.reduce`). So pairs depend on nothing else: not on layouts, other rows, or the split of
the work. Numbers of a pair are float32.

- "exp_sum": the largest element m, and 1 / s, where s is the sum of exp(x - m). "log_sum": m and
  log(s). Within a chunk, terms are subtracted from the chunk's own m and added as a tree. Two nodes
  have the larger m; the sum of the one with the smaller m is multiplied by exp of the difference.
- "moments": the mean and the variance. "scale": the mean and 1 / sqrt(variance + eps). A chunk has
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

from dml_vk.dtypes import DType, float32, uint64
from dml_vk.kernels import finishes
from dml_vk.kernels.operators import OPCODES
from dml_vk.kernels.plan.reduce import PAIRS
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import launch
from dml_vk.ops.numbers import float_words
from dml_vk.ops.reduce import reduce_present
from dml_vk.ops.view import View, check_count, temporary, with_layout
from dml_vk.strides.order import Ints

PAIR = uint64  # two numbers of float32; kernels only see the size


def pairs_of(
    what: str, name: str, x: View, dims: Ints, eps: float = 0.0, dtype: DType = PAIR
) -> View:
    """Return the pair of each row of x, which has elements, as dims of size 1.

    Rows of partial results, which `dtype=PARTIAL_RESULT` asks for, make larger rows.
    """
    layout = x.layout
    kept = [dim for dim in range(layout.rank) if dim not in dims]
    order = [kept.index(dim) for dim in layout.order if dim not in dims]
    packed = Layout.packed([layout.sizes[dim] for dim in kept], order)
    made = temporary(what, packed, dtype, x)
    write_pairs(what, name, x, made, dims, eps)
    strides = [0 if dim in dims else packed.strides[kept.index(dim)] for dim in range(layout.rank)]
    sizes = [1 if dim in dims else size for dim, size in enumerate(layout.sizes)]
    return with_layout(made, Layout(sizes, strides))


def write_pairs(what: str, name: str, x: View, target: View, dims: Ints, eps: float = 0.0) -> None:
    """Write the pair of each row of x, which has elements, to a target without these dims."""
    check_count(what, x, "x")
    constants = float_words(eps) if PAIRS[name] == "moments" else ()
    reduce_present(what, name, x, target, dims, constants)


def finish(
    what: str,
    name: str,
    sources: Sequence[View | None],
    target: View,
    activation: tuple[str, Ints] | None = None,
) -> None:
    """Compute each element of the target from x, the pairs of its rows, and weights and biases.

    An activation, a name and the words of its parameters, is applied before results are rounded.
    """
    then, numbers = activation or ("", ())
    steps = finishes.NAMES.index(name), int(OPCODES[then.upper()]) if then else 0
    launch(what, "finish", 3, steps, (*sources, None, None)[:3], target, float32, numbers)
