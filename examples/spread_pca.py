"""Principal components of samples that no device need hold at once, on two workers.

`python examples/spread_pca.py` draws the samples in chunks, and compares the components with those
of the same samples on one device. A worker is killed on the way.
"""

from __future__ import annotations

from typing import Any

from workers import computed_with_a_loss, two_workers

import dml_vk
from dml_vk import linalg, random
from dml_vk.dask import random as spread

Array = Any  # a tensor, or an array of Dask whose chunks are tensors
SAMPLES, NUMBERS, CHUNK = 20_000, 48, 1500


def samples(generator: random.Generator | spread.Generator, **named: Any) -> Array:
    """A sample a row, of numbers that depend on each other."""
    x = generator.normal((SAMPLES, NUMBERS), **named)
    return x @ random.Generator(seed=2).normal((NUMBERS, NUMBERS)) + 3.0


def covariance(x: Array) -> Array:
    centered = x - x.mean(axis=0, keepdims=True)
    return (centered.T @ centered) / (SAMPLES - 1)


def components(matrix: dml_vk.Tensor, count: int = 3) -> tuple[dml_vk.Tensor, dml_vk.Tensor]:
    """The variances and the directions, one a row, of the strongest ones."""
    values, vectors = linalg.eigh(matrix)
    return dml_vk.flip(values[-count:]), dml_vk.flip(vectors[:, -count:].T, axis=0)


def main() -> None:
    lazy = covariance(samples(spread.Generator(seed=1), chunks=(CHUNK, NUMBERS)))
    with two_workers() as client:
        variances, directions = components(computed_with_a_loss(client, lazy))
    whole = components(covariance(samples(random.Generator(seed=1))))
    for variance, direction in zip(variances.tolist(), directions.tolist()):
        print(f"variance {variance:8.3f} along {[round(one, 3) for one in direction[:4]]} ...")
    equal = all(one.tobytes() == two.tobytes() for one, two in zip((variances, directions), whole))
    print(f"equal bits: {equal}")


if __name__ == "__main__":
    main()
