"""The pictures of the documentation: `python docs/pictures.py` writes them to docs/pictures/.

Each is drawn from what the library itself says: offsets of layouts, ranges of an arena, levels of
pending work. The timeline is of what docs/timeline.py measured.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the clone, installed or not
from dml_vk.layout import Layout, channels_last, contiguous_format
from dml_vk.observe.drawing import ACCENT, Picture
from dml_vk.runtime.free_list import FreeList
from dml_vk.runtime.hazards import Hazards
from dml_vk.strides.drawing import (
    COLOURS,
    LINE_INK,
    MARGIN_INK,
    as_svg,
)

FOLDER = Path(__file__).parent / "pictures"
TIMELINE = Path(__file__).parent / "timeline.json"
BLUE, ORANGE, GREEN, PINK, YELLOW, *_ = COLOURS


def readme() -> str:
    """One tensor, its memory in two formats, and a view."""
    sizes, across = (1, 3, 2, 4), 34
    numbers = list(range(Layout(sizes).numel))
    nchw, nhwc = Layout.packed(sizes, contiguous_format), Layout.packed(sizes, channels_last)
    view = nhwc.select(0, 0).select(0, 1).slice(1, 0, None, 2)
    picture = Picture(860, 300, "A tensor, its memory in two formats, and a view")

    picture.text(22, 26, f"x: sizes {sizes}, always N, C, H, W", size=14, bold=True)
    channels = Layout(sizes[1:])
    for channel in range(3):
        left = 22 + channel * 152
        plane = channels.select(0, channel)
        for (row, column), number in zip(_indexes(plane), plane.offsets()):
            at = (left + column * across, 38 + row * 26)
            picture.cell(*at, across, str(number), COLOURS[channel])
        picture.text(left, 106, f"channel {channel}", ink=MARGIN_INK)

    picture.text(520, 26, "v = x[0, 1, :, ::2]: a view", size=14, bold=True)
    here = nhwc.offsets()
    for (row, column), at in zip(_indexes(view), view.offsets()):
        left, top = 520 + column * across, 38 + row * 26
        picture.cell(left, top, across, str(here.index(at)), COLOURS[1])
        picture.frame(left, top, across, 26)
    picture.text(600, 54, f"sizes {view.sizes}, strides {view.strides}")
    picture.text(600, 72, f"offset {view.offset}")
    picture.text(600, 90, "nothing is copied", ink=MARGIN_INK)

    for top, layout in ((150, nchw), (238, nhwc)):
        picture.text(22, top - 10, f"{layout.memory_format!r}", size=14, bold=True)
        picture.text(210, top - 10, f"memory of x by strides {layout.strides}")
        memory = layout.offsets()
        for number, at in zip(numbers, memory):
            picture.cell(22 + at * across, top, across, str(number), COLOURS[number // 8])
    for at in view.offsets():
        picture.frame(22 + at * across, 238, across, 26)
    picture.text(22, 285, "framed: what v touches where x is channels_last", ink=MARGIN_INK)
    return picture.svg()


def _indexes(layout: Layout) -> list[tuple[int, int]]:
    rows, columns = layout.sizes
    return [(row, column) for row in range(rows) for column in range(columns)]


def levels() -> str:
    """A batch of operations by the levels that the library's own hazards give them."""
    program = [
        ("a = relu(x)", "x", "a"),
        ("b = 2 * x", "x", "b"),
        ("m = mean(x)", "x", "m"),
        ("c = a + b", "ab", "c"),
        ("x += 1", "x", "x"),
        ("y = c - m", "cm", "y"),
    ]
    ranges = {name: (256 * k, 256 * k + 256) for k, name in enumerate("xabcmy")}
    hazards, columns = Hazards(), dict[int, list[str]]()
    for words, sources, target in program:
        touched = [(name, name == target) for name in dict.fromkeys([*sources, target])]
        level = max(hazards.after(*ranges[name], writes) for name, writes in touched)
        for name, writes in touched:
            hazards.mark(*ranges[name], writes, level)
        columns.setdefault(level, []).append(words)
    picture = Picture(760, 230, "Six operations on three levels")
    picture.text(20, 28, "as written", size=14, bold=True)
    for k, (words, _, _) in enumerate(program):
        picture.text(20, 58 + 26 * k, words, size=13)
    for level, together in sorted(columns.items()):
        left = 170 + 200 * level
        picture.text(left, 28, f"level {level}", size=14, bold=True)
        picture.box(left, 40, 150, 150, "#f4f4f4")
        for k, words in enumerate(together):
            picture.box(left + 10, 52 + 44 * k, 130, 34, COLOURS[level])
            picture.text(left + 75, 73 + 44 * k, words, anchor="middle", size=13)
        if level:
            picture.arrow(left - 46, 115, left - 4, 115)
            picture.text(left - 25, 105, "wait", anchor="middle", ink=MARGIN_INK)
    words = "A barrier ends each level; x += 1 waits for what reads x."
    picture.text(170, 215, words, ink=MARGIN_INK)
    return picture.svg()


def arenas() -> str:
    """Tensors in an arena, one of them gone, by the library's own list of free ranges."""
    scale, left = 1 / 28, 20
    free = FreeList(16 * 1024)
    tensors = [("x", 4096, BLUE), ("bias", 768, ORANGE), ("y", 4096, GREEN), ("mask", 1280, PINK)]
    placed = [(name, size, free.take(size), fill) for name, size, fill in tensors]
    (_, _, gone, _) = placed[1]
    free.give(gone or 0)
    picture = Picture(640, 170, "An arena of 16 KiB, with three tensors and a hole")
    picture.text(left, 28, "one arena is one buffer for the driver", size=14, bold=True)
    picture.box(left, 60, free.nbytes * scale, 44, "none")
    for name, size, start, fill in placed:
        assert start is not None
        if start == gone:
            continue
        at = left + start * scale
        picture.box(at, 60, size * scale, 44, fill)
        picture.text(at + size * scale / 2, 87, name, anchor="middle", size=13)
        picture.text(at, 122, f"base {start}", ink=MARGIN_INK)
        picture.arrow(at + 1, 48, at + 1, 58)
    middle = left + (gone or 0) * scale + placed[1][1] * scale / 2
    picture.text(middle, 87, "free", anchor="middle", ink=MARGIN_INK)
    picture.text(left + 490, 87, "free", anchor="middle", ink=MARGIN_INK)
    words = f"a kernel gets bases in its push constants; {free.free_bytes} bytes are free"
    picture.text(left, 152, words)
    return picture.svg()


def call() -> str:
    """The life of one call, from Python to the device."""
    steps = [
        ("check", ("dtypes, sizes, out=,", "devices, overlap"), BLUE),
        ("layout", ("of the result, by", "the commutative rule"), BLUE),
        ("plan", ("dims merged, a path", "chosen, kernel named"), GREEN),
        ("record", ("memory, addresses,", "pipeline, level"), YELLOW),
        ("run", ("in one submission,", "while Python goes on"), ORANGE),
    ]
    picture = Picture(860, 150, "add(a, b): check, layout, plan, record, run")
    for k, (name, words, fill) in enumerate(steps):
        left = 14 + 170 * k
        picture.box(left, 22, 152, 78, fill)
        picture.text(left + 76, 44, name, anchor="middle", size=14, bold=True)
        for line, text in enumerate(words):
            picture.text(left + 76, 66 + 18 * line, text, anchor="middle", size=11)
        if k:
            picture.arrow(left - 18, 61, left - 3, 61)
    for start, count, words in (
        (0, 3, "pure values: no device, cached"),
        (3, 1, "the queue"),
        (4, 1, "the device"),
    ):
        left = 14 + 170 * start
        picture.box(left, 112, 170 * count - 18, 1, LINE_INK)
        picture.text(left, 132, words, ink=MARGIN_INK)
    return picture.svg()


def timeline() -> str:
    """Calls and kernels of a function, uncompiled and compiled, as docs/timeline.py measured them.

    What the device does is drawn from the last call to the end, each kernel by its share of it.
    """
    known = json.loads(TIMELINE.read_text())
    left, across, height = 84, 700, 30
    scale = across / known["before"]["whole"]
    picture = Picture(left + across + 60, 262, "A function of five operations, and compiled")
    for top, name, words in ((0, "before", "as written"), (130, "after", "compiled")):
        side = known[name]
        picture.text(20, top + 24, words, size=14, bold=True)
        picture.text(20, top + 56, "Python")
        picture.text(20, top + 92, "device")
        at = 0.0
        for number, (_, microseconds) in enumerate(side["calls"]):
            place = left + at * scale, top + 36, microseconds * scale, height
            picture.box(*place, COLOURS[number])
            at += microseconds
        names = [call for call, _ in side["calls"]]
        if name == "after":
            names = ["all five at once"]
        share = (side["whole"] - at) / sum(ns for _, ns in side["kernels"])
        for number, ((_, microseconds), call) in enumerate(zip(side["kernels"], names)):
            width = microseconds * share * scale
            picture.box(left + at * scale, top + 72, width, height, COLOURS[number])
            middle = left + at * scale + width / 2
            picture.text(middle, top + 92, call, anchor="middle", size=11)
            at += microseconds * share
        end = left + at * scale
        picture.bar(end, top + 32, 2, 74)
        picture.text(end + 6, top + 44, f"{side['whole']:.0f} us", ink=ACCENT)
    sizes = "x".join(map(str, known["sizes"]))
    words = f"maximum((x - m) / s * g + b, 0) of {sizes} float32, channels_last; {known['device']}"
    picture.text(20, 252, words, ink=MARGIN_INK, size=11)
    return picture.svg()


PADDED = Layout((2, 3), (5, 1))
PHOTO = Layout.packed((1, 3, 2, 4), channels_last)
LETTERS: Sequence[object] = "ABCDEF"
PICTURES: dict[str, Callable[[], str]] = {
    "readme": readme,
    "call": call,
    "levels": levels,
    "arenas": arenas,
    "timeline": timeline,
    "nchw": lambda: as_svg(Layout(PHOTO.sizes), dim=1),
    "nhwc": lambda: as_svg(PHOTO, dim=1),
    "padded": lambda: as_svg(PADDED, LETTERS),
    "flipped": lambda: as_svg(PADDED.flip(1), LETTERS),
    "broadcast": lambda: as_svg(Layout((3,)).expand(2, 3), "ABCABC"),
}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw() + "\n")
