"""What PyTorch answers about pooling: the oracle of tests/kernel/nn/test_pool_torch.py.

Where torch is installed the test computes the table itself, where it is not it reads the stored
one, which `python -m tests.torch_pooling` writes.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np

STORED = Path(__file__).parent / "data" / "torch_pooling.json"
FUNCTIONS = ("max", "avg", "adaptive_max", "adaptive_avg", "lp")
VALUES = (0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1.0, 1.0)

Case = dict[str, Any]


def load(count: int) -> list[Case]:
    """`count` fresh cases of each function where torch is there, else the stored table."""
    try:
        import torch  # noqa: F401
    except ImportError:
        found: list[Case] = json.loads(STORED.read_text())
        return found
    return answers(count, seed=1)


def answers(count: int, seed: int) -> list[Case]:
    rng = random.Random(seed)
    return [ask(rng, name) for _ in range(count) for name in FUNCTIONS]


def numbers(case: Case) -> np.ndarray:
    """What is pooled: small integers, whose sums are exact, or also special values."""
    found = np.random.default_rng(case["seed"]).integers(-9, 10, case["shape"])
    floats = found.astype(np.float32)
    if case["special"]:
        for place, value in enumerate(VALUES):
            floats[found == place] = value
    return floats


def ask(rng: random.Random, function: str) -> Case:
    import torch
    import torch.nn.functional as f

    rank = rng.choice((1, 2, 2, 3))
    case: Case = {
        "function": function,
        "shape": [rng.choice((1, 2)), rng.choice((1, 3, 4)), *rng.choices((3, 4, 5, 6), k=rank)],
        "seed": rng.randrange(2**31),
        "special": rng.random() < 0.5 and function != "lp",
    }
    x = torch.from_numpy(numbers(case))
    if function.startswith("adaptive"):
        case["sizes"] = [rng.choice((2, 3, 4, 7)) for _ in range(rank)]
        call = getattr(f, f"{function}_pool{rank}d")
        if function == "adaptive_max":
            return stored(case, *call(x, case["sizes"], return_indices=True))
        return stored(case, call(x, case["sizes"]))
    kernel = [rng.randint(1, 3) for _ in range(rank)]
    given = {"kernel_size": kernel, "stride": [rng.randint(1, 3) for _ in range(rank)]}
    if function == "lp":
        # Of one dim it takes numbers alone; in `ceil_mode` it scales what is cut off.
        case["given"] = given
        told = {name: one[0] for name, one in given.items()} if rank == 1 else given
        return stored(case, getattr(f, f"lp_pool{rank}d")(x, 2.0, **told))
    given["padding"] = [rng.randint(0, size // 2) for size in kernel]
    given["ceil_mode"] = rng.random() < 0.5
    case["given"] = given
    if function == "max":
        given["dilation"] = [rng.choice((1, 2)) if size < 3 else 1 for size in kernel]
        call = getattr(f, f"max_pool{rank}d")
        return stored(case, *call(x, **given, return_indices=True))
    given["count_include_pad"] = rng.random() < 0.5
    return stored(case, getattr(f, f"avg_pool{rank}d")(x, **given))


def stored(case: Case, values: Any, indices: Any = None) -> Case:
    """Floats go as text, which keeps the sign of zeros, and has NaN and infinities."""
    case["sizes_found"] = list(values.shape)
    case["values"] = " ".join(map(repr, values.flatten().tolist()))
    case["indices"] = None if indices is None else indices.flatten().tolist()
    return case


if __name__ == "__main__":
    STORED.write_text(json.dumps(answers(6, seed=0)) + "\n")
