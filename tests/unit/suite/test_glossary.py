"""What is named says what it holds or does: CONTRIBUTING.md has the words."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[3]
EMPTY = {"one", "given", "found", "made", "kept", "place"}
FILES = sorted((ROOT / "dml_vk").rglob("*.py"))
# Functions by the name of NumPy's, and others that were there before.
KNOWN = {
    ("array/indexing/put.py", "place"),
    ("directml/fields.py", "_given"),
    ("runtime/hazards.py", "place"),
    ("runtime/queue.py", "_place"),
}


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


def test_names_say_what_functions_and_classes_are():
    empty = {
        (path.relative_to(ROOT / "dml_vk").as_posix(), node.name)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        if node.name.strip("_").lower() in EMPTY
    }
    assert empty == KNOWN
