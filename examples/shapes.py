"""Pictures of shapes, and the weights of a network that tells them apart.

`python examples/shapes.py FILE` makes the weights, always the same ones, and writes them as
safetensors, under the names that PyTorch would give them. Nothing is trained by gradients: the
convolutions are random, each norm has the statistics of its own input over drawn pictures, and the
last layer is the least squares solution for what the network then sees. It is right about six of
seven pictures. `python examples/shapes.py FILE 500` draws 500 pictures in place of 1000, and is
right about four of five.
"""

from __future__ import annotations

import sys

import numpy as np
from resnet import KINDS, WIDTHS, features
from safetensors.numpy import save_file

import dml_vk
from dml_vk import Tensor, nn
from dml_vk.random import Generator

SIZE, SAMPLES, RIDGE = 32, 1000, 0.1


def drawn(kinds: Tensor, generator: Generator, size: int = SIZE) -> Tensor:
    """One picture for each number of a kind, float32 (N, 3, size, size) from 0 to 1."""
    one_each = (len(kinds), 1, 1)
    x, y = dml_vk.meshgrid(*[dml_vk.linspace(-1, 1, size)] * 2)
    radius = generator.uniform(0.35, 0.7, one_each)
    angle = generator.uniform(0, 0.6, one_each)
    x = (x - generator.uniform(-0.3, 0.3, one_each)) / radius
    y = (y - generator.uniform(-0.3, 0.3, one_each)) / radius
    cos, sin = dml_vk.cos(angle), dml_vk.sin(angle)
    u, v = abs(cos * x + sin * y), cos * y - sin * x
    distance = dml_vk.sqrt(u * u + v * v)
    largest, least = dml_vk.maximum(u, abs(v)), dml_vk.minimum(u, abs(v))
    masks = {
        "disc": distance < 1,
        "ring": (distance < 1) & (distance > 0.55),
        "square": largest < 0.85,
        "triangle": dml_vk.maximum(1.7 * u + v, -2 * v) < 1,
        "cross": (largest < 1) & (least < 0.3),
    }
    mask = dml_vk.zeros((len(kinds), size, size), dml_vk.bool)
    for number, kind in enumerate(KINDS):
        mask |= masks[kind] & (kinds.reshape(one_each) == number)
    colours = generator.uniform(0.0, 1.0, (2, len(kinds), 3, 1, 1))
    # A shape is brighter than what is behind it.
    picture = dml_vk.where(mask[:, None], 0.5 + 0.5 * colours[0], 0.4 * colours[1])
    return dml_vk.clip(picture + generator.normal(picture.shape, std=0.03), 0, 1)


def weights(samples: int = SAMPLES, seed: int = 7) -> dict[str, np.ndarray]:
    """The weights of the network of resnet.py."""
    generator = Generator(seed)
    found: dict[str, Tensor] = {}

    def conv(name: str, inputs: int, outputs: int, size: int) -> None:
        deviation = (2 / (inputs * size * size)) ** 0.5
        found[f"{name}.weight"] = generator.normal((outputs, inputs, size, size), std=deviation)

    conv("stem.conv", 3, WIDTHS[0], 3)
    for number, (before, after) in enumerate(zip((WIDTHS[0], *WIDTHS), WIDTHS)):
        conv(f"blocks.{number}.conv1", before, after, 3)
        conv(f"blocks.{number}.conv2", after, after, 3)
        if before != after:
            conv(f"blocks.{number}.shortcut", before, after, 1)

    def norm(x: Tensor, name: str, activation: str | None) -> Tensor:
        y, mean, variance = nn.batch_norm_train(x, activation=activation)
        found[f"{name}.running_mean"], found[f"{name}.running_var"] = mean, variance
        found[f"{name}.weight"], found[f"{name}.bias"] = dml_vk.ones(len(mean)), 0 * mean
        return y

    kinds = dml_vk.arange(samples, dtype="int32") % len(KINDS)
    seen = features(found, drawn(kinds, generator), norm).numpy().astype(np.float64)
    seen = np.column_stack([seen, np.ones(samples)])
    wanted = np.eye(len(KINDS))[kinds.numpy()]
    solved = np.linalg.solve(seen.T @ seen + RIDGE * np.eye(seen.shape[1]), seen.T @ wanted)
    last = solved.T.astype(np.float32)
    made = {name: tensor.numpy() for name, tensor in found.items()}
    # Times 10, so that softmax is as sure as the answers are.
    return made | {"head.weight": 10 * last[:, :-1], "head.bias": 10 * last[:, -1]}


if __name__ == "__main__":
    made = weights(*map(int, sys.argv[2:]))
    save_file({name: np.ascontiguousarray(one) for name, one in made.items()}, sys.argv[1])
