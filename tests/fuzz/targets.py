"""Every public callable: how it is called, what its parameters take, and what it may write."""

from __future__ import annotations

import copy
import functools
import inspect
import operator
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import dml_vk
from dml_vk import directml, fft, layout, linalg, nn, numpy_protocols
from dml_vk.kernels.operators import OPERATORS
from dml_vk.layout import Layout
from dml_vk.numpy_protocols import ufuncs
from dml_vk.numpy_protocols.calls import Call
from dml_vk.observe.copies import Log
from dml_vk.random import Generator

# Attributes without an underscore that other modules of the package use, and users do not.
INTERNAL = {
    *("allocate", "allocation", "info", "launch", "launch_new", "limits", "memory"),
    *("profile", "queue", "reads", "settle", "spec", "staging"),
    *("dispatch", "download", "mapped", "not_captured", "upload", "verify", "written"),
}
# Functions that write one of their operands.
_WRITTEN = {
    "copy": ("dst",), "fill_diagonal": ("a",), "put": ("a",), "putmask": ("a",), "place": ("arr",),
    "put_along_axis": ("x",),
}  # fmt: skip
POSITIONAL = inspect.Parameter.POSITIONAL_ONLY


@dataclass
class Target:
    """`kinds`: what a parameter takes, where its name alone does not say it."""

    name: str
    call: Callable[..., Any]
    parameters: list[inspect.Parameter]
    kinds: dict[str, str] = field(default_factory=dict)
    writes: tuple[str, ...] = ()  # the parameters whose memory may change
    keeps: bool = False  # NumPy keeps the operands where it fails
    pythons: tuple[type[Exception], ...] = ()  # what Python's own protocol demands of it
    patience: float = 1.0  # times as long as other calls may take


def placed(names: str) -> list[inspect.Parameter]:
    return [inspect.Parameter(name.strip("?"), POSITIONAL, default=None if "?" in name else
            inspect.Parameter.empty) for name in names.split()]  # fmt: skip


def of_function(name: str, call: Callable[..., Any], **more: Any) -> Target:
    return Target(name, call, list(inspect.signature(call).parameters.values()), **more)


def of_method(owner: type, name: str, **more: Any) -> Target:
    """A method with its object as `self`, or a property read."""
    label, found = f"{owner.__name__}.{name}", inspect.getattr_static(owner, name)
    if isinstance(found, property) or not callable(getattr(owner, name)):
        return Target(label, operator.attrgetter(name), placed("self"), **more)
    if isinstance(found, (classmethod, staticmethod)):
        return of_function(label, getattr(owner, name), **more)
    return of_function(label, getattr(owner, name), **more)


def public(owner: type) -> list[str]:
    return [name for name in dir(owner) if not name.startswith("_")]


KINDS: dict[str, dict[str, str]] = {
    "dml_vk.copy": {"src": "tensor_src", "dst": "tensor_dst"},
    "dml_vk.matmul": {"x1": "square", "x2": "square"},
    "dml_vk.moveaxis": {"source": "dim"},
    "dml_vk.compile_glsl": {"source": "glsl"},
    "dml_vk.kernel": {"shader": "glsl"},
    "dml_vk.einsum": {"operands": "square"},
    "dml_vk.concat": {"axis": "dim"},
    "dml_vk.save": {"x": "x"},
    "dml_vk.isclose": {"a": "x1", "b": "x2"},
    "dml_vk.allclose": {"a": "x1", "b": "x2"},
    "dml_vk.array_equal": {"a1": "x", "a2": "x"},
    "dml_vk.percentile": {"q": "percent"},
    "dml_vk.nanpercentile": {"q": "percent"},
    "linalg.matrix_norm": {"x": "square"},
    "linalg.trace": {"x": "square"},
    "linalg.cholesky": {"x": "square"},
    "linalg.det": {"x": "square"},
    "linalg.eig": {"x": "square"},
    "linalg.eigh": {"x": "square"},
    "linalg.eigvals": {"x": "square"},
    "linalg.eigvalsh": {"x": "square"},
    "linalg.inv": {"x": "square"},
    "linalg.matrix_power": {"x": "square"},
    "linalg.slogdet": {"x": "square"},
    "linalg.lstsq": {"a": "square", "b": "square"},
    "linalg.solve": {"x1": "square", "x2": "square"},
    "layout.elementwise": {"layouts": "one_layout"},
    "layout.coalesce": {"layouts": "one_layout"},
    "layout.broadcast_sizes": {"sizes": "sizes"},
    "Tensor.over": {"layout": "over"},
    "Tensor.movedim": {"source": "dim", "target": "dim"},
    "Tensor.select": {"index": "dim"},
    "Tensor.narrow": {"start": "one"},
    "Tensor.to": {"wanted": "dtype"},
}


@functools.cache
def targets() -> dict[str, Target]:
    found: dict[str, Target] = {}
    for one in _all():
        one.kinds = KINDS.get(one.name, {}) | one.kinds
        assert found.setdefault(one.name, one) is one, one.name
    return found


def _all() -> Iterator[Target]:
    yield from _namespace()
    yield from _tensor_methods()
    yield from _objects()
    yield from _numpys()
    yield from _programs()


def _namespace() -> Iterator[Target]:
    for name in dict.fromkeys((*dml_vk.__all__, "__array_namespace_info__")):
        value = getattr(dml_vk, name)
        if inspect.isfunction(value) and name != "trace":
            target = of_function(f"dml_vk.{name}", value)
            target.writes = _WRITTEN.get(name, ("out",))
            if name in OPERATORS and OPERATORS[name].parameters:
                target.parameters = [
                    *target.parameters[:1],
                    *placed(" ".join(f"{one}?" for one, _ in OPERATORS[name].parameters)),
                    *target.parameters[2:3],
                ]
            if name in ("load", "save"):
                target.pythons = (OSError,)
            yield target
    for name in linalg.__all__:
        yield of_function(f"linalg.{name}", getattr(linalg, name), writes=("out",))
    for name in fft.__all__:
        yield of_function(f"fft.{name}", getattr(fft, name), writes=("out",))
    for name in nn.__all__:
        yield of_function(f"nn.{name}", getattr(nn, name), writes=("out",))
    for name in ("broadcast_sizes", "coalesce", "concatenate", "elementwise"):
        yield of_function(f"layout.{name}", getattr(layout, name))
    for name in ("calc_buffer_tensor_size", "calculate_strides"):
        yield of_function(f"directml.{name}", getattr(directml, name))
    for owner in (Layout, Generator, directml.Buffer, dml_vk.Device, dml_vk.Tensor):
        signature = inspect.signature(owner)
        yield Target(owner.__name__, owner, list(signature.parameters.values()))


UNARY = "neg pos abs invert"
BINARY = "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift"
COMPARE = "eq ne lt le gt ge"


def _tensor_methods() -> Iterator[Target]:
    for name in public(dml_vk.Tensor):
        if name not in {*INTERNAL, "map"}:
            yield of_method(dml_vk.Tensor, name)
    yield Target("Tensor.map", _mapped, placed("self value"), writes=("self",))
    for name in UNARY.split():
        yield Target(f"operator.{name}", getattr(operator, name), placed("self"))
    for name in (BINARY + " " + COMPARE).split():
        call = getattr(operator, name)
        yield Target(f"operator.{name}", call, placed("self other"))
        yield Target(f"reflected.{name}", _swapped(call), placed("self other"))
    for name in BINARY.split():
        call = getattr(operator, f"i{name.strip('_')}")
        yield Target(f"operator.i{name}", call, placed("self other"), writes=("self",))
    yield Target("operator.getitem", operator.getitem, placed("self key"))
    yield Target("operator.setitem", operator.setitem, placed("self key other"), writes=("self",))
    yield Target("operator.delitem", operator.delitem, placed("self key"))
    yield Target("operator.contains", operator.contains, placed("self other"))
    for call in (bool, float, complex, operator.index, len, list, hash, repr, str, copy.copy):
        yield Target(f"python.{call.__name__}", call, placed("self"))
    beyond = OverflowError, ValueError  # of infinity and NaN
    yield Target("python.int", int, placed("self"), pythons=beyond)
    yield Target("python.round", round, placed("self one?"), pythons=beyond)
    yield Target("python.divmod", divmod, placed("self other"))
    yield Target("python.rdivmod", _swapped(divmod), placed("self other"))
    yield Target("python.deepcopy", copy.deepcopy, placed("self"))
    yield Target("python.format", format, placed("self form"))
    yield Target("python.round_trip", lambda x: pickle.loads(pickle.dumps(x)), placed("self"))
    yield Target("python.unpickle", _rebuilt, placed("self value? value? value?"))
    yield Target("python.setattr", _set, placed("self name value"))
    for name in ("__array_namespace__", "__dlpack_device__"):
        yield of_method(dml_vk.Tensor, name)
    # NumPy's warning of NaN as an integer.
    yield of_method(dml_vk.Tensor, "__array__", pythons=(RuntimeWarning,))
    yield of_method(dml_vk.Tensor, "__dlpack__", pythons=(BufferError,))


# What methods are called on.
OWN = {
    "Layout": "Layout((2, 3, 4, 5)); Layout((0, 3)); Layout((5,), (-1,), 4); Layout(()); "
    "Layout((2, 3, 4), (24, 1, 5), 3); Layout((2**40, 4), (0, 2**60))",
    "Generator": "dml_vk.random.Generator(1)",
    "Buffer": "directml.Buffer(8); directml.Buffer(100)",
    "Device": "dml_vk.device()",
}


def _objects() -> Iterator[Target]:
    own = {owner: "=" + "|".join(texts.split("; ")) for owner, texts in OWN.items()}
    for owner in (Layout, Generator, directml.Buffer, dml_vk.Device):
        for name in public(owner):
            target = of_method(owner, name, writes=("out",))
            if target.parameters and target.parameters[0].name == "self":
                target.kinds = {"self": own[owner.__name__]}
            if name not in INTERNAL:
                yield target
    one = {"self": own["Layout"]}
    for name in ("eq", "ne", "lt", "contains", "getitem", "add"):
        label = f"Layout.operator.{name}"
        yield Target(label, getattr(operator, name), placed("self value"), one)
    for call in (hash, repr, str, copy.copy, copy.deepcopy, pickle.dumps, Layout._repr_svg_):
        yield Target(f"Layout.python.{call.__name__}", call, placed("self"), one)
    yield Target("Layout.setattr", _set, placed("self name value"), one, pythons=(AttributeError,))
    generator = {"self": own["Generator"]}
    yield Target("Generator.set", _set_stream, placed("self name value"), generator)
    yield Target("Device.memory_limit.set", _limited, placed("value"))
    one = {"self": "=dml_vk.float32|dml_vk.bool_|dml_vk.complex64"}
    for name in ("eq", "ne", "lt"):
        yield Target(f"DType.{name}", getattr(operator, name), placed("self value"), one)
    yield Target("trace", _traced, placed("self strict"))
    yield Target("Log", lambda strict, *_: (Log(strict).summary(), repr(Log(strict))),
                 placed("strict value?"))  # fmt: skip


def _numpys() -> Iterator[Target]:
    for function, call in numpy_protocols.FUNCTIONS.items():
        if isinstance(call, Call) and "partition" not in call.what:  # which leaves much open
            names = " ".join([*call.placed, *[f"{one}?" for one in call.named]])
            kinds = {name: KIND_OF_NUMPYS.get(name, name) for name in [*call.placed, *call.named]}
            name = f"numpy.{call.what.removeprefix('numpy.')}"
            writes = ("out", "dst") if "copyto" in name or "out" in kinds else ()
            yield Target(name, function, placed(names.replace("...", "self")), kinds, writes)
    for function in ufuncs.UFUNCS:
        arity = "self other out?" if function.nin == 2 else "self out?"
        yield Target(f"numpy.{function.__name__}", function, placed(arity), {}, ("out",))
        if function.nin == 2:
            call = placed("self axis? dtype? out? keepdims?")
            name = f"numpy.{function.__name__}.reduce"
            yield Target(name, function.reduce, call, {}, ("out",), keeps=True)
    for name in ("accumulate", "at", "outer", "reduceat"):
        call = placed("self axis?" if name == "accumulate" else "self other other?")
        yield Target(f"numpy.add.{name}", getattr(np.add, name), call, keeps=True)
    for name in ("linalg.cond", "divmod", "spacing", "logaddexp2"):
        yield Target(f"numpy.{name}", operator.attrgetter(name)(np), placed("self other?"))


# NumPy's names for what ours call otherwise.
KIND_OF_NUMPYS = {
    "a": "self", "a1": "self", "a2": "self", "A": "self", "ar": "self", "arr": "self", "array":
    "self", "m": "self", "x": "self", "val": "self", "prototype": "self", "condition": "condition",
    "x1": "square", "x2": "square", "b": "self", "v": "self", "y": "other", "src": "tensor_src",
    "dst": "tensor_dst", "reps": "repetitions", "pad_width": "widths", "constant_values": "value",
    "axis1": "dim", "axis2": "dim", "ddof": "correction", "a_min": "min", "a_max": "max",
    "source": "dim", "values": "other", "element": "self", "test_elements": "self", "ary": "self",
    "indices_or_sections": "one", "obj": "dim", "newshape": "shape", "decimals": "one",
    "kth": "dim", "condlist": "arrays", "choicelist": "arrays", "tup": "arrays", "default": "value",
    **dict.fromkeys(("right", "rowvar", "bias", "invert", "assume_unique"), "descending"),
    **dict.fromkeys(("density", "return_index", "return_inverse", "return_counts"), "descending"),
}  # fmt: skip


def _programs() -> Iterator[Target]:
    from tests.fuzz import programs

    for name in programs.operators():
        kinds = dict.fromkeys(("desc", "more"), f"desc {name}")
        yield Target(f"directml.{name}", programs.bound(name), placed("desc more?"), kinds)
    for name, call, parameters in programs.CALLS:
        yield Target(name, call, placed(parameters), writes=("self",) if "kernel" in name else ())
    call, seeds = programs.compiled_program, {"self": "seed"}  # which are never spoiled
    yield Target("a compiled program", call, placed("self"), seeds, patience=10)
    yield Target("an ONNX model", programs.onnx_model, placed("self"), seeds, patience=30)


def _swapped(call: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda x, other: call(other, x)


def _mapped(x: Any, value: Any) -> None:
    with x.map() as memory:
        if x.size and isinstance(value, (int, float)) and abs(value) < 100:
            memory[...] = value


def _rebuilt(x: Any, *instead: Any) -> Any:
    """What pickle does with a tensor, with some parts damaged."""
    call, parts = x.__reduce_ex__(2)
    return call(*parts[: 3 - len(instead)], *instead) if len(instead) < 3 else call(*instead)


def _set(owner: Any, name: Any, value: Any) -> None:
    setattr(owner, name if isinstance(name, str) else "sizes", value)


def _set_stream(generator: Any, name: Any, value: Any) -> None:
    setattr(generator, "state" if name == "kernel" else "counter", value)


def _limited(value: Any) -> None:
    device = dml_vk.device()
    before = device.memory_limit
    try:
        device.memory_limit = value
    finally:
        device.memory_limit = before


def _traced(x: Any, strict: Any) -> Any:
    with dml_vk.trace(strict) as log:
        x.reshape(-1)
    return log.summary(), repr(log), log.nbytes
