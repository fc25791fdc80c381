"""The format of `.safetensors` files, which hold arrays by name, row-major and little-endian.

A file is the length of a header as 8 bytes; the header, JSON, with the dtype, the shape and the
place of the bytes of each array; and the bytes.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import IO

import numpy as np

from dml_vk.errors import DTypeError
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array

_LENGTH = 8  # bytes of the length of the header
_MOST_HEADER = 100_000_000  # bytes, as in the format's own library
_NAMES = {
    "bool_": "BOOL",
    "complex64": "C64",
    "float16": "F16",
    "float32": "F32",
    "float64": "F64",
    "int8": "I8",
    "int16": "I16",
    "int32": "I32",
    "int64": "I64",
    "uint8": "U8",
    "uint16": "U16",
    "uint32": "U32",
    "uint64": "U64",
}
_NUMPYS = {theirs: np.dtype(ours.rstrip("_")) for ours, theirs in _NAMES.items()}
_BF16 = "BF16"


def write(stream: IO[bytes], tensors: Mapping[str, Tensor]) -> None:
    header: dict[str, object] = {}
    start = 0
    # Larger elements first, so that all are aligned.
    names = sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name))
    for name in names:
        tensor = tensors[name]
        if tensor.dtype.name not in _NAMES or name == "__metadata__":
            rule = "a .safetensors file has no such dtype or name"
            raise DTypeError("save", rule, dtype=tensor.dtype, name=name)
        end = start + tensor.size * tensor.dtype.itemsize
        kind = _NAMES[tensor.dtype.name]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [start, end]}
        start = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _LENGTH)
    stream.write(len(text).to_bytes(_LENGTH, "little"))
    stream.write(text)
    for name in names:
        stream.write(np.ascontiguousarray(tensors[name].numpy()).data)


def read(stream: IO[bytes]) -> dict[str, Array]:
    """Return the arrays; a ValueError or KeyError says that the file is invalid."""
    whole = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    size = int.from_bytes(_exactly(stream, _LENGTH), "little")
    if size > min(_MOST_HEADER, whole):
        raise ValueError(f"a header of {size} bytes")
    header = json.loads(_exactly(stream, size))
    if not isinstance(header, dict):
        raise ValueError("the header is not an object")
    header.pop("__metadata__", None)
    arrays, at = {}, 0
    rows = sorted(
        header.items(), key=lambda row: [int(number) for number in row[1]["data_offsets"]]
    )
    for name, row in rows:
        begin, end = row["data_offsets"]
        shape = [int(number) for number in row["shape"]]
        kind = np.dtype(np.uint16) if row["dtype"] == _BF16 else _NUMPYS[row["dtype"]]
        if (
            begin != at
            or min(shape, default=0) < 0
            or end - begin != math.prod(shape) * kind.itemsize
        ):
            raise ValueError(f"the place of {name} does not match its shape")
        if end > whole:  # or as much memory would be taken before the file is known to be shorter
            raise ValueError(f"the file ends before {name}")
        data = np.frombuffer(_exactly(stream, end - begin), kind.newbyteorder("<"))
        if row["dtype"] == _BF16:
            data = (data.astype(np.uint32) << 16).view(np.float32)
        own = data.dtype.newbyteorder("=")
        arrays[name], at = data.astype(own, copy=False).reshape(shape), end
    if stream.read(1):
        raise ValueError("bytes that belong to no array")
    return {name: arrays[name] for name in header}


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) != count:
        raise ValueError(f"the file ends before {count} bytes that it should have")
    return data
