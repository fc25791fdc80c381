"""A tensor's elements as the host sees them: its memory itself, or arrays of the host's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from dml_vk import ram
from dml_vk.errors import DeviceMemoryError, DmlVkError, LayoutError, explain
from dml_vk.layout import Layout, coalesce
from dml_vk.ops.copy import copied
from dml_vk.runtime import journal, transfer
from dml_vk.strides.order import Ints
from dml_vk.tracing import HOST, record_host

if TYPE_CHECKING:
    from dml_vk.tensor import Tensor

Array = np.ndarray[Any, np.dtype[Any]]
LARGE_BYTES = 2**28  # Copies to the host of so much first ask whether it has room.
MOST_SHOWN = 1000  # elements; NumPy's own threshold
MOST_CLAMPED = 2**18  # elements for which masks are made at once
EDGE = 4  # one index more than NumPy shows at either end, so that it knows of more


def to_numpy(what: str, tensor: Tensor) -> Array:
    """An array of its own with the same values, in the same order in memory."""
    left = ram.available_bytes() if tensor.nbytes >= LARGE_BYTES else None
    if left is not None and tensor.nbytes > left:
        must = f"there must be room on the host, which has {left} bytes left"
        raise DeviceMemoryError(explain(what, must, nbytes=tensor.nbytes))
    with _what_numpy_can(what, tensor.layout):
        seen, dense = seen_by_host(what, tensor), tensor.layout.like()
        record_host(what, tensor.layout, dense, tensor.nbytes)
        through_staging = tensor.strided.allocation.bytes is None
        if not seen.size or (through_staging and tensor.layout.strides == dense.strides):
            return seen
        # Not `copy(order="K")`, which forgets what the strides of size-1 dims stand for.
        strides = [stride * seen.itemsize for stride in dense.strides]
        own: Array = np.ndarray(seen.shape, seen.dtype, strides=strides)
        moving, order = journal.Moving(own.nbytes), _along_memory(dense.strides)
        source, target = seen.transpose(order), own.transpose(order)
        for box in _boxes(source.shape, transfer.CHUNK_BYTES // seen.itemsize):
            target[box] = source[box]
            moving.moved(target[box].nbytes)
        return own


def seen_by_host(what: str, tensor: Tensor) -> Array:
    """The elements: the memory itself where the host sees it, which work to come will change."""
    kind = np.dtype(tensor.dtype.numpy_name)
    if not tensor.layout.numel:
        return np.empty(tensor.shape, kind)
    strided = tensor.strided
    memory = transfer.mapped(tensor.device, strided.allocation, False)
    if memory is not None:
        return strided_array(memory, tensor.layout, kind)
    if strided.layout.span > 2 * strided.layout.numel:
        strided = copied(what, strided, HOST)  # Gaps are not worth the way.
    seen = strided.operand(False)
    data = np.empty(seen.high - seen.low, np.uint8)
    transfer.download(tensor.device, strided.allocation, seen.low, data)
    start = (seen.base - seen.low) // kind.itemsize
    return strided_array(data, Layout(tensor.shape, strided.layout.strides, start), kind)


class Memory:
    """A tensor's memory, as NumPy takes it: whoever holds the array holds the tensor."""

    def __init__(self, tensor: Tensor, array: Array) -> None:
        self.tensor = tensor
        self.__array_interface__ = array.__array_interface__


def own_memory(what: str, tensor: Tensor, holder: object = None) -> Array | None:
    """The tensor's memory as an array that may be kept and written; None where it is not seen.

    Pending work on it is done first. Work that comes later is done at once, as long as somebody
    holds the array, or the holder lives.
    """
    allocation = tensor.strided.allocation
    if allocation.bytes is None:
        return None
    with _what_numpy_can(what, tensor.layout):
        transfer.mapped(tensor.device, allocation, True)
        memory = Memory(tensor, seen_by_host(what, tensor))
        allocation.lend(memory if holder is None else holder)
        return np.asarray(memory)


def shown_memory(what: str, tensor: Tensor, holder: object = None) -> Array | None:
    """The same, not to be written where elements share addresses, as NumPy has it."""
    memory = own_memory(what, tensor, holder)
    if memory is not None and tensor.layout.overlaps:
        memory.flags.writeable = False
    return memory


class Addresses:
    """Where a tensor's elements lie, for NumPy to compare, which does not look at them."""

    def __init__(self, tensor: Tensor) -> None:
        (layout,) = coalesce(tensor.layout)
        memory, itemsize = tensor.strided.allocation.bytes, tensor.dtype.itemsize
        # What the host does not see has addresses of its own, of which any will do.
        start = 2**20 if memory is None else memory.ctypes.data
        self.__array_interface__ = {
            "version": 3,
            "typestr": np.dtype(tensor.dtype.numpy_name).str,
            "shape": layout.sizes,
            "strides": tuple([stride * itemsize for stride in layout.strides]),
            "data": (start + layout.offset * itemsize, False),
        }


def addresses(what: str, tensor: Tensor) -> Array:
    """An array over the tensor's memory that tells where it is, and nobody may read or write."""
    with _what_numpy_can(what, tensor.layout):
        return np.asarray(Addresses(tensor))


def write(what: str, target: Tensor, array: Array, layout: Layout) -> None:
    """Upload an array of the tensor's sizes, which lies as `layout` says, into its packed memory.

    It is converted on the way, as `astype` converts, and nowhere held as a whole.
    """
    record_host(what, layout, target.layout, target.nbytes)
    if not array.size:
        return
    device, strides = target.device, target.layout.strides
    kind = np.dtype(target.dtype.numpy_name)
    source, moving = array.transpose(_along_memory(strides)), journal.Moving(target.nbytes)
    start = 0
    for box in _boxes(source.shape, transfer.CHUNK_BYTES // kind.itemsize):
        part = source[box]
        nbytes = part.size * kind.itemsize
        with transfer.written(device, target.strided.allocation, start, nbytes) as memory:
            convert(part, memory.view(kind).reshape(part.shape))
        start += nbytes
        moving.moved(nbytes)


def _along_memory(strides: Ints) -> list[int]:
    """Dims such that boxes over them are runs of memory."""
    return sorted(range(len(strides)), key=lambda dim: -strides[dim])


def _boxes(sizes: Ints, most: int) -> Iterator[tuple[Any, ...]]:
    """Boxes of at most so many elements that make up an array, in row-major order."""
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
    """Write elements as the nearest ones of the target's type."""
    with np.errstate(all="ignore"):
        np.copyto(target, source, casting="unsafe")
        if source.dtype.kind == "f" and target.dtype.kind in "iu":
            for box in _boxes(source.shape, MOST_CLAMPED):
                _clamp(source[box], target[box])


def _clamp(source: Array, target: Array) -> None:
    """Integers for floats that are none, of which NumPy leaves the processor to say."""
    limits = np.iinfo(target.dtype)
    low, beyond = float(limits.min), float(limits.max + 1)
    if low <= float(source.min()) and float(source.max()) < beyond:
        return
    target[source <= low] = limits.min
    target[source >= beyond] = limits.max
    target[np.isnan(source)] = 0


def strided_array(memory: Array, layout: Layout, kind: np.dtype[Any]) -> Array:
    """The elements of a layout over these bytes, as a view of them."""
    strides = [stride * kind.itemsize for stride in layout.strides]
    array: Array = np.ndarray(layout.sizes, kind, memory, layout.offset * kind.itemsize, strides)
    return array


def to_text(tensor: Tensor) -> str:
    """How `repr` shows a tensor. Of a large one only the corners leave the device."""
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
        text = "..."  # NumPy cannot hold it.
    named = tensor.memory_format
    lies = f"order={tensor.layout.order}" if named is None else f"memory_format={named.name}"
    return (
        f"Tensor({text}, shape={tensor.shape}, dtype={tensor.dtype.name}, {lies}, "
        f"device={tensor.device.name!r})"
    )


def _corners(tensor: Tensor, dim: int) -> Array:
    """The elements of a small tensor; of a large one those at the ends of long dims."""
    if tensor.size <= MOST_SHOWN or dim == tensor.ndim:
        return seen_by_host("repr", tensor)
    size = tensor.shape[dim]
    if size <= 2 * EDGE:
        return _corners(tensor, dim + 1)
    ends = [tensor.narrow(dim, start, EDGE) for start in (0, size - EDGE)]
    return np.concatenate([_corners(end, dim + 1) for end in ends], dim)


@contextmanager
def _what_numpy_can(what: str, layout: Layout) -> Iterator[None]:
    """NumPy's arrays have fewer dims and smaller sizes than layouts may have."""
    try:
        yield
    except DmlVkError:
        raise
    except (MemoryError, ValueError) as error:
        kind = DeviceMemoryError if isinstance(error, MemoryError) else LayoutError
        must = f"NumPy must be able to hold it ({error})"
        raise kind(explain(what, must, rank=layout.rank, numel=layout.numel)) from None
