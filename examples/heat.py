"""The conductivity of a ring is found from the spectra of temperatures: gradients of physics.

Heaters warm a ring of unknown conductivity, which cools everywhere. The temperatures solve a system
of equations; of them, only the lowest frequencies are measured. `python examples/heat.py` begins
with the same conductivity everywhere, takes 60 steps along gradients, which flow through the
Fourier transform and the solution, and prints how far the conductivity is from the true one, and
the SHA-256 of what it found. `--full` takes 500 steps on a ring of 128 elements, and
`--curve loss.svg` draws the loss as a curve.
"""

from __future__ import annotations

from itertools import repeat

from steps import Params, main, trained

import dml_vk
from dml_vk import Tensor, optim
from dml_vk.random import Generator

COOLING, FREQUENCIES = 0.05, 6


def temperatures(logarithm: Tensor, heaters: Tensor) -> Tensor:
    """Solve for what each column of heaters gives, by the logarithm of conductivities."""
    size = len(logarithm)
    ring = dml_vk.eye(size)
    slopes = dml_vk.roll(ring, -1, axis=1) - ring
    system = slopes.T @ (dml_vk.exp(logarithm)[:, None] * slopes) + COOLING * ring
    return dml_vk.linalg.solve(system, heaters)


def measured(logarithm: Tensor, heaters: Tensor) -> Tensor:
    return dml_vk.fft.rfft(temperatures(logarithm, heaters), axis=0)[:FREQUENCIES]


def loss(params: Params, heaters: Tensor, spectra: Tensor) -> Tensor:
    error = measured(params["logarithm"], heaters) - spectra
    return dml_vk.mean(dml_vk.real(error) ** 2 + dml_vk.imag(error) ** 2)


def truth(size: int) -> Tensor:
    """The logarithm of the true conductivities: a better conductor on one side."""
    return dml_vk.sin(dml_vk.linspace(0, 6.2831855, size, endpoint=False)) - 0.5


def story(full: bool) -> tuple[Params, list[float], str]:
    size, steps = (128, 500) if full else (16, 60)
    heaters = Generator(1).normal((size, size // 2))
    batch = heaters, measured(truth(size), heaters)
    opt = optim.Adam(optim.cosine(0.1, steps))
    params = {"logarithm": dml_vk.zeros(size)}
    params, values = trained(loss, params, opt, repeat(batch), steps)
    error = abs(params["logarithm"] - truth(size)).mean().item()
    before = abs(truth(size)).mean().item()
    return params, values, f"off by {error:.3f} on average, which was {before:.3f}"


if __name__ == "__main__":
    main(story)
