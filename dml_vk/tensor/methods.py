"""The operators of a Tensor, and common functions as methods."""

# mypy: disable-error-code="misc"
# What is called `self` is the Tensor that gets the methods, not the class that they stand in.
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from dml_vk import buffer as buffers
from dml_vk import numpy_protocols
from dml_vk.arguments import Axes, Ints, to_int
from dml_vk.array import data_types
from dml_vk.array.creation import arrays
from dml_vk.array.host_operands import is_on_host, upload_array
from dml_vk.array.indexing import api as indexing
from dml_vk.array.indexing.flat import Flat
from dml_vk.array.manipulation import numpy_views, shapes
from dml_vk.array.math import clipping, elementwise, rounding
from dml_vk.array.products import matrix_products, vectors
from dml_vk.array.sorting import sorts
from dml_vk.array.statistics import moments, reductions
from dml_vk.dtypes import DTypeLike, to_dtype
from dml_vk.errors import DTypeError
from dml_vk.hints import hinted
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.reductions import REDUCTIONS, Reduction
from dml_vk.layout import Layout
from dml_vk.numpy_protocols.calls import Adapter, Arguments, Options
from dml_vk.observe.callers import writes
from dml_vk.promotion import common_dtype, float_dtype
from dml_vk.runtime.device import default_device
from dml_vk.strides.views import one_tuple
from dml_vk.tensor import host
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array, ArrayLike
from dml_vk.tensor.operands import Operand, is_scalar, plain, scalar_dtype
from dml_vk.tensor.uploads import uploaded_as

if TYPE_CHECKING:
    from dml_vk.buffer import Buffer
    from dml_vk.tensor.reduction_methods import ReductionMethods
else:
    ReductionMethods = object

__all__ = ["Tensor", "TensorMethods"]

Method = Callable[[Tensor, Operand], Tensor]


def _forward(function: Callable[..., Tensor]) -> Method:
    """Make a method such as `x + y` of a function."""

    def method(self: Tensor, other: Operand) -> Tensor:
        result: Tensor = NotImplemented
        if type(other) in _COMMON or not _is_foreign(other):
            result = function(self, other)
        return result

    return method


def _reflected(function: Callable[..., Tensor]) -> Method:
    """Make a method such as `y + x`, where y is not a tensor, of a function."""

    def method(self: Tensor, other: Operand) -> Tensor:
        result: Tensor = NotImplemented
        if type(other) in _COMMON or not _is_foreign(other):
            result = function(other, self)
        return result

    return method


def _in_place(function: Callable[..., Tensor]) -> Method:
    """Make a method such as `x += y` of a function. It keeps the dtype and the memory of x."""

    @writes
    def method_in_place(self: Tensor, other: Operand) -> Tensor:
        result: Tensor = NotImplemented
        if type(other) in _COMMON or not _is_foreign(other):
            if is_on_host(other):
                other = upload_array(function.__name__, other, self)
            _check_kept(function.__name__, self, other)
            result = function(self, other, out=self)
        return result

    return method_in_place


def _check_kept(what: str, x: Tensor, y: object) -> None:
    """Check that the result of an in-place operation has x's dtype."""
    if x.dtype.kind in "fc":  # They hold all real numbers.
        keeps_dtype = y.dtype is x.dtype if hasattr(y, "dtype") else not isinstance(y, complex)
        if keeps_dtype:
            return
    if isinstance(y, Tensor) or is_scalar(y):
        other = y.dtype if isinstance(y, Tensor) else scalar_dtype(y)
        dtype = common_dtype(what, (x.dtype, other))
    elif isinstance(plain(y), (Real, complex)):
        dtype = common_dtype(what, (x.dtype,), (plain(y),))
    else:
        return  # The function raises the error.
    if what in OPERATORS and OPERATORS[what].only_floats:
        dtype = float_dtype(dtype)
    if dtype is not x.dtype:
        raise DTypeError(what, f"cannot cast the in-place result to {x.dtype.name}", result=dtype)


def _is_foreign(other: object) -> bool:
    """Whether to leave an operator to the other operand's class; arrays and lists are uploaded."""
    return not isinstance(other, _OPERANDS)


class TensorMethods(ReductionMethods):
    """Python's operators, which are elementwise, and functions as methods."""

    __slots__ = ()

    __add__, __sub__ = _forward(elementwise.add), _forward(elementwise.subtract)
    __radd__, __rsub__ = _reflected(elementwise.add), _reflected(elementwise.subtract)
    __iadd__, __isub__ = _in_place(elementwise.add), _in_place(elementwise.subtract)
    __mul__, __truediv__ = _forward(elementwise.multiply), _forward(elementwise.divide)
    __rmul__, __rtruediv__ = _reflected(elementwise.multiply), _reflected(elementwise.divide)
    __imul__, __itruediv__ = _in_place(elementwise.multiply), _in_place(elementwise.divide)
    __floordiv__, __mod__ = _forward(elementwise.floor_divide), _forward(elementwise.remainder)
    __rfloordiv__ = _reflected(elementwise.floor_divide)
    __rmod__ = _reflected(elementwise.remainder)
    __ifloordiv__ = _in_place(elementwise.floor_divide)
    __imod__ = _in_place(elementwise.remainder)
    __pow__, __rpow__ = _forward(elementwise.pow), _reflected(elementwise.pow)
    __ipow__ = _in_place(elementwise.pow)
    __matmul__, __rmatmul__ = _forward(matrix_products.matmul), _reflected(matrix_products.matmul)
    __imatmul__ = _in_place(matrix_products.matmul)
    __and__, __rand__ = _forward(elementwise.bitwise_and), _reflected(elementwise.bitwise_and)
    __iand__ = _in_place(elementwise.bitwise_and)
    __or__, __ror__ = _forward(elementwise.bitwise_or), _reflected(elementwise.bitwise_or)
    __ior__ = _in_place(elementwise.bitwise_or)
    __xor__, __rxor__ = _forward(elementwise.bitwise_xor), _reflected(elementwise.bitwise_xor)
    __ixor__ = _in_place(elementwise.bitwise_xor)
    __lshift__ = _forward(elementwise.bitwise_left_shift)
    __rlshift__ = _reflected(elementwise.bitwise_left_shift)
    __ilshift__ = _in_place(elementwise.bitwise_left_shift)
    __rshift__ = _forward(elementwise.bitwise_right_shift)
    __rrshift__ = _reflected(elementwise.bitwise_right_shift)
    __irshift__ = _in_place(elementwise.bitwise_right_shift)
    # Those of `object` give a bool.
    __eq__ = _forward(elementwise.equal)  # type: ignore[assignment]
    __ne__ = _forward(elementwise.not_equal)  # type: ignore[assignment]
    __lt__, __le__ = _forward(elementwise.less), _forward(elementwise.less_equal)
    __gt__, __ge__ = _forward(elementwise.greater), _forward(elementwise.greater_equal)
    __hash__ = object.__hash__  # by identity, since `==` is element by element

    def __neg__(self: Tensor) -> Tensor:
        return elementwise.negative(self)

    def __pos__(self: Tensor) -> Tensor:
        return elementwise.positive(self)

    def __abs__(self: Tensor) -> Tensor:
        return elementwise.abs(self)

    def __divmod__(self: Tensor, other: Operand) -> tuple[Tensor, Tensor]:
        """Return `x // y` and `x % y`."""
        result: tuple[Tensor, Tensor] = NotImplemented
        if not _is_foreign(other):
            result = elementwise.floor_divide(self, other), elementwise.remainder(self, other)
        return result

    def __rdivmod__(self: Tensor, other: Operand) -> tuple[Tensor, Tensor]:
        result: tuple[Tensor, Tensor] = NotImplemented
        if not _is_foreign(other):
            result = elementwise.floor_divide(other, self), elementwise.remainder(other, self)
        return result

    def __round__(self: Tensor, ndigits: int | None = None) -> Any:
        """With no dims, round the number as Python does; else round each element, as NumPy does."""
        digits = None if ndigits is None else to_int("round", "ndigits", ndigits)
        return (
            rounding.rounded("round", self, "ndigits", digits or 0)
            if self.shape
            else round(self.item(), digits)
        )

    def __invert__(self: Tensor) -> Tensor:
        return elementwise.bitwise_invert(self)

    def __getitem__(self: Tensor, key: object) -> Tensor:
        """Return a view if the key has only ints, slices, `...` and None, else a copy."""
        return indexing.read(self, key)

    @writes
    def __setitem__(self: Tensor, key: object, value: ArrayLike) -> None:
        """Write to the selected elements."""
        indexing.write(self, key, value)

    def reshape(self: Tensor, *shape: int | Sequence[int], order: str = "C") -> Tensor:
        """Return a view if strides allow it, else a copy: see `dml_vk.reshape`."""
        return shapes.reshape(self, one_tuple(shape), order=order)

    def flatten(self: Tensor, a: int = 0, b: int = -1) -> Tensor:
        """Merge dims a to b: a view if strides allow it, else a copy."""
        sizes = Layout(self.shape).flatten(a, b)
        assert sizes is not None  # A packed layout can always be viewed.
        return shapes.reshape(self, sizes.sizes)

    def ravel(self: Tensor, order: str = "C") -> Tensor:
        """Return the elements as one dim: see `dml_vk.ravel`."""
        return numpy_views.ravel(self, order)

    def swapaxes(self: Tensor, axis1: int, axis2: int) -> Tensor:
        """Return a view with two axes swapped: see `dml_vk.swapaxes`."""
        return numpy_views.swapaxes(self, axis1, axis2)

    @hinted
    def argsort(self: Tensor, axis: int = -1) -> Tensor:
        """See `dml_vk.argsort`."""
        return sorts.argsort(self, axis=axis)

    def dot(self: Tensor, other: Tensor) -> Tensor:
        """See `dml_vk.dot`."""
        return vectors.dot(self, other)

    def conj(self: Tensor) -> Tensor:
        """See `dml_vk.conj`."""
        return elementwise.conj(self)

    def round(self: Tensor, decimals: int = 0) -> Tensor:
        """Round each element to decimal places: see `dml_vk.around`."""
        return rounding.around(self, decimals)

    def astype(self: Tensor, dtype: DTypeLike, *, copy: bool = True) -> Tensor:
        """Convert to another dtype: see `dml_vk.astype`."""
        return elementwise.astype(self, dtype, copy=copy)

    def __reduce_ex__(self: Tensor, protocol: Any) -> tuple[object, ...]:
        """Pickle values and layout, by protocol 5 without a copy where the host sees the memory."""
        layout = self.layout.like()
        x = self if self.layout.strides == layout.strides else self.clone()
        array = host.own_memory("pickle", x) if protocol >= 5 and self.size else None
        return _from_pickle, (x.numpy() if array is None else array, layout.strides, layout.order)

    def __array_ufunc__(
        self: Tensor, ufunc: np.ufunc, method: str, *inputs: object, **named: object
    ) -> object:
        """Run NumPy's ufuncs as the equivalent functions: see docs/protocols.md."""
        return numpy_protocols.ufunc(ufunc, method, inputs, named)

    def __array_function__(
        self: Tensor, func: Adapter, types: Iterable[type], args: Arguments, kwargs: Options
    ) -> object:
        """Run NumPy's other functions as the equivalent functions, if there are any."""
        return numpy_protocols.function(self, func, types, args, kwargs)

    @property
    def real(self: Tensor) -> Tensor:
        """The real parts, as a view that can be written to; the tensor itself if it is real.

        >>> import dml_vk
        >>> x = dml_vk.asarray([1 + 2j, 3 + 4j])
        >>> x.real, x.imag = x.imag * 2, 0
        >>> x.tolist()
        [(4+0j), (8+0j)]
        """
        return data_types.real(self) if self.dtype.kind == "c" else self

    @real.setter
    def real(self: Tensor, value: Operand) -> None:
        self.real[...] = value

    @property
    def imag(self: Tensor) -> Tensor:
        """The imaginary parts, as a view that can be written to; read-only zeros if x is real."""
        if self.dtype.kind == "c":
            return data_types.imag(self)
        zeros = arrays.zeros_like(self)
        zeros.allocation.is_fixed = True
        return zeros

    @imag.setter
    def imag(self: Tensor, value: Operand) -> None:
        data_types.imag(self)[...] = value

    @property
    def flat(self: Tensor) -> Flat:
        """The elements in row-major order, along one axis: a `dml_vk.array.indexing.flat.Flat`."""
        return Flat(self)

    @flat.setter
    def flat(self: Tensor, value: ArrayLike) -> None:
        Flat(self)[:] = value

    def conjugate(self: Tensor) -> Tensor:
        """See `dml_vk.conj`."""
        return elementwise.conj(self)

    @property
    def buffer(self: Tensor) -> Buffer:
        """The memory that the tensor and all its views share, as a `dml_vk.Buffer`.

        >>> import dml_vk
        >>> x = dml_vk.asarray([[1, 2], [3, 4]])
        >>> x.T[0].buffer.read(x.dtype).tolist()
        [1, 2, 3, 4]
        """
        return buffers.Buffer._under(self)

    def clip(self: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor:
        """Limit elements to a range: see `dml_vk.clip`."""
        return clipping.clip(self, min, max)

    @hinted
    def mean(self: Tensor, axis: Axes | None = None, *, keepdims: bool = False) -> Tensor:
        """See `dml_vk.mean`."""
        return moments.mean(self, axis=axis, keepdims=keepdims)

    @hinted
    def var(
        self: Tensor,
        axis: Axes | None = None,
        *,
        correction: float = 0.0,
        ddof: float | None = None,
        keepdims: bool = False,
    ) -> Tensor:
        """See `dml_vk.var`."""
        return moments.var(self, axis, correction=correction, ddof=ddof, keepdims=keepdims)

    @hinted
    def std(
        self: Tensor,
        axis: Axes | None = None,
        *,
        correction: float = 0.0,
        ddof: float | None = None,
        keepdims: bool = False,
    ) -> Tensor:
        """See `dml_vk.std`."""
        return moments.std(self, axis, correction=correction, ddof=ddof, keepdims=keepdims)


def _accumulation(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def method(
        self: Tensor,
        axis: Axes | None = None,
        *,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
    ) -> Tensor:
        return function(self, axis=axis, dtype=dtype, keepdims=keepdims)

    return method


def _index(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def method(self: Tensor, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
        return function(self, axis=axis, keepdims=keepdims)

    return method


def _reduction(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def method(self: Tensor, axis: Axes | None = None, *, keepdims: bool = False) -> Tensor:
        return function(self, axis=axis, keepdims=keepdims)

    return method


def _method_of(row: Reduction) -> Callable[..., Tensor]:
    """Make a method such as `x.sum()` of a reduction."""
    make = _accumulation if row.accumulates else _index if row.finds else _reduction
    method = make(reductions.FUNCTIONS[row.name])
    method.__name__, method.__qualname__ = row.name, f"TensorMethods.{row.name}"
    method.__doc__ = f"See `dml_vk.{row.name}`."
    return hinted(method)


OF_REDUCTIONS = {row.name: _method_of(row) for row in REDUCTIONS.values() if row.method}
for _name, _method in OF_REDUCTIONS.items():
    setattr(TensorMethods, _name, _method)  # where pickle looks for them
_COMMON = {Tensor, int, float, bool, complex}
_OPERANDS = (Tensor, Real, complex, np.generic, np.ndarray, list, tuple)


def _from_pickle(array: Array, strides: Ints, order: Ints) -> Tensor:
    if not isinstance(array, np.ndarray):
        rule = "the pickle does not contain an array"
        raise DTypeError("unpickle", rule, array=type(array).__name__)
    layout = Layout(array.shape, strides, order=order)
    dtype = to_dtype("unpickle", array.dtype)
    return uploaded_as("unpickle", array, layout, layout, dtype, default_device())


for _name, _method in vars(TensorMethods).items():
    if callable(_method) or isinstance(_method, property):
        setattr(Tensor, _name, _method)
