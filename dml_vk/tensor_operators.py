"""The operators of a Tensor, and the commonest functions as methods of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from dml_vk.errors import DTypeError, RangeError, explain
from dml_vk.late import Late
from dml_vk.layout import Layout
from dml_vk.promotion import common_dtype
from dml_vk.strides.order import to_int
from dml_vk.views import one_tuple

if TYPE_CHECKING:
    from dml_vk import functions, indexing, manipulation, products, statistics
    from dml_vk.operands import Operand
    from dml_vk.strides.order import Axes
    from dml_vk.tensor import Tensor
else:  # They import tensors themselves.
    functions = Late("dml_vk.functions")
    indexing = Late("dml_vk.indexing")
    manipulation = Late("dml_vk.manipulation")
    products = Late("dml_vk.products")
    statistics = Late("dml_vk.statistics")

Method = Callable[[Any, "Operand"], "Tensor"]
MOST_DIGITS = 308  # of 10 to a power that is a float


def _forward(module: Any, name: str) -> Method:
    """`x + y`, as the function of this name."""

    def method(self: Tensor, other: Operand) -> Tensor:
        result: Tensor = NotImplemented
        if not _is_foreign(other):
            result = getattr(module, name)(self, other)
        return result

    return method


def _reflected(module: Any, name: str) -> Method:
    """`y + x`, where y is no tensor."""

    def method(self: Tensor, other: Operand) -> Tensor:
        result: Tensor = NotImplemented
        if not _is_foreign(other):
            result = getattr(module, name)(other, self)
        return result

    return method


def _in_place(module: Any, name: str) -> Method:
    """`x += y`. The dtype stays, and the memory does."""

    def method(self: Tensor, other: Operand) -> Tensor:
        result: Tensor = NotImplemented
        if not _is_foreign(other):
            if isinstance(other, TensorOperators):
                _check_kept(name, self, other)
            result = getattr(module, name)(self, other, out=self)
        return result

    return method


def _check_kept(what: str, x: Any, y: Any) -> None:
    """What x is to hold has its dtype."""
    if x.dtype is not y.dtype and common_dtype(what, (x.dtype, y.dtype)) is not x.dtype:
        must = f"y must be converted by astype(y, {x.dtype.name}), for in place x keeps its dtype"
        raise DTypeError(explain(what, must, x=x.dtype, y=y.dtype))


def _rounded(x: Any, digits: int) -> Tensor:
    """To so many decimal places: scaled, rounded to the nearest, ties to even, and scaled back."""
    if x.dtype.kind != "f" or not digits:
        if digits < 0:
            must = "dtype must be of floats where ndigits is negative"
            raise DTypeError(explain("round", must, dtype=x.dtype, ndigits=digits))
        return functions.round(x)
    if not -MOST_DIGITS <= digits <= MOST_DIGITS:
        must = f"ndigits must be from -{MOST_DIGITS} to {MOST_DIGITS}"
        raise RangeError(explain("round", must, ndigits=digits))
    scale = 10.0 ** abs(digits)
    if digits > 0:
        made = functions.divide(functions.round(functions.multiply(x, scale)), scale)
    else:
        # Beyond all floats of the dtype, what is left of any is 0.
        back = min(scale, float(np.finfo(x.dtype.numpy_name).max))
        made = functions.multiply(functions.round(functions.divide(x, scale)), back)
    # What is infinite when scaled has no such digits, and stays.
    return functions.where(functions.isfinite(made), made, x)


def _is_foreign(other: object) -> bool:
    """Neither tensor nor number: its class may know what to do. Arrays and lists are refused."""
    kind = type(other)
    return kind not in _NUMBERS and not isinstance(other, _OPERANDS)


class TensorOperators:
    """Python's operators, element by element, and functions as methods."""

    __slots__ = ()

    __add__, __sub__ = _forward(functions, "add"), _forward(functions, "subtract")
    __radd__, __rsub__ = _reflected(functions, "add"), _reflected(functions, "subtract")
    __iadd__, __isub__ = _in_place(functions, "add"), _in_place(functions, "subtract")
    __mul__, __truediv__ = _forward(functions, "multiply"), _forward(functions, "divide")
    __rmul__, __rtruediv__ = _reflected(functions, "multiply"), _reflected(functions, "divide")
    __imul__, __itruediv__ = _in_place(functions, "multiply"), _in_place(functions, "divide")
    __floordiv__, __mod__ = _forward(functions, "floor_divide"), _forward(functions, "remainder")
    __rfloordiv__ = _reflected(functions, "floor_divide")
    __rmod__ = _reflected(functions, "remainder")
    __ifloordiv__ = _in_place(functions, "floor_divide")
    __imod__ = _in_place(functions, "remainder")
    __pow__, __rpow__ = _forward(functions, "pow"), _reflected(functions, "pow")
    __ipow__ = _in_place(functions, "pow")
    __matmul__, __rmatmul__ = _forward(products, "matmul"), _reflected(products, "matmul")
    __imatmul__ = _in_place(products, "matmul")
    __and__, __rand__ = _forward(functions, "bitwise_and"), _reflected(functions, "bitwise_and")
    __iand__ = _in_place(functions, "bitwise_and")
    __or__, __ror__ = _forward(functions, "bitwise_or"), _reflected(functions, "bitwise_or")
    __ior__ = _in_place(functions, "bitwise_or")
    __xor__, __rxor__ = _forward(functions, "bitwise_xor"), _reflected(functions, "bitwise_xor")
    __ixor__ = _in_place(functions, "bitwise_xor")
    __lshift__ = _forward(functions, "bitwise_left_shift")
    __rlshift__ = _reflected(functions, "bitwise_left_shift")
    __ilshift__ = _in_place(functions, "bitwise_left_shift")
    __rshift__ = _forward(functions, "bitwise_right_shift")
    __rrshift__ = _reflected(functions, "bitwise_right_shift")
    __irshift__ = _in_place(functions, "bitwise_right_shift")
    __eq__ = _forward(functions, "equal")  # type: ignore[assignment]
    __ne__ = _forward(functions, "not_equal")  # type: ignore[assignment]
    __lt__, __le__ = _forward(functions, "less"), _forward(functions, "less_equal")
    __gt__, __ge__ = _forward(functions, "greater"), _forward(functions, "greater_equal")
    __hash__ = object.__hash__  # by identity, since `==` is element by element

    def __neg__(self: Any) -> Tensor:
        return functions.negative(self)

    def __pos__(self: Any) -> Tensor:
        return functions.positive(self)

    def __abs__(self: Any) -> Tensor:
        return functions.abs(self)

    def __divmod__(self: Any, other: Operand) -> tuple[Tensor, Tensor]:
        """`x // y` and `x % y`."""
        result: tuple[Tensor, Tensor] = NotImplemented
        if not _is_foreign(other):
            result = functions.floor_divide(self, other), functions.remainder(self, other)
        return result

    def __rdivmod__(self: Any, other: Operand) -> tuple[Tensor, Tensor]:
        result: tuple[Tensor, Tensor] = NotImplemented
        if not _is_foreign(other):
            result = functions.floor_divide(other, self), functions.remainder(other, self)
        return result

    def __round__(self: Any, ndigits: int | None = None) -> Any:
        """Of no dims, Python's number rounded as Python does; else each element, as NumPy does."""
        digits = None if ndigits is None else to_int("round", "ndigits", ndigits)
        return _rounded(self, digits or 0) if self.shape else round(self.item(), digits)

    def __invert__(self: Any) -> Tensor:
        return functions.bitwise_invert(self)

    def __getitem__(self: Any, key: Any) -> Tensor:
        """A view, where the key is ints, slices, `...` and None; else elements of its own."""
        return indexing.read(self, key)

    def __setitem__(self: Any, key: Any, value: Operand) -> None:
        """Write through, wherever the elements lie."""
        indexing.write(self, key, value)

    def reshape(self: Any, *shape: int | Sequence[int]) -> Tensor:
        """A view where strides allow one, else a copy: `dml_vk.reshape`."""
        return manipulation.reshape(self, one_tuple(shape))

    def flatten(self: Any, a: int = 0, b: int = -1) -> Tensor:
        """The dims from a to b as one: a view where strides allow one, else a copy."""
        sizes = Layout(self.shape).flatten(a, b)
        assert sizes is not None  # What is packed always can.
        return manipulation.reshape(self, sizes.sizes)

    def astype(self: Any, dtype: Any, *, copy: bool = True) -> Tensor:
        """The same numbers in another dtype: `dml_vk.astype`."""
        return functions.astype(self, dtype, copy=copy)

    def clip(self: Any, min: Operand | None = None, max: Operand | None = None) -> Tensor:
        """Within bounds: `dml_vk.clip`."""
        return functions.clip(self, min, max)

    def sum(
        self: Any, axis: Axes | None = None, *, dtype: Any = None, keepdims: bool = False
    ) -> Tensor:
        """`dml_vk.sum`."""
        return statistics.sum(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def prod(
        self: Any, axis: Axes | None = None, *, dtype: Any = None, keepdims: bool = False
    ) -> Tensor:
        """`dml_vk.prod`."""
        return statistics.prod(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def mean(self: Any, axis: Axes | None = None, *, keepdims: bool = False) -> Tensor:
        """`dml_vk.mean`."""
        return statistics.mean(self, axis=axis, keepdims=keepdims)

    def var(
        self: Any,
        axis: Axes | None = None,
        *,
        correction: float = 0.0,
        ddof: float | None = None,
        keepdims: bool = False,
    ) -> Tensor:
        """`dml_vk.var`."""
        return statistics.var(self, axis, correction=correction, ddof=ddof, keepdims=keepdims)

    def std(
        self: Any,
        axis: Axes | None = None,
        *,
        correction: float = 0.0,
        ddof: float | None = None,
        keepdims: bool = False,
    ) -> Tensor:
        """`dml_vk.std`."""
        return statistics.std(self, axis, correction=correction, ddof=ddof, keepdims=keepdims)

    def max(self: Any, axis: Axes | None = None, *, keepdims: bool = False) -> Tensor:
        """`dml_vk.max`."""
        return statistics.max(self, axis=axis, keepdims=keepdims)

    def min(self: Any, axis: Axes | None = None, *, keepdims: bool = False) -> Tensor:
        """`dml_vk.min`."""
        return statistics.min(self, axis=axis, keepdims=keepdims)

    def all(self: Any, axis: Axes | None = None, *, keepdims: bool = False) -> Tensor:
        """`dml_vk.all`."""
        return statistics.all(self, axis=axis, keepdims=keepdims)

    def any(self: Any, axis: Axes | None = None, *, keepdims: bool = False) -> Tensor:
        """`dml_vk.any`."""
        return statistics.any(self, axis=axis, keepdims=keepdims)

    def argmax(self: Any, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
        """`dml_vk.argmax`."""
        return statistics.argmax(self, axis=axis, keepdims=keepdims)

    def argmin(self: Any, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
        """`dml_vk.argmin`."""
        return statistics.argmin(self, axis=axis, keepdims=keepdims)


_NUMBERS = {int, float, bool}
_OPERANDS = (TensorOperators, Real, np.generic, np.ndarray, list, tuple)
