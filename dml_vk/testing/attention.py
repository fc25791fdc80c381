"""Reference results of attention, bit for bit, in NumPy.

`dml_vk.nn.attention` specifies the order of operations.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dml_vk.testing.arrays import Array
from dml_vk.testing.products import matmul
from dml_vk.testing.rows import softmax


def attention(q: Array, k: Array, v: Array, mask: Array | None = None, scale: Any = None) -> Array:
    """The result of `dml_vk.nn.scaled_dot_product_attention`; a causal mask is one of bools.

    >>> import numpy as np
    >>> from dml_vk.testing.attention import attention
    >>> zeros, v = np.zeros((2, 4), np.float32), np.float32([[1.0], [3.0]])
    >>> attention(zeros, zeros, v, np.tri(2, dtype=bool)).tolist()
    [[1.0], [2.0]]
    """
    result, wide = np.result_type(q, k, v), np.float32
    shape = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    sizes = (*shape, q.shape[-2], v.shape[-1])
    if 0 in (*sizes, k.shape[-2]):
        return np.zeros(sizes, result)
    if scale is None:
        scale = 1 / math.sqrt(q.shape[-1] or 1)
    with np.errstate(all="ignore"):
        scores = matmul(q.astype(wide) * wide(scale), np.swapaxes(k, -1, -2).astype(wide))
        if mask is not None:
            scores = scores + (
                np.where(mask, wide(0), -wide(np.inf)) if mask.dtype == bool else mask
            )
        weights = np.where(scores.max(-1, keepdims=True) == -np.inf, wide(0), softmax(scores))
        means = matmul(weights, v.astype(wide))
        return np.asarray(np.broadcast_to(means, sizes), result)
