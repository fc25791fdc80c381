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
    ("SGD", {"lr": 0.1, "momentum": 0.5, "nesterov": True, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "schedule": "cosine"}),
    ("SGD", {"lr": 0.1, "schedule": "step"}),
    ("SGD", {"lr": 0.1, "weight_decay": 0.1, "schedule": "warmup"}),
    ("Adam", {}),
    ("Adam", {"lr": 0.1, "schedule": "cosine"}),
    ("Adam", {"eps": 1e-2, "betas": (0.9, 0.0)}),
    ("Adam", {"lr": 0.1, "betas": (0.5, 0.75), "eps": 1e-3, "weight_decay": 0.1}),
    ("Adam", {"betas": (0.0, 0.999)}),
    ("AdamW", {}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.5}),
    ("AdamW", {"lr": 0.1, "betas": (0.5, 0.75), "eps": 1e-3, "schedule": "warmup"}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.0, "schedule": "step"}),
    ("RMSprop", {}),
    ("RMSprop", {"lr": 0.1, "alpha": 0.5, "eps": 1e-3, "momentum": 0.5, "schedule": "step"}),
    ("RMSprop", {"centered": True}),
    ("RMSprop", {"lr": 0.01, "momentum": 0.9, "schedule": "warmup"}),
    ("RMSprop", {"alpha": 0.9, "momentum": 0.9, "centered": True, "weight_decay": 0.1}),
    ("Adagrad", {}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "initial_accumulator_value": 0.5}),
    ("Adagrad", {"lr": 0.1, "weight_decay": 0.1, "eps": 1e-3, "schedule": "cosine"}),
]
# PyTorch's schedule with its arguments, and those of ours after the rate.
SCHEDULES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "cosine": ("CosineAnnealingLR", {"T_max": STEPS}, {"steps": STEPS}),
    "step": ("StepLR", {"step_size": 30, "gamma": 0.5}, {"every": 30, "factor": 0.5}),
    # PyTorch's cannot begin at 0.
    "warmup": ("LinearLR", {"start_factor": 1e-15, "total_iters": 20}, {"steps": 20}),
}


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
        options = {key: value for key, value in given.items() if key != "schedule"}
        optimizer = getattr(torch.optim, name)(params.values(), **options)
        schedule: Any = None
        if "schedule" in given:
            kind, more, _ = SCHEDULES[given["schedule"]]
            schedule = getattr(torch.optim.lr_scheduler, kind)(optimizer, **more)
        for slopes in gradients():
            for k, x in params.items():
                x.grad = torch.tensor(slopes[k].astype(float))
            optimizer.step()
            if schedule is not None:
                schedule.step()
        found[label] = {k: x.tolist() for k, x in params.items()}
    return found


if __name__ == "__main__":
    STORED.write_text(json.dumps(answers()) + "\n")
