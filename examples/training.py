"""A small convolutional network learns to tell shapes apart, with the same weights everywhere.

`python examples/training.py` draws pictures, trains for 30 steps, and prints how many of new
pictures the network tells right, and the SHA-256 of its weights, which is the same on every
device. `--full` takes 300 steps, and `--curve loss.svg` draws the loss as a curve.
"""

from __future__ import annotations

from collections.abc import Iterator

from resnet import KINDS
from shapes import drawn
from steps import Params, main, trained

import dml_vk
from dml_vk import Tensor, nn, optim
from dml_vk.random import Generator

SIZE, BATCH = 16, 40


def initial(generator: Generator) -> Params:
    def normal(*shape: int) -> Tensor:
        inputs = 1
        for size in shape[1:]:
            inputs *= size
        return generator.normal(shape, std=(2 / inputs) ** 0.5)

    return {
        "conv1": normal(12, 3, 3, 3),
        "conv2": normal(24, 12, 3, 3),
        "head": normal(len(KINDS), 24 * 4 * 4),
        "bias": dml_vk.zeros(len(KINDS)),
    }


def scores(params: Params, pictures: Tensor) -> Tensor:
    x = pictures - 0.5
    for name in ("conv1", "conv2"):
        x = nn.max_pool(nn.conv(x, params[name], padding=1, activation="relu"), 2)
    return nn.linear(x.reshape(len(x), -1), params["head"], params["bias"])


def loss(params: Params, pictures: Tensor, kinds: Tensor) -> Tensor:
    return nn.cross_entropy(scores(params, pictures), kinds)


def batches(generator: Generator, count: int = BATCH) -> Iterator[tuple[Tensor, Tensor]]:
    while True:
        kinds = generator.integers(0, len(KINDS), count)
        yield drawn(kinds, generator, SIZE), kinds


def right(params: Params, count: int = 200) -> float:
    """The share of new pictures that are told right."""
    pictures, kinds = next(batches(Generator(2), count))
    return dml_vk.mean(dml_vk.argmax(scores(params, pictures), axis=1) == kinds).item()


def story(full: bool) -> tuple[Params, list[float], str]:
    generator, steps = Generator(1), 300 if full else 30
    opt = optim.AdamW(optim.cosine(0.01, steps))
    params, values = trained(loss, initial(generator), opt, batches(generator), steps)
    return params, values, f"right about {right(params):.0%} of new pictures"


if __name__ == "__main__":
    main(story)
