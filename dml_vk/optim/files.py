"""Trees by names, as files hold tensors: states of optimizers, parameters of networks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dml_vk.errors import DTypeError, LayoutError, RangeError
from dml_vk.optim.leaves import with_leaves
from dml_vk.tensor.core import Tensor


def named(tree: Any) -> dict[str, Tensor]:
    """Return the tensors of a tree by names, for `save`: keys and positions with dots between.

    >>> import dml_vk
    >>> opt = dml_vk.optim.Adam()
    >>> state = opt.init({"layers": [dml_vk.ones((2, 3)), dml_vk.ones(3)]})
    >>> list(dml_vk.optim.named(state))[:3]
    ['step', 'exp_avg.layers.0', 'exp_avg.layers.1']
    """
    tensors: dict[str, Tensor] = {}
    for name, leaf in _walk(tree, ""):
        if isinstance(leaf, Tensor):
            if name in tensors:
                raise RangeError("named", "names must not repeat", name=name)
            tensors[name] = leaf
    return tensors


def like(tree: Any, tensors: Mapping[str, Tensor]) -> Any:
    """Return a tree of the same structure with the tensors of these names, as `load` has them.

    None becomes the tensor of its name, if there is one; what else is no tensor stays as it is.

    >>> import dml_vk
    >>> params = {"w": dml_vk.zeros(2), "b": None}
    >>> dml_vk.optim.like(params, {"w": dml_vk.asarray([1.0, 2.0])})["w"].tolist()
    [1.0, 2.0]
    """
    leaves = []
    for name, leaf in _walk(tree, ""):
        if isinstance(leaf, Tensor):
            if name not in tensors:
                raise RangeError("like", "a tensor of the tree is not there", name=name)
            own = tensors[name]
            if not isinstance(own, Tensor) or own.dtype is not leaf.dtype:
                rule = "a tensor must have the dtype of that in the tree"
                raise DTypeError("like", rule, name=name, dtype=getattr(own, "dtype", own))
            if own.shape != leaf.shape:
                rule = "a tensor must have the shape of that in the tree"
                raise LayoutError("like", rule, name=name, shape=own.shape, wanted=leaf.shape)
            leaf = own
        elif leaf is None:  # such as the count of steps of a leaf that has missed some since
            leaf = tensors.get(name)
        leaves.append(leaf)
    return with_leaves(tree, leaves)


def _walk(tree: object, name: str) -> Iterator[tuple[str, Any]]:
    """Each leaf with its name, in order."""
    if isinstance(tree, dict):
        parts = list(tree.items())
    elif isinstance(tree, (tuple, list)):
        parts = list(enumerate(tree))
    else:
        yield name, tree
        return
    for key, part in parts:
        yield from _walk(part, f"{name}.{key}" if name else str(key))
