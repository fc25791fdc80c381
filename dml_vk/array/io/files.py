"""Tensors in files: `.npy` for one, `.npz` and `.safetensors` for several by name.

NumPy reads each array in its logical shape. Its format only has two memory orders, row-major and
the reverse. If a tensor has another one, a second array follows the first in the same file, or in
the same member of an archive, with the dtype `[("dml_vk_order", "u1")]`: the dims, outermost first.
`np.load` reads the first array only; called again with the same open file, it reads the second.
"""

from __future__ import annotations

import errno
import io
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, cast

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.array.creation.arrays import asarray
from dml_vk.array.io import safetensors
from dml_vk.errors import DeviceMemoryError, DmlVkError, DTypeError, ErrorsAs, RangeError
from dml_vk.strides.order import row_major
from dml_vk.tensor.core import DeviceLike, Tensor
from dml_vk.tensor.host import Array
from dml_vk.tensor.operands import to_tensor

ORDER = np.dtype([("dml_vk_order", "u1")])
SUFFIX = ".npy"  # of a file, and of each member of an archive
ARCHIVE = ".npz"
SAFETENSORS = ".safetensors"
_UNNAMED = "arr_0"  # NumPy's name for it
_MOST_BYTES = 1024  # of the second array, which has as many elements as NumPy's arrays have dims


def save(
    path: str | os.PathLike[str], x: Tensor | Mapping[str, Tensor] | None = None, /, **named: Tensor
) -> None:
    """Write a tensor to a `.npy` file, or several by name to a `.npz` file, with their formats.

    Several may also go to a `.safetensors` file, which has no formats, and no complex128. They are
    keyword arguments or a dict. The file is renamed to its final name when it is complete.

    >>> import os, tempfile
    >>> import dml_vk
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "image.npy")
    ...     dml_vk.save(path, dml_vk.empty((2, 3, 4, 5), memory_format=dml_vk.channels_last))
    ...     dml_vk.load(path).memory_format
    channels_last
    """
    target = _path("save", path)
    positional = dict(x) if isinstance(x, Mapping) else {} if x is None else {_UNNAMED: x}
    if x is None and not named:
        to_tensor("save", "x", x)
    if target.suffix == SUFFIX and (named or x is None or isinstance(x, Mapping)):
        rule = "a .npy file holds exactly one Tensor; use .npz for several"
        raise DTypeError("save", rule, x=type(x).__name__, named=tuple(named))
    if both := positional.keys() & named.keys():
        raise RangeError("save", "names must not repeat", names=tuple(sorted(both)))
    tensors = {
        _name(name): to_tensor("save", "x", tensor)
        for name, tensor in {**positional, **named}.items()
    }
    unfinished = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with unfinished.open("wb") as stream:
            if target.suffix == SUFFIX:
                _write(stream, tensors[_UNNAMED])
            elif target.suffix == SAFETENSORS:
                safetensors.write(stream, tensors)
            else:
                _write_archive(stream, tensors)
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def load(
    path: str | os.PathLike[str], /, *, device: DeviceLike = None
) -> Tensor | dict[str, Tensor]:
    """Load the tensor of a `.npy` file, or a dict of those in a `.npz` or `.safetensors` file.

    The file may be written by `save` or by others. Pickled objects are refused. bfloat16 becomes
    float32, which holds all of its numbers.

    >>> import os, tempfile
    >>> import dml_vk
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "all.npz")
    ...     dml_vk.save(path, x=dml_vk.asarray([1, 2]), y=dml_vk.asarray(0.5))
    ...     {name: x.tolist() for name, x in dml_vk.load(path).items()}
    {'x': [1, 2], 'y': 0.5}
    """
    source = _path("load", path)
    with source.open("rb") as stream:
        if source.suffix == SUFFIX:
            return _read(stream, source, device)
        if source.suffix == SAFETENSORS:
            with _readable(source):
                arrays = safetensors.read(stream)
            with ErrorsAs("load"):
                return {name: asarray(array, device=device) for name, array in arrays.items()}
        with _readable(source):
            archive = zipfile.ZipFile(stream)
        tensors = {}
        for member in archive.namelist():
            with _readable(source), archive.open(member) as part:
                tensors[member.removesuffix(SUFFIX)] = _read(part, f"{source}/{member}", device)
        return tensors


def _path(what: str, path: str | os.PathLike[str]) -> Path:
    try:
        text = os.fspath(path)
    except TypeError:
        text = None
    if not isinstance(text, str) or "\0" in text:
        raise DTypeError(what, "path must be a string or a path", path=path)
    file = Path(text)
    if file.suffix not in (SUFFIX, ARCHIVE, SAFETENSORS):
        raise RangeError(what, "path must end in .npy, .npz or .safetensors", path=text)
    return file


def _name(name: object) -> str:
    if not isinstance(name, str) or not 0 < len(name) < 1000 or not name.isprintable():
        raise RangeError(
            "save", "names must be printable strings of 1 to 999 characters", name=name
        )
    return name


def _write_archive(stream: IO[bytes], tensors: Mapping[str, Tensor]) -> None:
    with zipfile.ZipFile(stream, "w") as archive:
        for name, tensor in tensors.items():
            with archive.open(f"{name}{SUFFIX}", "w", force_zip64=True) as part:
                _write(part, tensor)


def _write(stream: IO[bytes], x: Tensor) -> None:
    array, stream = x.numpy(), _by_pieces(stream)
    np.lib.format.write_array(stream, array, allow_pickle=False)
    if x.layout.order != _numpy_order(array):
        order = np.array(x.layout.order, np.uint8).view(ORDER)
        np.lib.format.write_array(stream, order, allow_pickle=False)


def _by_pieces(stream: IO[bytes]) -> IO[bytes]:
    """Wrap a stream so that NumPy copies in pieces: it writes files in one uninterruptible step."""
    wrapper: object = SimpleNamespace(read=stream.read, write=stream.write)
    return cast(IO[bytes], wrapper)


def _read(stream: IO[bytes], name: object, device: DeviceLike) -> Tensor:
    with _readable(name):
        array = np.lib.format.read_array(_by_pieces(stream), allow_pickle=False)
    order = _read_order(stream, array)
    with ErrorsAs("load"):
        return asarray(array, device=device, memory_format=order)


def _read_order(stream: IO[bytes], array: Array) -> Any:
    """Return the order of dims that follows the array, or else the array's own order."""
    rest = stream.read(_MOST_BYTES)
    try:
        extra = np.lib.format.read_array(io.BytesIO(rest), allow_pickle=False)
        order = tuple(extra["dml_vk_order"].tolist()) if extra.dtype == ORDER else ()
    except Exception:  # Nothing follows, or something that other programs wrote.
        if b"dml_vk_order" in rest:
            rule = "the file is truncated: the order of its dims is cut off"
            raise RangeError("load", rule, bytes=len(rest)) from None
        order = ()
    if sorted(order) == list(range(array.ndim)):
        return order
    return _numpy_order(array)


def _numpy_order(array: Array) -> Ints:
    """Return row-major order, or the reverse if only that is contiguous."""
    dims = row_major(array.ndim)
    return dims[::-1] if array.flags.f_contiguous and not array.flags.c_contiguous else dims


@contextmanager
def _readable(name: object) -> Iterator[None]:
    """Convert anything that NumPy or zipfile raises for an invalid file to a RangeError."""
    try:
        yield
    except DmlVkError:
        raise
    except MemoryError as error:
        rule = f"out of host memory ({error})"
        raise DeviceMemoryError("load", rule, file=str(name)) from None
    except Exception as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise  # From the system. EINVAL comes from a parser that seeks before the start.
        rule = f"cannot read the file ({error})"
        raise RangeError("load", rule, file=str(name)) from None
