"""Tensors in files that NumPy reads and writes: `.npy` for one, `.npz` for several by name.

NumPy finds each array as it is, in its logical shape. Its files know two orders in memory,
row-major and the reverse. Where a tensor has another, a second array follows the first in the same
file, or in the same member of an archive, with the dtype `[("dml_vk_order", "u1")]`: the dims,
outermost first. `np.load` reads the first alone, and called again with the same open file, the
second.
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

from dml_vk.creation import Wanted, asarray
from dml_vk.error_names import ErrorsAs
from dml_vk.errors import DeviceMemoryError, DmlVkError, DTypeError, RangeError, explain
from dml_vk.host import Array
from dml_vk.operands import to_tensor
from dml_vk.strides.order import Ints, row_major
from dml_vk.tensor import Tensor

ORDER = np.dtype([("dml_vk_order", "u1")])
SUFFIX = ".npy"  # of a file, and of each member of an archive
ARCHIVE = ".npz"
_UNNAMED = "arr_0"  # NumPy's name for it
_MOST_BYTES = 1024  # of the second array, which has as many elements as NumPy's arrays have dims


def save(path: Any, x: Any = None, /, **named: Tensor) -> None:
    """Write a tensor to a `.npy` file, or several by name to a `.npz` file, formats included.

    Those for `.npz` come by keyword or as a dict. The file takes its name once it is complete.

    >>> import os, tempfile
    >>> import dml_vk
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "image.npy")
    ...     dml_vk.save(path, dml_vk.empty((2, 3, 4, 5), memory_format=dml_vk.channels_last))
    ...     dml_vk.load(path).memory_format
    channels_last
    """
    target = _path("save", path)
    given = dict(x) if isinstance(x, Mapping) else {} if x is None else {_UNNAMED: x}
    if x is None and not named:
        to_tensor("save", "x", x)
    if target.suffix == SUFFIX and (named or x is None or isinstance(x, Mapping)):
        must = "x must be the one Tensor that a .npy file holds; .npz holds several"
        raise DTypeError(explain("save", must, x=type(x).__name__, named=tuple(named)))
    if both := given.keys() & named.keys():
        raise RangeError(explain("save", "names must not repeat", names=tuple(sorted(both))))
    tensors = {_name(name): to_tensor("save", "x", one) for name, one in {**given, **named}.items()}
    unfinished = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with unfinished.open("wb") as stream:
            if target.suffix == SUFFIX:
                _write(stream, tensors[_UNNAMED])
            else:
                _write_archive(stream, tensors)
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def load(path: Any, /, *, device: Wanted = None) -> Tensor | dict[str, Tensor]:
    """The tensor of a `.npy` file, or those of a `.npz` file by name, as `save` or NumPy wrote it.

    Pickled objects in files are refused.

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
        with _readable(source):
            archive = zipfile.ZipFile(stream)
        found = {}
        for member in archive.namelist():
            with _readable(source), archive.open(member) as part:
                found[member.removesuffix(SUFFIX)] = _read(part, f"{source}/{member}", device)
        return found


def _path(what: str, path: Any) -> Path:
    try:
        text = os.fspath(path)
    except TypeError:
        text = None
    if not isinstance(text, str) or "\0" in text:
        raise DTypeError(explain(what, "path must be a path, as text", path=path))
    found = Path(text)
    if found.suffix not in (SUFFIX, ARCHIVE):
        raise RangeError(explain(what, "path must end in .npy or .npz", path=text))
    return found


def _name(name: Any) -> str:
    if not isinstance(name, str) or not 0 < len(name) < 1000 or not name.isprintable():
        raise RangeError(
            explain("save", "names must be printable texts of 1 to 999 characters", name=name)
        )
    return name


def _write_archive(stream: IO[bytes], tensors: Mapping[str, Tensor]) -> None:
    with zipfile.ZipFile(stream, "w") as archive:
        for name, one in tensors.items():
            with archive.open(f"{name}{SUFFIX}", "w", force_zip64=True) as part:
                _write(part, one)


def _write(stream: IO[bytes], x: Tensor) -> None:
    array, stream = x.numpy(), _by_pieces(stream)
    np.lib.format.write_array(stream, array, allow_pickle=False)
    if x.layout.order != _numpys_order(array):
        order = np.array(x.layout.order, np.uint8).view(ORDER)
        np.lib.format.write_array(stream, order, allow_pickle=False)


def _by_pieces(stream: IO[bytes]) -> IO[bytes]:
    """A stream that NumPy takes for no file: those it moves in one step, which Ctrl-C waits for."""
    found: Any = SimpleNamespace(read=stream.read, write=stream.write)
    return cast(IO[bytes], found)


def _read(stream: IO[bytes], name: object, device: Wanted) -> Tensor:
    with _readable(name):
        array = np.lib.format.read_array(_by_pieces(stream), allow_pickle=False)
    order = _read_order(stream, array)
    with ErrorsAs("load"):
        return asarray(array, device=device, memory_format=order)


def _read_order(stream: IO[bytes], array: Array) -> Any:
    """What follows the array, if it is an order of its dims; else the one that NumPy knows of."""
    rest = stream.read(_MOST_BYTES)
    try:
        extra = np.lib.format.read_array(io.BytesIO(rest), allow_pickle=False)
        order = tuple(extra["dml_vk_order"].tolist()) if extra.dtype == ORDER else ()
    except Exception:  # Nothing follows, or what others wrote there, in whatever form.
        if b"dml_vk_order" in rest:
            must = "the file must be whole, but the order of its dims is cut off"
            raise RangeError(explain("load", must, bytes=len(rest))) from None
        order = ()
    if sorted(order) == list(range(array.ndim)):
        return order
    return _numpys_order(array)


def _numpys_order(array: Array) -> Ints:
    """Row-major, or the reverse where it is that alone."""
    dims = row_major(array.ndim)
    return dims[::-1] if array.flags.f_contiguous and not array.flags.c_contiguous else dims


@contextmanager
def _readable(name: object) -> Iterator[None]:
    """Whatever the parsers of others raise at what is no such file."""
    try:
        yield
    except DmlVkError:
        raise
    except MemoryError as error:
        must = f"there must be room on the host ({error})"
        raise DeviceMemoryError(explain("load", must, file=str(name))) from None
    except Exception as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise  # The machine's. To seek before the start is the parser's.
        must = f"the file must be one of arrays that NumPy or save wrote ({error})"
        raise RangeError(explain("load", must, file=str(name))) from None
