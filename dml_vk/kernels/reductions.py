"""The table of reductions.

The plans and opcodes of their kernels, the public functions and methods with their type stubs, what
NumPy, Dask, DirectML and ONNX call, the documentation and the tests are derived from it. A function
that is composed of others, such as `var` or `median`, is no row.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any

from dml_vk.dtypes import DTYPES, DType
from dml_vk.kernels.operators.row import ALL, COMPLEX, in_letters

# What NumPy's functions take, in the notation of `numpy_protocols.calls.Call`.
_SUMMED = "a / axis dtype out keepdims initial where"
_ORDERED = "a / axis out keepdims initial where"
_TRUTH = "a / axis out keepdims * where"
_FOUND = "a / axis out * keepdims"


@dataclass(frozen=True, eq=False)
class Reduction:
    """A reduction over axes that is computed by kernels of its own."""

    name: str  # of the public function; the opcode is its upper case after REDUCE_
    code: int  # in shaders
    chapter: str  # of the reference: docs/reference/statistics.md
    # The dtype of the result: that of the elements, or if it is "sum", what `dtype=` says or
    # integers of 64 bits.
    result: str
    doc: str  # what the public function returns
    example: str = ""  # "elements, arguments -> result"
    doctest: str = ""  # what the docstring shows if it is more than that
    dtypes: str = ALL + COMPLEX  # letters, as of operators
    nothing: Any = None  # the result of no elements; None: that is an error
    extreme: str = ""  # the reduction that has the element which this one returns or finds
    join: str = ""  # the operator that makes the result of all elements of those of two parts
    then: str = ""  # what reduces partial results, if it is another reduction
    special: Sequence[tuple[Sequence[float], float]] = ()  # elements and the result
    method: bool = True  # a method of Tensor as well
    numpy: str | None = None  # parameters of NumPy's function; None if there is none of this name
    others: tuple[str, ...] = ()  # further names in NumPy
    directml: str = ""  # the ReduceFunction
    onnx: str = ""  # the operator

    @property
    def opcode(self) -> str:
        return f"REDUCE_{self.name.upper()}"

    @property
    def accumulates(self) -> bool:
        """Whether it adds or multiplies, so that floats depend on the order, and has a `dtype`."""
        return self.result == "sum"

    @property
    def finds(self) -> bool:
        """Whether the result is the index of an element."""
        return bool(self.extreme) and bool(self.result)

    def takes(self, dtype: DType) -> bool:
        return in_letters(dtype, self.dtypes)

    def result_dtype(self, dtype: DType) -> DType:
        """The dtype of the result for elements of a dtype, unless it accumulates."""
        return DTYPES[self.result] if self.result else dtype

    def kind(self, target: DType) -> str:
        """The kind of kernel, reduce_<kind>, that computes a result of this dtype."""
        if self.finds:
            return "arg"
        if target.kind == "c":
            return "double_complex" if target.itemsize == 16 else "complex"
        wide = target.itemsize == 8
        if self.accumulates and target.kind == "f":
            return "double" if wide else "tree"
        return "long" if wide else "int"

    @functools.cached_property
    def kinds(self) -> set[str]:
        """All kinds of kernel that compute it."""
        taken = [dtype for dtype in DTYPES.values() if dtype.kind != "c" and self.takes(dtype)]
        own = taken if self.accumulates else [self.result_dtype(dtype) for dtype in taken]
        return {self.kind(dtype) for dtype in own}

    @property
    def docstring(self) -> str:
        """The docstring of its public function, with a doctest."""
        return f"{self.doc}\n\n{self.doctest or self._call()}\n"

    def _call(self) -> str:
        call, result = self.example.split(" -> ")
        elements, close, arguments = call.rpartition("]")
        operand = f"dml_vk.asarray({elements}{close})"
        return f">>> import dml_vk\n>>> dml_vk.{self.name}({operand}{arguments}).tolist()\n{result}"


_sum = functools.partial(Reduction, chapter="Sums and moments", result="sum", numpy=_SUMMED)
_extreme = functools.partial(Reduction, chapter="Extremes", result="", numpy=_ORDERED)
_index = functools.partial(Reduction, chapter="Extremes", result="int64", numpy=_FOUND)
_truth = functools.partial(Reduction, chapter="Truth", result="bool_", numpy=_TRUTH)

_TABLE = (
    _sum(
        "sum",
        code=0,
        doc="""Return the sums over these axes, or over all.

Unless `dtype` is given, integers are added as int64 or uint64, bools as int64, and floats in
their own dtype; float16 is added in float32 and rounded once.""",
        doctest=""">>> import dml_vk
>>> x = dml_vk.asarray([[1, 2, 3], [4, 5, 6]])
>>> dml_vk.sum(x).item(), dml_vk.sum(x, axis=0).tolist()
(21, [5, 7, 9])
>>> dml_vk.sum(x, axis=1, keepdims=True).tolist()
[[6], [15]]""",
        nothing=0,
        join="add",
        special=[
            *[([-0.0], -0.0), ([-0.0, -0.0], -0.0), ([-0.0, 0.0], 0.0), ([1.0, -1.0], 0.0)],
            *[([inf, 1.0], inf), ([inf, 1.0, -inf], nan), ([nan, 1.0], nan)],
        ],
        directml="SUM",
        onnx="ReduceSum",
    ),
    _sum(
        "prod",
        code=1,
        doc="Return the products over these axes, or over all, with the dtypes and the order of "
        "`sum`.",
        example="[[1, 2, 3], [4, 5, 6]], axis=1 -> [6, 120]",
        nothing=1,
        join="multiply",
        special=[
            *[([-0.0], -0.0), ([-0.0, 2.0], -0.0), ([-0.0, -2.0], 0.0), ([0.0, inf], nan)],
            *[([inf, -2.0], -inf), ([nan, 0.0], nan)],
        ],
        directml="MULTIPLY",
        onnx="ReduceProd",
    ),
    _extreme(
        "max",
        code=2,
        doc="""Return the maxima over these axes; NaN if any element is NaN. +0 is greater than -0.

Complex numbers are compared by their real parts, and then by their imaginary parts.""",
        example="[[1.0, 7.0], [3.0, 2.0]], axis=0 -> [3.0, 7.0]",
        extreme="max",
        join="maximum",
        special=[
            *[([-0.0, 0.0], 0.0), ([0.0, -0.0], 0.0), ([-0.0, -0.0], -0.0), ([-inf, -inf], -inf)],
            *[([inf, nan], nan), ([nan, -inf], nan), ([-1.0, -2.0], -1.0)],
        ],
        others=("amax",),
        directml="MAX",
        onnx="ReduceMax",
    ),
    _extreme(
        "min",
        code=3,
        doc="""Return the minima over these axes; NaN if any element is NaN. -0 is less than +0.

Complex numbers are compared as by `max`.""",
        example="[[1.0, 7.0], [3.0, 2.0]], axis=0 -> [1.0, 2.0]",
        extreme="min",
        join="minimum",
        special=[
            *[([-0.0, 0.0], -0.0), ([0.0, -0.0], -0.0), ([0.0, 0.0], 0.0), ([inf, inf], inf)],
            *[([inf, nan], nan), ([nan, -inf], nan), ([1.0, 2.0], 1.0)],
        ],
        others=("amin",),
        directml="MIN",
        onnx="ReduceMin",
    ),
    _truth(
        "any",
        code=4,
        doc="Return whether any element over these axes is true (not 0); NaN is true.",
        example="[[0, 0], [0, 3]], axis=1 -> [False, True]",
        nothing=False,
        join="logical_or",
        special=[([0.0, -0.0], False), ([0.0, nan], True), ([0.0, -inf], True)],
    ),
    _truth(
        "all",
        code=5,
        doc="Return whether all elements over these axes are true (not 0); NaN is true.",
        example="[[0, 1], [2, 3]], axis=1 -> [False, True]",
        nothing=True,
        join="logical_and",
        special=[([1.0, -0.0], False), ([1.0, nan], True), ([-inf, inf], True)],
    ),
    _truth(
        "count_nonzero",
        code=6,
        result="int64",
        doc="Count the elements over these axes that are not 0, as int64; NaN is not 0.",
        example="[[0, 1], [2, 3]], axis=1 -> [1, 2]",
        nothing=0,
        then="sum",
        special=[([0.0, -0.0], 0), ([nan, 0.0, inf, -1.0], 3)],
        method=False,
        numpy="a / axis * keepdims",
    ),
    _index(
        "argmax",
        code=7,
        doc="""Return the index of the first maximum, or of the first NaN, along an axis, as int64.

Without an axis it is the index in the flattened tensor.""",
        doctest=""">>> import dml_vk
>>> x = dml_vk.asarray([[1.0, 7.0], [3.0, 2.0]])
>>> dml_vk.argmax(x).item(), dml_vk.argmax(x, axis=0).tolist()
(1, [1, 0])""",
        extreme="max",
        special=[
            *[([-0.0, 0.0], 0), ([-inf, -inf], 0), ([1.0, inf, inf], 1)],
            *[([inf, nan, nan], 1), ([-2.0, -1.0], 1)],
        ],
        directml="ARGMAX",
        onnx="ArgMax",
    ),
    _index(
        "argmin",
        code=8,
        doc="Return the index of the first minimum, or of the first NaN, as in `argmax`.",
        example="[[1.0, 7.0], [3.0, 2.0]], axis=0 -> [0, 1]",
        extreme="min",
        special=[
            *[([0.0, -0.0], 0), ([inf, inf], 0), ([1.0, -inf, -inf], 1)],
            *[([-inf, nan, nan], 1), ([2.0, 1.0], 1)],
        ],
        directml="ARGMIN",
        onnx="ArgMin",
    ),
)
REDUCTIONS: dict[str, Reduction] = {row.name: row for row in _TABLE}


def opcodes_of(kind: str) -> dict[str, str]:
    """The opcodes of the reductions that a kind of kernel computes.

    It excludes the others, so that a new reduction only changes the modules of its own kernels.
    """
    return {row.opcode: str(row.code) for row in _TABLE if kind in row.kinds}
