"""Tensors that a model holds: checked against the bytes that are there, and then arrays."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dml_vk.errors import ModelError
from dml_vk.onnx.element_types import DTYPES, WIDENED, name_of, to_dtype
from dml_vk.onnx.package import onnx_package
from dml_vk.onnx.texts import to_text
from dml_vk.tensor.host import Array

if TYPE_CHECKING:
    from onnx import TensorProto

MOST_ELEMENTS = 2**48
EXTERNAL = 1  # TensorProto.EXTERNAL
# Where TensorProto keeps numbers that are not raw bytes, and how many of these make an element.
_FIELDS = {
    **dict.fromkeys((1,), ("float_data", 1)),
    **dict.fromkeys((2, 3, 4, 5, 6, 9, 10), ("int32_data", 1)),
    **dict.fromkeys((7,), ("int64_data", 1)),
    **dict.fromkeys((11,), ("double_data", 1)),
    **dict.fromkeys((12, 13), ("uint64_data", 1)),
    **dict.fromkeys((14,), ("float_data", 2)),
    **dict.fromkeys((15,), ("double_data", 2)),
}
_PER_BYTE = {21: 2, 22: 2, 25: 4, 26: 4}


class Source:
    """The folder of a model, in which its external data lie."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = None if folder is None else folder.resolve()
        self._files: dict[Path, Array] = {}

    def read(self, what: str, name: str, location: str, offset: int, nbytes: int | None) -> Array:
        """Return the bytes of a part of a file, which stay on disk until they are needed."""
        rule = "external data must be a file in the model's folder"
        if self.folder is None or not location or "\0" in location:
            raise ModelError(what, rule, tensor=name, location=location)
        path = (self.folder / location).resolve()  # follows links
        if not path.is_relative_to(self.folder) or not path.is_file():
            raise ModelError(what, rule, tensor=name, location=location)
        if path not in self._files:
            empty = path.stat().st_size == 0
            self._files[path] = np.zeros(0, np.uint8) if empty else np.memmap(path, mode="r")
        data = self._files[path]
        nbytes = data.size - offset if nbytes is None else nbytes
        if not (0 <= offset <= data.size and 0 <= nbytes <= data.size - offset):
            rule = "external data must lie within their file"
            bounds = {"offset": offset, "length": nbytes, "file_bytes": data.size}
            raise ModelError(what, rule, tensor=name, location=location, **bounds)
        return data[offset : offset + nbytes]


def to_array(what: str, tensor: TensorProto, source: Source) -> Array:
    """Return a TensorProto's elements. Nothing is allocated before its size is known to be true."""
    kind, shape, name = tensor.data_type, tuple(tensor.dims), to_text(what, tensor.name)
    if kind not in WIDENED:
        to_dtype(what, kind)
    # Those of a tensor without elements are not checked by its bytes.
    if min(shape, default=0) < 0 or math.prod([size or 1 for size in shape]) > MOST_ELEMENTS:
        rule = f"sizes must be at least 0, and their product at most {MOST_ELEMENTS}"
        raise ModelError(what, rule, tensor=name, shape=shape)
    count = math.prod(shape)
    if tensor.data_location == EXTERNAL:
        raw = _external(what, tensor, source)
    elif tensor.HasField("raw_data"):
        raw = np.frombuffer(tensor.raw_data, np.uint8)
    else:
        return _from_field(what, tensor, shape, count)
    if kind in _PER_BYTE:
        _check_bytes(what, name, shape, raw.size, -(-count // _PER_BYTE[kind]))
        return _unpacked(raw, kind, count).reshape(shape)
    dtype = np.dtype(DTYPES[kind].numpy_name)
    _check_bytes(what, name, shape, raw.size, count * dtype.itemsize)
    array: Array = raw.view(dtype.newbyteorder("<")).astype(dtype, copy=False).reshape(shape)
    return array


def _external(what: str, tensor: TensorProto, source: Source) -> Array:
    pairs = [(entry.key, entry.value) for entry in tensor.external_data]
    entries = {to_text(what, key): to_text(what, value) for key, value in pairs}
    try:
        offset = int(entries.get("offset", "0"))
        nbytes = int(entries["length"]) if "length" in entries else None
    except ValueError:
        rule = "external data must have numbers as offset and length"
        raise ModelError(what, rule, tensor=tensor.name, entries=entries) from None
    return source.read(what, tensor.name, entries.get("location", ""), offset, nbytes)


def _from_field(what: str, tensor: TensorProto, shape: tuple[int, ...], count: int) -> Array:
    kind = tensor.data_type
    field, parts = _FIELDS.get(kind, ("int32_data", 1))
    held, wanted = len(getattr(tensor, field)), count * parts
    if kind in _PER_BYTE:
        wanted = -(-count // _PER_BYTE[kind])
    if held != wanted:
        rule = "a tensor must have as many numbers as its shape says"
        raise ModelError(what, rule, tensor=tensor.name, shape=shape, numbers=held)
    array: Array = onnx_package(what).numpy_helper.to_array(tensor)
    return array.astype(WIDENED[kind].numpy_name) if kind in WIDENED else array


def _check_bytes(what: str, name: str, shape: tuple[int, ...], held: int, wanted: int) -> None:
    if held != wanted:
        rule = "a tensor must have as many bytes as its shape and type say"
        raise ModelError(what, rule, tensor=name, shape=shape, bytes=held, needed=wanted)


def _unpacked(raw: Array, kind: int, count: int) -> Array:
    """Small integers, the first in the lowest bits of a byte, as bytes."""
    each = _PER_BYTE[kind]
    bits = 8 // each
    shifts = np.arange(each, dtype=np.uint8) * bits
    numbers: Array = (raw[:, None] >> shifts).reshape(-1)[:count] & (2**bits - 1)
    if name_of(kind).startswith("U"):
        return numbers
    signed: Array = (numbers << (8 - bits)).view(np.int8) >> (8 - bits)
    return signed
