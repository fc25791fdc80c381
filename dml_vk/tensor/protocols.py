"""Protocols of a Tensor for Python and other libraries: arrays, DLPack, namespaces, numbers."""

# mypy: disable-error-code="misc"
# `self` is a Tensor, whose base this is.

from __future__ import annotations

import operator
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dml_vk.arguments import to_bool_or_none
from dml_vk.dtypes import DType
from dml_vk.errors import DmlVkError, DTypeError, LayoutError, explain
from dml_vk.ops.view import held_bytes
from dml_vk.tensor import host

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor
    from dml_vk.tensor.host import Array

CPU = 1  # DLPack's device type of the host
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")  # of the array API
NUMPY_HAS_VERSIONS = np.lib.NumpyVersion(np.__version__) >= "2.1.0"  # of DLPack


class TensorProtocols:
    """Conversion to Python numbers, and access to the memory for other libraries."""

    __slots__ = ()

    # Libraries choose by it between several kinds of arrays: NumPy has 0, and what holds tensors as
    # its chunks or its data, such as Dask and xarray, has more than 10.
    __array_priority__ = 1.0

    def __bool__(self: Tensor) -> bool:
        """Return the truth value of the only element."""
        return bool(self._number("bool"))

    def __int__(self: Tensor) -> int:
        return int(self._real("int"))

    def __float__(self: Tensor) -> float:
        return float(self._real("float"))

    def __complex__(self: Tensor) -> complex:
        return complex(self._number("complex"))

    def __index__(self: Tensor) -> int:
        if self.dtype.kind not in "iu" or self.shape:
            rule = "x must be a 0-D integer tensor"
            tensor = self
            raise DTypeError("index", rule, dtype=tensor.dtype, shape=tensor.shape)
        return operator.index(self._number("index"))

    def _real(self: Tensor, what: str) -> Any:
        if self.dtype.kind == "c":
            raise DTypeError(what, "x must be real: use real, imag or abs", dtype=self.dtype)
        return self._number(what)

    def _number(self: Tensor, what: str) -> Any:
        if self.size != 1:
            more = ": use any() or all() for several" if what == "bool" else ""
            raise LayoutError(what, f"x must have exactly one element{more}", shape=self.shape)
        return self.item()

    def __sizeof__(self: Tensor) -> int:
        """The bytes of the object and of its elements, as for NumPy's arrays."""
        return object.__sizeof__(self) + held_bytes(self)

    def __array_namespace__(self: Tensor, *, api_version: str | None = None) -> ModuleType:
        """Return `dml_vk`, which implements the Python array API standard."""
        known = isinstance(api_version, str) and api_version in VERSIONS
        if api_version is not None and not known:
            rule = f"api_version must be one of {', '.join(VERSIONS)}"
            raise DTypeError("__array_namespace__", rule, api_version=api_version)
        return sys.modules["dml_vk"]

    def __array__(
        self: Tensor, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> Array:
        """Return an array for NumPy: the memory itself if it is host-visible.

        Otherwise it is a read-only copy, since writes to it would be lost. With another dtype or
        `copy=True`, it is a new array.
        """
        copy = to_bool_or_none("__array__", "copy", copy)
        kind = np.dtype(self.dtype.numpy_name)
        try:
            if isinstance(getattr(dtype, "dtype", None), DType):
                raise TypeError("a tensor is none")  # Older NumPy would use its dtype attribute.
            wanted = kind if dtype is None else np.dtype(dtype)
            array = None
            if not copy and wanted == kind:
                array = host.shown_memory("__array__", self)
            if array is None and copy is not False:
                array = host.to_numpy("__array__", self).astype(wanted, copy=False)
                array.flags.writeable = bool(copy) or wanted != kind
        except DmlVkError:
            raise
        except (TypeError, ValueError) as error:
            rule = f"NumPy cannot convert to this dtype ({error})"
            raise DTypeError("__array__", rule, dtype=dtype) from None
        if array is None:
            rule = "copy=False needs host-visible memory and the same dtype"
            raise LayoutError("__array__", rule, copy=copy, dtype=dtype)
        return array

    @property
    def __array_struct__(self: Tensor) -> object:
        """The memory itself, for NumPy; missing if it is not host-visible."""
        return self._shown("__array_struct__").__array_struct__

    @property
    def __array_interface__(self: Tensor) -> dict[str, object]:
        """The address of the memory, for other libraries; missing if not host-visible.

        It is not known when a reader releases the memory, so from now on, work on the tensor runs
        immediately.
        """
        memory = self._shown("__array_interface__", self)
        return {**memory.__array_interface__, "strides": memory.strides}

    @property
    def ctypes(self: Tensor) -> Any:
        """The address of the memory, for C libraries; missing unless that is all of the elements.

        It must be host-visible and row-major without gaps, for who reads it may not ask for
        strides. From now on, work on the tensor runs immediately.
        """
        memory = self._shown("ctypes", self)
        if not memory.flags.c_contiguous:
            rule = "x must be row-major without gaps: use x.contiguous()"
            raise AttributeError(explain("ctypes", rule, strides=self.strides))
        return memory.ctypes

    def _shown(self: Tensor, what: str, holder: object = None) -> Array:
        try:
            memory = host.shown_memory(what, self, holder)
        except LayoutError as error:
            raise AttributeError(str(error)) from None
        if memory is None:
            rule = "memory is not host-visible: use np.asarray to copy it"
            raise AttributeError(explain(what, rule, device=self.device))
        return memory

    def __dlpack__(
        self: Tensor,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Export the memory itself if it is host-visible, else a copy of it.

        Pending work is completed first, and later work runs immediately as long as the memory is in
        use. Tensors with negative strides are copied too, since some libraries crash on them.
        """
        if stream is not None or not (dl_device is None or _is_host(dl_device)):
            rule = "can only export to the host, without a stream"
            raise BufferError(explain("__dlpack__", rule, stream=stream, dl_device=dl_device))
        copy = to_bool_or_none("__dlpack__", "copy", copy)
        if not _is_version(max_version):
            rule = "max_version must be a pair of integers"
            raise DTypeError("__dlpack__", rule, max_version=max_version)
        backwards = any(stride < 0 for stride in self.strides)
        memory = None if copy or backwards else host.own_memory("__dlpack__", self)
        if memory is None:
            if copy is False:
                rule = "copy=False needs host-visible memory and non-negative strides"
                raise BufferError(explain("__dlpack__", rule, copy=copy, strides=self.strides))
            memory = self.numpy()
        newer = NUMPY_HAS_VERSIONS and max_version is not None
        versioned: dict[str, Any] = {"max_version": max_version} if newer else {}
        return memory.__dlpack__(**versioned)

    def __dlpack_device__(self: Tensor) -> tuple[int, int]:
        return CPU, 0


def _is_version(version: object) -> bool:
    if version is None:
        return True
    if not (isinstance(version, tuple) and all(isinstance(number, int) for number in version)):
        return False
    return len(version) == 2 and max(map(abs, version)) < 2**31


def _is_host(device: object) -> bool:
    return isinstance(device, (tuple, list)) and tuple(device) == (CPU, 0)
