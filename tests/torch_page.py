"""What PyTorch answers to docs/from_pytorch.md: the oracle of test_from_pytorch.py.

Where torch is installed the test asks it, where it is not it reads the stored answers, which
`python -m tests.torch_page` writes.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

TEXT = (Path(__file__).parents[1] / "docs" / "from_pytorch.md").read_text()
STORED = Path(__file__).parent / "data" / "torch_page.json"
CALLED = ("concat", "stack", "exp", "float64")
IMAGES = np.sin(np.arange(48)).reshape(2, 3, 2, 4).astype(np.float32)
MATRIX = (np.arange(12) * 7 % 12 / 8).reshape(3, 4).astype(np.float32)


def section(heading: str) -> str:
    """What stands under this heading, up to the next."""
    _, after = TEXT.split(f"\n{heading}\n")
    return re.split(r"\n##", after)[0]


def spellings(heading: str) -> list[tuple[str, str]]:
    """PyTorch's expressions and ours: rows of a table, and what is spelt the same."""
    rows = re.findall(r"^\| `(.+?)` \| `(.+?)` \|$", section(heading), re.MULTILINE)
    same = re.findall(r"^The same in both: (.*?)\.$", section(heading), re.MULTILINE | re.DOTALL)
    return rows + [(one, one) for listed in same for one in re.findall("`(.+?)`", listed)]


def differences() -> list[tuple[str, str, str]]:
    """Rows of the table of differences: an expression, PyTorch's answer and ours."""
    table = section("## What differs on purpose")
    return re.findall(r"^\| `(.+?)` \| `(.+?)` \| `(.+?)` \| .*\|$", table, re.MULTILINE)


def names_for(library: Any, asarray: Any) -> dict[str, Any]:
    """The names that the tables use."""
    y, m = asarray(IMAGES), asarray(MATRIX)
    x = y.to(memory_format=library.channels_last)
    names = {name: getattr(library, name) for name in CALLED}
    return {
        **names,
        "a": MATRIX,
        "b": m > 0.5,
        "channels_last": library.channels_last,
        "grey": x[:, :1],
        "i": asarray(np.array([2, 0])),
        "image": x[:1],
        "m": m,
        "nhwc": lambda t: t.is_contiguous(memory_format=library.channels_last),
        "x": x,
        "y": y,
    }


def outcome(expression: str, names: dict[str, Any]) -> str:
    """A value as Python writes it, or the name of the error."""
    try:
        return repr(eval(expression, names))
    except Exception as error:
        return type(error).__name__


def answers() -> dict[str, Any]:
    """What torch answers: of tensors values, sizes and strides; else the value itself."""
    import torch
    import torch.nn.functional as F  # noqa: N812

    names = {**names_for(torch, lambda a: torch.from_numpy(a.copy())), "torch": torch, "F": F}
    told: dict[str, Any] = {}
    for heading in re.findall(r"^### .+$", TEXT, re.MULTILINE):
        for expression, _ in spellings(heading):
            value = eval(expression, names)
            told[expression] = described(value) if hasattr(value, "shape") else value
    told.update({expression: outcome(expression, names) for expression, _, _ in differences()})
    told["block"] = described(torch_block())
    return json.loads(json.dumps(told))


def described(value: Any) -> dict[str, Any]:
    strides = value.stride() if hasattr(value, "stride") else None
    numbers = np.asarray(value)
    rounded = [float(f"{number:.7g}") for number in numbers.reshape(-1).tolist()]
    return {
        "dtype": numbers.dtype.name,
        "sizes": numbers.shape,
        "strides": strides,
        "values": rounded,
    }


def torch_block() -> Any:
    """The page's block of a network by PyTorch's own layers."""
    import torch
    import torch.nn.functional as F  # noqa: N812

    def ramp(*sizes: int) -> Any:
        numbers = np.sin(np.arange(np.prod(sizes))).reshape(sizes).astype(np.float32)
        return torch.from_numpy(numbers)

    x = ramp(2, 3, 6, 8).to(memory_format=torch.channels_last)
    mean, var = torch.tensor([0.1, 0.2, 0.3, 0.4]), torch.tensor([1.0, 2.0, 3.0, 4.0])
    gamma, beta = torch.tensor([1.0, 1.5, 2.0, 2.5]), torch.tensor([0.0, 0.1, 0.2, 0.3])
    hidden = F.conv2d(x, ramp(4, 3, 3, 3), padding=1)
    return F.max_pool2d(F.relu(F.batch_norm(hidden, mean, var, gamma, beta)), 2)


def load() -> dict[str, Any]:
    """Fresh answers where torch is there, else the stored ones."""
    try:
        import torch  # noqa: F401
    except ImportError:
        return json.loads(STORED.read_text())
    return answers()


if __name__ == "__main__":
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(one)}" for key, one in answers().items())
    STORED.write_text(f"{{{lines}}}\n")
