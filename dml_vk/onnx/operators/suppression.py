"""NonMaxSuppression: the device computes overlaps, and the host reads them."""

from __future__ import annotations

import numpy as np

import dml_vk as dv
from dml_vk.onnx.context import Context
from dml_vk.onnx.operators.elementwise import either
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


@operator("NonMaxSuppression", first=10, host=(2, 3, 4))
def suppress(
    node: Context,
    boxes: Tensor,
    scores: Tensor,
    most: Array | None = None,
    overlap: Array | None = None,
    least: Array | None = None,
) -> Array:
    """The best boxes of each class, without those that overlap a better one too much."""
    count = 0 if most is None else int(most.reshape(()))
    limit = 0.0 if overlap is None else float(overlap.reshape(()))
    rows = []
    order = dv.argsort(scores, axis=2, descending=True, stable=True)
    sorted_scores = dv.take_along_axis(scores, order, axis=2)
    shares = _shares(boxes, bool(node["center_point_box"]))
    over, places = dv.greater(shares, limit).numpy(), order.numpy()
    enough = None if least is None else dv.greater(sorted_scores, float(least.reshape(()))).numpy()
    for batch, kind in np.ndindex(*scores.shape[:2]):
        selected: list[int] = []
        for rank, box in enumerate(places[batch, kind]):
            if len(selected) == count or (enough is not None and not enough[batch, kind, rank]):
                break
            if not over[batch, box, selected].any():
                selected.append(int(box))
        rows += [(batch, kind, box) for box in selected]
    return np.array(rows, np.int64).reshape(-1, 3)


def _shares(boxes: Tensor, is_centered: bool) -> Tensor:
    """Intersection over union of each pair of boxes of an image."""
    a, b, c, d = (boxes[..., part] for part in range(4))
    if is_centered:  # x and y of the center, width and height
        left, right = a - c / 2, a + c / 2
        top, bottom = b - d / 2, b + d / 2
    else:  # y and x of two corners
        top, bottom = dv.minimum(a, c), dv.maximum(a, c)
        left, right = dv.minimum(b, d), dv.maximum(b, d)
    area = (right - left) * (bottom - top)
    wide = _common(left, right)
    high = _common(top, bottom)
    inner = wide * high
    union = area[:, :, None] + area[:, None, :] - inner
    return either(dv.greater(union, 0.0), inner / union, dv.zeros_like(union))


def _common(low: Tensor, high: Tensor) -> Tensor:
    end = dv.minimum(high[:, :, None], high[:, None, :])
    return dv.maximum(end - dv.maximum(low[:, :, None], low[:, None, :]), 0.0)
