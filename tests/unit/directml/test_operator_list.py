"""The list of DirectML's operators says which are here."""

from __future__ import annotations

import re
from pathlib import Path

from dml_vk import directml
from dml_vk.directml.operators import Operator

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "directml_operators.md").read_text()
ROWS = re.findall(r"^\| ([A-Z0-9_]+) \| (\d_\d) \| (.+) \|$", PAGE, re.MULTILINE)
CLASSES = {
    name
    for name in directml.__all__
    if isinstance(getattr(directml, name), type) and issubclass(getattr(directml, name), Operator)
}
# How many operators each feature level added.
LEVELS = {
    "1_0": 78,
    "2_0": 18,
    "2_1": 24,
    "3_0": 20,
    "3_1": 6,
    "4_0": 3,
    "4_1": 3,
    "5_0": 4,
    "5_1": 7,
    "6_1": 1,
    "6_2": 6,
    "6_3": 4,
    "6_4": 3,
}


def test_the_list_has_every_operator_of_directml_once():
    levels = [level for _, level, _ in ROWS]
    assert {level: levels.count(level) for level in {*levels}} == LEVELS
    assert len({name for name, _, _ in ROWS}) == len(ROWS) == 177


def test_the_list_names_the_class_of_each_operator_that_is_here():
    by_name = {name.lower(): name for name in CLASSES}
    here = {name: by_name.get(name.replace("_", "").lower()) for name, _, _ in ROWS}
    assert CLASSES == {*here.values()} - {None}
    for name, _, said in ROWS:
        found = re.fullmatch(r"`(\w+)`", said)
        assert (found and found[1]) == here[name], (name, said)
        assert found or said.startswith("no: "), (name, said)


def test_operators_that_others_are_made_of_exist():
    named = {one for _, _, said in ROWS for one in re.findall(r"`(\w+)`", said)}
    assert named == CLASSES


def test_the_pages_say_how_many_are_here():
    count = sum(said.startswith("`") for _, _, said in ROWS)
    assert f"These are all {len(ROWS)} operators" in PAGE
    assert f" {count} have a class in `dml_vk.directml`" in PAGE
    page = (DOCS / "from_directml.md").read_text()
    assert f"policies and {count} of DirectML's {len(ROWS)} operators" in page
