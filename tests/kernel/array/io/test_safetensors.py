"""Files of the safetensors format: what is written comes back, and damaged ones are refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dml_vk
from dml_vk.dtypes import DTYPES
from dml_vk.errors import DTypeError, RangeError
from dml_vk.layout import channels_last
from tests.kernel.tensors import assert_same

GRID = np.arange(1, 121, dtype=np.int16).reshape(2, 3, 4, 5)


def stored(header: object, data: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def row(kind: str, shape: list, *offsets: object) -> dict:
    return {"dtype": kind, "shape": shape, "data_offsets": list(offsets)}


def test_safetensors_keep_dtypes_shapes_and_names(tmp_path):
    path = tmp_path / "all.safetensors"
    given = {
        dtype.name: dml_vk.asarray((GRID % 7).astype(dtype.numpy_name), memory_format=channels_last)
        for dtype in DTYPES.values()
        if dtype.name != "complex128"
    }
    dml_vk.save(path, given, empty=dml_vk.zeros((2, 0)), number=dml_vk.asarray(2.5))
    found = dml_vk.load(path)
    assert found.keys() == {*given, "empty", "number"}
    for name, x in given.items():
        assert_same(found[name], x.numpy())
    assert (found["empty"].shape, found["number"].item()) == ((2, 0), 2.5)
    with pytest.raises(DTypeError, match="file has no such dtype or name"):
        dml_vk.save(path, x=dml_vk.zeros(1, "complex128"))
    assert dml_vk.load(path).keys() == found.keys()  # the file is the one before


def test_bfloat16_in_files_becomes_float32(tmp_path):
    path = tmp_path / "half.safetensors"
    words = np.uint16([0x3F80, 0xC020, 0x7F80, 0x0001])  # 1, -2.5, infinity, 2**-133
    header = {"__metadata__": {"format": "pt"}, "x": row("BF16", [2, 2], 0, 8)}
    path.write_bytes(stored(header, words.tobytes()))
    assert dml_vk.load(path)["x"].numpy().tolist() == [[1.0, -2.5], [np.inf, 2.0**-133]]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x01",
        (2**62).to_bytes(8, "little"),
        (90).to_bytes(8, "little") + b"{}",
        stored(b"{", b""),
        stored([1], b""),
        stored({"x": 3}, b""),
        stored({"x": row("F32", [2], 0, 8)}, b"1234567"),
        stored({"x": row("F32", [2], 0, 8)}, b"123456789"),
        stored({"x": row("F32", [3], 0, 8)}, b"12345678"),
        stored({"x": row("F32", [-2], 0, -8)}, b""),
        stored({"x": row("F8_E4M3", [8], 0, 8)}, b"12345678"),
        stored({"x": row("F32", [1], 0, 4), "y": row("F32", [1], 0, 4)}, b"1234"),
        stored({"x": row("F32", ["a"], 0, 4)}, b"1234"),
        stored({"x": row("F32", [2**40, 2**40], 0, 4)}, b"1234"),
        stored({"x": row("F32", [2**40], 0, 2**42)}, b"1234"),
    ],
)
def test_invalid_safetensors_are_refused(tmp_path, data):
    path = tmp_path / "bad.safetensors"
    path.write_bytes(data)
    with pytest.raises(RangeError, match="load: cannot read the file"):
        dml_vk.load(path)
