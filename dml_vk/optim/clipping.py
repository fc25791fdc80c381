"""Gradients no longer than a limit, all together."""

from __future__ import annotations

import math
from typing import Any

from dml_vk.array.creation.arrays import zeros
from dml_vk.array.math.elementwise import astype, minimum
from dml_vk.array.statistics.reductions import sum
from dml_vk.compiler.compiled import compile
from dml_vk.dtypes import float32, float64
from dml_vk.errors import DTypeError, RangeError
from dml_vk.linalg.norms import root_of_squares
from dml_vk.optim.base import Tensors, as_tensor, to_live, wide
from dml_vk.optim.leaves import FLOATS, leaves_of, with_leaves
from dml_vk.tensor.core import Tensor

_LEAST = 1e-6  # PyTorch adds it to the norm


def clip_by_global_norm(grads: object, most: float) -> tuple[Any, Tensor]:
    """Return gradients scaled down to a norm of at most `most`, and the norm that they had.

    The norm is the root of the sum of all squares: sums of leaves in float32, or float64 if it is
    among them, are added from the first leaf to the last. As in PyTorch, the factor is
    `min(1, most / (norm + 1e-6))`.

    >>> import dml_vk
    >>> grads, norm = dml_vk.optim.clip_by_global_norm([dml_vk.asarray([3.0, 4.0]), None], 10)
    >>> grads[0].tolist(), norm.item()
    ([3.0, 4.0], 5.0)
    """
    what = "clip_by_global_norm"
    most = to_live(what, "most", most)
    if type(most) in (int, float) and not 0 <= most < math.inf:
        raise RangeError(what, "most must be finite and at least 0", most=most)
    leaves = leaves_of(grads)
    used = [k for k, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
    for k in used:
        if leaves[k].dtype not in FLOATS:
            rule = "gradients must be tensors of floats, or None"
            raise DTypeError(what, rule, gradient=leaves[k].dtype)
    if not used:
        return grads, zeros(())
    norm, changed = _clipped([leaves[k] for k in used], most)
    for k, new in zip(used, changed):
        leaves[k] = new
    return with_leaves(grads, leaves), norm


@compile
def _clipped(grads: Tensors, most: object) -> tuple[Tensor, Tensors]:
    dtype = float64 if any(x.dtype is float64 for x in grads) else float32
    total: Tensor | None = None
    for x in grads:
        numbers = astype(x, wide(x.dtype), copy=False)
        part = astype(sum(numbers * numbers), dtype, copy=False)
        total = part if total is None else total + part
    assert total is not None
    norm = root_of_squares(total)
    factor = minimum(as_tensor(most, dtype, norm) / (norm + _LEAST), 1.0)
    changed = []
    for x in grads:
        own = wide(x.dtype)
        scaled = astype(x, own, copy=False) * astype(factor, own, copy=False)
        changed.append(astype(scaled, x.dtype, copy=False))
    return norm, changed
