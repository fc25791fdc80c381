"""What the examples of training share: steps with a bar of progress, a curve, and a fingerprint."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import dml_vk
from dml_vk import Tensor

Params = dict[str, Tensor]


def trained(
    loss: Callable[..., Tensor],
    params: Params,
    opt: Any,  # of dml_vk.optim
    batches: Iterable[tuple[Tensor, ...]],
    steps: int,
) -> tuple[Params, list[float]]:
    """Return the parameters after a step for each batch, and the loss of each step."""

    @dml_vk.compile(donate=(0, 1))
    def step(params: Params, state: Any, *batch: Tensor) -> tuple[Params, Any, Tensor]:
        value, gradients = dml_vk.value_and_grad(loss)(params, *batch)
        return *opt.update(params, gradients, state), value

    state, values = opt.init(params), []
    for number, batch in zip(range(1, steps + 1), batches):
        params, state, value = step(params, state, *batch)
        values.append(value)  # which is read after all steps: the device need not wait
        show(number, steps)
    return params, [value.item() for value in values]


def show(number: int, steps: int) -> None:
    """Draw a bar of progress, if somebody sees it."""
    if sys.stderr.isatty():
        end = "\n" if number == steps else ""
        print(f"\r[{'#' * (30 * number // steps):30}] {number}", end=end, file=sys.stderr)


def fingerprint(params: Params) -> str:
    """The SHA-256 of all weights."""
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


def main(story: Callable[[bool], tuple[Params, list[float], str]]) -> None:
    """Run a story, which is given whether to run it in full and returns what it has to say."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true", help="at full size")
    parser.add_argument("--curve", type=Path, help="write the loss of each step to this SVG file")
    options = parser.parse_args()
    params, values, said = story(options.full)
    print(f"loss {values[0]:.3g} at first, {values[-1]:.3g} at last")
    print(said)
    print("weights", fingerprint(params))
    if options.curve:
        options.curve.write_text(curve(values))
