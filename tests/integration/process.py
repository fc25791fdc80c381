"""Python in a process of its own, for what may end the process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

from tests.hanging import HANGING

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


def run(
    code: str, *, seconds: float = HANGING, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run code after USE. An environment value of "" takes the variable away.

    Nothing that it began outlives it.
    """
    variables = {**os.environ, **environment}
    command = [sys.executable, "-X", "faulthandler", "-c", USE + textwrap.dedent(code)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={name: value for name, value in variables.items() if value},
        start_new_session=True,
    ) as process:
        try:
            said = process.communicate(timeout=seconds)
        finally:
            process.kill()
            with contextlib.suppress(AttributeError, ProcessLookupError):  # Windows has no groups
                os.killpg(process.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(command, process.returncode, *said)


def says(code: str, expected: str, **options: str) -> None:
    """The code ends with status 0, prints exactly this, and complains of nothing."""
    done = run(code, **options)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, expected, "")
