"""Buffer: device memory in which the user arranges the bytes."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from dml_vk.arguments import to_int, to_ints
from dml_vk.dtypes import DType, DTypeLike, to_dtype, uint8, uint32
from dml_vk.errors import DTypeError, ErrorsAs, LayoutError, RangeError
from dml_vk.layout import Layout
from dml_vk.observe.copies import ASKED, record_bytes
from dml_vk.ops.copy import copy_elements
from dml_vk.ops.fill import fill_constant
from dml_vk.ops.view import View, check_fits
from dml_vk.runtime.arenas import Bytes
from dml_vk.runtime.device import Device
from dml_vk.runtime.device import device as open_device
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array

WORD_BYTES = 4


class Buffer:
    """A range of at least one byte of device memory, uninitialized at first.

    >>> import numpy as np
    >>> from dml_vk import Buffer
    >>> buffer = Buffer(8)
    >>> buffer.write(b"ABCDEFGH")
    >>> buffer.write(np.arange(4, dtype=np.uint8)[::-1], offset=4)
    >>> buffer.read().tolist()
    [65, 66, 67, 68, 3, 2, 1, 0]
    """

    def __init__(self, nbytes: int, device: int | str | Device | None = None) -> None:
        size = to_int("Buffer", "nbytes", nbytes)
        if size < 1:
            raise LayoutError("Buffer", "nbytes must be at least 1", nbytes=size)
        self.device = open_device(device)
        self.allocation = self.device.allocate("Buffer", size)

    @classmethod
    def _under(cls, tensor: Tensor) -> Buffer:
        """The whole memory that a tensor is a view of: `x.buffer`."""
        buffer = cls.__new__(cls)
        buffer.device, buffer.allocation = tensor.device, tensor.allocation
        return buffer

    @property
    def nbytes(self) -> int:
        return self.allocation.nbytes

    def write(self, data: Array | bytes | bytearray | memoryview, offset: int = 0) -> None:
        """Upload the bytes of an array, in its logical order, or of a bytes-like object."""
        source, start = _source(data), to_int("Buffer.write", "offset", offset)
        if not 0 <= start <= self.nbytes - source.nbytes:
            rule = f"offset and data must lie within {self.nbytes} bytes"
            got = {"offset": start, "data.nbytes": source.nbytes}
            raise LayoutError("Buffer.write", rule, **got)
        record_bytes("Buffer.write", source.nbytes)
        self.device.upload(_bytes_of(source), self.allocation, start)

    def read(
        self,
        nbytes: int | DTypeLike | None = None,
        offset: int = 0,
        *,
        dtype: DTypeLike | None = None,
    ) -> Array:
        """Download bytes from `offset` on as a new array: `nbytes`, or all.

        The dtype is uint8, or one whose size divides them evenly, which may also come first.

        >>> from dml_vk import Buffer
        >>> buffer = Buffer(8)
        >>> buffer.fill(7)
        >>> buffer.read(4).tolist(), buffer.read(dtype="uint32").tolist()
        ([7, 0, 0, 0], [7, 7])
        """
        if isinstance(nbytes, (str, type, np.dtype, DType, enum.Enum)):
            if dtype is not None:
                rule = "dtype must be given once"
                raise LayoutError("Buffer.read", rule, nbytes=nbytes, dtype=dtype)
            nbytes, dtype = None, nbytes
        start = to_int("Buffer.read", "offset", offset)
        count = self.nbytes - start if nbytes is None else to_int("Buffer.read", "nbytes", nbytes)
        if not 0 <= start <= start + count <= self.nbytes:
            rule = f"offset and nbytes must lie within {self.nbytes} bytes"
            raise LayoutError("Buffer.read", rule, nbytes=nbytes, offset=start)
        kind = uint8 if dtype is None else _to_dtype("Buffer.read", dtype)
        if count % kind.itemsize:
            rule = f"the size of dtype must divide {count} bytes evenly"
            raise LayoutError("Buffer.read", rule, dtype=kind)
        data = np.empty(count, np.uint8)
        record_bytes("Buffer.read", count)
        self.device.download(self.allocation, start, data)
        return data.view(kind.numpy_name)

    @contextmanager
    def map(self) -> Iterator[Array]:
        """Access the memory as a NumPy array of uint8, for reading and writing, in a `with`.

        If it is not host-visible, the bytes are downloaded at the start and uploaded at the end.

        >>> from dml_vk import Buffer
        >>> buffer = Buffer(4)
        >>> with buffer.map() as array:
        ...     array[:] = [1, 2, 3, 4]
        >>> buffer.read().tolist()
        [1, 2, 3, 4]
        """
        with self.tensor((self.nbytes,), uint8).map() as array:
            yield array

    def fill(self, word: int) -> None:
        """Fill the buffer with a 32-bit word, least significant byte first; the last may be cut."""
        value = to_int("Buffer.fill", "word", word)
        if not -(2**31) <= value < 2**32:
            raise RangeError("Buffer.fill", "word must have 32 bits", word=value)
        fill_constant("Buffer.fill", self._words(), uint32, value % 2**32)

    def copy_from(self, buffer: Buffer) -> None:
        """Copy the bytes of another buffer of the same size, which may be on another device.

        >>> from dml_vk import Buffer
        >>> source, target = Buffer(4), Buffer(4)
        >>> source.write(b"ABCD")
        >>> target.copy_from(source)
        >>> bytes(target.read())
        b'ABCD'
        """
        if not isinstance(buffer, Buffer):
            kind = type(buffer).__name__
            raise DTypeError("Buffer.copy_from", "buffer must be a Buffer", buffer=kind)
        if buffer.nbytes != self.nbytes:
            rule = f"buffer must have {self.nbytes} bytes"
            raise LayoutError("Buffer.copy_from", rule, nbytes=buffer.nbytes)
        if buffer.device is self.device:
            copy_elements("Buffer.copy_from", buffer._words(), self._words(), ASKED)
        else:
            self.write(buffer.read())

    def tensor(self, layout: Layout | Sequence[int], dtype: DTypeLike) -> Tensor:
        """Return a tensor over this memory, with elements of this dtype in this layout.

        Instead of a layout, sizes can be given, for row-major order.

        >>> import dml_vk
        >>> buffer = dml_vk.Buffer(24)
        >>> x = buffer.tensor(dml_vk.Layout((2, 3), (1, 2)), "float32")
        >>> x[...] = dml_vk.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        >>> buffer.read("float32").tolist()
        [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]
        """
        if not isinstance(layout, Layout):
            with ErrorsAs("Buffer.tensor", sizes="layout"):
                layout = Layout(to_ints("Buffer.tensor", "layout", layout))
        kind = _to_dtype("Buffer.tensor", dtype)
        view = View(self.device, self.allocation, layout, kind)
        check_fits("Buffer.tensor", view, "layout")
        return Tensor(view)

    def __repr__(self) -> str:
        return f"Buffer({self.nbytes}, device={self.device.name!r})"

    def _words(self) -> View:
        """View all memory as words; allocations are rounded up to a multiple of 256 bytes."""
        count = -(-self.nbytes // WORD_BYTES)
        return View(self.device, self.allocation, Layout((count,)), uint32)


def _to_dtype(what: str, spec: object) -> DType:
    """Convert to a dtype; members of DirectML's DataType are accepted too."""
    return to_dtype(what, spec.name.lower() if isinstance(spec, enum.Enum) else spec)


def _source(data: Array | bytes | bytearray | memoryview) -> Array | memoryview:
    """View what is to be written, without a copy, which might be far larger than the buffer."""
    try:
        source = data if isinstance(data, np.ndarray) else memoryview(data)
    except TypeError:
        source = None
    if source is None or (isinstance(source, np.ndarray) and source.dtype.hasobject):
        rule = "data must be bytes or an array of numbers"
        raise DTypeError("Buffer.write", rule, data=type(data).__name__)
    return source


def _bytes_of(source: Array | memoryview) -> Bytes:
    """Return the bytes in logical order, copied only if they are not contiguous."""
    if isinstance(source, memoryview):
        return np.frombuffer(source if source.c_contiguous else source.tobytes(), np.uint8)
    return np.ascontiguousarray(source).reshape(-1).view(np.uint8)
