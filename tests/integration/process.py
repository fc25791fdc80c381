"""Python in a process of its own, for what may end the process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]
USE = """
import numpy as np, dml_vk
def use():
    a = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4)
    x = dml_vk.asarray(a)
    y = dml_vk.empty((4, 2, 3))
    dml_vk.copy(x.over(x.layout.permute(2, 0, 1)), y)
    assert np.array_equal(y.numpy(), a.transpose(2, 0, 1)), y.numpy()
    return x, y
"""


def run(code: str, *, seconds: float = 120, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code after USE. An environment value of "" takes the variable away."""
    variables = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", USE + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=seconds,
        env={name: value for name, value in variables.items() if value},
    )


def says(code: str, expected: str, **options: str) -> None:
    """The code ends with status 0, prints exactly this, and complains of nothing."""
    done = run(code, **options)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, expected, "")
