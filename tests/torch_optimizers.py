"""What PyTorch's optimizers do in 100 steps: the oracle of tests/kernel/optim/test_torch.py.

PyTorch computes in float64. Where torch is installed the test asks it, where it is not it reads
what is stored, which `python -m tests.torch_optimizers` writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

STORED = Path(__file__).parent / "data" / "torch_optimizers.json"
STEPS = 100
SHAPES = {"weight": (3, 2), "bias": (3,)}
CASES: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    ("Adam", {}),
    ("Adam", {"lr": 0.1, "betas": (0.5, 0.75), "eps": 1e-3, "weight_decay": 0.1}),
    ("Adam", {"betas": (0.0, 0.999)}),
    ("AdamW", {}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.5}),
    ("RMSprop", {}),
    ("RMSprop", {"alpha": 0.9, "momentum": 0.9, "centered": True, "weight_decay": 0.1}),
    ("Adagrad", {}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "initial_accumulator_value": 0.5}),
]


def names() -> list[str]:
    return [f"{name}({', '.join(f'{k}={v}' for k, v in given.items())})" for name, given in CASES]


def start() -> dict[str, np.ndarray]:
    drawn = np.random.default_rng(0)
    return {name: drawn.normal(size=shape).astype(np.float32) for name, shape in SHAPES.items()}


def gradients() -> Iterator[dict[str, np.ndarray]]:
    drawn = np.random.default_rng(1)
    for _ in range(STEPS):
        yield {name: drawn.normal(size=shape).astype(np.float32) for name, shape in SHAPES.items()}


def load() -> dict[str, dict[str, Any]]:
    try:
        import torch  # noqa: F401
    except ImportError:
        found: dict[str, dict[str, Any]] = json.loads(STORED.read_text())
        return found
    return answers()


def answers() -> dict[str, dict[str, Any]]:
    import torch

    found = {}
    for label, (name, given) in zip(names(), CASES):
        params = {k: torch.tensor(x.astype(float)) for k, x in start().items()}
        optimizer = getattr(torch.optim, name)(params.values(), **given)
        for slopes in gradients():
            for k, x in params.items():
                x.grad = torch.tensor(slopes[k].astype(float))
            optimizer.step()
        found[label] = {k: x.tolist() for k, x in params.items()}
    return found


if __name__ == "__main__":
    STORED.write_text(json.dumps(answers()) + "\n")
