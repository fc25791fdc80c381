"""Pictures of memory, as text and as SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from dml_vk.errors import LayoutError
from dml_vk.layout import Layout, channels_last
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
    assert Layout((2, 2), (0, 1)).draw([10, 20, 10, 20]) == "0 | 10 20"
    assert Layout((2, 2), (0, 1)).draw([1, 2, 3, 4]) == "0 | 1=3 2=4"


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
    assert lines[1].startswith("26 | 26 27 28")


@pytest.mark.parametrize("layout", AWKWARD, ids=str)
def test_every_element_is_in_the_picture_once(layout):
    names = [f"e{number}" for number in range(layout.numel)]
    picture = layout.draw(names) if layout.numel else ""
    cells = [cell for line in picture.splitlines() for cell in line.split(" | ")[1].split()]
    shown = [name for cell in cells for name in cell.split("=") if name != "·"]
    if "…" not in picture:
        assert sorted(shown) == sorted(names)
    assert len(cells) == layout.span


@pytest.mark.parametrize("layout", AWKWARD, ids=str)
def test_svg_has_a_cell_an_address(layout):
    root = ElementTree.fromstring(layout._repr_svg_())
    cells = root.findall(f"{SVG}rect")
    assert len(cells) == layout.span
    assert root.find(f"{SVG}title").text == repr(layout)
    reached = len(set(layout.offsets()))
    assert sum(cell.get("fill") != "none" for cell in cells) == reached
    texts = [text.text for text in root.findall(f"{SVG}text")]
    assert sum(text == "·" for text in texts) == layout.span - reached
    dashed = sum(cell.get("stroke-dasharray") is not None for cell in cells)
    assert dashed == layout.span if layout.overlaps and 0 in layout.strides else dashed >= 0


def test_what_is_too_large_to_draw_is_said_and_has_no_svg():
    layout = Layout((1, 3, 224, 224))
    with pytest.raises(LayoutError, match="draw: a picture has at most 4096 cells, narrow the"):
        layout.draw()
    assert layout._repr_svg_() is None
    assert Layout((1 << 40,), (0,)).draw() == "0 | *"
    with pytest.raises(LayoutError, match="at most 4096 cells"):
        Layout((1 << 20, 5), (0, 1)).draw("x")


def test_there_must_be_a_label_an_element():
    with pytest.raises(
        LayoutError, match=r"draw: there must be 6 labels; got labels=\('A', 'B', 'C'\)"
    ):
        Layout((2, 3)).draw("ABC")
