"""Run code in a process of its own, since a broken driver may end the process that uses it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_HOME = str(Path(__file__).parents[2])


def run(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run code that imports this package, with these variables of the environment."""
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {_HOME!r}){code}"],
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **variables},
        capture_output=True,
        encoding="utf-8",
        errors="replace",  # drivers print too
        check=False,
    )
