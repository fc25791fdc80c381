"""Tensor: a layout over device memory, and an element type."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from dml_vk import host
from dml_vk.dtypes import DType, to_dtype
from dml_vk.errors import DTypeError, LayoutError, explain
from dml_vk.host import Array
from dml_vk.late import Late
from dml_vk.layout import Layout, MemoryFormat, contiguous_format, preserve_format
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.elementwise import Typed, cast_elements
from dml_vk.ops.strided import Strided, reach
from dml_vk.other_names import not_there
from dml_vk.runtime.arenas import Allocation
from dml_vk.runtime.device import Device, default_device
from dml_vk.runtime.device import device as open_device
from dml_vk.runtime.launch import Operand
from dml_vk.strides.order import Ints, to_bool
from dml_vk.strides.reshape import in_items
from dml_vk.tensor_operators import TensorOperators
from dml_vk.tensor_protocols import TensorProtocols
from dml_vk.tensor_views import TensorViews
from dml_vk.tracing import ASKED

creation: Any = Late("dml_vk.creation")  # it imports tensors itself


class Tensor(TensorViews, TensorOperators, TensorProtocols):
    """Elements of one type on one device, wherever the layout says. Views share the allocation."""

    __slots__ = ("__weakref__", "_dtype", "_form", "_reads", "_strided")

    def __init__(self, strided: Strided, dtype: DType) -> None:
        if not isinstance(strided, Strided):
            must = "tensors must be made by asarray, empty or full"
            raise DTypeError(explain("Tensor", must, given=type(strided).__name__))
        self._strided = strided
        self._dtype = dtype
        self._form: Any = None
        self._reads: Operand | None = None

    @classmethod
    def known(cls, strided: Strided, dtype: DType, form: Any) -> Tensor:
        """A tensor of which all is known to be right: dml_vk/recall.py."""
        new: Tensor = object.__new__(cls)
        new._strided = strided
        new._dtype = dtype
        new._form = form
        new._reads = None
        return new

    @property
    def strided(self) -> Strided:
        """Where the elements lie, as operations take them."""
        return self._strided

    @property
    def reads(self) -> Operand:
        """What a kernel touches that reads all of it."""
        if self._reads is None:
            self._reads = self._strided.operand(False)
        return self._reads

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def layout(self) -> Layout:
        return self._strided.layout

    @property
    def device(self) -> Device:
        return self._strided.device

    @property
    def shape(self) -> Ints:
        return self._strided.layout.sizes

    @property
    def strides(self) -> Ints:
        """In elements, as all of a layout is."""
        return self.layout.strides

    @property
    def offset(self) -> int:
        """Where element (0, 0, ...) lies in the memory that views share, in elements."""
        return self.layout.offset

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements there are."""
        return self.layout.numel

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def memory_format(self) -> MemoryFormat | None:
        """The format that it is meant to be in, None where its order has no name."""
        return self.layout.memory_format

    def is_contiguous(self, memory_format: MemoryFormat = contiguous_format) -> bool:
        """Memory is packed in this format."""
        return self.layout.is_contiguous(memory_format)

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
        strided = self.strided.over(layout)
        strided.check_fits("over", "layout")
        return Tensor(strided, self.dtype)

    def view(self, *sizes: Any, dtype: Any = None) -> Tensor:
        """Other sizes over the same elements in the same order; or the same bytes in another dtype.

        A dtype may stand in the place of sizes. Where its elements are smaller or larger, the last
        dim has more of them or fewer, and must be packed. `reshape` copies where need be.

        >>> import dml_vk
        >>> x = dml_vk.asarray([1.0, -2.0])
        >>> x.view(2, 1).shape, x.view(dml_vk.int32).tolist(), x.view(dml_vk.uint8).shape
        ((2, 1), [1065353216, -1073741824], (8,))
        """
        named = len(sizes) == 1 and isinstance(sizes[0], (DType, str, type, np.dtype))
        if named and dtype is None:
            (dtype,), sizes = sizes, ()
        if dtype is None:
            return super().view(*sizes)
        if sizes:
            must = "sizes and dtype must not both be given"
            raise LayoutError(explain("view", must, sizes=sizes, dtype=dtype))
        kind, own = to_dtype("view", dtype), self.layout
        found = in_items(own.sizes, own.strides, own.offset, self.dtype.itemsize, kind.itemsize)
        if found is None:
            must = f"the last dim must be packed, and all of it whole elements of {kind.name}"
            raise LayoutError(explain("view", must, dtype=self.dtype, layout=own))
        # What was a dim of size 1 says nothing about where it lies.
        order = None if own.sizes[-1:] == (1,) != found[0][-1:] else own.order
        strided = self.strided._replace(layout=Layout(*found, order), itemsize=kind.itemsize)
        return Tensor(strided, kind)

    def to(
        self,
        *wanted: Any,
        memory_format: MemoryFormat = preserve_format,
        dtype: Any = None,
        device: Any = None,
        copy: bool = False,
    ) -> Tensor:
        """In this format, of this dtype, on this device: itself where it is so already.

        A format, a dtype and a device may also be given without names. Where memory satisfies a
        format already, the result is a view with the new tag. `copy` asks for memory of its own.

        >>> import dml_vk
        >>> x = dml_vk.full((2, 3, 4, 5), 1.5)
        >>> y = x.to(dml_vk.channels_last, dml_vk.float16)
        >>> y.dtype, y.strides
        (dml_vk.float16, (60, 1, 15, 3))
        """
        for one in wanted:
            if isinstance(one, MemoryFormat):
                memory_format = one
            elif isinstance(one, str) and one in MemoryFormat.__members__:
                memory_format = MemoryFormat[one]
            elif isinstance(one, Device):
                device = one
            else:
                dtype = to_dtype("to", one)
        copy = to_bool("to", "copy", copy)
        found = as_asked("to", self, dtype, device, memory_format)
        shared = found.strided.allocation is self.strided.allocation
        return found.clone() if copy and shared else found

    def to_device(self, device: Any, /, *, stream: None = None) -> Tensor:
        """On this device; devices have no streams."""
        if stream is not None:
            raise DTypeError(explain("to_device", "stream must be None", stream=stream))
        return self._on("to_device", open_device(device))

    def contiguous(self, memory_format: MemoryFormat = contiguous_format) -> Tensor:
        """Itself if it is packed in this format, else a copy that is."""
        return self._in_format("contiguous", memory_format)

    def clone(self, memory_format: MemoryFormat = preserve_format) -> Tensor:
        """A copy of its own memory."""
        return self._copied("clone", self.layout.like(memory_format))

    def numpy(self) -> Array:
        """A NumPy array of its own with the same values, in the same order in memory."""
        return host.to_numpy("numpy", self)

    @contextmanager
    def map(self) -> Iterator[Array]:
        """The tensor's memory as a NumPy array, to read and to write, inside a `with`.

        No copy is made where the host sees the memory, as on software and integrated devices;
        elsewhere the elements come at the start and go back at the end.

        >>> import dml_vk
        >>> x = dml_vk.asarray([1, 2, 3])
        >>> with x.map() as array:
        ...     array[1] = 7
        >>> x.tolist()
        [1, 7, 3]
        """
        memory = host.own_memory("map", self)
        if memory is not None:
            yield memory
            return
        self.strided.check_target("map", "the tensor")
        array = self.numpy()
        yield array
        self[...] = creation.asarray(array, device=self.device)

    def tolist(self) -> Any:
        """Python's numbers, in nested lists; of no dims, the number."""
        return self.numpy().tolist()

    def tobytes(self) -> bytes:
        """The elements' bytes, in row-major order."""
        return self.numpy().tobytes()

    def item(self) -> Any:
        """Its one element, as Python's number."""
        if self.size != 1:
            raise LayoutError(explain("item", "there must be one element", shape=self.shape))
        return self.numpy().item()

    if not TYPE_CHECKING:  # Type checkers would take all names for known.

        def __getattr__(self, name: str) -> Any:
            """What is not there: the error names what is here instead."""
            if hasattr(type(self), name):
                return object.__getattribute__(self, name)  # It fails, in its own words.
            text = not_there("'Tensor' object", name)
            raise AttributeError(text, name=name, obj=self)

    def __len__(self) -> int:
        return self._first_size("len")

    def __iter__(self) -> Iterator[Tensor]:
        layout = self.layout
        size = self._first_size("iter")
        return (self.over(layout.select(0, k)) for k in range(size))

    def __contains__(self, value: Any) -> bool:
        found: object = self == value
        return isinstance(found, Tensor) and bool(found.any())

    def _first_size(self, what: str) -> int:
        if not self.shape:
            raise DTypeError(explain(what, "x must have a dim", shape=self.shape))
        return self.shape[0]

    def __repr__(self) -> str:
        return host.to_text(self)

    def __format__(self, form: str) -> str:
        return format(self.item(), form) if form else repr(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its values and where they are to lie; it comes back on the default device."""
        layout = self.layout.like()
        return _from_pickle, (self.numpy(), layout.strides, layout.order)

    def __copy__(self) -> Tensor:
        return self.clone()

    def __deepcopy__(self, memo: Any) -> Tensor:
        return self.clone()

    def _in_format(self, what: str, memory_format: MemoryFormat) -> Tensor:
        layout, copies = self.layout.to(memory_format)
        if copies:
            return self._copied(what, layout)
        return self if layout == self.layout else self.over(layout)

    def _on(self, what: str, device: Device) -> Tensor:
        """On that device, by way of the host."""
        if device is self.device:
            return self
        new = tensor_over(what, self.layout.like(), self.dtype, device)
        host.write(what, new, host.to_numpy(what, self), new.layout)
        return new

    def _cast(self, what: str, dtype: DType, layout: Layout) -> Tensor:
        new = tensor_over(what, layout, dtype, self.device, self.strided.allocation)
        source, target = Typed(self.strided, self.dtype), Typed(new.strided, dtype)
        cast_elements(what, source, target)
        return new

    def _copied(self, what: str, layout: Layout) -> Tensor:
        """A copy that is asked for by name."""
        new = tensor_over(what, layout, self.dtype, self.device, self.strided.allocation)
        copy_elements(what, self.strided, new.strided, ASKED)
        return new


def as_asked(
    what: str, tensor: Tensor, dtype: Any, device: Any, memory_format: MemoryFormat
) -> Tensor:
    """Of this dtype, in this format, on this device: itself where it is so already."""
    kind = tensor.dtype if dtype is None else to_dtype(what, dtype)
    if kind is not tensor.dtype:
        tensor = tensor._cast(what, kind, tensor.layout.like(memory_format))
    tensor = tensor._in_format(what, memory_format)
    return tensor if device is None else tensor._on(what, open_device(device))


def tensor_over(
    what: str, layout: Layout, dtype: DType, device: Device, near: Allocation | None = None
) -> Tensor:
    """A tensor whose memory nothing has written yet, packed in some order or other."""
    allocation = device.allocate(what, allocation_bytes(layout, dtype), near)
    return Tensor(Strided(device, allocation, layout, dtype.itemsize), dtype)


def allocation_bytes(layout: Layout, dtype: DType) -> int:
    """What the elements of a layout reach over."""
    low, high = reach(layout.sizes, layout.strides)
    return (high - low) * dtype.itemsize if layout.numel else 0


def _from_pickle(array: Array, strides: Ints, order: Ints) -> Tensor:
    if not isinstance(array, np.ndarray):
        must = "the pickle must hold an array"
        raise DTypeError(explain("unpickle", must, array=type(array).__name__))
    layout = Layout(array.shape, strides, order=order)
    new = tensor_over("unpickle", layout, to_dtype("unpickle", array.dtype), default_device())
    host.write("unpickle", new, array, layout)
    return new


def copy(src: Tensor, dst: Tensor) -> None:
    """Write each element of src to the element of dst with the same index, in any two layouts.

    Where the two share memory, as if through a temporary. Note the order: source first.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2, 3], [4, 5, 6]])
    >>> y = dml_vk.empty((3, 2), x.dtype)
    >>> dml_vk.copy(x.over(x.layout.permute(1, 0)), y)
    >>> y.tolist()
    [[1, 4], [2, 5], [3, 6]]
    """
    for name, tensor in (("src", src), ("dst", dst)):
        if not isinstance(tensor, Tensor):
            raise DTypeError(
                explain(
                    "copy",
                    f"{name} must be a Tensor: asarray makes tensors of arrays",
                    **{name: type(tensor).__name__},
                )
            )
    if src.dtype is not dst.dtype:
        must = "src and dst must have one dtype"
        raise DTypeError(explain("copy", must, src=src.dtype, dst=dst.dtype))
    copy_elements("copy", src.strided, dst.strided, ASKED)
