"""What PyTorch answers about random layouts: the oracle of test_torch.py.

Where torch is installed the test computes the table itself, where it is not it reads the stored
one, which `python -m tests.torch_answers` writes.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

STORED = Path(__file__).parent / "data" / "torch_answers.json"

Case = dict[str, Any]


def load(count: int) -> list[Case]:
    """`count` fresh cases of each kind where torch is there, else the stored table."""
    try:
        import torch  # noqa: F401
    except ImportError:
        return json.loads(STORED.read_text())
    return list(answers(count, seed=1))


def answers(count: int, seed: int) -> Iterator[Case]:
    rng = random.Random(seed)
    for kind in (ask_layout, ask_elementwise, ask_concatenate, ask_view, ask_views):
        for _ in range(count):
            yield {"kind": kind.__name__.removeprefix("ask_"), **kind(rng)}


def random_sizes(rng: random.Random, rank: int, ones: float) -> list[int]:
    return [1 if rng.random() < ones else rng.choice((2, 3, 4, 5, 7)) for _ in range(rank)]


def random_strides(rng: random.Random, sizes: list[int]) -> list[int]:
    """Packed in some order, then perhaps padded, broadcast, equal or plainly random."""
    rank = len(sizes)
    orders = [list(range(rank)), [0, *range(2, rank), 1][:rank], rng.sample(range(rank), rank)]
    order = rng.choice(orders)
    strides, step = [0] * rank, 1
    for dim in reversed(order):
        strides[dim] = step
        step *= sizes[dim] + (rng.random() < 0.1) * rng.randrange(4)
    for dim in range(rank):
        if sizes[dim] == 1 and rng.random() < 0.2:
            strides[dim] = rng.choice((0, 1, 2, *strides))
        elif rng.random() < 0.04:
            strides[dim] = rng.choice((0, 0, 1, *strides))
    return strides


def random_layout(rng: random.Random, rank: int | None = None) -> tuple[list[int], list[int]]:
    rank = rng.choice((0, 1, 2, 3, 4, 4, 4, 5, 5, 6)) if rank is None else rank
    sizes = random_sizes(rng, rank, rng.choice((0, 0, 0.3, 0.6)))
    if sizes and rng.random() < 0.03:
        sizes[rng.randrange(rank)] = 0
    return sizes, random_strides(rng, sizes)


def tensor(sizes: list[int], strides: list[int], offset: int = 0) -> Any:
    import torch

    reach = offset + 1 + sum(max(0, n - 1) * s for n, s in zip(sizes, strides))
    return torch.zeros(reach).as_strided(sizes, strides, offset)


def ask_layout(rng: random.Random) -> Case:
    import torch

    sizes, strides = random_layout(rng)
    x = tensor(sizes, strides)
    case = {"sizes": sizes, "strides": strides, "contiguous": x.is_contiguous()}
    case["like"] = list(torch.empty_like(x).stride())
    if 0 not in sizes and 1 not in sizes:
        case["dim_order"] = list(x.dim_order())
    case["dense"] = bool(torch.ops.aten.is_non_overlapping_and_dense(x))
    named = {4: torch.channels_last, 5: torch.channels_last_3d}.get(len(sizes))
    if named:
        case["channels_last"] = x.is_contiguous(memory_format=named)
        case["follows"] = _suggests_channels_last(x)
        case["to"] = list(x.contiguous(memory_format=named).stride())
    return case


def _suggests_channels_last(x: Any) -> bool:
    """What PyTorch guesses of x, made visible: joined to itself along C no format is ambiguous."""
    import torch

    return bool(torch.cat([x, x], 1).stride(-1) > 1)


def ask_elementwise(rng: random.Random) -> Case:
    import torch

    rank = rng.choice((1, 2, 3, 4, 4, 4, 5, 5, 6))
    full = random_sizes(rng, rank, rng.choice((0, 0, 0.3, 0.6)))
    if rng.random() < 0.05:
        full[rng.randrange(rank)] = 0
    operands = []
    for _ in range(rng.choice((1, 2, 2, 2, 3))):
        sizes = list(full)
        if rng.random() < 0.4:
            sizes = [1 if rng.random() < 0.3 else n for n in sizes][rng.randrange(rank + 1) :]
        operands.append((sizes, random_strides(rng, sizes)))
    tensors = [tensor(*one) for one in operands]
    call: Callable[..., Any] = {1: torch.exp, 2: torch.add, 3: torch.addcmul}[len(tensors)]
    result = call(*tensors)
    return {"operands": operands, "sizes": list(result.shape), "strides": list(result.stride())}


def ask_concatenate(rng: random.Random) -> Case:
    import torch

    rank = rng.choice((1, 2, 3, 4, 4, 4, 5, 5))
    full, dim = random_sizes(rng, rank, rng.choice((0, 0, 0.3, 0.6))), rng.randrange(rank)
    operands = []
    for _ in range(rng.choice((1, 2, 2, 3))):
        sizes = list(full)
        sizes[dim] = rng.choice((0, 1, 2, 3, 3, 5))
        operands.append((sizes, random_strides(rng, sizes)))
    if rng.random() < 0.05:
        operands.insert(rng.randrange(len(operands) + 1), ([0], [1]))
    result = torch.cat(
        [tensor(*one) for one in operands], dim - rank if rng.random() < 0.3 else dim
    )
    return {
        "operands": operands,
        "dim": dim,
        "sizes": list(result.shape),
        "strides": list(result.stride()),
    }


def ask_view(rng: random.Random) -> Case:
    sizes, strides = random_layout(rng)
    new = list(sizes)
    for _ in range(rng.randrange(4)):  # merge, cut and pad with ones
        at = rng.randrange(len(new) + 1)
        if rng.random() < 0.5 and at + 1 < len(new):
            new[at : at + 2] = [new[at] * new[at + 1]]
        elif at < len(new) and new[at] > 1:
            divisor = rng.choice([d for d in range(1, new[at] + 1) if new[at] % d == 0])
            new[at : at + 1] = [divisor, new[at] // divisor]
        else:
            new.insert(at, 1)
    try:
        answer = list(tensor(sizes, strides).view(new).stride())
    except RuntimeError:
        answer = None
    return {"sizes": sizes, "strides": strides, "new": new, "answer": answer}


def ask_views(rng: random.Random) -> Case:
    """A few view operations one after another, each with what it leaves."""
    sizes, strides = random_layout(rng, rng.randrange(1, 6))
    offset = rng.randrange(5)
    x = tensor(sizes, strides, offset)
    steps = []
    for _ in range(4):
        name, args = random_view(rng, list(x.shape))
        x = apply_view(x, name, args)
        steps.append(
            {
                "call": [name, args],
                "sizes": list(x.shape),
                "strides": list(x.stride()),
                "offset": x.storage_offset(),
            }
        )
    return {"sizes": sizes, "strides": strides, "offset": offset, "steps": steps}


def random_view(rng: random.Random, sizes: list[int]) -> tuple[str, list[Any]]:
    rank = len(sizes)
    dim = rng.randrange(rank) if rank else 0
    signed = dim - rank if rng.random() < 0.3 else dim
    size = sizes[dim] if rank else 0
    calls: list[tuple[str, list[Any]]] = [
        ("unsqueeze", [rng.randrange(-rank - 1, rank + 1)]),
        ("squeeze", []),
        ("permute", [rng.sample(range(rank), rank)]),
        ("expand", [[rng.choice((1, 2)), *[rng.choice((-1, n)) for n in sizes]]]),
        ("expand", [[rng.choice((1, 3)) if n == 1 else -1 for n in sizes]]),
    ]
    if rank:
        start = rng.randrange(size + 1)
        calls += [
            ("squeeze", [signed]),
            ("transpose", [signed, rng.randrange(rank)]),
            ("movedim", [signed, rng.randrange(rank)]),
            ("narrow", [signed, start, rng.randrange(size - start + 1)]),
            ("slice", [signed, rng.randrange(-9, 9), rng.randrange(-9, 9), rng.randrange(1, 4)]),
            ("unfold", [signed, rng.randrange(size + 1), rng.randrange(1, 4)]),
            ("chunk", [rng.randrange(1, 5), signed, 0]),
            ("split", [rng.randrange(1, 5), signed, -1]),
        ]
        if size:
            calls.append(("select", [signed, rng.randrange(-size, size)]))
    if rank > 1:
        calls.append(("diagonal", [rng.randrange(-5, 6), *rng.sample(range(rank), 2)]))
    return rng.choice(calls)


def apply_view(x: Any, name: str, args: list[Any]) -> Any:
    """The same call on a torch tensor and on a Layout; slices are spelt differently there."""
    if name == "slice" and not hasattr(x, "slice"):
        dim, start, stop, step = args
        cut: list[slice] = [slice(None)] * x.ndim
        cut[dim] = slice(start, stop, step)
        return x[tuple(cut)]
    if name in ("chunk", "split"):
        *args, piece = args
        return getattr(x, name)(*args)[piece]
    return getattr(x, name)(*args)


if __name__ == "__main__":
    table = ",\n".join(json.dumps(case) for case in answers(120, seed=2))
    STORED.write_text(f"[{table}]\n")
