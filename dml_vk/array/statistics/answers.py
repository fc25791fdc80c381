"""Reductions whose results the host needs: it waits once for all of them."""

from __future__ import annotations

from collections.abc import Callable

from dml_vk.array.creation.arrays import empty
from dml_vk.dtypes import DType
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


def answers(dtype: DType, *asked: tuple[Callable[..., object], Tensor]) -> Array:
    """Return the results of reductions, each of a whole tensor, which all have this dtype.

    >>> import dml_vk
    >>> from dml_vk.array.statistics.answers import answers
    >>> x = dml_vk.asarray([3, 1, 2])
    >>> answers(x.dtype, (dml_vk.min, x), (dml_vk.max, x)).tolist()
    [1, 3]
    """
    results = empty((len(asked),), dtype, device=asked[0][1].device)
    for number, (reduction, x) in enumerate(asked):
        reduction(x, out=results[number])
    return results.numpy()
