"""Which dtype comes out of several: the Python array API standard's rules, and no others."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.dtypes import DTYPES, DType
from dml_vk.errors import DTypeError, explain


def common_dtype(what: str, dtypes: Sequence[DType]) -> DType:
    """The smallest dtype that holds all of these. Kinds do not mix but for the two of integers.

    >>> from dml_vk.dtypes import DTYPES
    >>> from dml_vk.promotion import common_dtype
    >>> common_dtype("add", [DTYPES["int8"], DTYPES["uint8"]])
    dml_vk.int16
    """
    first = dtypes[0]
    if all(dtype is first for dtype in dtypes):
        return first
    kinds = {dtype.kind for dtype in dtypes}
    signed = max([dtype.itemsize for dtype in dtypes if dtype.kind == "i"], default=0)
    unsigned = max([dtype.itemsize for dtype in dtypes if dtype.kind == "u"], default=0)
    if kinds == {"f"}:
        return max(dtypes, key=lambda dtype: dtype.itemsize)
    if kinds == {"u"}:
        return DTYPES[f"uint{8 * unsigned}"]
    if kinds <= {"i", "u"} and unsigned < 8:
        return DTYPES[f"int{8 * max(signed, 2 * unsigned)}"]
    if kinds == {"i", "u"}:
        must = "uint64 must be beside no signed integers, for no dtype holds both: use astype"
        raise DTypeError(explain(what, must, dtypes=tuple(dtypes)))
    must = "dtypes must be of one kind, for what holds both is not defined: convert with astype"
    raise DTypeError(explain(what, must, dtypes=tuple(dtypes)))


def check_weak(what: str, value: object, common: DType) -> None:
    """A Python number takes the dtype of the tensors beside it, if that is of a kind to hold it."""
    kind = "b" if isinstance(value, bool) else "i" if isinstance(value, int) else "f"
    allowed = {"b": "b", "i": "bi", "u": "bi", "f": "bif"}[common.kind]
    if kind not in allowed:
        must = f"a number beside {common!r} must be of a kind that it holds: convert with astype"
        raise DTypeError(explain(what, must, number=value))
