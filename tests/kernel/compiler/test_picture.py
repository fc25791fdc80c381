"""Programs as SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import dml_vk
from dml_vk.compiler.report.picture import dependences
from dml_vk.strides.drawing import LETTER_WIDTH
from tests.kernel.compiler.tensors import tensor

SVG = "{http://www.w3.org/2000/svg}"


def read(compiled):
    """The boxes of a picture and its texts, each of which must be in a box of its own."""
    picture = compiled.svg()
    assert picture == compiled.svg()
    root = ET.fromstring(picture)
    sizes = int(root.get("width")), int(root.get("height"))
    boxes = [
        [float(one.get(name)) for name in ("x", "y", "width", "height")]
        for one in root.iter(f"{SVG}rect")
    ]
    texts = []
    for one in root.iter(f"{SVG}text"):
        width, x = LETTER_WIDTH * len(one.text), float(one.get("x"))
        left = x - width / 2 if one.get("text-anchor") == "middle" else x
        texts.append((one.text, left, left + width, float(one.get("y"))))
    for left, top, across, down in boxes:
        assert left >= 0
        assert left + across <= sizes[0]
        assert top + down <= sizes[1]
    for text, left, right, y in texts:
        inside = [one for one in boxes if one[0] <= left and right <= one[0] + one[2]]
        inside = [one for one in inside if one[1] < y < one[1] + one[3]]
        assert len(inside) == 1 or text.startswith("level") or "bytes of temporaries" in text
        assert 0 <= left <= right <= sizes[0]
    return boxes, [text for text, *_ in texts]


def apart(boxes):
    for k, (left, top, across, down) in enumerate(boxes):
        for other in boxes[:k]:
            beside = left >= other[0] + other[2] or other[0] >= left + across
            assert beside or top >= other[1] + other[3] or other[1] >= top + down


def test_a_box_for_each_kernel():
    def function(x):
        y = dml_vk.exp(x) * 2
        for _ in range(30):
            y = y * 0.5 + 1
        x += 1
        return dml_vk.sort(y), dml_vk.cumulative_sum(x, axis=0), y.sum()

    compiled = dml_vk.compile(function)
    assert read(compiled)[0] == []
    for shape in ((40,), (3, 4)):
        compiled(tensor(*shape))
    kernels = [
        launch for one in compiled.programs for part in one.parts for launch in part.launches
    ]
    boxes, texts = read(compiled)
    assert len(boxes) == len(kernels)
    apart(boxes)
    assert "fused" in texts
    assert any("exp, multiply, multiply" in text for text in texts)
    assert "..." in texts
    assert not any(text.endswith(" us") for text in texts)
    compiled.measure(tensor(40))
    _, texts = read(compiled)
    times = [text for text in texts if re.fullmatch(r"\d+\.\d us", text)]
    assert len(times) == len(compiled.programs[0].times)


def test_arrows_go_from_what_writes_to_what_reads():
    def function(x, index):
        y = dml_vk.sort(x)
        z = dml_vk.empty_like(y)
        z[:10] = dml_vk.cumulative_sum(y[:10])
        z[10:] = dml_vk.cumulative_sum(y[10:])
        return dml_vk.sort(z), y[index]

    compiled = dml_vk.compile(function)
    compiled(tensor(20), dml_vk.asarray([3, 4]))
    (program,) = compiled.programs
    launches = [launch for part in program.parts for launch in part.launches]
    found = dependences(launches)
    names = [(launches[a].caller.op, launches[b].caller.op) for a, b in found]
    assert ("sort", "cumulative_sum") in names
    assert ("Tensor.__setitem__", "sort") in names or ("cumulative_sum", "sort") in names
    assert all(launches[a].level < launches[b].level for a, b in found)
    boxes, _ = read(compiled)
    apart(boxes)
    assert len(boxes) == len(launches)


def test_a_value_that_is_written_anew_is_not_that_from_before():
    def function(x):
        y = dml_vk.empty(8)
        dml_vk.cumulative_sum(x, out=y)
        first = dml_vk.sort(y)
        dml_vk.cumulative_sum(first, out=y)
        return first, dml_vk.sort(y)

    compiled = dml_vk.compile(function)
    compiled(tensor(8))
    launches = [launch for part in compiled.programs[0].parts for launch in part.launches]
    readers = {}
    for source, target in dependences(launches):
        readers.setdefault(target, []).append(source)
    scans = [k for k, launch in enumerate(launches) if launch.caller.op == "cumulative_sum"]
    assert scans[0] not in readers[len(launches) - 1]


def test_text_is_escaped_and_cut():
    from dml_vk.compiler.report import picture

    row = ("0", "k<&>" * 20, ", ".join(["a&b"] * 3 + ["word" * 30]), "1", "2", "", "")
    lines = picture._lines(row)
    assert max(map(len, lines)) <= picture.LETTERS
    compiled = dml_vk.compile(lambda x: x + 1)
    compiled(tensor(3))
    (program,) = compiled.programs
    launch = program.parts[0].launches[0]
    odd = launch.caller._replace(op="a<b & c>")
    program.parts[0].launches = [replace(launch, caller=odd)]
    assert "a<b & c>" in read(compiled)[1]
