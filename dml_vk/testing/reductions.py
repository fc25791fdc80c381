"""Reference results of every reduction in `dml_vk.kernels.reductions`, bit for bit, in NumPy.

No code is shared with the kernels. `dml_vk.ops.reduce` specifies the order of summation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dml_vk.testing.arrays import Array

Axis = int | tuple[int, ...] | None


def reference(name: str, array: object, axes: tuple[int, ...], *, dtype: object = None) -> Array:
    """The result of a reduction over these axes: NumPy's, unless it lacks this or has other bits.

    `dtype` is for those that accumulate.

    >>> import numpy as np
    >>> from dml_vk.testing.reductions import reference
    >>> reference("max", np.float32([[0.0, -0.0], [-0.0, -1.0]]), (1,)).tolist()
    [0.0, -0.0]
    """
    array = np.asarray(array)
    with np.errstate(all="ignore"):
        function = _FUNCTIONS.get(name) or getattr(np, name)
        return np.asarray(function(array, axes, **({} if dtype is None else {"dtype": dtype})))


def tree_sum(
    array: object, axis: Axis = None, *, keepdims: bool = False, dtype: object = None
) -> Array:
    """Sum floats by an aligned binary tree over the reduced dims in row-major order.

    float16 is added in float32 and rounded once.

    >>> import numpy as np
    >>> from dml_vk.testing.reductions import tree_sum
    >>> tree_sum(np.float32([2**24, 1, 1, 1])).tolist()
    16777218.0
    """
    return _tree(np.add, -0.0, 0, array, axis, keepdims, dtype)


def tree_prod(
    array: object, axis: Axis = None, *, keepdims: bool = False, dtype: object = None
) -> Array:
    """Multiply floats by the same tree.

    >>> import numpy as np
    >>> from dml_vk.testing.reductions import tree_prod
    >>> tree_prod(np.float32([2.0**100, 2.0**-100, 2.0**100, 2.0**-100])).tolist()
    1.0
    """
    return _tree(np.multiply, 1.0, 1, array, axis, keepdims, dtype)


def _tree(
    combine: Any, neutral: float, empty: float, array: Any, axis: Axis, keepdims: bool, dtype: Any
) -> Array:
    array = np.asarray(array)
    wanted = np.dtype(dtype or array.dtype)
    axes = range(array.ndim) if axis is None else np.atleast_1d(axis) % max(1, array.ndim)
    reduced = sorted({int(dim) for dim in axes})
    left = [dim for dim in range(array.ndim) if dim not in reduced]
    sizes = [array.shape[dim] for dim in left]
    computed = np.float64 if wanted == np.float64 else np.float32
    nodes = array.transpose([*left, *reduced]).reshape(*sizes, -1 if array.size else 0)
    nodes = nodes.astype(computed)
    with np.errstate(all="ignore"):
        while nodes.shape[-1] > 1:
            widths = [(0, 0)] * len(sizes) + [(0, nodes.shape[-1] % 2)]
            nodes = np.pad(nodes, widths, constant_values=neutral)
            nodes = combine(nodes[..., ::2], nodes[..., 1::2])
        total = nodes[..., 0] if nodes.shape[-1] else np.full(sizes, empty, computed)
        shape = [1 if dim in reduced else size for dim, size in enumerate(array.shape)]
        return np.asarray(total, wanted).reshape(shape if keepdims else sizes)


def _accumulated(tree: Callable[..., Array], whole: Callable[..., object]) -> Callable[..., Array]:
    """Floats by a tree, integers in any order."""

    def function(array: Array, axes: object, *, dtype: object = None) -> Array:
        if array.dtype.kind == "f":
            return tree(array, axes, dtype=dtype)
        return np.asarray(whole(array, axes, dtype=dtype))

    return function


def _extreme(name: str) -> Callable[..., Array]:
    """NumPy's, but with +0 greater than -0: NumPy may return either."""

    def function(array: Array, axes: object) -> Array:
        result = np.asarray(getattr(np, name)(array, axes))
        if result.dtype.kind != "f":
            return result
        wanted = (array == 0) & (np.signbit(array) == (name == "min"))
        zero = result.dtype.type(-0.0 if name == "min" else 0.0)
        return np.where((result == 0) & wanted.any(axes), zero, result)

    return function


def _index(name: str) -> Callable[..., Array]:
    """NumPy's, along all reduced dims in row-major order."""

    def function(array: Array, axes: Any) -> Array:
        sizes = [size for dim, size in enumerate(array.shape) if dim not in axes]
        last = np.moveaxis(array, axes, range(len(sizes), array.ndim))
        result: Array = getattr(np, name)(last.reshape(*sizes, -1), -1)
        return result

    return function


_FUNCTIONS: dict[str, Callable[..., Array]] = {
    "sum": _accumulated(tree_sum, np.sum),
    "prod": _accumulated(tree_prod, np.prod),
    "max": _extreme("max"),
    "min": _extreme("min"),
    "argmax": _index("argmax"),
    "argmin": _index("argmin"),
}
