"""Measure what docs/pictures/timeline.svg shows: `python docs/timeline.py` writes timeline.json.

Host times are those of calls, device times those of the dispatch log, all medians in microseconds.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[1]))  # the clone, installed or not
import dml_vk

FILE = Path(__file__).with_suffix(".json")
ROUNDS = 60
SIZES = (2, 16, 32, 32)
Step = tuple[str, Callable[[], object]]


class Collect(logging.Handler):
    """The dispatches since the last look."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, float]] = []

    def emit(self, record: logging.LogRecord) -> None:
        dispatch = getattr(record, "dispatch", None)
        if dispatch is not None:
            self.seen.append((dispatch.asked.kernel, dispatch.microseconds))


def measured(steps: list[Step]) -> dict[str, object]:
    """Names and times of the calls and of the kernels, and the time until all is done."""
    names = [name for name, _ in steps]
    calls: list[list[float]] = []
    whole = []
    for _ in range(ROUNDS):
        dml_vk.synchronize()
        began, ends = perf_counter(), []
        for _, step in steps:
            step()
            ends.append(perf_counter())
        dml_vk.synchronize()
        whole.append(1e6 * (perf_counter() - began))
        calls.append([1e6 * (end - start) for start, end in zip([began, *ends], ends)])
    logger, collect, kernels = logging.getLogger("dml_vk"), Collect(), []
    logger.addHandler(collect)
    logger.setLevel(logging.DEBUG)
    dml_vk.synchronize()
    for _ in range(ROUNDS):
        collect.seen = []
        for _, step in steps:
            step()
        dml_vk.synchronize()
        kernels.append(collect.seen)
    logger.setLevel(logging.WARNING)
    logger.removeHandler(collect)
    return {
        "calls": [[name, _middle(times)] for name, times in zip(names, zip(*calls))],
        "kernels": [
            [seen[0][0], _middle([microseconds for _, microseconds in seen])]
            for seen in zip(*kernels[ROUNDS // 4 :])
        ],
        "whole": _middle(whole),
    }


def _middle(times: object) -> float:
    return round(median(times), 1)  # type: ignore[call-overload]


def main() -> None:
    x = dml_vk.random.Generator(1).normal(SIZES).to(dml_vk.channels_last)
    m, s, g, b = [dml_vk.full((1, SIZES[1], 1, 1), value) for value in (0.1, 1.5, 0.7, -0.2)]
    kept: dict[str, dml_vk.Tensor] = {}

    def keep(name: str, make: Callable[[], dml_vk.Tensor]) -> Step:
        return name, lambda: kept.update(y=make())

    def function(x: dml_vk.Tensor) -> dml_vk.Tensor:
        return dml_vk.maximum((x - m) / s * g + b, 0)

    steps = [
        keep("x - m", lambda: x - m),
        keep("/ s", lambda: kept["y"] / s),
        keep("* g", lambda: kept["y"] * g),
        keep("+ b", lambda: kept["y"] + b),
        keep("maximum", lambda: dml_vk.maximum(kept["y"], 0)),
    ]
    compiled = dml_vk.compile(function)
    again = [keep("f(x)", lambda: compiled(x))]
    for _, step in (*steps, *again):
        step()
    found = {
        "device": x.device.name,
        "runtime": dml_vk.devices()[0].runtime,
        "sizes": SIZES,
        "before": measured(steps),
        "after": measured(again),
    }
    FILE.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
