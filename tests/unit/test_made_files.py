"""Files that follow from the sources are as these have them now."""

from __future__ import annotations

import json

import pytest

from dml_vk.kernels.operators import OPERATORS
from tests import made_files


@pytest.mark.parametrize("path", made_files.FILES, ids=lambda path: path.name)
def test_a_file_is_up_to_date(path):
    """`python -m tests.made_files` brings all of them up to date."""
    assert path.read_text() == made_files.FILES[path]()


def test_a_function_that_the_reference_lacks_comes_last_in_its_chapter(tmp_path, monkeypatch):
    page = made_files.REFERENCE.read_text()
    left = tmp_path / "elementwise.md"
    left.write_text(page.replace("::: dml_vk.acos\n\n", ""))
    monkeypatch.setattr(made_files, "REFERENCE", left)
    assert "::: dml_vk.atan2\n\n::: dml_vk.acos\n\n## Hyperbolic" in made_files.reference()


def test_codes_that_are_known_stay_and_others_come_after(tmp_path, monkeypatch):
    known = tmp_path / "codes.json"
    known.write_text('{"gone": 3, "add": 5}')
    monkeypatch.setattr(made_files, "CODES", known)
    codes = json.loads(made_files.codes())
    assert (codes["gone"], codes["add"]) == (3, 5)
    assert codes.keys() == {"gone", *OPERATORS}
