"""`compile`: a function whose launches are recorded at its first call and then repeated."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, overload

from dml_vk import context
from dml_vk.arguments import Ints, several, to_ints
from dml_vk.compiler.donation import Donation, donated
from dml_vk.compiler.first_call import FirstCall, Known
from dml_vk.compiler.passes.formats import to_layout
from dml_vk.compiler.program import Program
from dml_vk.compiler.report.explain import explained
from dml_vk.compiler.report.info import CompileInfo, info_of
from dml_vk.compiler.report.picture import drawn
from dml_vk.compiler.trees import flatten
from dml_vk.errors import DTypeError, RangeError
from dml_vk.observe import dispatches
from dml_vk.observe.builds import counted
from dml_vk.runtime.arenas import MemoryRange
from dml_vk.runtime.device import device as open_device
from dml_vk.tensor.core import Tensor

Function = Callable[..., Any]
MOST_VALUES = 64  # of numbers that are part of a signature: each has a program
MOST_SIGNATURES = 1024  # the oldest goes, as where a number of NumPy's is another at each call


class Compiled:
    """A function of tensors, and its programs: one for each signature."""

    def __init__(
        self,
        function: Function,
        static: frozenset[int] = frozenset(),
        donate: frozenset[int] = frozenset(),
        *,
        layout: str | None = None,
        is_fused: bool = False,
    ) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._static = static
        self._donate = donate
        self._layout = layout
        self._is_fused = is_fused  # it must be elementwise
        self._known: dict[object, list[Known]] = {}
        self.measured: Program | None = None  # that `measure` ran last

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self._run(args, kwargs)

    def measure(self, *args: object, **kwargs: object) -> Any:
        """Call it with its launches one by one, so that `explain` tells how long each took."""
        self.measured = None
        return self._run(args, kwargs, is_measured=True)

    def _run(
        self, args: tuple[object, ...], kwargs: dict[str, object], *, is_measured: bool = False
    ) -> Any:
        if context.recorder() is not None:  # of a program that this is part of, or of gradients
            return self._function(*args, **kwargs)
        tensors: list[Tensor] = []
        numbers: list[float] = []
        settings = context.get().settings
        parts: list[object] = [settings.exact, settings.debug_nans]
        for position, argument in enumerate(args):
            parts.append(flatten(argument, tensors, None if position in self._static else numbers))
        parts.append(flatten(kwargs, tensors, numbers))
        if not tensors:
            parts.append(open_device())
        memory, shares = _memory_of(tensors)
        gifts: Sequence[int] = ()
        if self._donate:
            gifts = donated(self._name, args, self._donate, tensors, shares)
        key = (*parts, shares)
        if len(memory) < len(tensors):
            key += (_places_of(tensors),)
        try:
            known = self._known.setdefault(key, [])
        except TypeError as error:
            rule = "arguments must be tensors or hashable, or tuples, lists and dicts of these"
            raise DTypeError(self._name, rule, error=str(error)) from None
        program = next((entry.program for entry in known if entry.fits(numbers)), None)
        if program is None:
            call = FirstCall(
                self._name, self._function, args, kwargs, self._static, tensors, memory, shares,
                gifts, self._layout, self._is_fused,
            )  # fmt: skip
            entry = call.known()
            program = entry.program  # another thread may have added one since
            known.append(entry)
            if len(known) > MOST_VALUES:
                del known[0]
            if len(self._known) > MOST_SIGNATURES:
                self._known.pop(next(iter(self._known)), None)
        if any(map(program.uses, memory)):
            # An argument shares memory with a tensor from outside: steps may depend on each other
            # where they did not at the first call.
            return self._function(*args, **kwargs)
        if is_measured:
            self.measured = program
        donation = Donation(gifts, memory, shares) if gifts else None
        if program.builds is None:
            with counted() as program.builds:
                result = program.run(tensors, memory, numbers, donation, is_measured=is_measured)
            dispatches.built(self._name, program.builds)
            return result
        return program.run(tensors, memory, numbers, donation, is_measured=is_measured)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<compiled {self._name}: {len(self.programs)} programs>"

    @property
    def programs(self) -> list[Program]:
        """The programs of all signatures, in order of their first calls."""
        return [entry.program for known in self._known.values() for entry in known]

    def explain(self) -> str:
        """Describe the programs of all signatures, with times after `measure`.

        >>> import dml_vk
        >>> step = dml_vk.compile(lambda x: dml_vk.exp(x) * 2 + 1)
        >>> y = step(dml_vk.ones(4))
        >>> print(step.explain())  # doctest: +ELLIPSIS
        1 kernel on 1 level, 0 bytes of temporaries...
        """
        return "\n\n".join([explained(program) for program in self.programs])

    def svg(self) -> str:
        """Draw the programs of all signatures as SVG: kernels on their levels, and what follows.

        Those that were fused are green. After `measure`, bars compare the times of kernels.

        >>> import dml_vk
        >>> step = dml_vk.compile(lambda x: dml_vk.exp(x) * 2 + 1)
        >>> y = step(dml_vk.ones(4))
        >>> step.svg().count("<rect")
        1
        """
        return drawn(self.programs)

    def info(self) -> CompileInfo:
        """Return how many programs and kernels there are, and how long the first calls made them.

        >>> import dml_vk
        >>> step = dml_vk.compile(lambda x: dml_vk.exp(x) * 2 + 1)
        >>> y = step(dml_vk.ones(4))
        >>> info = step.info()
        >>> info.programs, info.kernels, info.capture_seconds > 0
        (1, 1, True)
        """
        return info_of(self.programs)

    @property
    def _name(self) -> str:
        return getattr(self._function, "__name__", "compile")


@overload
def compile(
    function: Function,
    *,
    static_argnums: int | Sequence[int] = (),
    donate: int | Sequence[int] = (),
    layout: str | None = None,
) -> Compiled: ...
@overload
def compile(
    function: None = None,
    *,
    static_argnums: int | Sequence[int] = (),
    donate: int | Sequence[int] = (),
    layout: str | None = None,
) -> Callable[[Function], Compiled]: ...
def compile(
    function: Function | None = None,
    *,
    static_argnums: int | Sequence[int] = (),
    donate: int | Sequence[int] = (),
    layout: str | None = None,
) -> Compiled | Callable[[Function], Compiled]:
    """Make a function whose launches are recorded at its first call, and repeated at later ones.

    Numbers among the arguments may vary from call to call as operands of tensors. Where a function
    needs their values, each value has a program of its own, as those at the places `static_argnums`
    always have. Tensors given at the places `donate` cannot be used after a call: results that fit
    take their memory, and so do temporaries. With `layout="auto"`, operations of networks are done
    in the memory format that takes the least estimated time, copies to it included; with "nchw" or
    "nhwc", in this one. `explain` reports the copies. Without a function, it returns a decorator.

    >>> import dml_vk
    >>> @dml_vk.compile
    ... def scaled(x, factor):
    ...     return (x - dml_vk.mean(x)) * factor
    >>> x = dml_vk.asarray([1.0, 2.0, 6.0])
    >>> scaled(x, 2.0).tolist(), scaled(x, 0.5).tolist()
    ([-4.0, -2.0, 6.0], [-1.0, -0.5, 1.5])
    """
    layout = to_layout("compile", layout)
    if function is None:
        return lambda wrapped: _compiled(wrapped, static_argnums, donate, layout)
    return _compiled(function, static_argnums, donate, layout)


def fuse(function: Function) -> Compiled:
    """Make one kernel of a function that computes by elements, at its first call.

    It is `compile`, and an error for functions that do anything else.

    >>> import dml_vk
    >>> @dml_vk.fuse
    ... def squared_difference(x, y):
    ...     return (x - y) * (x - y)
    >>> squared_difference(dml_vk.asarray([3.0, 5.0]), 1.0).tolist()
    [4.0, 16.0]
    """
    _check_function("fuse", function)
    return Compiled(function, is_fused=True)


def _check_function(what: str, function: object) -> None:
    if not callable(function):
        raise DTypeError(what, "function must be callable", function=function)
    for callee in (function, vars(type(function)).get("__call__")):
        if inspect.isgeneratorfunction(callee) or inspect.isasyncgenfunction(callee):
            rule = "function must not be a generator, of which each step would be a program"
            raise DTypeError(what, rule, function=function)
        if inspect.iscoroutinefunction(callee):
            rule = "function must not be async: compile what it awaits"
            raise DTypeError(what, rule, function=function)


def _compiled(function: Function, static: object, donate: object, layout: str | None) -> Compiled:
    _check_function("compile", function)
    most = _most_positional(function)
    fixed = _to_positions("static_argnums", static, most)
    gifts = _to_positions("donate", donate, most)
    if fixed & gifts:
        rule = "donate and static_argnums must not overlap"
        raise DTypeError("compile", rule, donate=donate, static_argnums=static)
    return Compiled(function, fixed, gifts, layout=layout)


def _most_positional(function: Function) -> int | None:
    """How many positional arguments it takes, if that is known and limited."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return None
    return sum(
        [
            parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
            for parameter in parameters
        ]
    )


def _to_positions(what: str, argument: object, most: int | None) -> frozenset[int]:
    """Positions of arguments, of which negative ones count from the last of the function."""
    positions = to_ints("compile", what, several(argument))
    for position in positions:
        if not (position >= 0 if most is None else -most <= position < most):
            rule = f"{what} must be positions of the function's positional arguments"
            raise RangeError("compile", rule, **{what: position, "arguments": most})
    return frozenset(
        [position if position >= 0 else position + (most or 0) for position in positions]
    )


def _memory_of(tensors: Sequence[Tensor]) -> tuple[list[MemoryRange], Ints]:
    """The memory of tensors, each once, and for each tensor which it is."""
    memory: list[MemoryRange] = []
    numbers: dict[int, int] = {}
    shares = []
    for x in tensors:
        own = x.allocation
        number = numbers.setdefault(id(own), len(memory))
        if number == len(memory):
            memory.append(own)
        shares.append(number)
    return memory, tuple(shares)


def _places_of(tensors: Sequence[Tensor]) -> Ints:
    """For each tensor the first place at which it is the same object."""
    places: dict[int, int] = {}
    return tuple([places.setdefault(id(x), position) for position, x in enumerate(tensors)])
