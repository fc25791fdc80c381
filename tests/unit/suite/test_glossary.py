"""Variables are named by what they hold: CONTRIBUTING.md has the words."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[3]
EMPTY = {"one", "given", "found", "made", "kept", "place"}
LISTED = Path(__file__).with_name("before_glossary.txt").read_text().split()
FILES = {
    path.relative_to(ROOT).as_posix(): path.read_text() for path in (ROOT / "dml_vk").rglob("*.py")
}


def names(text):
    """Names of parameters and of variables that are assigned."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def test_new_files_have_names_that_say_something():
    assert len(FILES) > 500
    for path in FILES.keys() - set(LISTED):
        assert EMPTY.isdisjoint(names(FILES[path])), path


def test_files_that_were_rewritten_leave_the_list():
    assert sorted(set(LISTED)) == LISTED
    rewritten = [path for path in LISTED if EMPTY.isdisjoint(names(FILES.get(path, "")))]
    assert rewritten == [], "remove these from before_glossary.txt"
