"""Sums of the rows that have the same index: the way back from a gather.

**The order of a sum**: the rows of an index from the last one on, added as an aligned binary tree:
first each row and the one before it, then each of these sums and the one two rows before it, then
four, and so on. So it depends on nothing but the rows of that index, and on no value that the host
would have to read.
"""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.array.calls import composed
from dml_vk.array.creation.arrays import zeros
from dml_vk.array.indexing.take import take_known
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.ops.scan import SUM
from dml_vk.ops.segments import ALL, reduce_rows
from dml_vk.tensor.core import Tensor


def sums_at(index: Tensor, rows: Tensor, count: int) -> Tensor:
    """Return for each of `count` indexes the sum of the rows at which it is: 0 for none.

    The index is 1-D, and known to be inside.

    >>> import dml_vk
    >>> from dml_vk.gradients.rules.sorted_sums import sums_at
    >>> sums_at(dml_vk.asarray([2, 0, 2]), dml_vk.asarray([[1.0], [2.0], [4.0]]), 4).tolist()
    [[2.0], [0.0], [5.0], [0.0]]
    """
    return composed(_sums_at, (rows, index), None, count)


def _sums_at(operands: Sequence[Tensor], out: None, count: int) -> Tensor:
    rows, index = operands
    sums = zeros((count, *rows.shape[1:]), rows.dtype, device=rows.device)
    reduce_rows("take", SUM, index, rows, sums, backwards=True, full=ALL)
    return sums


@rule(_sums_at)
def summed(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    return [take_known("take", cotangent, noted.operands[1], 0), None]
