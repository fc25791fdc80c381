"""docs/from_pytorch.md: both columns of its tables, and the block that it ports."""

from __future__ import annotations

import doctest
import json
import re

import numpy as np
import pytest

import dml_vk
from tests import torch_page

ANSWERS = torch_page.load()
VIEWS = "### Shapes and views"
HEADINGS = ["### Creating tensors", VIEWS, "### Selecting and joining", "### Computing"]


def ours():
    return {**torch_page.names_for(dml_vk, dml_vk.asarray), "dv": dml_vk}


def agree(found, told, strides):
    """Whether a result of ours is what torch told: the elements, and perhaps where they lie."""
    if not isinstance(told, dict):
        return (list(found) if isinstance(found, tuple) else found) == told
    array = np.asarray(found)
    if list(array.shape) != told["sizes"] or array.dtype.name != told["dtype"]:
        return False
    if strides and told["strides"] != list(found.strides):
        significant = [n for n, size in enumerate(told["sizes"]) if size > 1]
        if any(told["strides"][n] != found.strides[n] for n in significant):
            return False
    return np.allclose(array.reshape(-1), told["values"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("heading", HEADINGS)
def test_spellings_give_what_pytorch_gives(heading):
    rows, names = torch_page.spellings(heading), ours()
    assert len(rows) > 10
    wrong = [
        (torchs, own)
        for torchs, own in rows
        if not agree(eval(own, names), ANSWERS[torchs], strides=heading == VIEWS)
    ]
    assert not wrong


def test_the_page_has_no_other_tables():
    assert re.findall(r"^### .+$", torch_page.TEXT, re.MULTILINE) == HEADINGS


def test_differences_are_as_stated():
    rows, names = torch_page.differences(), ours()
    assert len(rows) > 10
    for expression, torchs, own in rows:
        answers = (expression, ANSWERS[expression], torch_page.outcome(expression, names))
        assert answers == (expression, torchs, own)


def test_the_block_gives_what_pytorch_gives():
    blocks = re.findall(r"^```python\n(.*?)^```$", torch_page.TEXT, re.MULTILINE | re.DOTALL)
    names: dict = {}
    for example in doctest.DocTestParser().get_examples("\n".join(blocks)):
        exec(compile(example.source, "from_pytorch.md", "single"), names)
    assert agree(names["y"], ANSWERS["block"], strides=True)


def test_stored_answers_are_those_of_the_page():
    assert list(json.loads(torch_page.STORED.read_text())) == list(ANSWERS)


@pytest.mark.parametrize(
    "told",
    [
        {"dtype": "float32", "sizes": [2], "strides": [1], "values": [1.0, 2.5]},
        {"dtype": "float32", "sizes": [2, 1], "strides": [1, 1], "values": [1.0, 2.0]},
        {"dtype": "int64", "sizes": [2], "strides": [1], "values": [1, 2]},
        {"dtype": "float32", "sizes": [2], "strides": [2], "values": [1.0, 2.0]},
        3,
    ],
)
def test_the_comparison_can_fail(told):
    x = dml_vk.asarray([1.0, 2.0])
    assert agree(x, {"dtype": "float32", "sizes": [2], "strides": [1], "values": [1, 2]}, True)
    assert not agree(x if isinstance(told, dict) else 2, told, True)
