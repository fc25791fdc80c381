"""Variables are named by what they hold: CONTRIBUTING.md has the words."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[3]
EMPTY = {"one", "given", "found", "made", "kept", "place"}
FILES = sorted((ROOT / "dml_vk").rglob("*.py"))


def names(text):
    """Names of parameters and of variables that are assigned."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def test_names_say_what_variables_hold():
    assert len(FILES) > 500
    for path in FILES:
        assert EMPTY.isdisjoint(names(path.read_text())), path
