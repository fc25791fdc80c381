"""The runtime on Kompute, and the only file that imports `kp`.

It is Kompute as the patch in dml_vk/install/kompute completes it; another is refused.
"""

from __future__ import annotations

import ctypes
import functools
import operator
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from dml_vk.driver import features, float_controls, vulkan
from dml_vk.driver.probe import DeviceInfo
from dml_vk.errors import DeviceError, DeviceMemoryError
from dml_vk.install import kp_version, system
from dml_vk.runtime.interface import (
    PATIENCE_NS,
    Block,
    Bound,
    Command,
    HostBlock,
    MemoryKind,
    Pipeline,
    Prepared,
    Range,
    Ticket,
    Words,
)
from dml_vk.spirv.passes.float_modes import with_float_modes

ADVICE = "`python -m dml_vk doctor` says what is missing and how to install it"

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _errors_as(op: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Make a function that calls kp raise the package's errors, as those of `op`."""

    def decorate(call: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(call)
        def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            try:
                return call(*args, **kwargs)
            except MemoryError as error:
                rule = "the driver has no memory left for this"
                raise DeviceMemoryError(op, rule, error=str(error)) from None
            except RuntimeError as error:
                raise DeviceError(op, "the driver failed", error=str(error)) from None

        return checked

    return decorate


class Kompute:
    """One Vulkan device through Kompute."""

    name = "kompute"
    makes_together = False
    keeps_recorded = True
    copy_engine = None  # kp has no semaphores, by which one queue waits for another

    def __init__(self, info: DeviceInfo) -> None:
        self._kp = _import_kp()
        self._manager = self._open(info)
        self._float_controls = info.float_controls
        listed = self._manager.list_devices()
        known = [listing["device_name"] for listing in listed]
        if known[info.index : info.index + 1] != [info.name]:
            rule = f"Kompute does not see the devices that Vulkan lists: {ADVICE}"
            raise DeviceError("device", rule, index=info.index, name=info.name, kompute=known)
        self.features = frozenset(self._manager.get_features())
        timed = listed[info.index]["timestamps_supported"]
        self._tick_ns = info.timestamp_period if timed else 0.0
        kinds = self._kp.TensorTypes
        self._kinds: dict[MemoryKind, object] = {
            "device": kinds.storage,
            "upload": kinds.host,
            "readback": kinds.readback,
            "unified": kinds.unified,
        }
        self.kinds = frozenset(self._kinds)
        self._check_views()

    @_errors_as("device")
    def _open(self, info: DeviceInfo) -> Any:
        extensions = float_controls.extensions(info.extensions)
        with vulkan.quiet_layers():
            return self._kp.Manager(info.index, [], extensions, features.NAMES)

    def _check_views(self) -> None:
        # If built with an old pybind11, kp reads the fields of NumPy 2 arrays at wrong offsets:
        # strides of 0 and no error. All results would be silently wrong.
        seen = self.view(self.allocate(28, "upload"))
        if seen.strides != (4,) or seen.shape != (7,):
            rule = (
                "kp was built with a pybind11 that is incompatible with this NumPy: "
                "`python -m dml_vk doctor --fix` rebuilds it"
            )
            raise DeviceError("device", rule, numpy=np.__version__)

    @_errors_as("allocate")
    def allocate(self, nbytes: int, kind: MemoryKind) -> Block:
        """Allocate a kp tensor of words."""
        return self._manager.empty(nbytes // 4, self._kinds[kind])

    def import_pages(self, address: int, nbytes: int, owner: object) -> HostBlock | None:
        """Return None: kp imports no memory."""
        return None

    def view(self, block: Block) -> Words:
        """Return the memory of a mapped block. The view keeps the block alive, and the device."""
        view: Words = block.data()
        return view

    @_errors_as("pipeline")
    def pipeline(
        self, spirv: bytes, spec: Sequence[int], push_words: int, bindings: int
    ) -> Pipeline:
        """Make a kp algorithm without tensors."""
        module = with_float_modes(spirv, self._float_controls)
        return self._manager.pipeline(module, bindings, spec, push_words)

    @_errors_as("bind")
    def bind(
        self, pipeline: Pipeline, blocks: Sequence[Block], ranges: Sequence[Range] = ()
    ) -> Bound:
        """Make a kp algorithm that shares a pipeline."""
        return self._manager.bind(pipeline, blocks, ranges)

    @_errors_as("record")
    def record(self, commands: Sequence[Command], timed: bool = False) -> Ticket:
        """Record a kp sequence, which keeps what it uses alive."""
        ticks = len(commands) if timed and self._tick_ns else 0
        sequence = self._manager.sequence(0, ticks)
        sequence.record_commands(commands)
        return sequence

    def prepare(self, commands: Sequence[Command]) -> Prepared:
        """Keep the commands, and the sequence that is recorded for their first run."""
        return Repeated(tuple(commands))

    @_errors_as("repeat")
    def repeat(self, prepared: Prepared) -> Ticket:
        """Return a run of the sequence of these commands, or another sequence while it runs."""
        last: Run | None = prepared.last
        if last is not None and last.is_done():
            sequence = last.sequence
            sequence.eval_await(PATIENCE_NS)  # It is done, but a sequence has to be told.
            last.is_over = True
        elif last is not None and last.is_submitted():
            return self.record(prepared.commands)
        else:
            # The last run, if Ctrl-C lost it before its submission, never ends.
            sequence = self.record(prepared.commands)
        prepared.last = run = Run(sequence)
        return run

    @_errors_as("submit")
    def submit(self, ticket: Ticket) -> None:
        """Submit a kp sequence, which does nothing if it was submitted."""
        ticket.submit()

    @_errors_as("is_submitted")
    def is_submitted(self, ticket: Ticket) -> bool:
        """Ask the sequence."""
        submitted: bool = ticket.is_submitted()
        return submitted

    @_errors_as("is_done")
    def is_done(self, ticket: Ticket) -> bool:
        """Ask the sequence's fence."""
        done: bool = ticket.is_done()
        return done

    @_errors_as("wait")
    def wait(self, ticket: Ticket) -> None:
        """Wait for the sequence's fence, for a short time each, since Ctrl-C acts in between."""
        while ticket.is_running():
            ticket.eval_await(PATIENCE_NS)

    @_errors_as("microseconds")
    def microseconds(self, ticket: Ticket) -> list[float] | None:
        """Return the times, each from the end of the command before, since commands may overlap."""
        if not self._tick_ns:
            return None
        ticks = ticket.get_timestamps()
        return [max(0, end - start) * self._tick_ns / 1000 for start, end in pairwise(ticks)]

    def leak(self, objects: Iterable[object]) -> None:
        """Keep kp's objects, and the Manager, from ever being destroyed in this process.

        A forked child must not run their destructors, which wait for threads it does not have.
        """
        for thing in (self._manager, *objects):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


class Repeated:
    """Commands that are submitted again and again, and the last run of their sequence."""

    __slots__ = ("commands", "last")

    def __init__(self, commands: tuple[Command, ...]) -> None:
        self.commands = commands
        self.last: Run | None = None


class Run:
    """One of several submissions of a kp sequence, with the methods of one that is submitted once.

    While a run is not over, it is the only one of its sequence.
    """

    __slots__ = ("_begun", "is_over", "sequence")

    def __init__(self, sequence: Any) -> None:
        self.sequence = sequence
        self.is_over = False  # The sequence may be that of a later run.
        self._begun: list[object] = []  # the sequence, once it is submitted

    def submit(self) -> None:
        """Submit the sequence, which is idle."""
        if not self._begun:
            # One step in C, so that a run has begun if and only if it was submitted.
            self._begun.extend(map(_eval_async, (self.sequence,)))

    def is_submitted(self) -> bool:
        return bool(self._begun)

    def is_running(self) -> bool:
        return self.is_submitted() and not self.is_done()

    def is_done(self) -> bool:
        return self.is_submitted() and (self.is_over or self.sequence.is_done())

    def eval_await(self, ns: int) -> None:
        if not self.is_over:
            self.sequence.eval_await(ns)


_eval_async = operator.methodcaller("eval_async")


def _import_kp() -> Any:
    try:
        import kp
    except ImportError as error:
        rule = f"cannot import kp: {ADVICE}{_clones_python()}"
        raise DeviceError("device", rule, error=str(error)) from None
    if kp.__version__ != kp_version.version():
        rule = "kp must be the one completed for this dml_vk: `python -m dml_vk doctor --fix`"
        raise DeviceError("device", rule, kp=kp.__version__)
    return kp


def _clones_python() -> str:
    """Suggest the Python of this clone, which `./dev` has set up, if another one is running."""
    environment = Path(__file__).parents[2] / ".venv"
    python = environment / "bin" / "python"
    if not python.is_file() or os.path.realpath(sys.prefix) == os.path.realpath(environment):
        return ""
    return f", or use the clone's own, {system.typed(python)}"
