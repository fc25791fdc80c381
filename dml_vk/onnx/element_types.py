"""The element types of ONNX, and the dtypes of tensors that stand for them."""

from __future__ import annotations

from dml_vk import dtypes
from dml_vk.dtypes import DType
from dml_vk.errors import ModelError

NAMES = [
    "UNDEFINED",
    "FLOAT",
    "UINT8",
    "INT8",
    "UINT16",
    "INT16",
    "INT32",
    "INT64",
    "STRING",
    "BOOL",
    "FLOAT16",
    "DOUBLE",
    "UINT32",
    "UINT64",
    "COMPLEX64",
    "COMPLEX128",
    "BFLOAT16",
    "FLOAT8E4M3FN",
    "FLOAT8E4M3FNUZ",
    "FLOAT8E5M2",
    "FLOAT8E5M2FNUZ",
    "UINT4",
    "INT4",
    "FLOAT4E2M1",
    "FLOAT8E8M0",
    "UINT2",
    "INT2",
]
DTYPES = {
    1: dtypes.float32,
    2: dtypes.uint8,
    3: dtypes.int8,
    4: dtypes.uint16,
    5: dtypes.int16,
    6: dtypes.int32,
    7: dtypes.int64,
    9: dtypes.bool_,
    10: dtypes.float16,
    11: dtypes.float64,
    12: dtypes.uint32,
    13: dtypes.uint64,
    14: dtypes.complex64,
    15: dtypes.complex128,
}
NUMBERS = {dtype: number for number, dtype in DTYPES.items()}
# Small integers of constants are kept in a byte each.
WIDENED = {21: dtypes.uint8, 22: dtypes.int8, 25: dtypes.uint8, 26: dtypes.int8}


def to_dtype(what: str, number: int) -> DType:
    """Return the dtype of a number of TensorProto.DataType."""
    dtype = DTYPES.get(number)
    if dtype is None:
        rule = "element types must be bool, integers of 8 to 64 bits, floats of 16 to 64 or complex"
        raise ModelError(what, rule, type=name_of(number))
    return dtype


def name_of(number: int) -> str:
    return NAMES[number] if 0 <= number < len(NAMES) else str(number)
