"""The cases by kernel of the table, by dml_vk, NumPy and PyTorch, if it is installed.

Operands' bytes count once, `out` among them, unless a case says otherwise. `-k "reduce and NHWC"`
picks cases by their groups and names.
"""

from __future__ import annotations

import numpy as np
import pytest

from bench.cases import WHO, measure
from dml_vk.commands.cases.table import by_kernel

CASES = {(case.group, case.name): case for case in by_kernel()}
ROWS = [(*key, who) for key, case in CASES.items() for who in WHO if case.by(who) is not None]


@pytest.mark.parametrize(("group", "name", "who"), ROWS)
def test_kernel(benchmark, group, name, who):
    case = CASES[group, name]
    arrays = case.arrays()
    nbytes = case.nbytes or sum(array.nbytes for array in arrays) * (not case.operations)
    result = measure(benchmark, case, who, arrays, nbytes)
    results = result if isinstance(result, tuple) else (result,)
    if who == "dml_vk":
        assert all(np.isfinite(np.asarray(part)).all() for part in results)
        numpys = case.by("numpy")
        if case.is_compared and numpys is not None:
            check(result, np.asarray(numpys(np, *arrays)), case.tolerance)


def check(result, expected, tolerance):
    if tolerance and expected.dtype.kind != "b":
        error = np.abs(result.astype(expected.dtype) - expected).max(initial=0)
        assert error <= tolerance * np.abs(expected).max(initial=0)
    else:
        assert np.array_equal(result, expected)
