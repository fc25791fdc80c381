"""The conformance suite of the array API standard, which `./dev standard` runs.

No package index has it, so it is cloned, at a pinned commit. `$ARRAY_API_TESTS` names a folder that
has it already. Arguments go to pytest.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = "https://github.com/data-apis/array-api-tests"
COMMIT = "55fcc60179efa2680ddd6cd926ddf17b83530e2b"
SKIPS = Path(__file__).with_name("standard_skips.txt")
VERSION = "2025.12"


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(os.environ.get("ARRAY_API_TESTS") or cloned(folder))
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        needed = ["--requirement", root / "requirements.txt", "pytest-xdist"]
        subprocess.run([*pip, *needed], check=True)
        options = ["--max-examples=50", "--derandomize", "--disable-deadline"]
        suite = ["-q", "-n", "2", *options, f"--skips-file={SKIPS}"]
        names = {"ARRAY_API_TESTS_MODULE": "dml_vk", "ARRAY_API_TESTS_VERSION": VERSION}
        chosen = sys.argv[1:] or ["array_api_tests"]
        command = [sys.executable, "-m", "pytest", *suite, *chosen]
        return subprocess.run(command, cwd=root, env={**os.environ, **names}).returncode


def cloned(folder: str) -> str:
    for words in (["init"], ["fetch", "--depth=1", REPOSITORY, COMMIT], ["checkout", COMMIT]):
        subprocess.run(["git", *words, "--quiet"], cwd=folder, check=True)
    submodules = ["submodule", "update", "--init", "--depth=1", "--quiet"]
    subprocess.run(["git", *submodules], cwd=folder, check=True)
    return folder


if __name__ == "__main__":
    sys.exit(main())
