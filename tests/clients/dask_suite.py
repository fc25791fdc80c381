"""Dask's own tests of another array library as chunks, with tensors: `./dev clients` runs them.

They are in Dask's wheel, and written for CuPy: see as_cupy.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = (
    *("core", "creation", "gufunc", "linalg", "overlap", "percentile", "reductions"),
    *("routines", "slicing"),
)
SKIPPED = {
    "test_asanyarray": "compares the class of arrays with Dask's own, of which ours is a subclass",
    "test_view_fortran": "there are no views of columns in a row-major array",
    "test_store_kwargs": "about a function of CuPy's",
    "test_indexed_assign": "CuPy's random generators",
    "test_percentiles_with_unknown_chunk_sizes": "CuPy's random generators",
    "(test_digitize and cupy)": "sorts an array in place",
    "test_diagonal": "of no elements, NumPy's array instead of a tensor comes from Dask itself",
    "test_tri_like": "expects float64 where no dtype is given",
    "test_lstsq": "expects float64 of integers",
    "test_cholesky": "expects float64 of integers",
}


def main() -> int:
    modules = [f"dask.array.tests.test_cupy_{part}" for part in PARTS]
    chosen = " and ".join(f"not {name}" for name in SKIPPED)
    # Dask warns of chunks that its own tests make; its settings of pytest are not in the wheel.
    options = ["-q", "-W", "ignore", "-p", "tests.clients.as_cupy", "-k", chosen]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pytest.ini").write_text("[pytest]\nmarkers = gpu\n")
        command = [sys.executable, "-m", "pytest", *options, "--pyargs", *modules, *sys.argv[1:]]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(command, cwd=folder, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
