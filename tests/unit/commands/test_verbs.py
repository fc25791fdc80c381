"""The command line: what its verbs print, and how each way out ends."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from dml_vk import Layout, __version__, channels_last
from dml_vk.__main__ import main
from dml_vk.commands import layout as layout_verb
from dml_vk.commands import options
from dml_vk.commands.options import new_file, write
from dml_vk.commands.verbs import EXIT_CODES, VERBS
from dml_vk.driver import probe
from dml_vk.errors import DmlVkError
from dml_vk.testing import philox_uniform, philox_words
from tests.hanging import HANGING

ROOT = Path(__file__).parents[3]
KNOWN = json.loads((ROOT / "tests/data/philox_kat.json").read_text())
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def endless():
    """A command that prints for hours, in a process that ends with the test at the latest."""
    with subprocess.Popen(
        [sys.executable, "-m", "dml_vk", "philox", "--count", str(10**9)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        yield process
        process.kill()


def test_without_a_verb_there_is_help(capsys):
    assert main([]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert all(f"\n    {verb} " in shown.err for verb in VERBS)
    assert EXIT_CODES in shown.err


@pytest.mark.parametrize("verb", [[], *([verb] for verb in VERBS)], ids=str)
def test_help_says_what_exit_codes_mean(verb, capsys):
    with pytest.raises(SystemExit, match=r"^0$"):
        main([*verb, "--help"])
    assert EXIT_CODES in capsys.readouterr().out


def test_the_version(capsys):
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["--version"])
    assert capsys.readouterr().out == f"dml_vk {__version__}\n"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (["paint"], "invalid choice: 'paint'"),
        (["layout"], "required: sizes"),
        (["layout", "2xa"], "argument sizes: 'a' is not an integer"),
        (["layout", "2", "--svg", os.devnull + "/x.svg"], "cannot be written there"),
        (["philox", "--key", "-1"], "argument --key: it must be from 0 to 2**64 - 1; got -1"),
        (["philox", "--counter", hex(2**128)], "--counter: it must be from 0 to 2**128 - 1"),
        (["philox", "--count", "0"], "argument --count: it must be at least 1; got 0"),
        (["bench", "--size", "0"], "argument --size: it must be at least 1"),
        (["bench", "--cases", "copy", "paint"], "invalid choice: 'paint'"),
        (["bench", "--plot", "chart.png"], "--plot: it must end in .svg; got 'chart.png'"),
        (["demo", "--save", "photo.jpg"], "--save: it must end in .png; got 'photo.jpg'"),
        (["bench", "--json", "/nowhere/at/all"], "'/nowhere/at/all' cannot be written there"),
    ],
)
def test_invalid_arguments_exit_with_2(line, told, capsys):
    with pytest.raises(SystemExit, match=r"^2$"):
        main(line)
    assert told in capsys.readouterr().err


def test_an_error_of_ours_is_a_line_on_stderr(capsys):
    assert main(["layout", "2x3", "--order", "NHWC"]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("packed: order must name all 2 dims")
    assert shown.err.count("\n") == 1


def test_a_host_without_memory_is_a_line_on_stderr(monkeypatch, capsys):
    def run(arguments):
        raise MemoryError("Unable to allocate 95 PiB")

    monkeypatch.setattr(VERBS["philox"], "run", run)
    assert main(["philox"]) == 1
    assert capsys.readouterr().err == "Unable to allocate 95 PiB\n"


def test_an_interrupt_is_no_traceback(monkeypatch, capsys):
    def run(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(VERBS["philox"], "run", run)
    assert main(["philox"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.linux
def test_ctrl_c_in_a_process(endless):
    assert endless.stdout.readline() == "0x6627e8d5 0xe169c58d 0xbc57ac4c 0x9b00dbd8\n"
    endless.send_signal(signal.SIGINT)
    _, said = endless.communicate(timeout=HANGING)
    assert (endless.returncode, said) == (130, "interrupted\n")


def test_a_reader_that_closes_the_pipe_ends_the_command(endless):
    endless.stdout.readline()
    endless.stdout.close()
    assert endless.wait(timeout=HANGING) == 141
    assert endless.stderr.read() == ""


@pytest.mark.linux
@pytest.mark.parametrize("line", ["philox --count 3", "philox --count 20000"])
def test_a_disk_that_is_full(line):
    with open("/dev/full", "w") as full:
        process = subprocess.run(
            [sys.executable, "-m", "dml_vk", *line.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            check=False,
        )
    assert process.returncode == 1
    assert process.stderr == "dml_vk: [Errno 28] No space left on device\n"


def test_a_closed_pipe(monkeypatch):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(["philox"]) == 141
        print("nobody reads on")


def test_a_closed_pipe_on_windows(monkeypatch, capfd):
    """There, writing to one is an invalid argument."""

    class Stream(io.StringIO):
        def fileno(self):
            return os.open(os.devnull, os.O_WRONLY)

        def write(self, text):
            raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(sys, "stdout", Stream())
    assert main(["philox"]) == 1
    assert capfd.readouterr().err == "dml_vk: [Errno 22] Invalid argument\n"
    monkeypatch.setattr(sys, "platform", "win32")
    assert main(["philox"]) == 141
    assert capfd.readouterr().err == ""


@pytest.mark.linux
def test_an_output_that_cannot_be_written(monkeypatch, capfd):
    with open("/dev/full", "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(["philox"]) == 1
    assert capfd.readouterr().err == "dml_vk: [Errno 28] No space left on device\n"


def test_a_stream_that_knows_ascii_only(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["layout", "2x2", "--strides", "3,1"]) == 0
    assert stream.buffer.getvalue().endswith(b"0 | 0,0 0,1  ?  1,0 1,1\n")


def test_a_stream_that_is_no_file():
    with contextlib.redirect_stdout(io.StringIO()) as stream:
        assert main(["philox", "--count", "1"]) == 0
    assert stream.getvalue() == "0x6627e8d5\n"


def test_verbs_that_need_nothing_and_verbs_that_say_what_they_need():
    code = """
import sys
for name in ("numpy", "kp"):
    sys.modules[name] = None
from dml_vk.__main__ import main
print([main(line.split()) for line in (
    "layout 1x3x4x5 --order NHWC --index 0,2,3,4", "philox", "bench", "demo")])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert "0,2,3,4 is at address 59\n" in done.stdout
    assert done.stdout.endswith("0x6627e8d5 0xe169c58d 0xbc57ac4c 0x9b00dbd8\n[0, 0, 1, 1]\n")
    assert [line.split(": `")[0] for line in done.stderr.splitlines()] == [
        "bench: NumPy is not installed",
        "demo: NumPy is not installed",
    ]


def test_a_verb_that_needs_numpy_says_so(monkeypatch, capsys):
    monkeypatch.setattr(options.importlib.util, "find_spec", lambda name: None)
    assert main(["bench"]) == main(["demo"]) == 1
    assert capsys.readouterr().err.count(f"got python={sys.executable!r}\n") == 2


def shown_by(capsys, *line):
    assert main(["layout", *line]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "layout"),
    [
        (["2x3x4x5", "--order", "NHWC"], Layout.packed((2, 3, 4, 5), channels_last)),
        (["2,3,4,5", "--order", "channels_last"], Layout.packed((2, 3, 4, 5), channels_last)),
        (
            ["2 x 3 × 4", "--order", "2,0,1", "--offset", "7"],
            Layout.packed((2, 3, 4), (2, 0, 1), 7),
        ),
        (["2x3", "--strides", "5,1", "--offset", "0x10"], Layout((2, 3), (5, 1), 16)),
        (["3x2", "--strides=-1,3", "--offset", "2"], Layout((3, 2), (-1, 3), 2)),
        (["2x2", "--strides", "1,1"], Layout((2, 2), (1, 1))),
        (["1x3", "--strides", "9,1", "--order", "1,0"], Layout((1, 3), (9, 1), 0, (1, 0))),
        (["2x32x3", "--order", "nCw16c"], Layout.packed((2, 32, 3), "nCw16c")),
        (["3x0"], Layout((3, 0))),
        (["()"], Layout(())),
    ],
    ids=str,
)
def test_a_layout_is_described_and_drawn(line, layout, capsys):
    shown = shown_by(capsys, *line)
    facts, picture = shown.rsplit("\n\n", 1)
    told = dict(fact.split(maxsplit=1) for fact in facts.splitlines())
    assert picture == layout.draw() + "\n"

    def numbers(name):
        text = told[name].split(" (")[0]
        return () if text == "()" else tuple(map(int, text.split(",")))

    assert numbers("sizes") == layout.sizes
    assert numbers("strides") == layout.strides
    assert numbers("order") == layout.order
    assert int(told["offset"]) == layout.offset
    assert (told["packed"] == "yes", told["overlaps"] == "yes") == (
        layout.is_packed,
        layout.overlaps,
    )
    reach = told["span"].split(" elements")
    assert int(reach[0]) == layout.span
    if layout.span:
        found = layout.offsets()
        assert reach[1] == f", from {min(found)} to {max(found)}"
    if layout.memory_format is None:
        assert "(a format without a name)" in told["order"]
    else:
        assert f"({layout.memory_format})" in told["order"]


def test_where_an_element_lies_and_what_lies_there(capsys):
    shown = shown_by(capsys, "2x3x4x5", "--order", "NHWC", "--index", "1,2,3,4", "--address", "7")
    assert "\n1,2,3,4 is at address 119\n" in shown
    assert "\naddress 7 holds 0,1,0,2\n" in shown
    assert "address 1 holds 0,1 and 1,0\n" in shown_by(
        capsys, "2x2", "--strides", "1,1", "--address", "1"
    )
    assert "address 9 holds no element\n" in shown_by(capsys, "2x2", "--address", "9")
    assert main(["layout", "2000x2000", "--address", "5"]) == 1
    assert "cannot search more than 1048576 elements" in capsys.readouterr().err


def test_a_layout_too_large_to_draw_is_described(capsys, tmp_path):
    shown = shown_by(capsys, "1x3x224x224")
    assert "150,528 elements" in shown
    assert shown.endswith("Too large to draw: the limit is 4,096 cells.\n")
    file = tmp_path / "large.svg"
    assert main(["layout", "1x3x224x224", "--svg", str(file)]) == 1
    assert "draw: " in capsys.readouterr().err
    assert not file.exists()


def test_a_layout_goes_to_a_file(capsys, tmp_path):
    file = tmp_path / "layout.svg"
    shown_by(capsys, "2x3", "--strides", "5,1", "--svg", str(file))
    root = ElementTree.parse(file).getroot()
    assert root.tag == f"{SVG}svg"
    assert root.find(f"{SVG}title").text.startswith("Layout((2, 3), (5, 1))")


def test_a_file_that_cannot_be_written(tmp_path):
    with pytest.raises(DmlVkError, match="layout: cannot write the file; got file="):
        write("layout", tmp_path / "gone" / "x.svg", "")
    with pytest.raises(Exception, match="cannot be written there"):
        new_file(str(tmp_path))
    assert new_file("x.svg") == Path("x.svg")
    assert layout_verb.indexes_at(Layout(()), 0) == [()]


@pytest.mark.parametrize("row", KNOWN["streams"]["rows"], ids=lambda row: row["name"])
def test_words_of_philox(row, capsys):
    words = [int(word, 16) for word in row["state"].split()]
    counter, key = (sum(w << 32 * k for k, w in enumerate(part)) for part in (words[:4], words[4:]))
    assert main(["philox", "--key", hex(key), f"--counter={counter}", f"--count={row['n']}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert " ".join(lines).replace("0x", "") == row["words"]
    assert {len(line.split()) for line in lines[:-1]} <= {4}


def test_words_as_numbers(capsys):
    words = philox_words(9, 2**128 - 1, 7)
    for form, expected in (("dec", words), ("float", philox_uniform(words, "float32"))):
        line = ["philox", "--key=9", f"--counter={2**128 - 1}", "--count=7", "--format", form]
        assert main(line) == 0
        found = capsys.readouterr().out.split()
        assert [float(word) for word in found] == expected.tolist()


def test_devices_as_json(monkeypatch, capsys):
    assert main(["devices", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    known = probe.devices()
    assert [one["name"] for one in found] == [info.name for info in known]
    assert found[0]["heaps"][0] == known[0].heaps[0]._asdict()
    assert set(found[0]["extensions"]) == known[0].extensions
    monkeypatch.setattr(probe, "devices", lambda: probe.Devices((), "the reason"))
    assert main(["devices", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.kompute
def test_findings_as_json(capsys):
    assert main(["doctor", "--json"]) == 0
    found = {one["topic"]: one for one in json.loads(capsys.readouterr().out)}
    assert found["chosen"]["text"] == probe.select().name
    assert not found["kp"]["advice"]
