"""A small transformer learns to write as a text does, letter by letter.

`python examples/letters.py` trains on the licence of this package for 20 steps, and prints how it
goes on with a text, and the SHA-256 of its weights, which is the same on every device. `--full`
trains a larger one for 1000 steps, and `--curve loss.svg` draws the loss as a curve.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from steps import Params, main, trained

import dml_vk
from dml_vk import Tensor, nn, optim
from dml_vk.random import Generator

TEXT = " ".join((Path(__file__).parents[1] / "LICENSE").read_text().split())
LETTERS = "".join(sorted(set(TEXT)))
HEADS = 2


class Size(NamedTuple):
    layers: int
    width: int
    context: int
    batch: int
    steps: int


SMALL, FULL = Size(1, 32, 32, 16, 20), Size(3, 96, 96, 24, 1000)


def initial(generator: Generator, size: Size) -> Params:
    def normal(outputs: int, inputs: int) -> Tensor:
        return generator.normal((outputs, inputs), std=inputs**-0.5)

    width, params = size.width, {}
    for layer in range(size.layers):
        params |= {
            f"{layer}.norm1": dml_vk.ones(width),
            f"{layer}.qkv": normal(3 * width, width),
            f"{layer}.out": normal(width, width),
            f"{layer}.norm2": dml_vk.ones(width),
            f"{layer}.up": normal(4 * width, width),
            f"{layer}.down": normal(width, 4 * width),
        }
    params["embed"] = normal(len(LETTERS), width)
    params["place"] = normal(size.context, width)
    params["head"] = normal(len(LETTERS), width)
    return params


def scores(params: Params, letters: Tensor) -> Tensor:
    """For each letter of (batch, length), how likely each is to be the next."""
    batch, length = letters.shape
    x = nn.embedding(letters, params["embed"]) + params["place"][:length]
    for layer in range(sum(name.endswith("qkv") for name in params)):
        y = nn.rms_norm(x, x.shape[-1], params[f"{layer}.norm1"])
        y = nn.linear(y, params[f"{layer}.qkv"]).reshape(batch, length, 3, HEADS, -1)
        q, k, v = dml_vk.unstack(y.movedim(1, 3), axis=1)
        y = nn.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + nn.linear(y.movedim(1, 2).reshape(batch, length, -1), params[f"{layer}.out"])
        y = nn.rms_norm(x, x.shape[-1], params[f"{layer}.norm2"])
        y = nn.linear(y, params[f"{layer}.up"], activation="gelu")
        x = x + nn.linear(y, params[f"{layer}.down"])
    return nn.linear(x, params["head"])


def loss(params: Params, letters: Tensor) -> Tensor:
    rows = scores(params, letters[:, :-1])
    return nn.cross_entropy(rows.reshape(-1, len(LETTERS)), letters[:, 1:].reshape(-1))


def encoded(text: str) -> Tensor:
    return dml_vk.asarray(np.array([LETTERS.index(letter) for letter in text]))


def batches(generator: Generator, size: Size) -> Iterator[tuple[Tensor]]:
    text = encoded(TEXT)
    while True:
        starts = generator.integers(0, len(text) - size.context, size.batch)
        yield (text[starts[:, None] + dml_vk.arange(size.context + 1)],)


def continued(params: Params, text: str, count: int) -> str:
    """Return the text with `count` more letters, each the most likely one."""
    context = len(params["place"])
    for _ in range(count):
        near = text[-context:]
        rows = scores(params, encoded(near.ljust(context))[None])[0]  # What follows is not seen.
        text += LETTERS[dml_vk.argmax(rows[len(near) - 1]).item()]
    return text


def story(full: bool) -> tuple[Params, list[float], str]:
    size, generator = FULL if full else SMALL, Generator(1)
    opt = optim.AdamW(optim.cosine(0.003 if full else 0.02, size.steps))
    params = initial(generator, size)
    params, values = trained(loss, params, opt, batches(generator, size), size.steps)
    return params, values, continued(params, "You may ", 100 if full else 10)


if __name__ == "__main__":
    main(story)
