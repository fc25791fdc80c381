"""The log of copies: what is in it, where the user's line is, and what strict mode refuses."""

from __future__ import annotations

import inspect
import threading

import numpy as np
import pytest

import dml_vk
from dml_vk.directml import Buffer
from dml_vk.layout import Layout, channels_last, contiguous_format

HEAD = ["op", "reason", "formats", "copies", "bytes", "line"]
ARRAY = np.arange(1, 121, dtype=np.float32).reshape(2, 3, 4, 5)


def here():
    return inspect.currentframe().f_back.f_lineno


def test_a_conversion_is_recorded_with_the_line_that_asked_for_it():
    x = dml_vk.asarray(ARRAY)
    with dml_vk.trace() as log:
        line = here()
        y = x.to(channels_last)
        y.to(channels_last)  # nothing to do
        y.to(contiguous_format).clone()
    first, second, third = log.entries
    assert (first.op, first.reason, first.nbytes) == ("to", "asked", 480)
    assert (first.source, first.target) == (contiguous_format, channels_last)
    assert (first.file, first.line) == (__file__, line + 1)
    assert (second.op, second.source, second.target) == ("to", channels_last, contiguous_format)
    assert (third.op, third.line) == ("clone", second.line) == ("clone", line + 3)
    assert log.nbytes == 3 * 480
    assert np.array_equal(y.numpy(), ARRAY)


def test_an_order_without_a_name_is_recorded_as_it_is():
    x = dml_vk.asarray(np.asfortranarray(ARRAY))
    with dml_vk.trace() as log:
        x.contiguous()
    assert [(e.source, e.target) for e in log.entries] == [((3, 2, 1, 0), contiguous_format)]


def test_copies_to_and_from_the_host_have_the_reason_host():
    with dml_vk.trace(strict=True) as log:
        x = dml_vk.asarray(ARRAY)
        x.numpy()
        x.tolist()
        dml_vk.copy(x, dml_vk.empty(x.shape))
    assert [(e.op, e.reason) for e in log.entries] == [
        *(("asarray", "host"), ("numpy", "host"), ("numpy", "host"), ("copy", "asked"))
    ]


def test_strict_is_a_bool():
    with (
        pytest.raises(dml_vk.DTypeError, match="trace: strict must be a bool; got strict=array"),
        dml_vk.trace(np.array([True, False])),
    ):
        pass


def test_copies_that_nobody_asked_for():
    x = dml_vk.asarray(np.arange(1, 11, dtype=np.float32))
    low, high = x.over(Layout((9,))), x.over(Layout((9,), offset=1))
    with dml_vk.trace() as log:
        dml_vk.add(low, 1.0, out=high)
        dml_vk.copy(high, low)
        dml_vk.full((3, 4), 2.0).over(Layout((4, 3), (1, 4))).reshape(12)
    found = [(e.op, e.reason, e.nbytes) for e in log.entries]
    assert found[0] == ("add", "overlap", 36)
    assert found[1:3] == [("copy", "asked", 36), ("copy", "overlap", 36)]
    assert found[3][0] == "reshape"
    assert found[3][1] not in ("asked", "host")
    assert x.tolist() == [2, 3, 4, 5, 6, 7, 8, 9, 10, 10]


SMALL = dml_vk.asarray(np.arange(6, dtype=np.int16).reshape(2, 3))
BYTES, HALVES = SMALL.to("int8"), SMALL.to("float16")
CONVERSIONS = {
    "sum": (lambda: dml_vk.sum(SMALL, dtype="float32"), 24),
    "prod": (lambda: dml_vk.prod(SMALL, dtype="float16"), 24),
    "diff": (lambda: dml_vk.diff(BYTES, prepend=SMALL[:, :1]), 12),
    "searchsorted": (lambda: dml_vk.searchsorted(SMALL[0], BYTES), 12),
    "repeat": (lambda: dml_vk.repeat(SMALL[0], BYTES[0]), 24),
    "setitem": (lambda: SMALL.clone().__setitem__([1, 0], BYTES), 12),
    "vector_norm": (lambda: dml_vk.linalg.vector_norm(HALVES), 24),
    "matrix_norm": (lambda: dml_vk.linalg.matrix_norm(HALVES, ord=1), 24),
}


@pytest.mark.parametrize("op", CONVERSIONS)
def test_an_operand_of_another_dtype_than_is_read(op):
    call, nbytes = CONVERSIONS[op]
    with dml_vk.trace() as log:
        call()
    assert [(e.op, e.nbytes) for e in log.entries if e.reason == "dtype"] == [(op, nbytes)]
    with (
        dml_vk.trace(strict=True),
        pytest.raises(dml_vk.LayoutError, match=rf"^{op}: .* in a strict trace \(dtype\)"),
    ):
        call()


def test_assignments_and_casts_count_as_asked_for():
    x, y = dml_vk.asarray(ARRAY), dml_vk.asarray(ARRAY[:, :1]).to(channels_last)
    double, mask = dml_vk.asarray(np.array([2.5])), x > 7
    with dml_vk.trace(strict=True) as log:
        x[mask] = double
        x[...] = y
        x[0] = x[0]  # where it is already
        x[1] = dml_vk.asarray(np.float16(2))
        x.astype("float32")
        dml_vk.astype(x, "float32", out=x.clone())
        x.astype("float32", copy=False)
        x[:, :0] = y[:, :0]
    asked = [(e.op, e.target, e.nbytes) for e in log.entries if e.reason == "asked"]
    assert asked == [
        ("setitem", contiguous_format, 4),
        ("setitem", contiguous_format, 480),
        ("setitem", contiguous_format, 240),
        ("astype", contiguous_format, 480),
        ("clone", contiguous_format, 480),
        ("astype", contiguous_format, 480),
    ]
    assert [e.op for e in log.entries if e.reason != "asked"] == ["asarray"]


def test_uploads_tell_how_the_array_lay():
    nhwc = ARRAY.transpose(0, 2, 3, 1).copy().transpose(0, 3, 1, 2)
    with dml_vk.trace() as log:
        dml_vk.asarray(nhwc)
        dml_vk.asarray(nhwc, memory_format=contiguous_format)
        dml_vk.asarray(nhwc[::-1, :, ::2], "int8")
        dml_vk.from_dlpack(np.asfortranarray(ARRAY))
    assert [(e.op, e.reason, e.source, e.target, e.nbytes) for e in log.entries] == [
        ("asarray", "host", channels_last, channels_last, 480),
        ("asarray", "host", channels_last, contiguous_format, 480),
        ("asarray", "host", channels_last, channels_last, 60),
        ("from_dlpack", "host", (3, 2, 1, 0), (3, 2, 1, 0), 480),
    ]


def test_indexes_of_the_host_are_uploads():
    x = dml_vk.asarray(np.arange(5000))
    few, many = np.array([11, 7, 4999, 13]), np.arange(5000)[::-1].copy()
    with dml_vk.trace(strict=True) as log:
        x[few]
        x[few]  # kept
        x[few] = 5
        dml_vk.take(x, many)
    assert [(e.op, e.reason, e.nbytes) for e in log.entries] == [
        ("getitem", "host", 16),
        ("take", "host", 20_000),
    ]


def test_bytes_for_directml_s_operators_are_uploads_and_downloads_too():
    buffer = Buffer(16)
    with dml_vk.trace(strict=True) as log:
        buffer.write(np.arange(3, dtype=np.float32), offset=4)
        buffer.read()
    assert [(e.op, e.reason, e.nbytes) for e in log.entries] == [
        ("Buffer.write", "host", 12),
        ("Buffer.read", "host", 16),
    ]


def test_repr_records_the_download_of_what_it_shows():
    x = dml_vk.asarray(np.arange(2000))
    with dml_vk.trace(strict=True) as log:
        repr(x)
        repr(x[:3])
    assert [(e.op, e.reason, e.nbytes) for e in log.entries] == [
        ("repr", "host", 64),
        ("repr", "host", 24),
    ]


def test_strict_raises_before_anything_is_copied_or_written():
    x = dml_vk.asarray(np.arange(1, 11, dtype=np.float32))
    low, high = x.over(Layout((9,))), x.over(Layout((9,), offset=1))
    line = here() + 5
    with (
        dml_vk.trace(strict=True) as log,
        pytest.raises(dml_vk.LayoutError, match=r"in a strict trace \(overlap\); got .*") as error,
    ):
        dml_vk.add(low, 1.0, out=high)
    assert f"{__file__}:{line}" in str(error.value)
    assert log.entries == []
    assert x.tolist() == list(range(1, 11))
    with dml_vk.trace(strict=True), pytest.raises(dml_vk.LayoutError, match=r"^reshape: implicit"):
        dml_vk.full((3, 4), 2.0).T.reshape(12)


def test_traces_nest_and_end():
    x = dml_vk.asarray(ARRAY)
    with dml_vk.trace() as outer:
        x.clone()
        with dml_vk.trace() as inner:
            x.clone()
        with pytest.raises(KeyError), dml_vk.trace():
            raise KeyError
        x.clone()
    x.clone()
    assert (len(outer.entries), len(inner.entries)) == (3, 1)
    assert repr(outer) == "<trace of 3 copies, 1,440 bytes>"


def test_another_thread_has_its_own():
    x = dml_vk.asarray(ARRAY)
    with dml_vk.trace() as log:
        thread = threading.Thread(target=x.clone)
        thread.start()
        thread.join()
    assert log.entries == []


def test_the_summary_names_what_copies_most_first():
    x = dml_vk.asarray(ARRAY)
    with dml_vk.trace() as log:
        for _ in range(3):
            x.clone()
        x.over(x.layout.narrow(1, 0, 1)).contiguous(channels_last)
        y = dml_vk.full((50, 50), 1.5).T.contiguous()
    head, *lines = log.summary().splitlines()
    assert head.split() == HEAD
    assert [(*line.split()[:2], *line.split()[-3:-1]) for line in lines] == [
        ("contiguous", "asked", "1", "10,000"),
        ("clone", "asked", "3", "1,440"),
        ("contiguous", "asked", "1", "160"),
    ]
    assert "(1, 0) -> contiguous_format" in lines[0]
    assert lines[1].endswith(f"{__file__}:{here() - 11}")
    assert y.shape == (50, 50)
    with dml_vk.trace() as log:
        pass
    assert log.summary().split() == HEAD


def test_a_residual_block_s_elementwise_work_copies_nothing():
    shape = (2, 8, 5, 7)
    count = int(np.prod(shape))
    a, b = (np.linspace(low, 3, count, dtype=np.float32).reshape(shape) for low in (-2, -1))
    per = np.linspace(0.5, 2, 8, dtype=np.float32).reshape(8, 1, 1)
    x, shortcut = (dml_vk.asarray(one, memory_format=channels_last) for one in (a, b))
    scale, shift = dml_vk.asarray(per), dml_vk.asarray(per[::-1].copy())
    mask = dml_vk.asarray(a > 0)
    with dml_vk.trace(strict=True) as log:
        y = dml_vk.relu(x * scale + shift)
        y = y - y.mean(axis=(2, 3), keepdims=True)
        y = y / dml_vk.sqrt((y * y).mean(axis=(2, 3), keepdims=True) + 1e-5)
        y = dml_vk.where(mask, y, 0.1 * y)
        y += shortcut
        y = dml_vk.clip(dml_vk.sigmoid(y) * y, -1.0, 6.0)
        half = y.to(dml_vk.float16).to(dml_vk.float32)
        top, bottom = y.split(4, 1)
        joined = dml_vk.concat([top + 1.0, bottom], axis=1)
    assert [entry for entry in log.entries if entry.reason != "host"] == []
    for one in (y, half, top, bottom, joined):
        assert one.memory_format is channels_last
    z = np.maximum(a * per + per[::-1], 0)
    z = z - z.mean((2, 3), keepdims=True)
    z = z / np.sqrt((z * z).mean((2, 3), keepdims=True) + 1e-5)
    z = np.where(a > 0, z, np.float32(0.1) * z) + b
    z = np.clip(z / (1 + np.exp(-z)), -1, 6)
    assert np.allclose(y.numpy(), z, rtol=1e-5, atol=1e-5)
