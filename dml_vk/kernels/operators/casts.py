"""The conversions of the cast kernel."""

from __future__ import annotations

from dml_vk.dtypes import DType

_CONVERSIONS = ("BITS", "TO_TRUTH", "INTS", "BY_FLOAT", "TO_DOUBLE", "TO_INT", "ROUNDED")
CASTS = {f"CAST_{name}": str(code) for code, name in enumerate(_CONVERSIONS)}


def cast_variant(source: DType, target: DType) -> int:
    """Choose the opcode that converts one dtype to another."""
    wide = max(source.itemsize, target.itemsize) == 8
    if target.kind == "b":
        conversion = "TO_TRUTH"
    elif source is target:
        conversion = "BITS"
    elif "f" not in (source.kind, target.kind):
        conversion = "INTS"
    elif not wide:
        conversion = "BY_FLOAT"
    elif source.kind == target.kind and target.itemsize == 8:
        conversion = "TO_DOUBLE"
    else:
        conversion = "ROUNDED" if target.kind == "f" else "TO_INT"
    return _CONVERSIONS.index(conversion)
