"""Some of ONNX's own tests, which together run all that all of them run: tests/clients has all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.onnx_cases import cases, check_shapes, run
from tests.onnx_scope import reason

LIST = Path(__file__).parents[2] / "data" / "onnx_cases.txt"


@pytest.mark.parametrize("line", LIST.read_text().splitlines())
def test_an_operator_gives_what_onnx_expects(line):
    kind, name = line.split()
    case = cases(kind)[name]
    if reason(name) is None:
        run(case)
    else:
        check_shapes(case)
