"""docs/onnx.md says what runs and what does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dml_vk.onnx import operators
from dml_vk.onnx.registry import ONNX, OPERATORS
from tests import onnx_scope

pytestmark = pytest.mark.linux

PAGE = (Path(__file__).parents[3] / "docs" / "onnx.md").read_text()


def test_the_page_lists_the_operators():
    operators.enter()
    listed = re.search(r"^(Abs, [^.]*)\.$", PAGE, re.MULTILINE)[1]
    known = sorted(name for domain, name in OPERATORS if domain == ONNX)
    assert re.split(r",\s+", listed) == known


def test_the_page_says_what_is_out_of_scope_and_why():
    rows = re.findall(r"^\| (.+) \| (.+) \|$", PAGE, re.MULTILINE)
    told = {name: why for names, why in rows for name in re.findall("`([^`]+)`", names)}
    for group in (onnx_scope.TYPES, onnx_scope.OPERATORS, onnx_scope.COMPARED_OTHERWISE):
        assert {name: told.get(name) for name in group} == group
