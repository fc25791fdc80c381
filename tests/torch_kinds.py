"""Which dtype PyTorch gives for operands of all kinds: the oracle of test_kinds.py.

Where torch is installed the test computes the table itself, where it is not it reads the stored
one, which `python -m tests.torch_kinds` writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

STORED = Path(__file__).parent / "data" / "torch_kinds.json"
# Those that PyTorch has in full: it computes little in the other unsigned integers.
DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
NUMBERS = (True, 2, 0.5)

Operand = str | float  # a dtype's name, or a number
Case = dict[str, Any]


def load() -> list[Case]:
    try:
        import torch  # noqa: F401
    except ImportError:
        return json.loads(STORED.read_text())
    return list(answers())


def answers() -> Iterator[Case]:
    import torch

    mask = torch.tensor([True, False])
    calls = {
        "add": torch.add,
        "divide": torch.divide,
        "less": torch.less,
        "where": lambda x1, x2: torch.where(mask, x1, x2),
    }
    for name in DTYPES:
        yield case("sqrt", torch.sqrt, [name])
        for x2 in (*DTYPES, *NUMBERS):
            yield case("result_type", torch.result_type, [name, x2])
    for call, x1, x2 in product(calls, DTYPES, (*DTYPES, *NUMBERS)):
        yield case(call, calls[call], [x1, x2])
    for call, x1, x2 in product(("add", "divide", "where"), NUMBERS, DTYPES):
        yield case(call, calls[call], [x1, x2])


def case(name: str, call: Any, operands: list[Operand]) -> Case:
    import torch

    given = [torch.ones(2, dtype=getattr(torch, x)) if isinstance(x, str) else x for x in operands]
    if name in ("add", "divide") and not isinstance(operands[0], str):
        found = given[0] + given[1] if name == "add" else given[0] / given[1]
    else:
        found = call(*given)
    dtype = found if isinstance(found, torch.dtype) else found.dtype
    return {"call": name, "operands": operands, "dtype": str(dtype).removeprefix("torch.")}


if __name__ == "__main__":
    table = ",\n".join(json.dumps(case) for case in answers())
    STORED.write_text(f"[{table}]\n")
