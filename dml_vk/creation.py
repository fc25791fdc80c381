"""Tensors out of nothing and out of arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from dml_vk import host
from dml_vk.dtypes import float32, to_dtype
from dml_vk.errors import DTypeError, LayoutError, explain
from dml_vk.host import Array
from dml_vk.layout import Layout, MemoryFormat, contiguous_format, preserve_format
from dml_vk.ops.elementwise import Typed, cast_elements
from dml_vk.ops.fill import fill_constant
from dml_vk.runtime.device import Device
from dml_vk.runtime.device import device as open_device
from dml_vk.tensor import Tensor, tensor_over

Wanted = int | str | Device | None
_PYTHON = {bool, int, float}
_REAL = "biuf"  # NumPy's letters


def empty(
    shape: int | Iterable[int],
    dtype: Any = float32,
    *,
    device: Wanted = None,
    memory_format: MemoryFormat = contiguous_format,
) -> Tensor:
    """A tensor whose elements are whatever the memory holds."""
    return _new("empty", shape, dtype, device, memory_format)


def full(
    shape: int | Iterable[int],
    fill_value: complex,
    dtype: Any = None,
    *,
    device: Wanted = None,
    memory_format: MemoryFormat = contiguous_format,
) -> Tensor:
    """A tensor with one value everywhere.

    >>> full((2, 3), 7).tolist()
    [[7, 7, 7], [7, 7, 7]]
    """
    if dtype is None:
        dtype = getattr(fill_value, "dtype", type(fill_value))
        if dtype not in (bool, int, float) and not hasattr(fill_value, "dtype"):
            must = "fill_value must be a real number"
            raise DTypeError(explain("full", must, fill_value=fill_value))
    new = _new("full", shape, dtype, device, memory_format)
    fill_constant("full", new.strided, new.dtype, fill_value)
    return new


def asarray(
    obj: Any,
    dtype: Any = None,
    device: Wanted = None,
    copy: bool | None = None,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """A tensor with the values of a NumPy array, of numbers in nested lists, or of a tensor.

    A dense array's order in memory is kept, unless memory_format says otherwise. Python's floats
    become float32 and its ints int64. Numbers in lists must fit a `dtype` that is given; arrays are
    converted as NumPy converts them. A tensor that is already what is asked for comes back itself,
    unless `copy` is True; with False, what would have to be copied is an error.

    >>> asarray([[1.5, 2.5]]).dtype
    dml_vk.float32
    """
    memory_format = preserve_format if memory_format is None else memory_format
    if isinstance(obj, Tensor):
        asked = _as_asked(obj, dtype, device, memory_format)
        if asked.strided.allocation is not obj.strided.allocation:
            return asked if copy is not False else _refuse_to_copy(obj)
        return asked.clone() if copy else asked
    if copy is False:
        _refuse_to_copy(obj)
    with np.errstate(all="ignore"):
        array = _host_array(obj, dtype)
    opened = open_device(device)
    kind = to_dtype("asarray", array.dtype)
    layout = _array_layout(array).like(memory_format)
    new = tensor_over("asarray", layout, kind, opened)
    host.write("asarray", new, array)
    return new


def _new(
    what: str,
    shape: int | Iterable[int],
    dtype: Any,
    device: Wanted,
    memory_format: MemoryFormat,
) -> Tensor:
    sizes = (shape,) if isinstance(shape, (int, np.integer)) else shape
    layout = Layout.packed(sizes, memory_format)
    return tensor_over(what, layout, to_dtype(what, dtype), open_device(device))


def _as_asked(tensor: Tensor, dtype: Any, device: Wanted, memory_format: MemoryFormat) -> Tensor:
    kind = tensor.dtype if dtype is None else to_dtype("asarray", dtype)
    if kind is not tensor.dtype:
        layout = tensor.layout.like(memory_format)
        new = tensor_over("asarray", layout, kind, tensor.device, tensor.strided.allocation)
        source, target = Typed(tensor.strided, tensor.dtype), Typed(new.strided, kind)
        cast_elements("asarray", source, target)
        tensor = new
    if device is not None and open_device(device) is not tensor.device:
        return asarray(tensor.numpy(), device=device, memory_format=memory_format)
    return tensor.to(memory_format)


def _refuse_to_copy(obj: Any) -> NoReturn:
    must = "copy must not be False, since this is not on the device as it is asked for"
    raise LayoutError(explain("asarray", must, type=type(obj).__name__))


def _host_array(obj: Any, dtype: Any) -> Array:
    """What NumPy makes of it, with Python's floats as float32."""
    what = "asarray"
    wanted = None if dtype is None else np.dtype(to_dtype(what, dtype).numpy_name)
    try:
        array = np.asarray(obj)
        if wanted is not None and wanted.kind in "iu" and array.dtype.kind in "iu":
            _check_integers(obj, array, wanted)
        if wanted is not None and array.dtype.kind in _REAL:
            # From the object again, so that Python's integers arrive exactly, or not at all.
            array = np.asarray(obj, wanted)
    except (TypeError, ValueError, OverflowError) as error:
        must = f"obj must be numbers that NumPy can make an array of ({error})"
        raise DTypeError(explain(what, must, type=type(obj).__name__, dtype=dtype)) from None
    if array.dtype.kind not in _REAL:
        # Left to itself, NumPy would read texts and dates as numbers, and drop imaginary parts.
        must = "obj must be real numbers"
        raise DTypeError(explain(what, must, type=type(obj).__name__, dtype=array.dtype))
    if wanted is None and array.dtype == np.float64:
        types = _leaf_types(obj)
        if types == {int} or types == {int, bool}:
            must = "integers without a dtype must fit 64 bits together"
            raise DTypeError(explain(what, must, type=type(obj).__name__))
        if types <= _PYTHON:
            array = array.astype(np.float32)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    to_dtype(what, array.dtype)
    return array


def _check_integers(obj: Any, array: Array, wanted: np.dtype[Any]) -> None:
    """Python's integers must fit; NumPy before 2.0 would wrap them, as it does those of arrays."""
    limits = np.iinfo(wanted)
    if array.size and not hasattr(obj, "dtype"):
        for value in (array.min(), array.max()):
            if not limits.min <= value <= limits.max:
                raise OverflowError(f"{value} out of bounds for {wanted.name}")


def _leaf_types(obj: Any) -> set[type]:
    """The types of what is in nested lists, or of the object itself."""
    if not isinstance(obj, (list, tuple)):
        return {type(obj)}
    found = set(map(type, obj))
    if found <= _PYTHON:  # Nearly always; it spares a step for each.
        return found
    return set().union(*map(_leaf_types, obj))


def _array_layout(array: Array) -> Layout:
    """The array's own strides, for the order that they stand for."""
    strides = [stride // array.itemsize for stride in array.strides]
    offset = sum(-s * (n - 1) for s, n in zip(strides, array.shape) if s < 0 and n)
    layout = Layout(array.shape, strides, offset)
    if array.flags.c_contiguous and layout.memory_format is None:
        # What NumPy leaves in the strides of size-1 dims is no order that anybody meant.
        return Layout(array.shape)
    return layout
