"""Functions that create tensors, from scratch or from arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from dml_vk.arguments import several, to_bool_or_none, to_sizes
from dml_vk.array.creation.array_layouts import layout_of_array, packed_like
from dml_vk.dtypes import DType, DTypeLike, complex64, float32, to_dtype
from dml_vk.errors import DmlVkError, DTypeError, ErrorsAs, LayoutError
from dml_vk.layout import (
    Layout,
    MemoryFormat,
    channels_last,
    contiguous_format,
    preserve_format,
)
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.elementwise import cast_elements, check_cast
from dml_vk.ops.fill import fill_constant
from dml_vk.runtime.device import device as open_device
from dml_vk.tensor import host
from dml_vk.tensor.core import DeviceLike, Tensor, converted_to, tensor_over
from dml_vk.tensor.host import Array, ArrayLike
from dml_vk.tensor.operands import Operand, to_tensor
from dml_vk.tensor.uploads import uploaded_as
from dml_vk.tracing.capture import is_captured
from dml_vk.tracing.numbers import with_values

Shape = int | Iterable[int]
_NUMBERS = "biufc"  # NumPy's letters
_NEEDS_COPY = "copy=False needs a tensor that is already on the device as requested"
_BFLOAT16 = "bfloat16 must become float32, which holds all of its numbers: in PyTorch by x.float()"
_TOO_LARGE = "integers must fit in one 64-bit dtype"
# What objects of other libraries raise if they cannot become arrays.
_REFUSALS = (AttributeError, BufferError, OverflowError, RuntimeError, TypeError, ValueError)


def empty(
    shape: Shape,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike = None,
    memory_format: MemoryFormat = contiguous_format,
) -> Tensor:
    """Create a tensor with undefined elements; the default dtype is float32.

    >>> import dml_vk
    >>> dml_vk.empty((2, 3, 4, 5), memory_format=dml_vk.channels_last).strides
    (60, 1, 15, 3)
    """
    return new_tensor("empty", shape, dtype, device, memory_format)


def zeros(
    shape: Shape,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike = None,
    memory_format: MemoryFormat = contiguous_format,
) -> Tensor:
    """Create a tensor of zeros; the default dtype is float32.

    >>> import dml_vk
    >>> dml_vk.zeros(3).tolist()
    [0.0, 0.0, 0.0]
    """
    return filled(new_tensor("zeros", shape, dtype, device, memory_format), "zeros", 0)


def ones(
    shape: Shape,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike = None,
    memory_format: MemoryFormat = contiguous_format,
) -> Tensor:
    """Create a tensor of ones; the default dtype is float32.

    >>> import dml_vk
    >>> dml_vk.ones((1, 2), "int8").tolist()
    [[1, 1]]
    """
    return filled(new_tensor("ones", shape, dtype, device, memory_format), "ones", 1)


def full(
    shape: Shape,
    fill_value: complex,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike = None,
    memory_format: MemoryFormat = contiguous_format,
) -> Tensor:
    """Create a tensor filled with one value; the default dtype is that of the value.

    If the value is a tensor with no dims, it is cast as by `astype`, without waiting for it.

    >>> import dml_vk
    >>> dml_vk.full((2, 3), 7).tolist()
    [[7, 7, 7], [7, 7, 7]]
    """
    if dtype is None:
        dtype = getattr(fill_value, "dtype", fill_value.__class__)
        if not (isinstance(fill_value, (int, float, complex)) or hasattr(fill_value, "dtype")):
            rule = "fill_value must be a number"
            raise DTypeError("full", rule, fill_value=fill_value)
    return filled(new_tensor("full", shape, dtype, device, memory_format), "full", fill_value)


def empty_like(
    x: Tensor,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    memory_format: MemoryFormat = preserve_format,
    shape: Shape | None = None,
) -> Tensor:
    """Create a tensor like x, with undefined elements; arguments override x's properties.

    If `shape` has another rank than x, the result is contiguous unless `memory_format` is given.

    >>> import dml_vk
    >>> x = dml_vk.zeros((2, 3, 4, 5), "int8", memory_format=dml_vk.channels_last)
    >>> dml_vk.empty_like(x).memory_format
    channels_last
    """
    return _like("empty_like", x, dtype, device, memory_format, shape)


def zeros_like(
    x: Tensor,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    memory_format: MemoryFormat = preserve_format,
    shape: Shape | None = None,
) -> Tensor:
    """Create a tensor of zeros like x; arguments override x's properties.

    >>> import dml_vk
    >>> dml_vk.zeros_like(dml_vk.asarray([True, True])).tolist()
    [False, False]
    """
    return filled(_like("zeros_like", x, dtype, device, memory_format, shape), "zeros_like", 0)


def ones_like(
    x: Tensor,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    memory_format: MemoryFormat = preserve_format,
    shape: Shape | None = None,
) -> Tensor:
    """Create a tensor of ones like x; arguments override x's properties.

    >>> import dml_vk
    >>> dml_vk.ones_like(dml_vk.asarray([7, 8]), dtype=float).tolist()
    [1.0, 1.0]
    """
    return filled(_like("ones_like", x, dtype, device, memory_format, shape), "ones_like", 1)


def full_like(
    x: Tensor,
    /,
    fill_value: complex,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    memory_format: MemoryFormat = preserve_format,
    shape: Shape | None = None,
) -> Tensor:
    """Create a tensor like x, filled with one value; arguments override x's properties.

    >>> import dml_vk
    >>> dml_vk.full_like(dml_vk.asarray([1.5, 2.5]), 7).tolist()
    [7.0, 7.0]
    """
    return filled(
        _like("full_like", x, dtype, device, memory_format, shape), "full_like", fill_value
    )


def asarray(
    obj: ArrayLike,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    copy: bool | None = None,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """Create a tensor from an array, from nested lists of numbers, or from a tensor.

    The memory order of a dense array is kept, unless memory_format is given. Python floats become
    float32, complex numbers complex64 and ints int64. Numbers in lists must fit the `dtype`, if one
    is given; arrays are converted as by `astype`. A tensor that already has the requested
    properties is returned itself, unless `copy` is True; with False, a necessary copy is an error.

    >>> import dml_vk
    >>> dml_vk.asarray([[1.5, 2.5]]).dtype
    dml_vk.float32
    """
    memory_format = preserve_format if memory_format is None else memory_format
    copy = to_bool_or_none("asarray", "copy", copy)
    if isinstance(obj, Tensor):
        result = converted_to("asarray", obj, dtype, device, memory_format)
        if result.allocation is not obj.allocation:
            return result if copy is not False else _refuse_to_copy(obj)
        return result.clone() if copy else result
    if copy is False:
        _refuse_to_copy(obj)
    array, kind = host_array(obj, dtype)
    return uploaded("asarray", array, kind, device, memory_format)


def from_dlpack(x: object, /, *, device: DeviceLike = None, copy: bool | None = None) -> Tensor:
    """Create a tensor with the values and memory order of another library's array on the host.

    The result is a copy, since a tensor's memory belongs to the device; a tensor is returned
    itself.

    >>> import numpy as np
    >>> import dml_vk
    >>> dml_vk.from_dlpack(np.asfortranarray([[1, 2], [3, 4]])).layout.order
    (1, 0)
    """
    copy = to_bool_or_none("from_dlpack", "copy", copy)
    if isinstance(x, Tensor):
        return asarray(x, device=device, copy=copy)
    if copy is False:
        raise LayoutError("from_dlpack", _NEEDS_COPY, type=type(x).__name__)
    array = _import_dlpack("from_dlpack", x)
    if array.dtype.kind not in _NUMBERS:
        rule = "elements must be numbers"
        raise DTypeError("from_dlpack", rule, dtype=array.dtype)
    kind = _own_dtype("from_dlpack", array)
    return uploaded("from_dlpack", array, kind, device, preserve_format)


def new_tensor(
    what: str,
    shape: Shape,
    dtype: DTypeLike | None,
    device: DeviceLike,
    memory_format: MemoryFormat,
) -> Tensor:
    """Check the arguments of a creation function and allocate its result, without writing to it."""
    check_one_shape(what, shape, dtype)
    kind = float32 if dtype is None else to_dtype(what, dtype)
    with ErrorsAs(what, sizes="shape"):
        layout = Layout.packed(several(shape), memory_format)
    return tensor_over(what, layout, kind, open_device(device))


def check_one_shape(what: str, shape: object, dtype: DTypeLike | None) -> None:
    """Reject calls like `zeros(2, 3)`, where 3 is not a dtype but a size."""
    if isinstance(dtype, (int, np.integer)):
        rule = "pass the sizes as one tuple, such as (2, 3)"
        raise DTypeError(what, rule, shape=shape, dtype=dtype)


def filled(target: Tensor, what: str, value: Operand) -> Tensor:
    if not isinstance(value, Tensor):
        fill_constant(what, target, target.dtype, value)
        return target
    if value.shape:
        rule = "fill_value must be a number or a 0-D tensor"
        raise DTypeError(what, rule, shape=value.shape)
    value = value._on(what, target.device)
    everywhere = value.over(value.layout.expand(target.shape))
    if value.dtype is target.dtype:
        copy_elements(what, everywhere, target)
    else:
        cast_elements(what, everywhere, target)
    return target


def _like(
    what: str,
    x: Tensor,
    dtype: DTypeLike | None,
    device: DeviceLike,
    form: MemoryFormat,
    shape: Shape | None,
) -> Tensor:
    x = to_tensor(what, "x", x)
    kind = x.dtype if dtype is None else to_dtype(what, dtype)
    opened = x.device if device is None else open_device(device)
    with ErrorsAs(what, sizes="shape"):
        layout = x.layout
        if shape is not None:
            sizes = to_sizes(what, several(shape))
            layout = Layout(sizes, order=layout.order if len(sizes) == layout.rank else None)
        layout = layout.like(form)
    near = x.allocation if opened is x.device else None
    return tensor_over(what, layout, kind, opened, near)


def _refuse_to_copy(obj: object) -> NoReturn:
    raise LayoutError("asarray", _NEEDS_COPY, type=type(obj).__name__)


def uploaded(
    what: str, array: Array, dtype: DType, device: DeviceLike, memory_format: MemoryFormat
) -> Tensor:
    with ErrorsAs(what):
        own = layout_of_array(array)
        layout = packed_like(own, memory_format)
    return uploaded_as(what, array, own, layout, dtype, open_device(device))


def _own_dtype(what: str, array: Array) -> DType:
    return to_dtype(what, array.dtype.newbyteorder("="))


def _import_dlpack(what: str, obj: Any) -> Array:
    """Import an array by DLPack, which does not carry a memory format."""
    if isinstance(obj, np.ndarray):
        return obj
    try:
        array = np.from_dlpack(obj)
    except _REFUSALS as error:
        kind = str(getattr(obj, "dtype", ""))
        if kind.endswith("bfloat16"):
            raise DTypeError(what, _BFLOAT16, dtype=kind) from None
        rule = f"cannot import this memory with DLPack ({error})"
        raise DTypeError(what, rule, type=type(obj).__name__) from None
    # The strides of size-1 dims may be anything, so row-major and channels_last come first.
    layout = layout_of_array(array)
    if array.flags.c_contiguous:
        layout = Layout(array.shape)
    elif layout.is_contiguous(channels_last):
        layout = Layout.packed(array.shape, channels_last)
    strides = [stride * array.itemsize for stride in layout.strides]
    return np.lib.stride_tricks.as_strided(array, strides=strides)


def host_array(obj: Any, dtype: DTypeLike | None) -> tuple[Array, DType]:
    """Return the object as a NumPy array, and the dtype of the tensor to create."""
    what = "asarray"
    wanted = None if dtype is None else to_dtype(what, dtype)
    if is_captured():
        obj = with_values(obj)
    if hasattr(obj, "__dlpack__") and not hasattr(obj, "__array__"):
        obj = _import_dlpack(what, obj)
    try:
        array = host.to_array(obj)
        if wanted is not None and array.dtype.kind in _NUMBERS and not hasattr(obj, "dtype"):
            # Convert the object itself, so that Python's integers are exact, or refused.
            array = _converted(obj, array, np.dtype(wanted.numpy_name))
    except DmlVkError:
        raise
    except _REFUSALS as error:
        rule = f"cannot make an array of numbers from the elements ({error})"
        raise DTypeError(what, rule, type=type(obj).__name__, dtype=dtype) from None
    if array.dtype == object and host.leaf_types(obj) <= {int, bool}:
        raise DTypeError(what, _TOO_LARGE, type=type(obj).__name__)
    if array.dtype.kind not in _NUMBERS:
        # NumPy would convert strings and dates to numbers.
        rule = "elements must be numbers"
        raise DTypeError(what, rule, type=type(obj).__name__, dtype=array.dtype)
    if wanted is not None:
        check_cast(what, _own_dtype(what, array), wanted)
    if wanted is None and array.dtype in (np.float64, np.complex128):
        types = host.leaf_types(obj)
        if types == {int} or types == {int, bool}:
            raise DTypeError(what, _TOO_LARGE, type=type(obj).__name__)
        if types <= host.PYTHON:
            wanted = float32 if array.dtype == np.float64 else complex64
    return array, _own_dtype(what, array) if wanted is None else wanted


def _converted(obj: ArrayLike, array: Array, kind: np.dtype[Any]) -> Array:
    """Convert to a dtype that integers must fit; NumPy before 2.0 would wrap them."""
    if kind.kind in "iu" and array.dtype.kind in "iu" and array.size:
        limits = np.iinfo(kind)
        for value in (array.min(), array.max()):
            if not limits.min <= value <= limits.max:
                raise OverflowError(f"{value} out of bounds for {kind.name}")
    with np.errstate(all="ignore"):
        return np.asarray(obj, kind)
