"""Base classes of DirectML's elementwise operators.

A subclass is declared with the library's operator, `of`, and the data types of DirectML's newest
feature level: `types` for the tensors that must have a common type, and further ones by tensor.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, ClassVar

from dml_vk.directml.descriptors import BufferTensorDesc, DataType, dtype_of
from dml_vk.directml.fields import DataTypes, Typed
from dml_vk.directml.operators import Operator, held
from dml_vk.dtypes import DTYPES, DType, float32
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.kernels.operators import OPERATORS

if TYPE_CHECKING:
    from dml_vk.arguments import Ints
    from dml_vk.ops.view import View

__all__ = ["ScaleBias"]

# In the order of DirectML's pages.
FLOATS = (DataType.FLOAT32, DataType.FLOAT16)
SIGNED = (DataType.INT64, DataType.INT32, DataType.INT16, DataType.INT8)
UNSIGNED = (DataType.UINT64, DataType.UINT32, DataType.UINT16, DataType.UINT8)
NUMBERS = FLOATS + SIGNED + UNSIGNED
ALL = (DataType.FLOAT64, *NUMBERS)
UP_TO_32_BITS = FLOATS + SIGNED[1:] + UNSIGNED[1:]
OF_32_BITS = (*FLOATS, DataType.INT32, DataType.UINT32)
SMALL = (DataType.INT8, DataType.UINT8)
TRUTHS = (DataType.UINT32, DataType.UINT8)


@dataclass(frozen=True)
class ScaleBias:
    """Applied to the input of a float operator: x * scale + bias, each rounded to float32.

    >>> from dml_vk.directml import ScaleBias
    >>> ScaleBias(0.1, 2)
    ScaleBias(scale=0.10000000149011612, bias=2.0)
    """

    scale: float
    bias: float

    def __post_init__(self) -> None:
        for name in ("scale", "bias"):
            number = held("ScaleBias", name, DataType.FLOAT32, getattr(self, name))
            object.__setattr__(self, name, number)


@dataclass(frozen=True, repr=False)
class ElementWise(Typed):
    """An elementwise operator. All its tensors have the same sizes."""

    _of: ClassVar[str]

    def __init_subclass__(cls, of: str = "", types: DataTypes = (), **own: DataTypes | str) -> None:
        super().__init_subclass__(types, **own)
        if of:
            cls._of = of

    def __post_init__(self) -> None:
        self._check_tensors()
        self._check_sizes()
        self._check_types()
        self._check_attributes()

    def _check_sizes(self) -> None:
        first = self._tensors[0]
        wanted = getattr(self, first).sizes
        for name in self._tensors[1:]:
            sizes = getattr(self, name).sizes
            if sizes != wanted:
                rule = f"{name} must have the sizes of {first}, {wanted}"
                raise LayoutError(self._what, rule, sizes=sizes)

    @classmethod
    def number_names(cls) -> list[str]:
        """The names of the numeric attributes."""
        return [field.name for field in fields(cls) if field.type == "float"]

    @property
    def _number_type(self) -> DataType:
        """The data type of numeric attributes: DirectML's FLOAT, independent of the tensors."""
        return DataType.FLOAT32

    def _check_attributes(self) -> None:
        whole = dtype_of(self._data_type).kind != "f"
        for name in self.number_names():
            self._hold(name, self._number_type)
            if whole and math.isnan(getattr(self, name)):
                rule = f"{name} must not be NaN where {self._leading} has integers"
                raise DTypeError(self._what, rule, **{name: math.nan})
        for attribute in fields(self):
            value = getattr(self, attribute.name)
            if isinstance(attribute.default, enum.Enum) and type(value) is not type(
                attribute.default
            ):
                kind = type(attribute.default).__name__
                rule = f"{attribute.name} must be of {kind}"
                raise LayoutError(self._what, rule, **{attribute.name: value})

    # Subclasses override the following to change how the operator is computed.

    def _common(self) -> DType:
        """The dtype of the computation."""
        return dtype_of(self._data_type)

    def _chosen(self, common: DType) -> str:
        """The name of the library's operator."""
        return self._of

    def _words(self, what: str, common: DType) -> Ints:
        from dml_vk.ops.numbers import float_words

        return float_words(*[getattr(self, name) for name in self.number_names()])

    def _scale_bias(self) -> ScaleBias | None:
        return None

    def _before(self) -> int:
        """What the kernel does to operands first: see glsl/include/families/prologue.glsl."""
        return 0

    def _read_as(self, name: str) -> DType:
        """The dtype as which a tensor is read or written."""
        return dtype_of(self._desc(name).data_type)

    def _run(self, what: str, *operands: View) -> None:
        from dml_vk.ops.view import with_dtype

        views = [
            with_dtype(view, self._read_as(name)) for name, view in zip(self._tensors, operands)
        ]
        self._compute(what, views[:-1], views[-1])

    def _compute(self, what: str, sources: list[View], target: View) -> None:
        from dml_vk.kernels.elementwise import SCALED
        from dml_vk.ops.elementwise import cast_elements, compute, converted
        from dml_vk.ops.numbers import float_words
        from dml_vk.ops.view import temporary_like

        common = self._common()
        operator = OPERATORS[self._chosen(common)]
        words, before, scaled = self._words(what, common), self._before(), self._scale_bias()
        if scaled is not None:
            words = (*words, 0, 0)[:2] + float_words(scaled.scale, scaled.bias)
            before = SCALED
        moves = operator.family in ("cast", "where")
        if common.kind == "f" and not moves:
            # Kernels that compute with floats only read floats.
            sources = [
                view if view.dtype.kind == "f" else converted(what, view, float32)
                for view in sources
            ]
        # Operands that are numbers are passed in the words.
        operands = [*sources, *[None] * (operator.arity - len(sources))]
        if operator.result or moves or not _differ(common, target.dtype):
            compute(what, operator, operands, target, common, words, before)
            return
        result = temporary_like(what, target, common)
        compute(what, operator, operands, result, common, words, before)
        cast_elements(what, result, target)


@dataclass(frozen=True, repr=False)
class Unary(ElementWise):
    """An operator of one tensor."""

    input: BufferTensorDesc
    output: BufferTensorDesc

    _tensors = ("input", "output")


@dataclass(frozen=True, repr=False)
class ScaledUnary(Unary):
    """An operator of one tensor of floats, to which a scale and bias can be applied first."""

    scale_bias: ScaleBias | None = None

    def _check_attributes(self) -> None:
        super()._check_attributes()
        check_scale_bias(self, self.scale_bias, self._data_type)

    def _scale_bias(self) -> ScaleBias | None:
        return self.scale_bias


@dataclass(frozen=True, repr=False)
class Binary(ElementWise):
    """An operator of two tensors."""

    a: BufferTensorDesc
    b: BufferTensorDesc
    output: BufferTensorDesc

    _tensors = ("a", "b", "output")


@dataclass(frozen=True, repr=False)
class Gradient(ElementWise):
    """The gradient of an operator, from its input and the gradient of its output."""

    input: BufferTensorDesc
    input_gradient: BufferTensorDesc
    output_gradient: BufferTensorDesc

    _tensors = ("input", "input_gradient", "output_gradient")


class Bits(ElementWise):
    """A bitwise operator, which reads all types as unsigned integers."""

    def _read_as(self, name: str) -> DType:
        return DTYPES[f"uint{getattr(self, name).data_type.bits}"]

    def _common(self) -> DType:
        return self._read_as(self._leading)


@dataclass(frozen=True, repr=False)
class TypedBounds(ElementWise):
    """An operator whose bounds have the tensors' own type, not FLOAT."""

    min_max_data_type: DataType = field(kw_only=True)

    @property
    def _number_type(self) -> DataType:
        return self.min_max_data_type

    def _check_attributes(self) -> None:
        self._check_scalar_type("min_max_data_type", self._tensors[-1])
        super()._check_attributes()


def check_scale_bias(operator: Operator, value: object, data_type: DataType) -> None:
    if value is None:
        return
    if not isinstance(value, ScaleBias):
        rule = "scale_bias must be a ScaleBias or None"
        raise LayoutError(operator._what, rule, scale_bias=value)
    if data_type not in FLOATS:
        rule = "scale_bias needs FLOAT32 or FLOAT16"
        raise DTypeError(operator._what, rule, data_type=data_type.name)


def whole(number: float, dtype: DType, rounded: Callable[[float], int] = math.trunc) -> int:
    """Convert a number to an integer of this dtype, clamped to its limits."""
    low, high = limits(dtype)
    return low if number <= low else high if number >= high else rounded(number)


def limits(dtype: DType) -> tuple[int, int]:
    """The smallest and the largest integer."""
    bits = 8 * dtype.itemsize
    return (0, 2**bits - 1) if dtype.kind == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def copy_only(what: str, source: View, target: View) -> None:
    from dml_vk.ops.copy import copy_elements

    copy_elements(what, source, target)


def number_words(what: str, common: DType, *numbers: float) -> Ints:
    """Convert numbers to parameters of a kernel that computes in this dtype."""
    from dml_vk.ops.numbers import float_words, scalar_words

    if common.kind == "f":
        # Float16 is also computed in float32.
        return float_words(*numbers)
    words: Ints = ()
    for number in numbers:
        words += scalar_words(what, "number", common, whole(number, common))
    return words


def _differ(common: DType, result: DType) -> bool:
    """Whether a kernel that computes in one dtype cannot write the other."""
    floats = common.kind == "f", result.kind == "f"
    wide = common.itemsize == 8, result.itemsize == 8
    return len(set(floats)) > 1 or len(set(wide)) > 1
