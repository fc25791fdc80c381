"""Access to a tensor's elements on the host: the memory itself, or copies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dml_vk.arguments import Ints
from dml_vk.driver import host_memory
from dml_vk.errors import DeviceMemoryError, DmlVkError, LayoutError
from dml_vk.layout import Layout, coalesce
from dml_vk.observe import dispatches
from dml_vk.observe.copies import HOST, is_traced, record_host
from dml_vk.ops.copy import copied
from dml_vk.ops.view import View, access
from dml_vk.runtime import transfer
from dml_vk.runtime.host_copy import Array as Array
from dml_vk.runtime.host_copy import move
from dml_vk.runtime.pinned import pinned_for

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

ArrayLike: TypeAlias = npt.ArrayLike
"""Tensors, arrays, scalars and nested sequences of them."""
LARGE_BYTES = 2**28  # copies to the host this large first check for free memory
MOST_SHOWN = 1000  # elements; NumPy's own threshold
MOST_CLAMPED = 2**18  # elements that are masked at once
FEW_DIMS = 32  # NumPy before 2.0 holds no more
PYTHON = {bool, int, float, complex}  # types of numbers
EDGE = 4  # one index more than NumPy shows at either end, so that it prints an ellipsis


def to_numpy(what: str, tensor: Tensor) -> Array:
    """Return a new array with the same values, in the same memory order."""
    left = host_memory.available_bytes() if tensor.nbytes >= LARGE_BYTES else None
    if left is not None and tensor.nbytes > left:
        rule = f"out of host memory: {left} bytes are free"
        raise DeviceMemoryError(what, rule, nbytes=tensor.nbytes)
    with _what_numpy_can(what, tensor.layout):
        seen, dense = seen_by_host(what, tensor), tensor.layout.like()
        record_host(what, tensor.layout, dense, tensor.nbytes)
        through_staging = tensor.allocation.bytes is None
        if not seen.size or (through_staging and tensor.layout.strides == dense.strides):
            return seen
        # Not `copy(order="K")`, which discards the strides of size-1 dims, and so the format.
        strides = [stride * seen.itemsize for stride in dense.strides]
        own: Array = np.ndarray(seen.shape, seen.dtype, strides=strides)
        order = _along_memory(dense.strides)
        _move_all(seen.transpose(order), own.transpose(order))
        return own


def _move_all(source: Array, target: Array) -> None:
    """Write all elements, in pieces of which the log can tell how far it is."""
    moving = dispatches.Moving(target.nbytes)
    for box in _boxes(source.shape, transfer.CHUNK_BYTES // source.itemsize):
        move(target[box], source[box])
        moving.moved(target[box].nbytes)


def read_into(what: str, tensor: Tensor, out: Array) -> Array:
    """Write the elements into an array of the same shape and dtype, and return it."""
    kind = np.dtype(tensor.dtype.numpy_name)
    is_such = isinstance(out, np.ndarray) and out.dtype == kind and out.shape == tensor.shape
    if not (is_such and out.flags.writeable):
        rule = "out must be a NumPy array of the tensor's shape and dtype that can be written"
        got = (out.shape, str(out.dtype)) if isinstance(out, np.ndarray) else type(out).__name__
        raise LayoutError(what, rule, out=got, shape=tensor.shape, dtype=tensor.dtype.name)
    if not out.size:
        return out
    layout, device = tensor.layout, tensor.device
    pinned = pinned_for(device, out)
    dense = out.transpose(_along_memory(layout.like().strides)).flags.c_contiguous
    if pinned is not None and dense:
        record_host(what, layout, layout.like(), tensor.nbytes)
        view: View = tensor
        if layout.strides != layout.like().strides:
            view = copied(what, view, HOST)
        pinned.receive(view.allocation, access(view, False).base - view.allocation.offset, out)
        return out
    with _what_numpy_can(what, layout):
        seen = seen_by_host(what, tensor)
        record_host(what, layout, layout.like(), tensor.nbytes)
        order = _along_memory(layout.like().strides)
        _move_all(seen.transpose(order), out.transpose(order))
    return out


def only_element(what: str, tensor: Tensor) -> Any:
    """Return the element of a tensor that has only one, as a Python number."""
    layout = tensor.layout
    if is_traced():
        record_host(what, layout, layout.like(), tensor.nbytes)
    if len(layout.sizes) > FEW_DIMS:
        return to_numpy(what, tensor).item()
    return seen_by_host(what, tensor).item()


def seen_by_host(what: str, tensor: Tensor) -> Array:
    """Return the elements: the memory itself if host-visible, which later work may change."""
    kind = np.dtype(tensor.dtype.numpy_name)
    if not tensor.layout.numel:
        return np.empty(tensor.shape, kind)
    view: View = tensor
    memory = tensor.device.mapped(view.allocation, False, tensor._reads or tensor.reads)
    if memory is not None:
        return strided_array(memory, tensor.layout, kind)
    if view.layout.span > 2 * view.layout.numel:
        view = copied(what, view, HOST)  # Do not transfer large gaps.
    seen = access(view, False)
    data = np.empty(seen.high - seen.low, np.uint8)
    start = seen.low - view.allocation.offset
    tensor.device.download(view.allocation, start, data)
    start = (seen.base - seen.low) // kind.itemsize
    return strided_array(data, Layout(tensor.shape, view.layout.strides, start), kind)


def to_array(obj: ArrayLike) -> Array:
    """Return NumPy's array of an object, in which Python's integers have 64 bits on every system.

    NumPy before 2.0 makes them C's `long`, which has 32 bits on Windows.
    """
    array = np.asarray(obj)
    if array.dtype == np.int32 and int in leaf_types(obj):
        array = array.astype(np.int64)
    return array


def leaf_types(obj: object) -> set[type]:
    """Return the types of the elements of nested lists, or of the object itself."""
    if isinstance(obj, range):
        return {int}
    if not isinstance(obj, (list, tuple)):
        return {type(obj)}
    types = set(map(type, obj))
    if types <= PYTHON:  # The common case: saves a call for each element.
        return types
    return set().union(*map(leaf_types, obj))


class Memory:
    """A tensor's memory as an object that NumPy arrays can be based on, and keep alive."""

    def __init__(self, tensor: Tensor, array: Array) -> None:
        self.tensor = tensor
        self.__array_interface__ = array.__array_interface__


def own_memory(what: str, tensor: Tensor, holder: object = None) -> Array | None:
    """Return the tensor's memory as a writable array that may be kept; None if not host-visible.

    Pending work on it is completed first. Later work on it runs immediately as long as the array or
    its holder is alive.
    """
    allocation = tensor.allocation
    if allocation.bytes is None:
        return None
    with _what_numpy_can(what, tensor.layout):
        tensor.device.mapped(allocation, True)
        memory = Memory(tensor, seen_by_host(what, tensor))
        allocation.export(memory if holder is None else holder)
        return np.asarray(memory)


def shown_memory(what: str, tensor: Tensor, holder: object = None) -> Array | None:
    """Return `own_memory`, but read-only if elements share addresses, as in NumPy."""
    memory = own_memory(what, tensor, holder)
    if memory is not None and tensor.layout.overlaps:
        memory.flags.writeable = False
    return memory


class Addresses:
    """The addresses of a tensor's elements, for NumPy to compare but not to read."""

    def __init__(self, tensor: Tensor) -> None:
        (layout,) = coalesce(tensor.layout)
        memory, itemsize = tensor.allocation.bytes, tensor.dtype.itemsize
        # Memory that is not host-visible has its own address space, so any start will do.
        start = 2**20 if memory is None else memory.ctypes.data
        self.__array_interface__ = {
            "version": 3,
            "typestr": np.dtype(tensor.dtype.numpy_name).str,
            "shape": layout.sizes,
            "strides": tuple([stride * itemsize for stride in layout.strides]),
            "data": (start + layout.offset * itemsize, False),
        }


def addresses(what: str, tensor: Tensor) -> Array:
    """Return an array with the addresses of the tensor's memory, not to be read or written."""
    with _what_numpy_can(what, tensor.layout):
        return np.asarray(Addresses(tensor))


def write(what: str, target: Tensor, array: Array, layout: Layout) -> None:
    """Upload an array of the tensor's sizes, in the given layout, into its packed memory.

    It is converted in pieces, as by `astype`, so no complete converted copy is made.
    """
    record_host(what, layout, target.layout, target.nbytes)
    if not array.size:
        return
    device, strides = target.device, target.layout.strides
    kind = np.dtype(target.dtype.numpy_name)
    source = array.transpose(_along_memory(strides))
    pinned = pinned_for(device, array)
    if pinned is not None and source.flags.c_contiguous and source.dtype == kind:
        pinned.send(source, target.allocation)
        return
    moving, start = dispatches.Moving(target.nbytes), 0
    for box in _boxes(source.shape, transfer.CHUNK_BYTES // kind.itemsize):
        part = source[box]
        nbytes = part.size * kind.itemsize
        with device.written(target.allocation, start, nbytes) as memory:
            convert(part, memory.view(kind).reshape(part.shape))
        start += nbytes
        moving.moved(nbytes)


def _along_memory(strides: Ints) -> list[int]:
    """Return an order of dims in which boxes are contiguous in memory."""
    return sorted(range(len(strides)), key=lambda dim: -strides[dim])


def _boxes(sizes: Ints, most: int) -> Iterator[tuple[Any, ...]]:
    """Split an array into boxes with a maximum number of elements, in row-major order."""
    dim, inside = len(sizes), 1
    while dim and inside * sizes[dim - 1] <= most:
        dim -= 1
        inside *= sizes[dim]
    if not dim:
        yield (...,)
        return
    length, step = sizes[dim - 1], most // inside
    for outer in product(*map(range, sizes[: dim - 1])):
        for start in range(0, length, step):
            yield *outer, slice(start, start + step), ...


def convert(source: Array, target: Array) -> None:
    """Write elements, converted to the nearest values of the target's type."""
    move(target, source)
    if source.dtype.kind == "f" and target.dtype.kind in "iu":
        with np.errstate(all="ignore"):
            for box in _boxes(source.shape, MOST_CLAMPED):
                _clamp(source[box], target[box])


def _clamp(source: Array, target: Array) -> None:
    """Replace floats outside the range of integers, which NumPy leaves to the processor."""
    limits = np.iinfo(target.dtype)
    low, beyond = float(limits.min), float(limits.max + 1)
    if low <= float(source.min()) and float(source.max()) < beyond:
        return
    target[source <= low] = limits.min
    target[source >= beyond] = limits.max
    target[np.isnan(source)] = 0


def strided_array(memory: Array, layout: Layout, kind: np.dtype[np.generic]) -> Array:
    """View the elements of a layout in these bytes."""
    strides = [stride * kind.itemsize for stride in layout.strides]
    array: Array = np.ndarray(layout.sizes, kind, memory, layout.offset * kind.itemsize, strides)
    return array


def to_text(tensor: Tensor) -> str:
    """Return the `repr` of a tensor. Only the corners of a large tensor are downloaded."""
    try:
        shown = _corners(tensor, 0)
        record_host("repr", tensor.layout, tensor.layout.like(), shown.nbytes)
        text = np.array2string(
            shown,
            separator=", ",
            prefix="Tensor(",
            threshold=MOST_SHOWN if tensor.size <= MOST_SHOWN else 0,
        )
    except (MemoryError, ValueError):
        text = "..."  # More dims or elements than NumPy supports.
    return f"Tensor({text}, {_properties(tensor)})"


def described(tensor: Tensor) -> str:
    """Return what `to_text` does but for the elements, which nothing has to compute or read."""
    return f"Tensor({_properties(tensor)})"


def _properties(tensor: Tensor) -> str:
    named = tensor.memory_format
    order = f"order={tensor.layout.order}" if named is None else f"memory_format={named.name}"
    return (
        f"shape={tensor.shape}, dtype={tensor.dtype.name}, {order}, device={tensor.device.name!r}"
    )


def _corners(tensor: Tensor, dim: int) -> Array:
    """Return the elements of a small tensor, or those at the ends of long dims of a large one."""
    if tensor.size <= MOST_SHOWN or dim == tensor.ndim:
        return seen_by_host("repr", tensor)
    size = tensor.shape[dim]
    if size <= 2 * EDGE:
        return _corners(tensor, dim + 1)
    ends = [tensor.narrow(dim, start, EDGE) for start in (0, size - EDGE)]
    return np.concatenate([_corners(end, dim + 1) for end in ends], dim)


@contextmanager
def _what_numpy_can(what: str, layout: Layout) -> Iterator[None]:
    """Reject tensors with more dims or larger sizes than NumPy supports."""
    try:
        yield
    except DmlVkError:
        raise
    except (MemoryError, ValueError) as error:
        rule = f"NumPy cannot hold this array ({error})"
        if isinstance(error, MemoryError):
            raise DeviceMemoryError(what, rule, rank=layout.rank, numel=layout.numel) from None
        raise LayoutError(what, rule, rank=layout.rank, numel=layout.numel) from None
