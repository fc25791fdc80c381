"""Element types, and conversion from other libraries' dtypes."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from dml_vk.errors import DTypeError


@dataclass(frozen=True, eq=False)
class DType:
    """An element type. `kind` is NumPy's letter: b(ool), i(nt), u(int), f(loat), c(omplex).

    It compares equal to other names of the same type, such as NumPy's, and NumPy accepts it as a
    dtype.

    >>> import numpy as np
    >>> import dml_vk
    >>> dml_vk.float32 == np.float32, dml_vk.float32 == "float32", np.dtype(dml_vk.float32)
    (True, True, dtype('float32'))
    """

    name: str
    itemsize: int
    kind: str
    directml: str | None  # the member of dml_vk.directml.DataType, where DirectML has the type

    @property
    def code(self) -> int:
        """Its number in shaders: glsl/include/types/types.glsl."""
        return _CODES[self.name]

    @property
    def part(self) -> DType:
        """The dtype of the real and of the imaginary part; of a real dtype, the dtype itself."""
        return DTYPES[f"float{4 * self.itemsize}"] if self.kind == "c" else self

    @property
    def numpy_name(self) -> str:
        return self.name.rstrip("_")

    @property
    def dtype(self) -> Any:
        """NumPy's dtype; `np.dtype` uses this attribute."""
        import numpy as np

        return np.dtype(self.numpy_name)

    @property
    def type(self) -> Any:
        """The class of NumPy's scalars of this type."""
        return self.dtype.type

    @property
    def byteorder(self) -> str:
        """NumPy's byte order: `=` for the machine's, `|` if there is only one byte."""
        return "=" if self.itemsize > 1 else "|"

    @property
    def isnative(self) -> bool:
        """Whether bytes are in the machine's order: always true."""
        return True

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self.name == other.name
        try:
            same = to_dtype("==", other) is self
        except DTypeError:
            return NotImplemented
        return same and (self.itemsize == 1 or _is_native(other))

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[object, ...]:
        return to_dtype, ("unpickle", self.name)

    def __repr__(self) -> str:
        return f"dml_vk.{self.name}"


class NamedType(Protocol):
    """A dtype of another library, such as NumPy's."""

    @property
    def name(self) -> str: ...


DTypeLike: TypeAlias = DType | str | type | NamedType
"""What a dtype may be given as: one of this package, a name, Python's or NumPy's type."""

_TABLE = (
    DType("bool_", 1, "b", None),
    DType("int8", 1, "i", "INT8"),
    DType("uint8", 1, "u", "UINT8"),
    DType("int16", 2, "i", "INT16"),
    DType("uint16", 2, "u", "UINT16"),
    DType("int32", 4, "i", "INT32"),
    DType("uint32", 4, "u", "UINT32"),
    DType("int64", 8, "i", "INT64"),
    DType("uint64", 8, "u", "UINT64"),
    DType("float16", 2, "f", "FLOAT16"),
    DType("float32", 4, "f", "FLOAT32"),
    DType("float64", 8, "f", "FLOAT64"),
    DType("complex64", 8, "c", None),
    DType("complex128", 16, "c", None),
)
DTYPES = {dtype.name: dtype for dtype in _TABLE}
_CODES = {name: code for code, name in enumerate(DTYPES)}
(
    bool_,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    float16,
    float32,
    float64,
    complex64,
    complex128,
) = _TABLE
# Python's types, as the array API standard maps them; each can hold the previous ones.
PYTHON: dict[type, DType] = {bool: bool_, int: int64, float: float32, complex: complex64}
_SPELLING = re.compile(r"[<>=|]?[?A-Zb-z]\w*", re.ASCII)  # NumPy warns of "a"
_SWAPPED = ">" if sys.byteorder == "little" else "<"


def to_dtype(what: str, spec: object) -> DType:
    """The DType of a tensor, a NumPy dtype or scalar type, a Python type, or a name."""
    if isinstance(spec, DType):
        return spec
    if isinstance(spec, type) and spec in PYTHON:
        return PYTHON[spec]
    # NumPy's dtypes have a name that is independent of byte order, and scalar types are classes.
    name = spec if isinstance(spec, str) else getattr(spec, "name", None)
    if name is None and isinstance(spec, type):
        name = spec.__name__
    dtype = _named(name)
    if dtype is None and isinstance(name, str):
        # Also the classes that NumPy names after C's types, whose sizes depend on the system.
        dtype = _named(_numpy_name(name))
    if dtype is not None:
        return dtype
    known = ", ".join(DTYPES)
    raise DTypeError(what, f"dtype must be one of {known}", dtype=spec)


def _named(name: object) -> DType | None:
    if not isinstance(name, str):
        return None
    return DTYPES.get("bool_" if name == "bool" else name)


def _numpy_name(spelling: str) -> str | None:
    """Resolve NumPy's spelling of a dtype, such as "f4", ">i8", "double" or "?", to its name."""
    # Names of Python types mean other dtypes here than in NumPy. The pattern excludes structured
    # dtypes.
    if spelling in {kind.__name__ for kind in PYTHON} or not _SPELLING.fullmatch(spelling):
        return None
    try:
        import numpy as np

        return str(np.dtype(spelling).newbyteorder("=").name)
    except (ImportError, TypeError, ValueError):
        return None


def _is_native(spec: object) -> bool:
    if isinstance(spec, str):
        return not spec.startswith(_SWAPPED)
    return bool(getattr(spec, "isnative", True))
