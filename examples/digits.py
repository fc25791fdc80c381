"""A perceptron with one hidden layer learns to read digits, with the same weights everywhere.

`python examples/digits.py` draws digits of five by seven dots, shifted in noise, trains for 60
steps, and prints how many of new ones the network reads right, and the SHA-256 of its weights.
`--full` takes 1000 steps of a larger network; `--curve loss.svg` draws the loss as a curve.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from steps import Params, main, trained

import dml_vk
from dml_vk import Tensor, nn, optim
from dml_vk.random import Generator

SIZE, NOISE = 8, 0.35
# Seven rows of five dots for each digit, as bits.
DOTS = """
    0e 11 13 15 19 11 0e  04 0c 04 04 04 04 0e  0e 11 01 06 08 10 1f  1f 02 04 02 01 11 0e
    02 06 0a 12 1f 02 02  1f 10 1e 01 01 11 0e  06 08 10 1e 11 11 0e  1f 01 02 04 08 08 08
    0e 11 11 0e 11 11 0e  0e 11 11 0f 01 02 0c
"""


def glyphs() -> Tensor:
    """The ten digits in each of the places of a picture: (10, places, SIZE, SIZE)."""
    rows = np.array([int(row, 16) for row in DOTS.split()]).reshape(10, 7, 1)
    dots = rows >> np.arange(4, -1, -1) & 1
    places = [(top, left) for top in range(SIZE - 6) for left in range(SIZE - 4)]
    pictures = np.zeros((10, len(places), SIZE, SIZE), np.float32)
    for number, (top, left) in enumerate(places):
        pictures[:, number, top : top + 7, left : left + 5] = dots
    return dml_vk.asarray(pictures)


def batches(generator: Generator, count: int) -> Iterator[tuple[Tensor, Tensor]]:
    every = glyphs()
    while True:
        digits = generator.integers(0, 10, count)
        places = generator.integers(0, every.shape[1], count)
        pictures = every[digits, places].reshape(count, -1)
        yield pictures + generator.normal(pictures.shape, std=NOISE), digits


def initial(generator: Generator, hidden: int) -> Params:
    inputs = SIZE * SIZE
    return {
        "hidden": generator.normal((hidden, inputs), std=(2 / inputs) ** 0.5),
        "hidden_bias": dml_vk.zeros(hidden),
        "head": generator.normal((10, hidden), std=(1 / hidden) ** 0.5),
        "head_bias": dml_vk.zeros(10),
    }


def scores(params: Params, pictures: Tensor) -> Tensor:
    x = nn.linear(pictures, params["hidden"], params["hidden_bias"], activation="relu")
    return nn.linear(x, params["head"], params["head_bias"])


def loss(params: Params, pictures: Tensor, digits: Tensor) -> Tensor:
    return nn.cross_entropy(scores(params, pictures), digits)


def right(params: Params, count: int = 1000) -> float:
    """The share of new digits that are read right."""
    pictures, digits = next(batches(Generator(2), count))
    return dml_vk.mean(dml_vk.argmax(scores(params, pictures), axis=1) == digits).item()


def story(full: bool) -> tuple[Params, list[float], str]:
    generator, steps = Generator(1), 1000 if full else 60
    params = initial(generator, 512 if full else 64)
    opt = optim.Adam(optim.cosine(0.004 if full else 0.02, steps))
    params, values = trained(loss, params, opt, batches(generator, 128), steps)
    return params, values, f"right about {right(params):.0%} of new digits"


if __name__ == "__main__":
    main(story)
