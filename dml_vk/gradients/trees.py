"""Arguments and results of functions that are differentiated: their tensors, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeGuard

from dml_vk.array.creation.arrays import zeros_like as zeros_like
from dml_vk.compiler.trees import replace as replace
from dml_vk.errors import GradientError
from dml_vk.gradients.memory import FLOATS
from dml_vk.tensor.core import Tensor


def varies(x: object) -> TypeGuard[Tensor]:
    """Whether there is a gradient of a leaf: it is a tensor of floats or complex numbers."""
    return isinstance(x, Tensor) and x.dtype.kind in FLOATS


def leaves(tree: object) -> list[Tensor]:
    """The tensors of floats and complex numbers, in order."""
    tensors: list[Tensor] = []

    def note(x: object) -> object:
        if varies(x):
            tensors.append(x)
        return x

    replace(tree, note)
    return tensors


def mapped(tree: object, change: Callable[[Tensor], Any], otherwise: Callable[[Any], Any]) -> Any:
    """The same tree, with what these make of leaves that vary and of others."""
    return replace(tree, lambda x: change(x) if varies(x) else otherwise(x))


def filled(tree: Any, values: Sequence[Any]) -> Any:
    """The same tree with these values for the leaves that vary, and None for the others."""
    left = iter(values)
    return mapped(tree, lambda _: next(left), lambda _: None)


def gradients_of(what: str, tree: object, like: object) -> list[Tensor | None]:
    """The gradients in a tree of leaves that vary in another one; None for a leaf or a branch."""
    if tree is None:
        return [None] * len(leaves(like))
    if isinstance(like, (tuple, list)):
        if not isinstance(tree, (tuple, list)) or len(tree) != len(like):
            raise _other(what, "gradients", tree)
        parts = [gradients_of(what, x, y) for x, y in zip(tree, like)]
        return [x for part in parts for x in part]
    if isinstance(like, dict):
        if not isinstance(tree, dict) or tree.keys() != like.keys():
            raise _other(what, "gradients", tree)
        return [x for key in like for x in gradients_of(what, tree[key], like[key])]
    if not varies(like):
        return []
    if not isinstance(tree, Tensor):
        raise _other(what, "gradients", tree)
    return [tree]


def matched(what: str, name: str, tree: object, like: object) -> list[Tensor]:
    """The tensors of a tree at the leaves that vary in another one, of their shapes and dtypes."""
    tensors = []
    for x, y in list(_pairs(what, name, tree, like)):
        if not isinstance(x, Tensor) or x.shape != y.shape or x.dtype is not y.dtype:
            rule = f"{name} must have the shape and dtype {y.shape}, {y.dtype.name}"
            raise GradientError(what, rule, **{name: x})
        tensors.append(x)
    return tensors


def _pairs(what: str, name: str, tree: object, like: object) -> Iterator[tuple[object, Tensor]]:
    if isinstance(like, (tuple, list)):
        if not isinstance(tree, (tuple, list)) or len(tree) != len(like):
            raise _other(what, name, tree)
        for x, y in zip(tree, like):
            yield from _pairs(what, name, x, y)
    elif isinstance(like, dict):
        if not isinstance(tree, dict) or tree.keys() != like.keys():
            raise _other(what, name, tree)
        for key, y in like.items():
            yield from _pairs(what, name, tree[key], y)
    elif varies(like):
        yield tree, like


def _other(what: str, name: str, tree: object) -> GradientError:
    rule = f"{name} must be nested as the other is"
    return GradientError(what, rule, **{name: type(tree).__name__})
