"""The tests of array-api-extra, with tensors as one of its backends, which `./dev clients` runs.

Its wheel has no tests, so they are taken from its sources.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path

NAME = "array-api-extra"
# What the suite itself gets wrong: only of PyTorch it knows that float32 is the default, and what
# the standard leaves open it takes to be as in NumPy.
SKIPPED = {
    "(test_incompatible_dtype and set)": "expects that 1.1 is stored in int64 as 1: an error here",
    "test_scalar_pos_inf": "expects the largest float64 of a float32",
    "test_scalar_neg_inf": "expects the largest float64 of a float32",
    "(TestNanToNum and (test_real or test_complex))": "expects the largest float64 of a float32",
}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        download = ["download", "--quiet", "--no-deps", "--no-binary", NAME, "--dest", folder]
        pinned = f"{NAME}=={version(NAME)}"
        subprocess.run([sys.executable, "-m", "pip", *download, pinned], check=True)
        with tarfile.open(next(Path(folder).glob("*.tar.gz"))) as archive:
            archive.extractall(folder, filter="data")
        root = next(path for path in Path(folder).iterdir() if path.is_dir())
        backends = root / "src/array_api_extra/_lib/_backends.py"
        text, numpy = backends.read_text(), '    NUMPY = "numpy"\n'
        assert numpy in text
        backends.write_text(text.replace(numpy, f'    DML_VK = "dml_vk"\n{numpy}'))
        chosen = "dml_vk" + "".join(f" and not {name}" for name in SKIPPED)
        pytest = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-k", chosen, "tests"]
        environment = {**os.environ, "PYTHONPATH": str(root / "src")}
        return subprocess.run([*pytest, *sys.argv[1:]], cwd=root, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
