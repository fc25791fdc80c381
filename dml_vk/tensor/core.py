"""Tensor: device memory with a layout and an element type."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

import dml_vk.numpy_errors  # noqa: F401 what axes that tensors lack raise: see arguments.py
from dml_vk.aliases import not_there
from dml_vk.arguments import Ints, to_bool
from dml_vk.dtypes import DType, DTypeLike, complex128, float64, to_dtype
from dml_vk.errors import DTypeError, LayoutError
from dml_vk.layout import Layout, MemoryFormat, contiguous_format, preserve_format
from dml_vk.observe.callers import writes
from dml_vk.observe.copies import ASKED, HOST, record_host
from dml_vk.ops.copy import copied, copy_elements
from dml_vk.ops.elementwise import cast_elements
from dml_vk.ops.view import View, access, allocation_bytes, check_fits, check_target
from dml_vk.runtime.arenas import MemoryRange
from dml_vk.runtime.device import Device
from dml_vk.runtime.device import device as open_device
from dml_vk.runtime.hazards import Access
from dml_vk.strides.order import OrderLike
from dml_vk.strides.reshape import in_items
from dml_vk.tensor import host
from dml_vk.tensor.host import Array
from dml_vk.tensor.protocols import TensorProtocols
from dml_vk.tensor.spec import Spec
from dml_vk.tensor.views import TensorViews
from dml_vk.tracing.step import Slot

DeviceLike: TypeAlias = int | str | Device | None
if TYPE_CHECKING:
    from dml_vk.tensor.methods import TensorMethods
else:

    class TensorMethods:
        """A base for the methods that tensor/methods.py adds, since it imports Tensor."""

        __slots__ = ()


class Tensor(View, TensorViews, TensorMethods, TensorProtocols):
    """Elements of one dtype on one device, at the addresses of a layout. Views share memory."""

    __slots__ = ("__weakref__", "_reads", "_spec")

    def __init__(self, view: View) -> None:
        if not isinstance(view, View):
            rule = "create tensors with asarray, empty or full"
            raise DTypeError("Tensor", rule, given=type(view).__name__)
        super().__init__(view.device, view.allocation, view.layout, view.dtype)
        self._spec: Spec | None = None
        self._reads: Access | None = None

    @classmethod
    def _over_memory(cls, allocation: MemoryRange, spec: Spec) -> Tensor:
        """Create a tensor without checks, from parts that are known to be valid."""
        new: Tensor = object.__new__(cls)
        new._device = spec.device
        new._allocation = allocation
        new._layout = spec.layout
        new._dtype = spec.dtype
        new._spec = spec
        new._reads = None
        return new

    @property
    def spec(self) -> Spec | None:
        """The layout, dtype and device; None inside a call that is being recorded."""
        memory: object = self._allocation
        if self._spec is None and type(memory) is not Slot:
            self._spec = Spec.of(self.layout, self.dtype, self.device)
        return self._spec

    @property
    def reads(self) -> Access:
        """The memory access of a kernel that reads the whole tensor, kept in `_reads`."""
        spec = self._spec
        if spec is None:
            self._reads = reads = access(self, False)
        else:
            self._reads = reads = Access.within(self._allocation, spec.span)
        return reads

    @property
    def shape(self) -> Ints:
        return self._layout.sizes

    @property
    def strides(self) -> Ints:
        """The strides, in elements."""
        return self.layout.strides

    @property
    def offset(self) -> int:
        """The position of element (0, 0, ...) in the shared memory, in elements."""
        return self.layout.offset

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.layout.numel

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def memory_format(self) -> MemoryFormat | None:
        """The intended format, from the order of the dims; None if the order has no name."""
        return self.layout.memory_format

    def is_contiguous(self, memory_format: MemoryFormat = contiguous_format) -> bool:
        """Return whether the memory is packed in this format."""
        return self.layout.is_contiguous(memory_format)

    def _over(self, layout: Layout) -> Tensor:
        """`over`, for layouts that are known to lie within the memory."""
        new: Tensor = object.__new__(Tensor)
        new._device = self._device
        new._allocation = self._allocation
        new._layout = layout
        new._dtype = self._dtype
        new._spec = new._reads = None
        return new

    def over(self, layout: Layout) -> Tensor:
        """View the same memory with any other layout.

        >>> import dml_vk
        >>> x = dml_vk.asarray([[1, 2, 3], [4, 5, 6]])
        >>> x.over(x.layout.permute(1, 0)).tolist()
        [[1, 4], [2, 5], [3, 6]]
        """
        if not isinstance(layout, Layout):
            rule = "layout must be a Layout: `view` returns None where a view is impossible"
            raise LayoutError("over", rule, layout=layout)
        new = self._over(layout)
        check_fits("over", new, "layout")
        return new

    def view(self, *sizes: Any, dtype: DTypeLike | None = None) -> Tensor:
        """View the elements with other sizes, in the same order, or the bytes as another dtype.

        A dtype can be given instead of sizes; Python's `float` and `complex` are float64 and
        complex128 here, as in NumPy. If its elements are smaller or larger, the last dim
        has more or fewer of them, and it must be packed. `reshape` copies if necessary.

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
            rule = "sizes and dtype must not both be given"
            raise LayoutError("view", rule, sizes=sizes, dtype=dtype)
        # Bits are viewed as NumPy views them, whose floats by these names have 64 bits. Dtypes are
        # equal to Python's types too.
        if isinstance(dtype, (str, type)) and dtype in (float, complex, "float", "complex"):
            dtype = float64 if dtype in (float, "float") else complex128
        kind, own = to_dtype("view", dtype), self.layout
        items = in_items(own.sizes, own.strides, own.offset, self.dtype.itemsize, kind.itemsize)
        if items is None:
            rule = f"the last dim must be contiguous and hold whole elements of {kind.name}"
            raise LayoutError("view", rule, dtype=self.dtype, layout=own)
        # A dim of size 1 may be anywhere in the order, which then says nothing.
        order = None if own.sizes[-1:] == (1,) != items[0][-1:] else own.order
        return Tensor(View(self.device, self.allocation, Layout(*items, order), kind))

    def to(
        self,
        *wanted: MemoryFormat | DTypeLike | Device,
        memory_format: MemoryFormat = preserve_format,
        dtype: DTypeLike | None = None,
        device: DeviceLike = None,
        copy: bool = False,
    ) -> Tensor:
        """Convert to a format, dtype or device; returns the tensor itself if nothing changes.

        A format, a dtype and a device can also be positional. If memory is already right for a
        format, the result is a view with the new order. `copy` requests a new copy.

        >>> import dml_vk
        >>> x = dml_vk.full((2, 3, 4, 5), 1.5)
        >>> y = x.to(dml_vk.channels_last, dml_vk.float16)
        >>> y.dtype, y.strides
        (dml_vk.float16, (60, 1, 15, 3))
        """
        for target in wanted:
            if isinstance(target, MemoryFormat):
                memory_format = target
            elif isinstance(target, str) and target in MemoryFormat.__members__:
                memory_format = MemoryFormat[target]
            elif isinstance(target, Device):
                device = target
            else:
                dtype = to_dtype("to", target)
        copy = to_bool("to", "copy", copy)
        result = converted_to("to", self, dtype, device, memory_format)
        shared = result.allocation is self.allocation
        return result.clone() if copy and shared else result

    def to_device(self, device: int | str | Device, /, *, stream: None = None) -> Tensor:
        """Copy to another device; there are no streams."""
        if stream is not None:
            raise DTypeError("to_device", "stream must be None", stream=stream)
        return self._on("to_device", open_device(device))

    def contiguous(self, memory_format: MemoryFormat = contiguous_format) -> Tensor:
        """Return the tensor itself if it is packed in this format, else a packed copy."""
        return self._in_format("contiguous", memory_format)

    def clone(self, memory_format: MemoryFormat = preserve_format) -> Tensor:
        """Return a copy."""
        return self._copied("clone", self.layout.like(memory_format))

    def copy(self) -> Tensor:
        """Return a copy in the same memory order, as `clone` does, by NumPy's name."""
        return self.clone()

    def numpy(self, *, out: Array | None = None) -> Array:
        """Return a NumPy array of the same values: a new one in the same memory order, or `out`."""
        return host.to_numpy("numpy", self) if out is None else host.read_into("numpy", self, out)

    @contextmanager
    def map(self) -> Iterator[Array]:
        """Access the tensor's memory as a NumPy array, for reading and writing, in a `with`.

        If the memory is host-visible, as on software and integrated devices, there is no copy;
        otherwise the elements are downloaded at the start and uploaded at the end.

        >>> import dml_vk
        >>> x = dml_vk.asarray([1, 2, 3])
        >>> with x.map() as array:
        ...     array[1] = 7
        >>> x.tolist()
        [1, 7, 3]
        """
        if (memory := host.own_memory("map", self)) is not None:
            yield memory
            return
        check_target("map", self, "the tensor")
        array = self.numpy()
        yield array
        new = tensor_over("map", self.layout.like(), self.dtype, self.device)
        host.write("map", new, array, new.layout)
        copy_elements("map", new, self, ASKED)

    def tolist(self) -> Any:
        """Return Python numbers in nested lists, or one number if there are no dims."""
        return self.numpy().tolist()

    def tobytes(self) -> bytes:
        """Return the bytes of the elements in row-major order."""
        return self.numpy().tobytes()

    def item(self) -> Any:
        """Return the only element as a Python number."""
        if self.size != 1:
            raise LayoutError("item", "x must have exactly one element", shape=self.shape)
        return host.only_element("numpy", self)

    if not TYPE_CHECKING:  # It would make type checkers accept all names.

        def __getattr__(self, name: str) -> Any:
            """Raise an error that names the equivalent of a missing attribute."""
            if hasattr(type(self), name):
                return object.__getattribute__(self, name)  # Raises the property's own error.
            text = not_there("'Tensor' object", name)
            raise AttributeError(text, name=name, obj=self)

    def __len__(self) -> int:
        return self._first_size("len")

    def __iter__(self) -> Iterator[Tensor]:
        layout = self.layout
        size = self._first_size("iter")
        return (self._over(layout.select(0, k)) for k in range(size))

    def __contains__(self, value: object) -> bool:
        matches: object = self == value
        return isinstance(matches, Tensor) and bool(matches.any())

    def _first_size(self, what: str) -> int:
        if not self.shape:
            raise DTypeError(what, "x must have at least one dim", shape=self.shape)
        return self.shape[0]

    def _described(self) -> str:
        return host.described(self)

    def __repr__(self) -> str:
        return host.to_text(self)

    def __format__(self, form: str) -> str:
        return format(self.item(), form) if form else repr(self)

    def __copy__(self) -> Tensor:
        return self.clone()

    def __deepcopy__(self, memo: object) -> Tensor:
        return self.clone()

    def _in_format(self, what: str, order: OrderLike) -> Tensor:
        layout, copies = self.layout.to(order)
        if copies:
            return self._copied(what, layout)
        return self if layout == self.layout else self._over(layout)

    def _on(self, what: str, device: Device) -> Tensor:
        """Copy to another device through the host, in pieces.

        While the host moves a piece, this device copies the next one and the other the one before.
        """
        if device is self.device:
            return self
        new = tensor_over(what, self.layout.like(), self.dtype, device)
        record_host(what, self.layout, new.layout, self.nbytes)
        is_packed = self.layout.strides == new.layout.strides
        source: View = self if is_packed else copied(what, self, HOST)
        start = source.layout.offset * self.dtype.itemsize
        for at, piece in self.device.pieces(source.allocation, start, self.nbytes):
            with device.written(new.allocation, at, piece.size) as memory:
                memory[:] = piece
        return new

    def _cast(self, what: str, dtype: DType, layout: Layout) -> Tensor:
        new = tensor_over(what, layout, dtype, self.device, self.allocation)
        cast_elements(what, self, new)
        return new

    def _copied(self, what: str, layout: Layout) -> Tensor:
        """Make a copy that the user requested."""
        new = tensor_over(what, layout, self.dtype, self.device, self.allocation)
        copy_elements(what, self, new, ASKED)
        return new


def converted_to(
    what: str,
    tensor: Tensor,
    dtype: DTypeLike | None,
    device: DeviceLike,
    memory_format: MemoryFormat,
) -> Tensor:
    """Convert to this dtype, format and device; return the tensor itself if nothing changes."""
    kind = tensor.dtype if dtype is None else to_dtype(what, dtype)
    if kind is not tensor.dtype:
        tensor = tensor._cast(what, kind, tensor.layout.like(memory_format))
    tensor = tensor._in_format(what, memory_format)
    return tensor if device is None else tensor._on(what, open_device(device))


def tensor_over(
    what: str, layout: Layout, dtype: DType, device: Device, near: MemoryRange | None = None
) -> Tensor:
    """Create a tensor with uninitialized memory, packed in any order."""
    allocation = device.allocate(what, allocation_bytes(layout, dtype), near)
    return Tensor(View(device, allocation, layout, dtype))


@writes
def copy(src: Tensor, dst: Tensor) -> None:
    """Copy each element of src to the element of dst with the same index, in any two layouts.

    If they share memory, the result is as if src were read completely first. Note that the source
    comes first.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2, 3], [4, 5, 6]])
    >>> y = dml_vk.empty((3, 2), x.dtype)
    >>> dml_vk.copy(x.over(x.layout.permute(1, 0)), y)
    >>> y.tolist()
    [[1, 4], [2, 5], [3, 6]]
    """
    for name, tensor in (("src", src), ("dst", dst)):
        if not isinstance(tensor, Tensor):
            rule = f"{name} must be a Tensor: convert arrays with asarray"
            raise DTypeError("copy", rule, **{name: type(tensor).__name__})
    if src.dtype is not dst.dtype:
        rule = "src and dst must have the same dtype"
        raise DTypeError("copy", rule, src=src.dtype, dst=dst.dtype)
    copy_elements("copy", src, dst, ASKED)
