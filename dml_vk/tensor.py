"""Tensor: a layout over device memory, and an element type."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from dml_vk import ram
from dml_vk.dtypes import DType, to_dtype
from dml_vk.errors import DeviceMemoryError, DmlVkError, DTypeError, LayoutError, explain
from dml_vk.layout import Layout, MemoryFormat, contiguous_format, preserve_format
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.strided import Strided, reach
from dml_vk.runtime import transfer
from dml_vk.runtime.arenas import Allocation
from dml_vk.runtime.device import Device, default_device
from dml_vk.strides.order import Ints

Array = np.ndarray[Any, np.dtype[Any]]
LARGE_BYTES = 2**28  # Copies to the host of so much first ask whether it has room.


class Tensor:
    """Elements of one type on one device, wherever the layout says. Views share the allocation."""

    __slots__ = ("__weakref__", "_dtype", "_strided")

    def __init__(self, strided: Strided, dtype: DType) -> None:
        if not isinstance(strided, Strided):
            must = "tensors are made by asarray, empty and full"
            raise DTypeError(explain("Tensor", must, given=type(strided).__name__))
        self._strided = strided
        self._dtype = dtype

    @property
    def strided(self) -> Strided:
        """Where the elements lie, as operations take them."""
        return self._strided

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def layout(self) -> Layout:
        return self.strided.layout

    @property
    def device(self) -> Device:
        return self.strided.device

    @property
    def shape(self) -> Ints:
        return self.layout.sizes

    @property
    def nbytes(self) -> int:
        return self.layout.numel * self.dtype.itemsize

    @property
    def memory_format(self) -> MemoryFormat | None:
        return self.layout.memory_format

    def over(self, layout: Layout) -> Tensor:
        """The same memory under another layout: a view, whatever the layout.

        >>> import dml_vk
        >>> x = dml_vk.asarray([[1, 2, 3], [4, 5, 6]])
        >>> x.over(x.layout.permute(1, 0)).tolist()
        [[1, 4], [2, 5], [3, 6]]
        """
        if not isinstance(layout, Layout):
            must = "layout must be a Layout; where `view` gives None, only a copy can do it"
            raise LayoutError(explain("over", must, layout=layout))
        strided = self.strided._replace(layout=layout)
        strided.check_fits("over", "layout")
        return Tensor(strided, self.dtype)

    def to(self, memory_format: MemoryFormat) -> Tensor:
        """In this format: itself, or a view with the new tag where memory allows, else a copy."""
        layout, copies = self.layout.to(memory_format)
        if copies:
            return self._copied("to", layout)
        return self if layout == self.layout else self.over(layout)

    def contiguous(self, memory_format: MemoryFormat = contiguous_format) -> Tensor:
        """Itself if it is packed in this format, else a copy that is."""
        return self.to(memory_format)

    def clone(self, memory_format: MemoryFormat = preserve_format) -> Tensor:
        """A copy of its own memory."""
        return self._copied("clone", self.layout.like(memory_format))

    def numpy(self) -> Array:
        """A NumPy array of its own with the same values, in the same order in memory."""
        left = ram.available_bytes() if self.nbytes >= LARGE_BYTES else None
        if left is not None and self.nbytes > left:
            must = f"there must be room on the host, which has {left} bytes left"
            raise DeviceMemoryError(explain("numpy", must, nbytes=self.nbytes))
        with _what_numpy_can(self.layout):
            seen, dense = self._seen(), self.layout.like()
            through_staging = self.strided.allocation.bytes is None
            if not seen.size or (through_staging and self.layout.strides == dense.strides):
                return seen
            # Not `copy(order="K")`, which forgets what the strides of size-1 dims stand for.
            strides = [stride * seen.itemsize for stride in dense.strides]
            own: Array = np.ndarray(seen.shape, seen.dtype, strides=strides)
            own[...] = seen
            return own

    def __bool__(self) -> bool:
        """The truth of its one element."""
        return bool(self.numpy())

    def __eq__(self, other: object) -> NoReturn:
        must = "tensors must be compared on the host as yet: np.array_equal(x.numpy(), y.numpy())"
        raise DTypeError(explain("==", must, other=type(other).__name__))

    __hash__ = object.__hash__

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """For NumPy's functions: `numpy()`, which is always a copy."""
        if copy is False:
            must = "copy must not be False: a tensor's memory is the device's"
            raise LayoutError(explain("__array__", must, copy=copy))
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def tolist(self) -> Any:
        return self.numpy().tolist()

    def __repr__(self) -> str:
        try:
            text = np.array2string(self._seen(), separator=", ", prefix="Tensor(")
        except (MemoryError, ValueError):
            text = "..."  # NumPy cannot hold it.
        named = self.memory_format
        lies = f"order={self.layout.order}" if named is None else f"memory_format={named.name}"
        return (
            f"Tensor({text}, shape={self.shape}, dtype={self.dtype.name}, {lies}, "
            f"device={self.device.name!r})"
        )

    def _seen(self) -> Array:
        """The elements on the host: the device's memory itself where the host sees it."""
        kind = np.dtype(self.dtype.numpy_name)
        if not self.layout.numel:
            return np.empty(self.shape, kind)
        memory = transfer.mapped(self.device, self.strided.allocation, False)
        if memory is not None:
            return strided_array(memory, self.layout, kind)
        if self.layout.span > 2 * self.layout.numel:
            return self.clone()._seen()  # Gaps are not worth the way.
        seen = self.strided.operand(False)
        data = np.empty(seen.high - seen.low, np.uint8)
        transfer.download(self.device, self.strided.allocation, seen.low, data)
        start = (seen.base - seen.low) // kind.itemsize
        return strided_array(data, Layout(self.shape, self.layout.strides, start), kind)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its values and where they are to lie; it comes back on the default device."""
        layout = self.layout.like()
        return _from_pickle, (self.numpy(), layout.strides, layout.order)

    def __deepcopy__(self, memo: Any) -> Tensor:
        return self.clone()

    def _copied(self, what: str, layout: Layout) -> Tensor:
        new = tensor_over(what, layout, self.dtype, self.device, self.strided.allocation)
        copy_elements(what, self.strided, new.strided)
        return new


@contextmanager
def _what_numpy_can(layout: Layout) -> Iterator[None]:
    """NumPy's arrays have fewer dims and smaller sizes than layouts may have."""
    try:
        yield
    except DmlVkError:
        raise
    except (MemoryError, ValueError) as error:
        kind = DeviceMemoryError if isinstance(error, MemoryError) else LayoutError
        must = f"NumPy must be able to hold it ({error})"
        raise kind(explain("numpy", must, rank=layout.rank, numel=layout.numel)) from None


def tensor_over(
    what: str, layout: Layout, dtype: DType, device: Device, near: Allocation | None = None
) -> Tensor:
    """A tensor whose memory nothing has written yet, with room for this layout."""
    low, high = reach(layout.sizes, layout.strides)
    layout = Layout(layout.sizes, layout.strides, -low, layout.order)
    nbytes = (high - low) * dtype.itemsize if layout.numel else 0
    allocation = device.allocate(what, nbytes, near)
    return Tensor(Strided(device, allocation, layout, dtype.itemsize), dtype)


def write(target: Tensor, array: Array) -> None:
    """Upload an array of the tensor's sizes and type into its memory, which is all its own."""
    if not array.size:
        return
    allocation = target.strided.allocation
    memory = transfer.mapped(target.device, allocation, True)
    if memory is not None:
        strided_array(memory, target.layout, array.dtype)[...] = array
        return
    data = np.empty(allocation.nbytes, np.uint8)
    strided_array(data, target.layout, array.dtype)[...] = array
    transfer.upload(target.device, data, allocation)


def _from_pickle(array: Array, strides: Ints, order: Ints) -> Tensor:
    layout = Layout(array.shape, strides, order=order)
    new = tensor_over("unpickle", layout, to_dtype("unpickle", array.dtype), default_device())
    write(new, array)
    return new


def strided_array(memory: Array, layout: Layout, kind: np.dtype[Any]) -> Array:
    """The elements of a layout over these bytes, as a view of them."""
    strides = [stride * kind.itemsize for stride in layout.strides]
    array: Array = np.ndarray(layout.sizes, kind, memory, layout.offset * kind.itemsize, strides)
    return array


def copy(src: Tensor, dst: Tensor) -> None:
    """Write each element of src to the element of dst with the same index, in any two layouts.

    Where the two share memory, as if through a temporary. Note the order: source first.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2, 3], [4, 5, 6]])
    >>> y = dml_vk.empty((3, 2), x.dtype)
    >>> copy(x.over(x.layout.permute(1, 0)), y)
    >>> y.tolist()
    [[1, 4], [2, 5], [3, 6]]
    """
    for name, tensor in (("src", src), ("dst", dst)):
        if not isinstance(tensor, Tensor):
            raise DTypeError(
                explain("copy", f"{name} must be a Tensor", **{name: type(tensor).__name__})
            )
    if src.dtype is not dst.dtype:
        must = "src and dst must have one dtype"
        raise DTypeError(explain("copy", must, src=src.dtype, dst=dst.dtype))
    copy_elements("copy", src.strided, dst.strided)
