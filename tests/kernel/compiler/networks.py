"""Random small networks, with residual connections, views and writes in place."""

from __future__ import annotations

import numpy as np

import dml_vk
from dml_vk import nn

SIZES = (2, 8, 6, 5)
LAYERS = 21


class Weights:
    """What a network takes from outside."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)

        def weight(*shape):
            return dml_vk.asarray(random.standard_normal(shape).astype(np.float32) / 4)

        self.full, self.deep, self.point = (
            weight(8, 8, 3, 3),
            weight(8, 1, 3, 3),
            weight(8, 8, 1, 1),
        )
        self.bias, self.scale = weight(8, 1, 1), dml_vk.abs(weight(8)) + 0.5
        self.linear = weight(240, 4)

    def change(self) -> None:
        for x in (self.full, self.deep, self.bias):
            x *= -0.5


def layer(w: Weights, seen: list, kind: int, other: int) -> dml_vk.Tensor:
    """The result of one layer on the last tensor of those seen; all have the same sizes."""
    x, y = seen[-1], seen[other % len(seen)]
    match kind % LAYERS:
        case 0 | 1:
            return nn.conv(x, w.full, padding=1, activation="relu" if other % 2 else None)
        case 2:
            return nn.conv(x, w.deep, padding=1, groups=8)
        case 3:
            return nn.conv_transpose(x, w.point)
        case 4:
            return nn.max_pool(x, 3, stride=1, padding=1)
        case 5:
            return nn.group_norm(x, 2)
        case 6:
            return nn.batch_norm(x, w.scale - 1, w.scale, w.scale, w.scale)
        case 7:
            return dml_vk.relu(x + w.bias)
        case 8 | 9:
            return x + y
        case 10:
            x += y
            return x
        case 11:
            return dml_vk.tanh(x, out=x)
        case 12:
            return dml_vk.concat([x, y], axis=1)[:, :: 1 + other % 2][:, :8]
        case 13:
            return nn.avg_pool(nn.resample(x, scale=2.0), 2)
        case 14:
            x[:, other % 8] *= 0.5
            return x
        case 15:
            flat = x.reshape(2, -1)  # a view or a copy, depending on the format
            flat *= 0.5
            return x
        case 16:
            return x.to(dml_vk.channels_last)
        case 17:
            return nn.softmax(x, axis=1)
        case 18:
            return x * nn.global_avg_pool(y)
        case 19:
            mode = ("reflect", "constant")[other % 2]
            return nn.conv(dml_vk.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)], mode=mode), w.full)
        case _:
            return dml_vk.flip(x, axis=2)


def network(w: Weights, layers: list[tuple[int, int]], returned: int):
    """A function of an image; `returned` has a bit for each tensor in turn."""

    def function(x):
        seen = [x]
        for kind, other in layers:
            seen.append(layer(w, seen, kind, other))
        flat = seen[-1].reshape(2, -1) @ w.linear
        return [flat, *[one for k, one in enumerate(seen) if returned >> k & 1]]

    return function
