"""The windows of convolutions and pools, as attributes give them."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.onnx.context import Context

Pairs = list[tuple[int, int]]


def each(node: Context, name: str, rank: int, default: int = 1) -> tuple[int, ...]:
    """An attribute with a number for each spatial dim."""
    given = node.get(name)
    found = tuple(given) if given else (default,) * rank
    if len(found) != rank:
        raise node.refuse(f"{name} must have a number for each spatial dim", **{name: found})
    return found


def padding(
    node: Context,
    sizes: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
) -> Pairs:
    """The padding of each dim: as given, or as `auto_pad` makes results of ceil(size / stride)."""
    kind = node.get("auto_pad", "NOTSET")
    if kind == "VALID":
        return [(0, 0)] * len(sizes)
    if kind in ("SAME_UPPER", "SAME_LOWER"):
        pairs = []
        for size, window, step, gap in zip(sizes, kernel, stride, dilation):
            total = max((-(-size // step) - 1) * step + (window - 1) * gap + 1 - size, 0)
            less = total // 2
            pairs.append((less, total - less) if kind == "SAME_UPPER" else (total - less, less))
        return pairs
    return given_pads(node, len(sizes))


def given_pads(node: Context, rank: int) -> Pairs:
    pads = node.get("pads") or [0] * (2 * rank)
    if len(pads) != 2 * rank:
        raise node.refuse("pads must have two numbers for each spatial dim", pads=pads)
    return list(zip(pads[:rank], pads[rank:]))
