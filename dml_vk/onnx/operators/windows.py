"""The attributes that say where the windows of convolutions and pools lie."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.onnx.context import Context
from dml_vk.windows import Window

Pairs = list[tuple[int, int]]
SAME = ("SAME_UPPER", "SAME_LOWER")  # where one more of an odd padding is: at the end, or not


def each(node: Context, name: str, rank: int, default: int = 1) -> tuple[int, ...]:
    """An attribute with a number for each spatial dim."""
    numbers = tuple(node.get(name) or (default,) * rank)
    if len(numbers) != rank:
        raise node.refuse(f"{name} must have a number for each spatial dim", **{name: numbers})
    return numbers


def padding(
    node: Context,
    sizes: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
) -> Pairs:
    """The padding of each dim, which attributes list, or for which `auto_pad` is a rule."""
    kind = node.get("auto_pad", "NOTSET")
    if kind == "VALID":
        return [(0, 0)] * len(sizes)
    if kind not in SAME:
        return listed_padding(node, len(sizes))
    lower = kind == "SAME_LOWER"
    dims = zip(sizes, kernel, stride, dilation)
    windows = [Window.same(*dim, lower=lower) for dim in dims]
    return [(window.before, window.after) for window in windows]


def listed_padding(node: Context, rank: int) -> Pairs:
    pads = node.get("pads") or [0] * (2 * rank)
    if len(pads) != 2 * rank:
        raise node.refuse("pads must have two numbers for each spatial dim", pads=pads)
    return list(zip(pads[:rank], pads[rank:]))
