"""What the command line shows: tables, bars, charts, pictures, and how long work goes on."""

from __future__ import annotations

import ctypes
import io
import struct
import sys
import threading
import xml.etree.ElementTree as ElementTree
import zlib
from types import SimpleNamespace

import numpy as np
import pytest

from dml_vk.commands import chart, measure, picture, terminal
from dml_vk.commands.progress import Progress
from dml_vk.observe.text_table import bar, marked, table
from tests.hanging import HANGING

SVG = "{http://www.w3.org/2000/svg}"
CLEAR = "\r\x1b[K"


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.delenv("NO_COLOR", raising=False)


def test_what_is_short_is_silent(clock, capsys):
    for stream in (Terminal(), io.StringIO()):
        with Progress(stream, clock) as progress:
            progress.step("one")
            clock.now += 1.9
            progress.step("two")
            progress.say("a line", "and another")
        assert stream.getvalue() == ""
        clock.now = 0.0
    assert capsys.readouterr().out == "a line\nand another\n" * 2


def test_a_terminal_s_line_is_redrawn_and_goes(clock):
    stream = Terminal()
    with Progress(stream, clock) as progress:
        clock.now = 3
        progress.step("one")
        clock.now = 3.4
        progress.step("one")
        clock.now = 12.4
        progress.step("a step that says so much that it would not fit in a line")
        progress.clear()
        progress.clear()
    lines = stream.getvalue().split(CLEAR)
    assert lines == ["", "[3 s] one", "[12 s] a step that says so much that it"[:39], ""]


def test_elsewhere_there_is_a_line_a_step(clock):
    stream = io.StringIO()
    with Progress(stream, clock) as progress:
        progress.step("too early to tell")
        clock.now = 2
        progress.step("one")
        progress.step("one")
        progress.step("two")
        progress.clear()
    assert stream.getvalue() == "[2 s] one\n[2 s] two\n"


def test_one_long_call_is_told_of_as_it_goes_on(clock):
    class Watched(io.StringIO):
        shown = threading.Event()

        def write(self, text):
            super().write(text)
            self.shown.set()

    stream = Watched()
    with Progress(stream, clock, redrawn=0.001) as progress:
        progress.step("compiling")
        assert stream.getvalue() == ""
        clock.now = 60
        assert stream.shown.wait(HANGING)
    assert stream.getvalue() == "[60 s] compiling\n"


def test_what_streams_can_show(monkeypatch):
    assert terminal.is_terminal(Terminal())
    assert terminal.in_colour(Terminal())
    assert not terminal.in_colour(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not terminal.in_colour(Terminal())
    monkeypatch.setenv("TERM", "dumb")
    assert not terminal.is_terminal(Terminal())
    ascii_only = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    assert terminal.can_show("█", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    assert not terminal.can_show("█", ascii_only)
    assert terminal.can_show("#", ascii_only)
    assert not terminal.can_show("█", io.StringIO())


class Console(Terminal):
    """A stream that is file 7."""

    def fileno(self):
        return 7


@pytest.mark.parametrize(
    ("knows", "takes", "expected"), [(1, 1, True), (1, 0, False), (0, 1, False)]
)
def test_a_console_of_windows_is_told_to_interpret_escapes(monkeypatch, knows, takes, expected):
    told = []

    def get_mode(handle, mode):
        mode._obj.value = 3
        return knows

    def set_mode(handle, mode):
        told.append((handle.value, mode.value))
        return takes

    kernel32 = SimpleNamespace(GetConsoleMode=get_mode, SetConsoleMode=set_mode)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(
        sys.modules, "msvcrt", SimpleNamespace(get_osfhandle=lambda file: file + 2**40)
    )
    monkeypatch.setattr(ctypes, "WinDLL", {"kernel32": kernel32}.get, raising=False)
    assert terminal.is_terminal(Console()) == expected
    assert told == [(7 + 2**40, 7)] * knows
    assert terminal.is_terminal(Terminal()), "it is no console"


def test_columns_stand_in_line():
    rows = [("name", "n", "end"), ("a", "1,000", "x"), ("long name", "5", "")]
    assert table(rows, right={1}).splitlines() == [
        *("name           n  end", "a          1,000  x", "long name      5")
    ]


@pytest.mark.parametrize(
    ("share", "fine", "plain"),
    [
        *((0, "", ""), (1, "████", "####"), (7, "████", "####"), (-1, "", ""), (0.5, "██", "##")),
        *((0.28125, "█▏", "#"), (1e-9, "▏", "#"), (0.96875, "███▉", "####")),
    ],
)
def test_bars(share, fine, plain):
    assert (bar(share, 4), bar(share, 4, blocks=False)) == (fine, plain)


def test_marks():
    assert marked("", 0, "|") == "|"
    assert marked("###", 3, "|") == "###|"


def test_a_chart_has_a_bar_a_case_on_the_side_where_it_belongs():
    times = [("faster", 4.0), ("<slower>", 0.125), ("as fast", 1.0), ("twice", 2.0)]
    root = ElementTree.fromstring(chart.as_svg(times, "a & b"))
    one = float(root.find(f"{SVG}line[@class='one']").get("x1"))
    bars = root.findall(f"{SVG}rect")
    texts = [text.text for text in root.findall(f"{SVG}text")]
    assert [one.get("class") for one in bars] == ["faster", "slower", "faster", "faster"]
    left = [float(bar.get("x")) for bar in bars]
    wide = [float(bar.get("width")) for bar in bars]
    assert left[0] == left[2] == left[3] == pytest.approx(one)
    assert left[1] + wide[1] == pytest.approx(one)
    assert wide[0] / 2 == wide[3] == pytest.approx(wide[1] / 3)
    assert wide[2] == 0
    assert {"a & b", "<slower>", "0.12", "1/8", "4"} <= set(texts)
    assert "prefers-color-scheme: dark" in root.find(f"{SVG}style").text


def test_a_chart_of_extremes_has_few_lines():
    root = ElementTree.fromstring(chart.as_svg([("slow", 2.0**-40), ("fast", 2.0**20)], ""))
    assert len(root.findall(f"{SVG}line")) <= chart.MOST_LINES + 1
    assert len(root.findall(f"{SVG}line[@class='one']")) == 1


def test_medians_take_turns(clock):
    order = []

    def call(name, seconds):
        def run():
            order.append(name)
            clock.now += seconds.pop(0) if seconds else 1.0

        return run

    found = measure.medians(
        [call("a", [1.0, 9.0, 2.0, 3.0, 100.0]), call("b", [])], seconds=0, clock=clock
    )
    assert found == [3.0, 1.0]
    assert order == ["a", "b"] * measure.LEAST
    assert measure.medians([lambda: None], seconds=1e9, clock=clock) == [0.0]


def test_the_photo_is_a_photo():
    photo = picture.landscape()
    assert photo.dtype == np.uint8
    assert photo.shape == (picture.HEIGHT, picture.WIDTH, 3)
    assert np.array_equal(photo, picture.landscape())
    sky, sun, hill = photo[5, 5], photo[46, 148], photo[140, 100]
    assert sky[2] > sky[0]
    assert sun.min() > 100
    assert sun[0] > 200
    assert hill[1] > max(hill[0], hill[2])
    assert len(np.unique(photo)) > 100


def test_a_png_holds_the_picture():
    pixels = picture.side_by_side(picture.landscape(8, 12), picture.landscape(8, 12)[::-1])
    data = picture.as_png(pixels)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = [], 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length) == (zlib.crc32(kind + body),)
        chunks.append((kind, body))
        at += 12 + length
    (header, about), (image, packed), end = chunks
    assert (header, image, end) == (b"IHDR", b"IDAT", (b"IEND", b""))
    assert struct.unpack(">IIBBBBB", about) == (30, 8, 8, 2, 0, 0, 0)
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(8, 91)
    assert not rows[:, 0].any()
    assert np.array_equal(rows[:, 1:].reshape(8, 30, 3), pixels)


def test_a_picture_in_a_terminal():
    pixels = np.zeros((5, 4, 3), np.uint8)
    pixels[:2, :2] = (10, 20, 30)
    pixels[2:4, 2:] = (200, 250, 255)
    text = picture.in_colour(pixels, 2)
    assert text == ("\x1b[38;2;10;20;30;48;2;0;0;0m▀\x1b[38;2;0;0;0;48;2;200;250;255m▀\x1b[0m")
    assert picture.in_shades(np.full((4, 4, 3), 255, np.uint8), 2) == "@@"
    assert picture.in_shades(pixels, 2) == " ="  # 20 and 705 of 1530, in ten shades


def test_what_is_normalised_can_be_seen():
    values = np.array([[[0.0, 1.0, -1.0], [9.0, -9.0, 0.5]]], np.float32)
    assert picture.seen(values).tolist() == [[[128, 192, 64], [255, 0, 160]]]
