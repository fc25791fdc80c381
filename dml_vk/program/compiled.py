"""`compile`: a function whose launches are recorded at its first call and then repeated."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from dml_vk.errors import CaptureError, DTypeError
from dml_vk.exactness import chosen
from dml_vk.observe.copies import collected
from dml_vk.program.program import Program
from dml_vk.program.trees import flatten, replace
from dml_vk.runtime.arenas import Allocation
from dml_vk.runtime.capture import Capture, current
from dml_vk.runtime.capturing import captured
from dml_vk.runtime.device import device as open_device
from dml_vk.strides.order import Ints
from dml_vk.tensor.core import Tensor

Function = Callable[..., Any]


class Compiled:
    """A function of tensors, and its programs: one for each signature."""

    def __init__(self, function: Function) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._programs: dict[Any, Program] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if current.get() is not None:
            return self._function(*args, **kwargs)
        tensors: list[Tensor] = []
        parts = flatten((args, kwargs), tensors)
        memory, shares = _memory_of(tensors)
        key = parts, shares, chosen.get().exact
        try:
            program = self._programs.get(key)
        except TypeError as error:
            rule = "arguments must be tensors or hashable, or tuples, lists and dicts of these"
            raise DTypeError(self._name, rule, error=str(error)) from None
        if program is None:
            program = self._capture(args, kwargs, tensors, memory, shares)
            self._programs[key] = program
        if any(map(program.uses, memory)):
            # An argument shares memory with a tensor from outside: steps may depend on each other
            # where they did not at the first call.
            return self._function(*args, **kwargs)
        return program.run(tensors, memory)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<compiled {self._name}: {len(self._programs)} programs>"

    @property
    def programs(self) -> list[Program]:
        """The programs of all signatures, in order of their first calls."""
        return list(self._programs.values())

    @property
    def _name(self) -> str:
        return getattr(self._function, "__name__", "compile")

    def _capture(
        self,
        args: Any,
        kwargs: Any,
        tensors: Sequence[Tensor],
        memory: Sequence[Allocation],
        shares: Ints,
    ) -> Program:
        device = tensors[0].device if tensors else open_device()
        capture = Capture(device, [one.nbytes for one in memory])
        given: list[Tensor] = []

        def without_values(x: Tensor) -> Tensor:
            slot: Any = capture.slots[shares[len(given)]]
            if x.spec is None or x.device is not device:
                rule = "tensors must be on one device"
                raise CaptureError(self._name, rule, devices=[one.device for one in tensors])
            given.append(Tensor._over_memory(slot, x.spec))
            return given[-1]

        replaced, named = replace((args, kwargs), without_values)
        with captured(capture):
            result, copies = collected(lambda: self._function(*replaced, **named))
        return Program(capture, given, result, copies)


def compile(function: Function) -> Compiled:
    """Make a function whose launches are recorded at its first call, and repeated at later ones.

    >>> import dml_vk
    >>> @dml_vk.compile
    ... def normalised(x):
    ...     return (x - dml_vk.mean(x)) / dml_vk.std(x)
    >>> normalised(dml_vk.asarray([1.0, 2.0, 3.0])).tolist()
    [-1.2247449159622192, 0.0, 1.2247449159622192]
    """
    if not callable(function):
        raise DTypeError("compile", "function must be callable", function=function)
    return Compiled(function)


def _memory_of(tensors: Sequence[Tensor]) -> tuple[list[Allocation], Ints]:
    """The memory of tensors, each once, and for each tensor which it is."""
    memory: list[Allocation] = []
    numbers: dict[int, int] = {}
    shares = []
    for x in tensors:
        own = x.allocation
        number = numbers.setdefault(id(own), len(memory))
        if number == len(memory):
            memory.append(own)
        shares.append(number)
    return memory, tuple(shares)
