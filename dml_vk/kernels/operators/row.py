"""A row of the operator table."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dml_vk.dtypes import DTYPES, DType

# Letters of dtypes: b(ool), i(nt) and u(int) of 8 to 64 bits, h(alf), s(ingle) and d(ouble) floats,
# c(omplex) numbers of two singles and z of two doubles, as in BLAS.
_LETTERS = {"float16": "h", "float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}
ALL, NUMBERS, FLOATS, HALVES, BITS, INTEGERS = "biuhsd", "iuhsd", "hsd", "hs", "biu", "iu"
COMPLEX = "cz"
# Families that compute with bits and integers only, unless an operator is `by_device`.
_BY_SIZE = {"arithmetic", "compare"}  # complex ones have kernels for both sizes of numbers
_ON_BITS = {"arithmetic", "compare", "where", "cast", "special"}


def in_letters(dtype: DType, letters: str) -> bool:
    """Whether a dtype is one of those with these letters."""
    return _LETTERS.get(dtype.name, dtype.kind) in letters


@dataclass(frozen=True, eq=False)
class Operator:
    """An elementwise operator."""

    name: str  # of the public function; the opcode is its upper case
    code: int  # in shaders; it never changes and is never reused
    arity: int
    dtypes: str  # letters, as above
    chapter: str  # of the reference: docs/reference/elementwise.md
    family: str = "arithmetic"  # kernels are <kind of value>_<family>, except `cast` and `where`
    extra_kernels: tuple[str, ...] = ()  # further kernels that compute it, for DirectML's classes
    result: str = ""  # the result dtype if it differs from that of the operands
    sizes: bool = False  # the results of complex numbers are real
    ulp: float = 0.0  # float32: maximum error; 0 is correctly rounded
    quick: bool = False  # one instruction, so fused kernels may compute it several times
    by_parts: bool = False  # applies to both parts of complex numbers
    divides: bool = False  # float32 uses the device's division, if that is exact
    by_device: bool = False  # float32 uses the device's arithmetic, which may flush subnormals
    parameters: tuple[tuple[str, float], ...] = ()  # (name, default)
    public: bool = True  # False: only used by DirectML or inside another function
    doc: str = ""  # a sentence about x, or x1 and x2; empty if the function is written by hand
    example: str = ""  # "operands -> result"
    special: Sequence[tuple[float, ...]] = ()  # special values of floats: operands and result
    array_api: bool = False  # the Python array API standard has a function of this name
    numpy: str | None = ""  # the name of NumPy's function if it differs; None if there is none
    others: tuple[str, ...] = ()  # further names in NumPy or PyTorch
    directml: tuple[str, ...] = ()  # its operator types, without prefix

    @property
    def keeps_subnormals(self) -> bool:
        """Whether it keeps float32 subnormals on every device."""
        return self.family in _ON_BITS and not self.by_device

    @property
    def only_floats(self) -> bool:
        """Whether it takes only floats, so that integers and bools are converted first."""
        return set(self.dtypes) <= set(FLOATS + COMPLEX)

    @property
    def opcode(self) -> str:
        return self.name.upper()

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """Its names in other libraries, where they differ."""
        return (*([self.numpy] if self.numpy else []), *self.others)

    def takes(self, dtype: DType) -> bool:
        return in_letters(dtype, self.dtypes)

    def result_dtype(self, common: DType) -> DType:
        """The dtype of the result."""
        if self.result:
            return DTYPES[self.result]
        return common.part if self.sizes else common

    def in_doubles(self, common: DType) -> bool:
        """Whether the kernel computes in float64 or complex128, also for smaller dtypes."""
        return self.family == "special" or (common.kind == "c" and self.family not in _BY_SIZE)

    def kernel(self, common: DType) -> str:
        """The kernel that computes it in this dtype."""
        if self.family in ("cast", "where"):
            return self.family
        if common.kind == "c":
            if self.sizes:
                return "complex_size"
            parts = "double_" if common.part.itemsize == 8 and self.family in _BY_SIZE else ""
            return f"{parts}complex_{self.family}"
        if self.family == "special":
            return "double_special"
        if common.kind == "f":
            return f"{'double' if common.itemsize == 8 else 'float'}_{self.family}"
        wide = "long" if common.itemsize == 8 else "int"
        return f"{wide}_{'compare' if self.result else 'arithmetic'}"

    @functools.cached_property
    def kernels(self) -> set[str]:
        """All kernels that compute it."""
        dtypes = filter(self.takes, DTYPES.values())
        return {*map(self.kernel, dtypes), *self.extra_kernels}

    @property
    def docstring(self) -> str:
        """The docstring of its public function, with the example as a doctest."""
        summary = f"{self.doc} Dtypes and accuracy: docs/operators.md."
        return f"{summary}\n\n>>> import dml_vk\n{self._call()}\n"

    def _call(self) -> str:
        arguments, result = self.example.split(" -> ")
        # Examples of floats use float16, whose numbers print short.
        dtype = ', "float16"' if "." in result else ""
        operands = re.findall(r"\[.*?\]", arguments)
        arrays = ", ".join(f"dml_vk.asarray({operand}{dtype})" for operand in operands)
        call = f">>> dml_vk.{self.name}({arrays}).tolist()"
        if len(operands) > 1:
            call = f">>> x, y = {arrays}\n>>> dml_vk.{self.name}(x, y).tolist()"
        return f"{call}\n{result}"
