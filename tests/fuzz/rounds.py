"""One round: a call drawn, made, and judged. A pure function of seed, round and the selection."""

from __future__ import annotations

import gc
import inspect
import random
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import dml_vk
from dml_vk import hints
from dml_vk.dtypes import DTYPES, DType
from dml_vk.errors import DeviceMemoryError, DmlVkError
from dml_vk.kernels.operators import OPERATORS
from tests.fuzz import answers, broken, hostile, programs
from tests.fuzz.arguments import Argument, fitting, of_tensor, of_text
from tests.fuzz.targets import Target, targets
from tests.fuzz.tensors import Draws, random_layout
from tests.unit.strides.test_bad_input import SHAPE

PACKAGE = str(Path(dml_vk.__file__).parent)
P = inspect.Parameter
TIGHT = 0.1  # of all rounds
LEFT = 512  # bytes at a time
FIRST = {"arrays", "condition", "desc", "square", "tensor_src", "x", "x1"}
MOST_LEAKED = 2**16  # bytes: what caches may hold


@dataclass
class Call:
    """What is called, with what."""

    target: Target
    draws: Draws
    placed: list[tuple[str, Argument]] = field(default_factory=list)
    named: dict[str, Argument] = field(default_factory=dict)

    def __str__(self) -> str:
        given = [argument.text for _, argument in self.placed]
        given += [f"{name}={argument.text}" for name, argument in self.named.items()]
        return f"{self.target.name}({', '.join(given)})"

    def make(self) -> Any:
        named = {name: argument.ours for name, argument in self.named.items()}
        return self.target.call(*[argument.ours for _, argument in self.placed], **named)

    def written(self) -> list[Argument]:
        """The arguments whose memory the call may change."""
        given = [*self.placed, *self.named.items()]
        return [one for name, one in given if name in self.target.writes and one.drawn is not None]


def known_targets(only: str) -> list[Target]:
    known = broken.TARGETS if only.startswith("broken") else targets()
    return [target for name, target in known.items() if name.startswith(only)]


def draw(seed: int, number: int, known: list[Target], *, spoils: bool = True) -> Call:
    """`spoils`: whether most calls have arguments that do not fit."""
    rng = random.Random(f"{seed}:{number}")
    target = rng.choice(known)
    call = Call(target, Draws(rng, allowed=_allowed(target.name)))
    way = rng.random()
    spoiled = {0: 0, 1: 1, 2: 2, 3: 99}[rng.choices(range(4), (30, 55, 10, 5))[0]]
    if not spoils:
        way, spoiled = 1.0, 0
    chosen: list[tuple[P, str]] = []
    for parameter in call.target.parameters:
        optional = parameter.default is not P.empty
        if parameter.kind in (P.VAR_POSITIONAL, P.VAR_KEYWORD):
            for k in range(rng.randrange(4)):
                one = (
                    P(f"{parameter.name}{k}" * (parameter.kind is P.VAR_KEYWORD), P.KEYWORD_ONLY)
                    if parameter.kind is P.VAR_KEYWORD
                    else parameter
                )
                chosen.append((one, parameter.name))
        elif (not optional or rng.random() < 0.4) and parameter.name != "cls":
            chosen.append((parameter, parameter.name))
    open_to_all = []
    for k, (one, kind) in enumerate(chosen):
        kind = call.target.kinds.get(one.name, kind)
        # What all else depends on is mostly right: the rest goes deeper then.
        spared = kind.partition(" ")[0] in FIRST and rng.random() < 0.7
        if not spared and "self" not in (one.name, kind):
            open_to_all.append(k)
    hit = set(rng.sample(open_to_all, min(spoiled, len(open_to_all))))
    by_name = False
    for k, (parameter, kind) in enumerate(chosen):
        kind = call.target.kinds.get(kind, kind)
        if k in hit:
            argument = of_text(hostile.draw(rng))
        elif kind == "out":
            argument = _out(call)
        else:
            argument = _kind(call.draws, kind)
        skipped = [
            one
            for one in call.target.parameters[: _place(call, parameter)]
            if one.kind is P.POSITIONAL_OR_KEYWORD
            and one.name not in dict(call.placed)
            and one.name not in call.named
        ]
        by_name = by_name or bool(skipped)
        if parameter.kind is P.KEYWORD_ONLY or (
            by_name and parameter.kind is P.POSITIONAL_OR_KEYWORD
        ):
            call.named[parameter.name] = argument
        else:
            call.placed.append((parameter.name, argument))
    if way < 0.03:
        call.placed.append(("more", of_text(hostile.draw(rng))))
    elif way < 0.05:
        call.named["unknown"] = of_text(hostile.draw(rng))
    elif way < 0.07 and len(call.placed) > 1:
        call.placed.pop()
    return call


def _allowed(name: str) -> tuple[DType, ...]:
    """The dtypes that a target takes, if it is known to take no others."""
    operator, _ = answers.elementwise_name(name)
    if operator:
        return tuple([dtype for dtype in DTYPES.values() if OPERATORS[operator].takes(dtype)])
    floats = name.rpartition(".")[2] in ("mean", "std", "var", "matrix_norm", "vector_norm", "norm")
    return tuple([dtype for dtype in DTYPES.values() if dtype.kind in "fc"]) if floats else ()


def _place(call: Call, parameter: P) -> int:
    return next((k for k, one in enumerate(call.target.parameters) if one is parameter), 0)


def _kind(draws: Draws, kind: str) -> Argument:
    rng = draws.rng
    if kind.startswith("="):
        return of_text(rng.choice(kind[1:].split("|")))
    if kind == "one_layout":
        return of_text(repr(random_layout(rng, draws.like())))
    if kind == "over":
        return of_text(repr(random_layout(rng, draws.sizes_of(2))))
    if kind == "glsl":
        return of_text(repr(programs.SOURCE))
    if kind == "one":
        return of_text("0")
    if kind.startswith("desc "):
        known = programs.types_of(kind.removeprefix("desc "))
        name = rng.choice(known if rng.random() < 0.9 else list(dml_vk.directml.DataType)).name
        sizes = tuple([max(1, size) for size in draws.sizes]) or (1,)
        return of_text(f"directml.BufferTensorDesc(directml.DataType.{name}, {sizes})")
    return fitting(draws, kind)


def _out(call: Call) -> Argument:
    """Where the result may go, if there is one without it."""
    rng = call.draws.rng
    try:
        found = call.make()
    except Exception:  # Only its shape is asked for: the call that is judged comes after.
        found = None
    if isinstance(found, dml_vk.Tensor) and found.size < 10**5 and rng.random() < 0.9:
        return of_tensor(call.draws.tensor(found.shape, found.dtype, own=rng.random() < 0.9))
    return of_tensor(call.draws.tensor())


@dataclass
class Outcome:
    """What came of a call: its kind, what is wrong if anything is, and what NumPy refused."""

    kind: str
    wrong: str = ""
    refused: str = ""


@contextmanager
def tight() -> Iterator[None]:
    """No more memory than there is, and hardly any of that left."""
    device, held, size = dml_vk.device(), [], 2**20
    before, stats = device.memory_limit, device.memory_stats()
    device.memory_limit = stats.in_use + stats.cached
    try:
        while size > LEFT:
            try:
                held.append(device.allocate("tight", size))
            except DeviceMemoryError:
                size //= 2
        yield
    finally:
        device.memory_limit = before


class Judge:
    """Makes calls, and says what came of them. A tensor of its own must outlive them all."""

    def __init__(self) -> None:
        self.canary = np.arange(1, 40, dtype=np.int32)
        self.tensor = dml_vk.asarray(self.canary)

    def round(self, call: Call) -> Outcome:
        error: BaseException | None = None
        found: Any = None
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            with tight() if call.draws.rng.random() < TIGHT else nullcontext():
                try:
                    found = call.make()
                    _finish(found)
                except Exception as raised:
                    error = raised
        outcome = _of_result(call, found) if error is None else _of_error(call, error)
        for argument in call.written() if error is None else []:
            drawn = argument.drawn
            assert drawn is not None
            drawn.array[...] = drawn.tensor.numpy()
        changed = [one.base.changed() for one in call.draws.drawn]
        if not np.array_equal(dml_vk.add(self.tensor, 1).numpy(), self.canary + 1):
            changed.append("the canary is wrong")
        outcome.wrong = outcome.wrong or next(filter(None, changed), "")
        return outcome


def _of_result(call: Call, found: Any) -> Outcome:
    given = [*[argument for _, argument in call.placed], *call.named.values()]
    if call.target.name.startswith("numpy.") and not any(one.drawn for one in given):
        return Outcome("NumPy's")
    placed = [argument.numpys for _, argument in call.placed]
    named = {name: argument.numpys for name, argument in call.named.items()}
    wrong, error = answers.differs(call.target.name, found, placed, named)
    if error is None:
        return Outcome("result", f"NumPy differs: {wrong}" if wrong else "")
    kind = f"{call.target.name}: {type(error).__name__}: {str(error)[:60]}"
    return Outcome("result where NumPy raises", "", kind)


def _of_error(call: Call, error: BaseException) -> Outcome:
    """Ours, in our form; the foreign object's; or Python's own before anything of ours ran."""
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, DmlVkError):
        text = str(error)
        good = SHAPE.fullmatch(text)
        wrong = "" if good else f"the message is not in our form: {text}"
        return Outcome(type(error).__name__, wrong)
    theirs = frames[-1].filename == hostile.__file__ or isinstance(error, hostile.OwnError)
    ran = [one.filename for one in frames if not one.filename.startswith(hints.__file__)]
    inside = any(name.startswith(PACKAGE) for name in ran)
    never = isinstance(error, (AssertionError, SystemError, RecursionError))
    if theirs or isinstance(error, call.target.pythons) or not (inside or never):
        return Outcome("Python's")
    told = "".join(traceback.format_exception(error)[-6:])
    return Outcome("Python's", f"{type(error).__name__} out of ours\n{told}")


def _finish(found: Any) -> None:
    """Have the work done, and look at what came of it."""
    if isinstance(found, dml_vk.Tensor):
        if found.size < 10**6:
            found.numpy()
        repr(found)
    elif isinstance(found, (tuple, list)) and len(found) < 1000:
        for one in found:
            _finish(one)
    else:
        dml_vk.synchronize()


class Leaks:
    """What is in use once results are dropped, against what was in use at first."""

    def __init__(self) -> None:
        self.held = self.in_use()

    @staticmethod
    def in_use() -> int:
        gc.collect()
        return dml_vk.memory_stats().in_use

    def forgive(self, call: Call) -> None:
        """NumPy itself keeps the operands of a ufunc's methods where `__array_ufunc__` raises."""
        self.held += sum([one.base.expected.nbytes + 1024 for one in call.draws.drawn])

    def look(self) -> str:
        """What is wrong, if anything is."""
        found, held = self.in_use(), self.held
        if found <= held + MOST_LEAKED:
            return ""
        self.held = found
        return f"{found} bytes are in use where {held} were before"
