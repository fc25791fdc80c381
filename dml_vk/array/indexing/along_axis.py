"""NumPy's `apply_along_axis`: a function of vectors, called for each along one axis."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from dml_vk.arguments import to_axis
from dml_vk.array.host_operands import upload_array
from dml_vk.array.manipulation.shapes import moveaxis, reshape, stack
from dml_vk.errors import DTypeError, ErrorsAs, LayoutError
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import to_tensor


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Tensor, /, *args: object, **kwargs: object
) -> Tensor:
    """Call a function of a vector for all vectors along an axis; its results take their place.

    Further arguments are passed on. Results are tensors of one shape, numbers or lists. The
    function is called once for each vector, so a function of whole tensors is faster.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[3, 1], [2, 4]])
    >>> dml_vk.apply_along_axis(dml_vk.sort, 1, x).tolist()
    [[1, 3], [2, 4]]
    """
    what = "apply_along_axis"
    arr = to_tensor(what, "arr", arr)
    dim = to_axis(what, "axis", axis, arr.ndim)
    if not callable(func1d):
        raise DTypeError(what, "func1d must be a function", func1d=func1d)
    rows = moveaxis(arr, dim, -1)
    others = rows.shape[:-1]
    if 0 in others:
        rule = "arr must have elements apart from the axis, to learn what func1d returns"
        raise LayoutError(what, rule, shape=arr.shape)
    results = []
    for index in product(*map(range, others)):
        result = func1d(rows[index], *args, **kwargs)
        with ErrorsAs(what):
            results.append(
                result if isinstance(result, Tensor) else upload_array(what, result, arr)
            )
    with ErrorsAs(what):
        rank = results[0].ndim
        whole = reshape(stack(results), (*others, *results[0].shape))
        return moveaxis(whole, range(len(others), len(others) + rank), range(dim, dim + rank))
