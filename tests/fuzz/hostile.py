"""Arguments that nobody asked for, as expressions: what is printed of a call can be typed again.

An error whose innermost frame lies in this file is the foreign object's own.
"""

from __future__ import annotations

import array
import collections
import decimal
import fractions
import itertools
import math
import random
import struct
from typing import Any

import numpy as np

import dml_vk
from dml_vk import directml
from dml_vk.layout import Layout


class OwnError(Exception):
    """An error that only a foreign object raises."""


def raises(method: str, error: type[Exception] = OwnError, /, **more: Any) -> Any:
    """An object whose method or property of this name raises."""

    def fail(self: Any, *_: Any, **__: Any) -> Any:
        raise error("the object's own")

    attribute = property(fail) if method in PROPERTIES else fail
    hashes = {"__hash__": object.__hash__} if method == "__eq__" else {}
    return type("Raises", (), {method: attribute, **hashes, **_methods(more)})()


def gives(base: type = object, start: tuple[Any, ...] = (), **answers: Any) -> Any:
    """An object whose methods and properties of these names answer so, whatever they are asked."""
    return type("Gives", (base,), _methods(answers))(*start)


def _methods(answers: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, answer in answers.items():
        if name in PROPERTIES or answer is None:
            made[name] = answer
        elif name == "__getitem__":
            made[name] = _few(answer)
        else:
            made[name] = lambda self, *_, _answer=answer, **__: _answer
    return made


def _few(answer: Any) -> Any:
    """Not for every index: NumPy too would read such an object for ever."""

    def get(self: Any, at: Any) -> Any:
        if isinstance(at, int) and at > 4:
            raise IndexError
        return answer

    return get


def nested(depth: int) -> list[Any]:
    found: list[Any] = [1]
    for _ in range(depth):
        found = [found]
    return found


def itself() -> list[Any]:
    found: list[Any] = [1]
    found.append(found)
    return found


def readonly() -> Any:
    found = np.arange(6.0).reshape(2, 3)
    found.flags.writeable = False
    return found


def shrinking() -> Any:
    """A list that grows shorter while it is read."""
    values = [2, 3, 4]

    class Shrinking(list[Any]):
        def __iter__(self) -> Any:
            while values:
                yield values.pop()

    return Shrinking(values)


PROPERTIES = {
    "__array_interface__", "__array_struct__", "__array_priority__", "__class__", "__name__", "T",
    "dtype", "shape", "strides", "name", "ndim", "size", "device", "layout", "strided", "isnative",
    "kind", "itemsize", "index", "numel",
}  # fmt: skip
NUMBERS = """
nan; inf; -inf; -0.0; 0.5; -1.5; 1e300; 5e-324; 3.0; 65520.0; -1; 0; 1; 2; 3; 7; -3; 255; 256; -129
2**31; -2**31; 2**31 - 1; 2**32; 2**32 - 1; 2**63; 2**63 - 1; -2**63; 2**64; 2**64 - 1; 2**70
-2**70; 10**400; -10**400; 10**5000; True; False; 1j; complex(nan); Decimal("1.5"); Decimal("NaN")
Decimal(2); Fraction(1, 3); Fraction(4, 2); Fraction(10**400, 3); np.float16(2); np.int8(-1)
np.uint64(2**64 - 1); np.longdouble(1.5); np.longdouble("1e4000"); np.float64(nan); np.bool_(True)
np.complex64(1j); np.datetime64("2020-01-01"); np.timedelta64(3, "D"); np.datetime64("NaT")
np.str_("3"); np.bytes_(b"3"); np.void(b"abcd"); np.array(3); np.array(1.5); np.array([2])
np.intp(1); "3"; "nan"; "1"; b"1"
"""
OBJECTS = """
None; Ellipsis; NotImplemented; ""; "x"; "NHWC"; "float32"; "max"; "i4"; "a, b"; "ij,jk->ik"; b""
b"\\0\\1"; bytearray(4); memoryview(b"abcd"); slice(None); slice(1.5, "x", None)
slice(None, None, 0); slice(2**70, -2**70, -2**70); slice(None, None, -1); range(3); range(10**30)
[]; (); {}; set(); {1: 2}; {"axis": 0}; [1, [2, 3]]; [[1], [1, 2]]; (1, -1); (-1, -1); (0, 0)
(0, 1); (1, 0); (2**40, 2**40); (2**16,) * 4; (2**31,); (2**62, 4); (2**70, 0); (1,) * 40; (1,) * 70
(None,); ("a",); (1.5,); (nan,); (True, False); [nan]; [None]; [[]]; [1, None]; [10**400]; [2**64]
iter((1, 2)); count(); (i for i in range(3)); map(int, "12"); nested(50); itself(); shrinking()
collections.deque([1, 2]); array.array("i", [1, 2]); collections.OrderedDict(a=1); frozenset({1})
np.ones((3, 4), np.int32); np.array(None); np.array([None, "x"], object); np.array(["a"])
np.zeros(3, "M8[s]"); np.zeros(2, [("a", "i4")]); np.zeros(3, ">f4"); np.asmatrix([[1, 2]])
np.ma.array([1, 2], mask=[0, 1]); np.broadcast_to(np.float32(1), (2**20, 2**20)); readonly()
np.zeros((0, 3)); np.zeros((1,) * 30); np.zeros(3, np.longdouble); np.zeros(3, "c8"); np.zeros(0)
np.array([True, False]); np.array([0, 1]); np.array([0.5]); np.array(0)
np.zeros((2, 2), "i8")[::-1]; np.rec.array([(1, 2)]); np.random.default_rng(0); np.add; np.ndarray
np.float32; np.dtype("c8"); np.dtype("V4"); np.dtype(">i4"); np.dtype("O"); np.dtype("S3"); np; math
int; float; complex; str; len; object(); object; type; print; (lambda *_, **__: 1); OwnError()
KeyError("x"); random.Random(1); dml_vk; dml_vk.float32; dml_vk.int64; dml_vk.bool_
dml_vk.complex64; dml_vk.channels_last; dml_vk.preserve_format; dml_vk.contiguous_format
dml_vk.device(); dml_vk.Tensor; dml_vk.add; dml_vk.random.Generator(1); dml_vk.asarray([1, 2])
dml_vk.asarray(0.5); dml_vk.asarray(1); dml_vk.empty((0, 4)); dml_vk.asarray([nan, inf])
dml_vk.asarray([True, False]); Layout((2, 3)); Layout((2,), (2**40,)); Layout((2**40,), (0,))
Layout((0, 3)); Layout(()); directml.Buffer(8); dml_vk.zeros((1,) * 9)
dml_vk.asarray([1.0]).expand(2**33); dml_vk.asarray([1.0]).expand(2**20); directml.DataType.FLOAT32
directml.DataType.INT4; directml.TensorFlags.NONE; dml_vk.LayoutError
directml.TensorFlags.OWNED_BY_DML; directml.BufferTensorDesc(directml.DataType.FLOAT32, (2, 3))
raises("__index__"); raises("__index__", ValueError); raises("__index__", KeyError)
raises("__float__"); raises("__float__", OverflowError); raises("__int__"); raises("__bool__")
raises("__bool__", ValueError); raises("__len__"); raises("__len__", RuntimeError)
raises("__len__", __getitem__=1); raises("__getitem__", __len__=2)
raises("__getitem__", ValueError, __len__=2); raises("__iter__"); raises("__iter__", ValueError)
raises("__next__", ValueError, __iter__=None); raises("__eq__"); raises("__eq__", ValueError)
raises("__hash__"); raises("__hash__", ValueError); raises("__repr__")
raises("__repr__", ValueError); raises("__str__"); raises("__array__")
raises("__array__", ValueError); raises("__array__", MemoryError); raises("__array_interface__")
raises("__array_interface__", ValueError); raises("__array_struct__", ValueError)
raises("__dlpack__", __dlpack_device__=(1, 0))
raises("__dlpack__", ValueError, __dlpack_device__=(1, 0))
raises("__dlpack_device__", __dlpack__=1); raises("__array_ufunc__"); raises("__array_function__")
raises("__radd__"); raises("__rmatmul__"); raises("__fspath__"); raises("__fspath__", KeyError)
raises("__getattribute__"); raises("__getattribute__", ValueError)
raises("__getattribute__", AttributeError); raises("__class__"); raises("__class__", ValueError)
raises("__contains__"); raises("keys"); raises("dtype", ValueError); raises("name", ValueError)
raises("shape", ValueError); raises("isnative", ValueError, name="float32"); raises("__enter__")
raises("__call__"); raises("__format__"); raises("__reduce__"); raises("__instancecheck__")
raises("__length_hint__"); gives(__index__=3); gives(__index__="x"); gives(__index__=2**70)
gives(__index__=True); gives(__float__=1.5); gives(__float__="x"); gives(__int__=3)
gives(__bool__=3); gives(__bool__=None); gives(__len__=-1); gives(__len__=2**70); gives(__len__="x")
gives(__len__=3); gives(__iter__=3); gives(__iter__=None); gives(__len__=3, __getitem__=1)
gives(__len__=2, __getitem__="x"); gives(__len__=-1, __getitem__=1); gives(__eq__=3, __hash__=1)
gives(__eq__="x", __hash__="x"); gives(__eq__=np.array([True, False]), __hash__=1)
gives(__hash__=None); gives(__repr__=3); gives(__repr__="\\0\\n"); gives(__array__=None)
gives(__array__=3); gives(__array__="x"); gives(__array__=np.array(["x"]))
gives(__array__=np.zeros(2)); gives(__array__=np.array(None))
gives(__array__=dml_vk.asarray([1, 2])); gives(__array_interface__=3); gives(__array_interface__={})
gives(__array_interface__={"shape": (2,), "typestr": "x", "version": 3})
gives(__array_interface__={"shape": (-2,), "typestr": "<f4", "version": 3})
gives(__array_interface__={"shape": 3, "typestr": "<f4", "version": 3, "data": b"abcdabcdabcd"})
gives(__array_interface__={"shape": (3,), "typestr": "<f4", "version": 3, "data": b"abcdabcdabcd"})
gives(__array_struct__=3); gives(__dlpack__=3, __dlpack_device__=(1, 0)); gives(__dlpack__=3)
gives(__dlpack__=None, __dlpack_device__=(1, 0)); gives(__dlpack__=3, __dlpack_device__="x")
gives(__dlpack__=3, __dlpack_device__=(2, 0)); gives(__array_ufunc__=None); gives(__array_ufunc__=7)
gives(__array_function__=7); gives(__array_priority__=1e9); gives(__radd__=7); gives(__rmatmul__=7)
gives(__fspath__=3); gives(__fspath__=b"x.npy"); gives(__fspath__="x"); ; gives(name="float32")
gives(name=3); gives(name="float32", isnative=3); gives(dtype="float32")
gives(shape=(2, 3), dtype=dml_vk.float32, device="cpu", ndim=2, size=6, strides=(3, 1))
gives(shape=(2, 3), dtype=np.float32, layout=Layout((2, 3)), strided=None, device=None)
gives(keys=("a",), __getitem__=1); gives(keys=3, __getitem__=1); gives(__getitem__=1)
gives(int, (3,), __index__=7); gives(int, (3,), __index__="x")
gives(int, (3,), __eq__=True, __hash__=1); gives(int, (3,), __lt__="x", __mul__="y", __add__=None)
gives(int, (2,), __repr__="two"); gives(float, (1.5,), __float__="x")
gives(float, (nan,), __eq__=True, __hash__=1); gives(str, ("float32",), __eq__=False, __hash__=1)
gives(str, ("x",), __len__=-3); gives(tuple, ((1, 2),), __len__=7)
gives(tuple, ((1, 2),), __iter__=3); gives(list, ((1, 2),), __len__=0)
gives(tuple, ((1, 2),), __getitem__="x"); gives(dict, ((),), __contains__=True, __len__=4)
gives(np.ndarray, ((2, 3),), __array__=3); gives(np.ndarray, ((2, 3),), __len__=9, tolist=3)
type("Sub", (Layout,), {})((2, 3)); type("Sub", (np.ndarray,), {})((2,)); type("float32", (), {})
"""
NAMES = {
    "Decimal": decimal.Decimal,
    "count": itertools.count,
    "Fraction": fractions.Fraction,
    "inf": math.inf,
    "nan": math.nan,
    **{module.__name__: module for module in (array, collections, dml_vk, math, random, struct)},
    **{
        one.__name__: one
        for one in (Layout, OwnError, gives, itself, nested, raises, readonly, shrinking)
    },
    "directml": directml,
    "np": np,
}


def _expressions(text: str) -> tuple[str, ...]:
    found = [one.strip() for line in text.strip().splitlines() for one in line.split("; ")]
    return tuple([one for one in found if one])


numbers, objects = _expressions(NUMBERS), _expressions(OBJECTS)


def value_of(expression: str) -> Any:
    """What an expression of the above stands for: a new one each time."""
    return eval(expression, dict(NAMES))


def draw(rng: random.Random) -> str:
    """Numbers as often as all else."""
    return rng.choice(numbers if rng.random() < 0.4 else objects)
