"""The leaves of trees of parameters, and those of other trees beside them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dml_vk.compiler.trees import replace
from dml_vk.dtypes import float16, float32, float64
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.tensor.core import Tensor

FLOATS = (float16, float32, float64)


def leaves_of(tree: object) -> list[Any]:
    """Everything in nested tuples, lists and dicts, in order."""
    leaves: list[Any] = []
    replace(tree, leaves.append)
    return leaves


def with_leaves(tree: object, leaves: Iterable[object]) -> Any:
    """The same structure with other leaves."""
    following = iter(leaves)
    return replace(tree, lambda _: next(following))


def leaves_beside(
    what: str, name: str, tree: object, other: object, below: str = "params"
) -> list[Any]:
    """The leaves of a second tree of the same structure, in the order of the first."""
    if isinstance(tree, dict):
        if not isinstance(other, dict) or tree.keys() != other.keys():
            raise _differs(what, name, below, tree, other)
        parts = [(key, tree[key], other[key]) for key in tree]
    elif isinstance(tree, (tuple, list)):
        if not isinstance(other, (tuple, list)) or len(tree) != len(other):
            raise _differs(what, name, below, tree, other)
        parts = [(key, *both) for key, both in enumerate(zip(tree, other))]
    else:
        if isinstance(other, (tuple, list, dict)):
            raise _differs(what, name, below, tree, other)
        return [other]
    leaves: list[Any] = []
    for key, first, second in parts:
        leaves += leaves_beside(what, name, first, second, f"{below}[{key!r}]")
    return leaves


def is_trained(leaf: Any) -> bool:
    """Whether an optimizer changes it, as it does tensors of floats."""
    return isinstance(leaf, Tensor) and leaf.dtype in FLOATS


def check_gradient(what: str, parameter: Tensor, gradient: object) -> None:
    if not isinstance(gradient, Tensor) or gradient.dtype not in FLOATS:
        rule = "gradients must be tensors of floats, or None"
        raise DTypeError(what, rule, gradient=getattr(gradient, "dtype", gradient))
    if gradient.shape != parameter.shape:
        rule = "a gradient must have the shape of its parameter"
        raise LayoutError(what, rule, gradient=gradient.shape, parameter=parameter.shape)


def _differs(what: str, name: str, below: str, tree: object, other: object) -> DTypeError:
    rule = f"{name} must have the tree of params"
    return DTypeError(what, rule, **{"at": below, "params": _brief(tree), name: _brief(other)})


def _brief(tree: object) -> str:
    if isinstance(tree, dict):
        return f"dict of {', '.join(map(repr, tree))}"
    if isinstance(tree, (tuple, list)):
        return f"{type(tree).__name__} of {len(tree)}"
    return type(tree).__name__
