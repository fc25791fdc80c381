"""Gradients of parts of the data by several workers, added in the order of one device."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import dask

from dml_vk.array.math.elementwise import add
from dml_vk.errors import RangeError
from dml_vk.gradients import transforms, trees
from dml_vk.tensor.core import Tensor


class Tail(NamedTuple):
    """The values of a part and of those after it, and the sum of their gradients."""

    values: list[Tensor]
    gradient: Any


def value_and_grad(f: Callable[..., Any], params: Any, parts: Iterable[tuple[Any, ...]]) -> Any:
    """Return what Dask computes: the sum of `f(params, *part)` over parts, and its gradient.

    Each part is a task, and may have futures or delayed objects. Values are added from the first
    part to the last, and gradients from the last to the first, each as it is there: the bits are
    the same on any workers. They are those of `dml_vk.value_and_grad` of the sum on one device, if
    f uses each tensor of `params` once.

    >>> import dml_vk.dask
    >>> def loss(weight, x):
    ...     return dml_vk.sum((x * weight) ** 2)
    >>> parts = [(dml_vk.asarray([1.0, 2.0]),), (dml_vk.asarray([3.0]),)]
    >>> lazy = dml_vk.dask.value_and_grad(loss, dml_vk.asarray(0.5), parts)
    >>> value, gradient = lazy.compute(scheduler="synchronous")
    >>> value.item(), gradient.item()
    (3.5, 14.0)
    """
    of_part = dask.delayed(transforms.value_and_grad(f), pure=False)
    shared = dask.delayed(params)
    pairs = [of_part(shared, *part) for part in parts]
    if not pairs:
        raise RangeError("value_and_grad", "parts must not be empty", parts=0)
    tail = dask.delayed(_last, pure=False)(pairs.pop())
    while pairs:
        tail = dask.delayed(_joined, pure=False)(pairs.pop(), tail)
    return dask.delayed(_result, pure=False)(tail)


def _last(pair: tuple[Tensor, Any]) -> Tail:
    return Tail([pair[0]], pair[1])


def _joined(pair: tuple[Tensor, Any], tail: Tail) -> Tail:
    value, gradient = pair
    sums = [add(*both) for both in zip(trees.leaves(tail.gradient), trees.leaves(gradient))]
    return Tail([value, *tail.values], trees.filled(gradient, sums))


def _result(whole: Tail) -> tuple[Tensor, Any]:
    return functools.reduce(add, whole.values), whole.gradient
