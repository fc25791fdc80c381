"""What PyTorch answers about convolutions and products: the oracle of test_torch_convolutions.py.

All numbers are small integers, so that every order of sums gives the same. Where torch is installed
the test computes the answers, elsewhere it reads the stored ones, which
`python -m tests.torch_convolutions` writes.
"""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np

STORED = Path(__file__).parent / "data" / "torch_convolutions.json"
COUNT = 24

Case = dict[str, Any]


def load() -> list[Case]:
    try:
        import torch  # noqa: F401
    except ImportError:
        return json.loads(STORED.read_text())
    return answers()


def numbers(sizes: list[int], seed: int) -> np.ndarray:
    """Integers from -5 to 5."""
    count = int(np.prod(sizes))
    return (
        ((np.arange(count) * 7919 + seed * 104729) // 13 % 11 - 5).astype("float32").reshape(sizes)
    )


def outputs_of(case: Case) -> list[int]:
    """The shape of the bias."""
    weight, groups = case["weight"], case["options"]["groups"]
    return [weight[1] * groups] if case["transposed"] else weight[:1]


def cases() -> list[Case]:
    rng = random.Random(5)
    made = []
    for number in range(COUNT):
        rank, groups = 1 + number % 3, rng.choice((1, 1, 2, 4))
        inputs, outputs = rng.choice((1, 2, 3)), rng.choice((1, 2, 3))
        kernel = [rng.randint(1, 3) for _ in range(rank)]
        options: Case = {
            "stride": [rng.randint(1, 2) for _ in range(rank)],
            "padding": [rng.randint(0, 2) for _ in range(rank)],
            "dilation": [rng.randint(1, 2) for _ in range(rank)],
            "groups": groups,
        }
        if number % 6 == 5:
            options |= {"padding": "same", "stride": [1] * rank}
        x = [rng.randint(1, 2), groups * inputs, *[rng.randint(5, 6) for _ in range(rank)]]
        case = {"x": x, "weight": [groups * outputs, inputs, *kernel], "options": options}
        if number % 4 == 1:
            case["weight"] = [groups * inputs, outputs, *kernel]
            pairs = zip(options["stride"], options["dilation"])
            more = {"output_padding": [max(pair) - 1 for pair in pairs], "padding": [1] * rank}
            options |= more
        made.append({**case, "transposed": number % 4 == 1, "has_bias": number % 8 < 4})
    return made


def answers() -> list[Case]:
    import torch
    from torch.nn import functional

    found = []
    for case in cases():
        rank = len(case["x"]) - 2
        x, weight = [
            torch.tensor(numbers(case[name], at)) for at, name in enumerate(("x", "weight"))
        ]
        bias = torch.tensor(numbers(outputs_of(case), 2)) if case["has_bias"] else None
        name = f"conv_transpose{rank}d" if case["transposed"] else f"conv{rank}d"
        function = getattr(functional, name)
        with warnings.catch_warnings():
            # What it costs is of no concern here.
            warnings.filterwarnings("ignore", "Using padding='same' with even kernel lengths")
            y = function(x, weight, bias, **case["options"])
        found.append({**case, "shape": list(y.shape), "y": y.flatten().int().tolist()})
    return found


if __name__ == "__main__":
    STORED.write_text(json.dumps(answers(), separators=(",", ":")) + "\n")
