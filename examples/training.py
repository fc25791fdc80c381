"""A small network learns to tell shapes apart, and ends with the same weights on every device.

`python examples/training.py` draws pictures, trains for 300 steps, and prints how many of new
pictures the network tells right, and the SHA-256 of its weights. `python examples/training.py 30`
takes 30 steps; `python examples/training.py 300 loss.svg` draws the loss as a curve, too.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from pathlib import Path

from resnet import KINDS
from shapes import drawn

import dml_vk
from dml_vk import Tensor, nn, optim
from dml_vk.random import Generator

SIZE, BATCH, STEPS = 16, 40, 300

Params = dict[str, Tensor]


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


def batch(generator: Generator, count: int = BATCH) -> tuple[Tensor, Tensor]:
    kinds = generator.integers(0, len(KINDS), count)
    return drawn(kinds, generator, SIZE), kinds


def trained(steps: int, seed: int = 1) -> tuple[Params, list[float]]:
    """Return the parameters after so many steps, and the loss of each step."""
    generator = Generator(seed)
    params = initial(generator)
    opt = optim.AdamW(optim.cosine(0.01, steps))
    state = opt.init(params)

    @functools.partial(dml_vk.compile, donate=(0, 1))
    def step(params, state, pictures, kinds):
        value, gradients = dml_vk.value_and_grad(loss)(params, pictures, kinds)
        return *opt.update(params, gradients, state), value

    values = []
    for number in range(steps):
        params, state, value = step(params, state, *batch(generator))
        values.append(value)  # which is read after all steps: the device need not wait
        if sys.stderr.isatty():
            print(f"\rstep {number + 1} of {steps}", end="", file=sys.stderr)
    return params, [value.item() for value in values]


def right(params: Params, count: int = 500) -> float:
    """The share of new pictures that are told right."""
    pictures, kinds = batch(Generator(2), count)
    return dml_vk.mean(dml_vk.argmax(scores(params, pictures), axis=1) == kinds).item()


def fingerprint(params: Params) -> str:
    return hashlib.sha256(b"".join([x.numpy().tobytes() for x in params.values()])).hexdigest()


def curve(values: list[float]) -> str:
    """The loss of each step as SVG."""
    top = max(values)
    points = [
        f"{10 + 480 * k / max(len(values) - 1, 1):.1f},{190 - 180 * value / top:.1f}"
        for k, value in enumerate(values)
    ]
    line = f'<polyline points="{" ".join(points)}" fill="none" stroke="black"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="500" height="200">{line}</svg>\n'


if __name__ == "__main__":
    params, values = trained(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
    print(f"loss {values[0]:.3f} at first, {values[-1]:.3f} at last")
    print(f"right about {right(params):.0%} of new pictures")
    print("weights", fingerprint(params))
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(curve(values))
