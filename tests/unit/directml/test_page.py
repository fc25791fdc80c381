"""The page on DirectML says what the code does: every class, its fields, its types."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from dml_vk import directml
from dml_vk.directml import DataType, Reduce
from dml_vk.directml.activations import FusibleActivation
from dml_vk.directml.fields import Typed

PAGE = (Path(__file__).parents[3] / "docs" / "directml.md").read_text()
CLASSES = {
    name: one
    for name, one in ((name, getattr(directml, name)) for name in directml.__all__)
    if isinstance(one, type) and issubclass(one, Typed)
}
F32, F16, I32 = DataType.FLOAT32, DataType.FLOAT16, DataType.INT32
U32, U8 = DataType.UINT32, DataType.UINT8
ALL = [one for one in DataType if one.bits >= 8]


# How the page calls sets of types.
GROUPS = {
    "all": ALL,
    "numbers": [one for one in ALL if one is not DataType.FLOAT64],
    "floats": [F32, F16],
    "32 bits": [F32, F16, I32, U32],
    "up to 32 bits": [one for one in ALL if one.bits <= 32],
    "signed": [one for one in ALL if one.name[0] != "U" and one.name != "FLOAT64"],
    "signed up to 32 bits": [one for one in ALL if one.name[0] != "U" and one.bits <= 32],
    "unsigned": [one for one in ALL if one.name[0] == "U"],
    "logical": [U32, U8],
    "UINT8": [U8],
}


def test_the_page_lists_every_class_with_its_fields_and_types():
    rows = re.findall(r"^\| `(\w+)\((.*?)\)` \| (.*?) \| (.*?) \|$", PAGE, re.MULTILINE)
    listed = {name: (fields, types) for name, fields, types, _ in rows if name in CLASSES}
    assert sorted(listed) == sorted(CLASSES)
    for name, cls in CLASSES.items():
        expected = documented_fields(cls), documented_types(cls)
        assert listed[name] == expected, (name, expected)


def documented_fields(cls):
    """The fields as the page has them."""
    return ", ".join(
        one.name if one.default is dataclasses.MISSING else f"{one.name}={shown(one.default)}"
        for one in dataclasses.fields(cls)
    )


def shown(value):
    return f"{value:.8g}" if isinstance(value, float) else getattr(value, "name", str(value))


def documented_types(cls):
    if cls is Reduce:
        return "see below"
    own = [
        f"{name} as {types}" if isinstance(types, str) else f"{name} {called(types)}"
        for name, types in cls._own_types.items()
    ]
    return "; ".join([called(cls._types), *own])


def called(types):
    """The name of a set of types, or the types."""
    names = {frozenset(types): name for name, types in GROUPS.items()}
    return names.get(frozenset(types)) or ", ".join([one.name for one in types])


def test_the_page_says_how_it_calls_sets_of_types():
    said = dict(re.findall(r"^\| (\w[\w ]*) \| ((?:\w+, )*\w+) \|$", PAGE, re.MULTILINE))
    told = {name: {one.name for one in types} for name, types in GROUPS.items() if name != "UINT8"}
    assert {name: set(said[name].split(", ")) for name in told} == told


def test_the_page_lists_what_is_fused():
    listed = re.search(
        r"^These activations can be fused: (.*?)\.$", PAGE, re.MULTILINE | re.DOTALL
    )[1]
    fused = {name for name, cls in CLASSES.items() if issubclass(cls, FusibleActivation)}
    assert fused == {f"Activation{name}" for name in re.findall(r"\w+", listed)}
