"""What PyTorch says gradients are, in float64: the oracle of gradients/test_torch.py.

Of each operand's gradient its projections on two directions are stored, or all of it where it is
small. `python -m tests.torch_gradients.answers` writes them, and needs torch.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.torch_gradients import functions, layers

STORED = Path(__file__).parent.parent / "data" / "torch_gradients.json"
SMALL = 4  # numbers of a gradient

# Beside operands, what calls may name.
CONSTANTS: dict[str, Any] = {
    "index": np.array([[1, 0, 5], [1, 1, 3]]),
    "gathered": np.array([[2, 0, 2], [1, 1, 3], [0, 3, 1]]),
    "picked": np.array([2, 0, 2, 1]),
    "target": np.array([1, 0, 2, 1]),
    "targets": np.array([[[1, 0], [2, -100]], [[0, 0], [2, 1]]]),
    "weight": np.array([0.5, 2.0, 1.5]),
    "wide": np.array([[True, False, True], [False, True, True]]),
    "tall": np.array([[True, False, True, True], [False] * 4, [False, True, True, False]]),
    "seen": np.array([[1, 1, 0, 1], [0, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1], [0, 0, 1, 1]], bool),
}


class Case(NamedTuple):
    """A call of PyTorch's, the same of ours, and its operands by name."""

    theirs: str
    ours: str
    operands: dict[str, np.ndarray]
    is_single: bool  # ours takes no float64


def cases() -> dict[str, Case]:
    """All, by a name that tells calls of other shapes apart."""
    named = {}
    for theirs, ours, told in [*layers.rows(), *functions.rows()]:
        operands = {name: _drawn(each, k) for k, (name, each) in enumerate(told.items())}
        label = f"{theirs} {'; '.join(map(_label, told.values()))}"
        is_single = any(isinstance(x, dict) and x.get("dtype") == "float32" for x in told.values())
        assert label not in named, label
        named[label] = Case(theirs, ours, operands, is_single)
    return named


def _label(told: Any) -> str:
    if isinstance(told, tuple):
        return "x".join(map(str, told))
    sizes = told.get("shape", ())
    return told.get("kind", "f") + ("x".join(map(str, sizes)) if sizes else str(told["values"]))


def _drawn(told: Any, seed: int) -> np.ndarray:
    options = {"shape": told} if isinstance(told, tuple) else told
    kind = options.get("kind", "f")
    if "values" in options:
        return np.array(options["values"], "float64" if kind == "f" else "complex128")
    generator = np.random.default_rng(seed)
    low, high = options.get("low", -1.0), options.get("high", 1.0)
    own = generator.uniform(low, high, options["shape"])
    if kind == "c":
        own = own + 1j * generator.uniform(low, high, options["shape"])
    if "diagonal" in options:  # Singular values and eigenvalues are apart.
        own += np.eye(*own.shape[-2:]) * (options["diagonal"] + np.arange(own.shape[-1]))
    return own


def weights(shape: tuple[int, ...], kind: str) -> np.ndarray:
    """What results are multiplied by, before they are added."""
    numbers = np.cos(np.arange(1.0, np.prod(shape, dtype=int) + 1)).reshape(shape)
    return numbers * (1 - 2j) if kind == "c" else numbers


def digest(gradient: np.ndarray) -> list[float]:
    """Numbers that tell a gradient: all, or two projections."""
    flat = np.ravel(gradient)
    parts = np.stack([flat.real, flat.imag]) if flat.dtype.kind == "c" else flat
    parts = parts.reshape(-1).astype(np.float64)
    if parts.size <= SMALL:
        return parts.tolist()
    directions = np.random.default_rng(parts.size).normal(size=(2, parts.size))
    return (directions @ parts).tolist()


def load() -> dict[str, list[list[float]]]:
    stored: dict[str, list[list[float]]] = json.loads(STORED.read_text())
    return stored


def answers() -> Iterator[tuple[str, list[list[float]]]]:
    import torch

    scope = {name: torch.tensor(x) for name, x in CONSTANTS.items()}
    scope.update(torch=torch, F=torch.nn.functional)
    for label, case in cases().items():
        operands = {n: torch.tensor(x, requires_grad=True) for n, x in case.operands.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = eval(case.theirs, {**scope, **operands})
            factors = torch.tensor(weights(tuple(result.shape), "fc"[result.is_complex()]))
            loss = (result * factors).sum()
            gradients = torch.autograd.grad(loss.real, list(operands.values()))
        yield label, [digest(g.resolve_conj().numpy()) for g in gradients]


if __name__ == "__main__":
    rounded = {k: [[float(f"{x:.9g}") for x in g] for g in each] for k, each in answers()}
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(each)}" for k, each in rounded.items())
    STORED.write_text(f"{{{lines}}}\n")
