"""Runs of pytest with the plugins of this suite, on tests of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.hanging import HANGING

ROOT = Path(__file__).parents[3]
CONFTEST = """
pytest_plugins = ["tests.repeat", "tests.progress"]
def pytest_addoption(parser):
    parser.addoption("--gpu", action="store_true")
"""


def run(folder: Path, tests: str, *options: str, **environment: str) -> list[str]:
    """The lines that it prints."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_some.py").write_text(tests)
    ours = ("DML_VK_", "VK_", "PYTEST_", "COV_", "COLUMNS", "CI", "GITHUB_")
    outer = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    outer |= {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder)}
    outer["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # they take longer to import than these to run
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "xdist", *options],
        cwd=folder,
        env={**outer, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGING,
    )
    assert done.returncode in (0, 1, 2), done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()
