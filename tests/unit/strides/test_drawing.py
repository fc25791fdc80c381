"""Pictures of memory, as text and as SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from dml_vk.errors import LayoutError
from dml_vk.layout import Layout, channels_last
from dml_vk.strides import drawing
from tests.layouts import AWKWARD

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("layout", "picture"),
    [
        (Layout((2, 3)), "0 | 0,0 0,1 0,2 1,0 1,1 1,2"),
        (Layout.packed((2, 3), "WH"), "0 | 0,0 1,0 0,1 1,1 0,2 1,2"),
        (Layout((2, 2), (3, 1), 7), "7 | 0,0 0,1  ·  1,0 1,1"),
        (Layout((2, 3), (0, 1)), "0 | *,0 *,1 *,2"),
        (Layout((3,), (-1,), 2), "0 | 2 1 0"),
        (Layout((2, 2), (1, 1)), "0 |   0,0   0,1=1,0   1,1"),
        (Layout((4, 4), (1, 1)).narrow(0, 3, 1), "3 | 3,0 3,1 3,2 3,3".replace("3,", "0,")),
        (Layout((2, 2, 2, 2), (1, 1, 1, 1)).select(0, 0).select(0, 0), "0 |   0,0   0,1=1,0   1,1"),
        (Layout((5, 5), (0, 0)), "0 | *,*"),
        (Layout(()), "0 | ()"),
        (Layout((3, 0)), "(empty)"),
    ],
)
def test_draw(layout, picture):
    assert layout.draw() == picture


def test_many_indexes_at_one_address_are_cut_short():
    assert Layout((4, 4), (1, 1)).draw().split("0,3")[1].startswith("=1,2=…")


def test_labels_stand_in_for_indexes():
    assert Layout((2, 3), (5, 1)).draw("ABCDEF") == "0 | A B C · · D E F"
    assert Layout((2, 2), (3, 1)).draw(["", "B", "", ""]) == "0 |   B ·"


def test_labels_tell_what_is_broadcast_from_what_is_not():
    assert Layout((2, 3), (0, 1)).draw("ABCABC") == "0 | A×2 B×2 C×2"
    assert Layout((2, 2), (0, 1)).draw([1, 2, 3, 4]) == "0 | 1=3 2=4"
    assert Layout((2, 3)).draw("AAAAAA") == "0 | A A A A A A"


def test_lines_are_rows_where_they_do_not_all_fit_in_one():
    lines = Layout((3, 4, 5), (28, 7, 1), 100).draw().splitlines()
    assert [line.split(" | ")[0] for line in lines] == [str(at) for at in range(100, 183, 7)]
    assert lines[0] == "100 | 0,0,0 0,0,1 0,0,2 0,0,3 0,0,4   ·     ·"
    assert lines[4].split()[2] == "1,0,0"
    pixels = Layout.packed((1, 3, 4, 5), channels_last).draw().splitlines()
    assert pixels[1] == " 3 | 0,0,0,1 0,1,0,1 0,2,0,1"


def test_a_long_row_is_broken_where_the_line_ends():
    lines = Layout((100,)).draw().splitlines()
    assert len(lines) == 4
    assert len(Layout((4, 5)).draw()) == len("0 | ") + 20 * len("0,0 ") - 1  # just fits
    assert lines[1].startswith("26 | 26 27 28")


@pytest.mark.parametrize("layout", [one for one in AWKWARD if one.numel], ids=str)
def test_every_element_is_in_the_picture_where_it_lies(layout):
    names = [f"e{number}" for number in range(layout.numel)]
    lines = [line.split(" | ") for line in layout.draw(names).splitlines()]
    cells = [cell for _, line in lines for cell in line.split()]
    assert len(cells) == layout.span
    lowest = min(layout.offsets())
    assert int(lines[0][0]) == lowest
    for at, cell in enumerate(cells, lowest):
        here = [name for name, offset in zip(names, layout.offsets()) if offset == at]
        shown = here if len(here) < 4 else [*here[:2], "…"]
        assert cell == ("=".join(shown) if here else "·")


@pytest.mark.parametrize("layout", AWKWARD, ids=str)
def test_svg_has_a_cell_an_address(layout):
    root = ElementTree.fromstring(layout._repr_svg_())
    assert root.find(f"{SVG}title").text == repr(layout)
    cells, texts = root.findall(f"{SVG}rect"), root.findall(f"{SVG}text")
    assert len(cells) == layout.span
    offsets = layout.offsets()
    lowest = min(offsets, default=0)
    labels = [text.text for text in texts if text.get("fill") is None]
    for at, (cell, label) in enumerate(zip(cells, labels, strict=True), lowest):
        readers = offsets.count(at)
        assert (cell.get("fill") == "none") == (label == "·") == (readers == 0)
        assert (cell.get("stroke-dasharray") is not None) == (readers != 1)
    if layout.rank and len(layout.offsets()) == len(set(offsets)):
        fills = {cell.get("fill") for cell in cells} - {"none"}
        assert len(fills) == min(len(drawing.COLOURS), layout.sizes[0] if layout.numel else 0)


def test_empty_layouts_are_drawn_at_once():
    for layout in (Layout((0,)), Layout((10**12, 0)), Layout((2**70, 0, 3))):
        assert layout.draw() == "(empty)"
        assert layout._repr_svg_().startswith("<svg")
        assert layout.offsets() == []


def test_lines_are_as_long_as_the_largest_stride_that_fits():
    cube = Layout((2, 4, 9), (36, 9, 1))
    assert [line.split(" | ")[0].strip() for line in cube.draw().splitlines()] == [
        str(at) for at in range(0, 72, 9)
    ]
    flat = Layout((9, 4, 2)).draw().splitlines()
    assert [line.split(" | ")[0].strip() for line in flat] == [str(at) for at in range(0, 72, 8)]


def test_what_is_too_large_to_draw_is_said_and_has_no_svg():
    layout = Layout((1, 3, 224, 224))
    with pytest.raises(LayoutError, match="draw: cannot draw more than 4096 cells"):
        layout.draw()
    assert layout._repr_svg_() is None
    assert Layout((1 << 70,), (0,)).draw() == "0 | *"
    assert Layout((1 << 70,))._repr_svg_() is None
    with pytest.raises(LayoutError, match="more than 4096 cells"):
        Layout((1 << 20, 5), (0, 1)).draw("x")


def test_there_must_be_a_label_an_element():
    with pytest.raises(
        LayoutError,
        match=r"draw: labels must have one item for each of the 6 elements; got labels=",
    ):
        Layout((2, 3)).draw("ABC")


def test_svg_has_labels_and_colours_of_the_dim_asked_for():
    svg = drawing.as_svg(Layout.packed((1, 3, 1, 2), channels_last), "ABCDEF", dim=1)
    assert re.findall(r">([A-F])</text>", svg) == list("ACEBDF")
    fills = re.findall(r'<rect[^>]* fill="(#\w+)"', svg)
    assert fills[:3] == fills[3:]
    assert len(set(fills)) == 3
