"""What other libraries and Python itself ask of a Tensor: arrays, DLPack, namespaces, numbers."""

from __future__ import annotations

import operator
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from dml_vk import host
from dml_vk.dtypes import DType
from dml_vk.errors import DmlVkError, DTypeError, LayoutError, explain
from dml_vk.late import Late
from dml_vk.strides.order import to_bool_or_none

if TYPE_CHECKING:
    from dml_vk import numpy_protocols
    from dml_vk.host import Array
else:  # It imports tensors itself.
    numpy_protocols = Late("dml_vk.numpy_protocols")

CPU = 1  # what DLPack calls the host
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")  # of the array API
NUMPY_HAS_VERSIONS = np.lib.NumpyVersion(np.__version__) >= "2.1.0"  # of DLPack


class TensorProtocols:
    """Numbers of one element, and memory for others to look at."""

    __slots__ = ()

    def __bool__(self: Any) -> bool:
        """The truth of its one element."""
        return bool(self._number("bool"))

    def __int__(self: Any) -> int:
        return int(self._number("int"))

    def __float__(self: Any) -> float:
        return float(self._number("float"))

    def __complex__(self: Any) -> complex:
        return complex(self._number("complex"))

    def __index__(self: Any) -> int:
        if self.dtype.kind not in "iu" or self.shape:
            must = "x must be an integer of no dims"
            tensor = self
            raise DTypeError(explain("index", must, dtype=tensor.dtype, shape=tensor.shape))
        return operator.index(self._number("index"))

    def _number(self: Any, what: str) -> Any:
        if self.size != 1:
            more = "; any() and all() are for more" if what == "bool" else ""
            raise LayoutError(explain(what, f"there must be one element{more}", shape=self.shape))
        return self.item()

    def __array_namespace__(self: Any, *, api_version: str | None = None) -> ModuleType:
        """`dml_vk`, an array namespace of the Python array API standard."""
        known = isinstance(api_version, str) and api_version in VERSIONS
        if api_version is not None and not known:
            must = f"api_version must be one of {', '.join(VERSIONS)}"
            raise DTypeError(explain("__array_namespace__", must, api_version=api_version))
        import dml_vk

        return dml_vk

    def __array__(self: Any, dtype: Any = None, copy: bool | None = None) -> Array:
        """For NumPy's functions: the memory itself where the host sees it.

        Elsewhere it is a copy that is not to be written, for nobody would see it. In another dtype,
        or with `copy=True`, it is an array of its own.
        """
        copy = to_bool_or_none("__array__", "copy", copy)
        kind = np.dtype(self.dtype.numpy_name)
        try:
            if isinstance(getattr(dtype, "dtype", None), DType):
                raise TypeError("a tensor is none")  # though an older NumPy asks it for its own
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
            must = f"dtype must be one that NumPy makes of numbers ({error})"
            raise DTypeError(explain("__array__", must, dtype=dtype)) from None
        if array is None:
            must = "copy must not be False where memory is not the host's, or the dtype another"
            raise LayoutError(explain("__array__", must, copy=copy, dtype=dtype))
        return array

    @property
    def __array_struct__(self: Any) -> Any:
        """The memory itself, for NumPy; not there where the host does not see it."""
        return self._shown("__array_struct__").__array_struct__

    @property
    def __array_interface__(self: Any) -> dict[str, Any]:
        """Where the memory lies, for others; not there where the host does not see it.

        Who is told is not known to let go, so work on the tensor is done at once from now on.
        """
        memory = self._shown("__array_interface__", self)
        return {**memory.__array_interface__, "strides": memory.strides}

    def _shown(self: Any, what: str, holder: object = None) -> Array:
        try:
            memory = host.shown_memory(what, self, holder)
        except LayoutError as error:
            raise AttributeError(str(error)) from None
        if memory is None:
            must = "memory must be the host's: np.asarray copies it"
            raise AttributeError(explain(what, must, device=self.device))
        return memory

    def __array_ufunc__(self: Any, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        """NumPy's elementwise functions are ours of the same meaning: docs/protocols.md."""
        return numpy_protocols.ufunc(ufunc, method, inputs, named)

    def __array_function__(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's other functions, where there is one of the same meaning here."""
        return numpy_protocols.function(self, func, types, args, kwargs)

    def __dlpack__(
        self: Any,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """The memory itself for others on the host, where it is seen there; else, a copy of it.

        Pending work is done first, and later work on it at once, as long as somebody holds it. What
        runs backwards is copied too, since there are consumers that a negative stride kills.
        """
        if stream is not None or not (dl_device is None or _is_host(dl_device)):
            must = "memory must go to the host, which has no streams"
            raise BufferError(explain("__dlpack__", must, stream=stream, dl_device=dl_device))
        copy = to_bool_or_none("__dlpack__", "copy", copy)
        if not _is_version(max_version):
            must = "max_version must be two integers"
            raise DTypeError(explain("__dlpack__", must, max_version=max_version))
        backwards = any(stride < 0 for stride in self.strides)
        memory = None if copy or backwards else host.own_memory("__dlpack__", self)
        if memory is None:
            if copy is False:
                must = "copy must not be False where memory is not the host's, or runs backwards"
                raise BufferError(explain("__dlpack__", must, copy=copy, strides=self.strides))
            memory = self.numpy()
        newer = NUMPY_HAS_VERSIONS and max_version is not None
        versioned: dict[str, Any] = {"max_version": max_version} if newer else {}
        return memory.__dlpack__(**versioned)

    def __dlpack_device__(self: Any) -> tuple[int, int]:
        return CPU, 0


def _is_version(version: Any) -> bool:
    if version is None:
        return True
    whole = isinstance(version, tuple) and all(isinstance(one, int) for one in version)
    return whole and len(version) == 2 and max(map(abs, version)) < 2**31


def _is_host(device: Any) -> bool:
    return isinstance(device, (tuple, list)) and tuple(device) == (CPU, 0)
