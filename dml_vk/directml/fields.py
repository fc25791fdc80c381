"""Checks of fields that are not elementwise: data types, sizes, and numbers for each dim.

A class is declared with the data types of DirectML's newest feature level: `types` for the tensors
that must have a common type, and further ones by tensor. These are types, or the name of another
tensor that has the same type. A number is converted to what DirectML stores: UINT, INT or FLOAT.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from dml_vk.arguments import Ints, is_bool, to_int, to_ints, to_tuple
from dml_vk.directml.descriptors import MAX_ELEMENTS, BufferTensorDesc, DataType
from dml_vk.directml.operators import Operator, held
from dml_vk.errors import DTypeError, ErrorsAs, LayoutError, RangeError

if TYPE_CHECKING:
    from dml_vk.buffer import Buffer
    from dml_vk.ops.view import View

__all__ = ["AxisDirection", "Size2D"]

DataTypes = tuple[DataType, ...]

MOST_INT = 2**31 - 1


class AxisDirection(enum.Enum):
    """From low to high indexes or back, with DirectML's numbers."""

    INCREASING = 0
    DECREASING = 1


class Size2D(NamedTuple):
    """A width and a height, in DirectML's order."""

    width: int
    height: int


class Typed(Operator):
    """An operator with declared data types."""

    _types: ClassVar[DataTypes]
    _own_types: ClassVar[dict[str, DataTypes | str]]

    def __init_subclass__(cls, types: DataTypes = (), **own: DataTypes | str) -> None:
        super().__init_subclass__()
        if types:
            cls._types, cls._own_types = types, own

    @property
    def _leading(self) -> str:
        """The first of the tensors that must have a common data type."""
        return next(name for name in self._given if name not in self._own_types)

    @property
    def _data_type(self) -> DataType:
        return self._desc(self._leading).data_type

    def _desc(self, name: str) -> BufferTensorDesc:
        binding: Any = self._bindings[name] if self._several else getattr(self, name)
        desc: BufferTensorDesc = binding
        return desc

    @property
    def _given(self) -> list[str]:
        """The tensors that are not None, as optional ones may be."""
        return [name for name, desc in self._bindings.items() if desc is not None]

    def _allowed(self, name: str) -> DataTypes | str:
        """The data types that a tensor may have, or the tensor whose data type it must have."""
        allowed = self._own_types.get(name, self._leading)
        return self._types if allowed == name else allowed

    def _check_types(self) -> None:
        for name in self._given:
            data_type, allowed = self._desc(name).data_type, self._allowed(name)
            if isinstance(allowed, str):
                same = self._desc(allowed).data_type
                rule = f"{name} must have the data type of {allowed}, {same.name}"
                allowed = (same,)
            else:
                names = ", ".join([data_type.name for data_type in allowed])
                rule = f"{name} must have a data type among {names}"
                if len(allowed) == 1:
                    rule = f"{name} must have the data type {names}"
            if data_type not in allowed:
                raise DTypeError(self._what, rule, data_type=data_type.name)


class OverTensors(Typed):
    """An operator that functions of tensors compute.

    A subclass has `_check`, which checks the fields after the tensors' types, and `_compute`. An
    output may share a buffer with an input, as if it were written to a temporary first.
    """

    def __post_init__(self) -> None:
        self._check_tensors()
        self._check_types()
        self._check()

    def _check(self) -> None:
        """Check sizes and numbers."""

    def _compute(self, *tensors: Any) -> None:
        """Compute the outputs from tensors, None for those that were left out."""

    def bind(self, *buffers: Buffer | None) -> tuple[Buffer | None, ...]:
        """Check the buffers. Two outputs need two of them."""
        bound = super().bind(*buffers)
        outputs: dict[object, str] = {}
        for name, buffer in zip(self._bindings, bound):
            if buffer is not None and self.is_output(name):
                other = outputs.setdefault(buffer.allocation, name)
                if other != name:
                    rule = f"{other} and {name} cannot share a buffer"
                    raise LayoutError(self._what, rule, **{name: buffer})
        return bound

    def _run(self, what: str, *operands: View | None) -> None:
        from dml_vk.ops.copy import copy_if_overlapping
        from dml_vk.tensor.core import Tensor

        views = dict(zip(self._bindings, operands))
        outputs = [view for name, view in views.items() if view and self.is_output(name)]
        if len(outputs) > 1:
            # The first may be written before the second is computed.
            for name, view in views.items():
                for output in outputs:
                    if view is not None and view not in outputs:
                        view = views[name] = copy_if_overlapping(what, view, output)
        with ErrorsAs(what):
            self._compute(*[view and Tensor(view) for view in views.values()])

    def _check_ranks(self, ranks: Container[int], dims: str, *names: str) -> int:
        """Check that tensors, by default all, have as many dims; return how many."""
        first, *others = [name for name in names or self._given if name in self._given]
        sizes = self._desc(first).sizes
        if len(sizes) not in ranks:
            raise LayoutError(self._what, f"{first} must have {dims} dims", sizes=sizes)
        for name in others:
            own = self._desc(name).sizes
            if len(own) != len(sizes):
                rule = f"{name} must have as many dims as {first}, {len(sizes)}"
                raise LayoutError(self._what, rule, sizes=own)
        return len(sizes)

    def _check_sizes(self, name: str, wanted: Sequence[int]) -> None:
        sizes, wanted = self._desc(name).sizes, tuple(wanted)
        if sizes != wanted:
            raise LayoutError(self._what, f"{name} must have the sizes {wanted}", sizes=sizes)

    def _check_broadcasts(self, name: str, to: str) -> None:
        """Check that each size is 1 or that of another tensor."""
        sizes, wanted = self._desc(name).sizes, self._desc(to).sizes
        if len(sizes) != len(wanted) or any(a not in (1, b) for a, b in zip(sizes, wanted)):
            rule = f"{name} must have the sizes of {to}, {wanted}, or 1 instead of any"
            raise LayoutError(self._what, rule, sizes=sizes)

    def _check_enum(self, name: str, kind: type[enum.Enum]) -> None:
        value = getattr(self, name)
        if not isinstance(value, kind):
            rule = f"{name} must be of {kind.__name__}"
            raise LayoutError(self._what, rule, **{name: value})

    def _set(self, name: str, value: object) -> Any:
        object.__setattr__(self, name, value)
        return value

    def _hold_flag(self, name: str) -> None:
        """A BOOL: also 0 or 1, as DirectML has it."""
        value = getattr(self, name)
        if not (is_bool(value) or (type(value) is int and value in (0, 1))):
            raise DTypeError(self._what, f"{name} must be a bool", **{name: value})
        self._set(name, bool(value))

    def _hold_int(self, name: str, least: int = 0, most: int = MAX_ELEMENTS) -> int:
        """A UINT or INT in a range."""
        value = getattr(self, name)
        number = to_int(self._what, name, value)
        if not least <= number <= most:
            rule = f"{name} must be from {least} to {most}"
            raise RangeError(self._what, rule, **{name: value})
        return int(self._set(name, number))

    def _hold_ints(
        self,
        name: str,
        count: int,
        least: int = 0,
        most: int = MAX_ELEMENTS,
        default: int | None = None,
        dims: str = "spatial dims",
    ) -> Ints:
        """One UINT or INT for each of so many dims; () is the default for each."""
        numbers = to_ints(self._what, name, getattr(self, name))
        if not numbers and default is not None:
            numbers = (default,) * count
        if len(numbers) != count:
            rule = f"{name} must have one number for each of the {count} {dims}"
            raise LayoutError(self._what, rule, **{name: numbers})
        for dim, number in enumerate(numbers):
            if not least <= number <= most:
                rule = f"{name} must be from {least} to {most}"
                raise RangeError(self._what, rule, **{f"{name}[{dim}]": number})
        self._set(name, numbers)
        return numbers

    def _hold_floats(
        self, name: str, count: int, default: float | None = None, dims: str = "dims"
    ) -> tuple[float, ...]:
        """One finite FLOAT for each of so many dims; () is the default for each."""
        values = to_tuple(self._what, name, getattr(self, name))
        if not values and default is not None:
            values = (default,) * count
        if len(values) != count:
            rule = f"{name} must have one number for each of the {count} {dims}"
            raise LayoutError(self._what, rule, **{name: values})
        numbers = tuple([held(self._what, name, DataType.FLOAT32, value) for value in values])
        for dim, number in enumerate(numbers):
            if not math.isfinite(number):
                rule = f"{name} must be finite"
                raise RangeError(self._what, rule, **{f"{name}[{dim}]": number})
        self._set(name, numbers)
        return numbers

    def _hold_axis(self, name: str, rank: int) -> int:
        """A UINT that is a dim."""
        return self._hold_int(name, 0, rank - 1)

    def _hold_axes(self, name: str, rank: int) -> Ints:
        """UINTs that are different dims, at least one."""
        axes = to_ints(self._what, name, getattr(self, name))
        if not axes or len(set(axes)) < len(axes):
            rule = f"{name} must be at least one dim, and none of them twice"
            raise LayoutError(self._what, rule, **{name: axes})
        for position, dim in enumerate(axes):
            if not 0 <= dim < rank:
                rule = f"{name} must be from 0 to {rank - 1}"
                raise RangeError(self._what, rule, **{f"{name}[{position}]": dim})
        self._set(name, axes)
        return axes

    def _hold_epsilon(self, name: str = "epsilon") -> None:
        """A FLOAT that is at least 0."""
        self._hold(name, DataType.FLOAT32)
        number = getattr(self, name)
        if not 0 <= number < math.inf:
            rule = f"{name} must be finite and at least 0"
            raise RangeError(self._what, rule, **{name: number})
