"""Every function of networks says in which memory formats a program may call it."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import dml_vk
from dml_vk.nn.conv import _conv
from dml_vk.nn.softmax import _log_sum
from dml_vk.tracing.formats import Formats, formats_of, operation

CALLERS = {"call": 0, "composed": 0, "_called": 0}  # and which argument the function is
FILES = sorted((Path(dml_vk.__file__).parent / "nn").glob("*.py"))


def called(path):
    """The functions that a file of networks has recorded as operations."""
    tree = ast.parse(path.read_text())
    given = [
        ast.unparse(node.args[CALLERS[node.func.id]])
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in CALLERS
    ]
    module = importlib.import_module(f"dml_vk.nn.{path.stem}")
    return {getattr(module, name) for name in given if hasattr(module, name)}


def test_each_function_of_networks_has_a_rule():
    found = {one for path in FILES for one in called(path)}
    assert len(found) > 25
    assert {one.__qualname__ for one in found if not formats_of(one).flexible} == set()


def test_what_a_rule_says():
    assert formats_of(_conv) == Formats("first", images=True, weight=1)
    assert formats_of(_log_sum) == Formats("first")
    assert formats_of(test_what_a_rule_says) == Formats()
    with pytest.raises(TypeError):
        operation(images=True)
