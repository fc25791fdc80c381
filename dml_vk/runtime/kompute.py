"""The runtime on Kompute, and the only file that imports `kp`.

Most mistakes here crash the process or corrupt memory silently, so all arguments are checked
before: the probe has accepted the device, the guard the memory, push constants are uint32 arrays of
exactly the declared size, and nothing is ever destroyed while it is in use.
"""

from __future__ import annotations

import ctypes
import logging
import operator
import os
import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from dml_vk.driver import vulkan
from dml_vk.errors import DeviceError
from dml_vk.install import system
from dml_vk.runtime.interface import (
    Block,
    Bound,
    Command,
    Dispatch,
    Groups,
    Pipeline,
    Ticket,
    Words,
)

ADVICE = "`python -m dml_vk doctor` says what is missing and how to install it"


class Kompute:
    """One Vulkan device through Kompute. It is never destroyed."""

    # Stock `kp` has no barrier between dispatches, and its copies and fills take whole tensors.
    features: frozenset[str] = frozenset()

    def __init__(self, index: int, name: str, tick_ns: float = 0.0) -> None:
        self._kp = kp = _import_kp()
        self._manager = kp.Manager(index)
        listed = self._manager.list_devices()
        known = [found["device_name"] for found in listed]
        if known[index : index + 1] != [name]:
            rule = f"Kompute does not see the devices that Vulkan lists: {ADVICE}"
            raise DeviceError("device", rule, index=index, name=name, kompute=known)
        # Kompute never resets its timestamp queries, which the validation layer reports.
        self._tick_ns = 0.0
        if tick_ns and listed[index]["timestamps_supported"] and not vulkan.is_validating():
            self._tick_ns = tick_ns
        self._host = kp.TensorTypes.host
        self._storage = kp.TensorTypes.storage
        self._no_spec = np.zeros(0, np.uint32)
        self._check_views()

    def _check_views(self) -> None:
        # If built with an old pybind11, kp reads the fields of NumPy 2 arrays at wrong offsets:
        # strides of 0 and no error. All results would be silently wrong.
        expected = np.arange(1, 8, dtype=np.uint32)
        seen = self._manager.tensor_t(expected, self._host).data()
        if seen.strides != (4,) or not np.array_equal(seen, expected):
            rule = (
                "kp was built with a pybind11 that is incompatible with this NumPy: "
                "`python -m dml_vk doctor --fix` rebuilds it"
            )
            raise DeviceError("device", rule, numpy=np.__version__)

    def allocate(self, words: Words, host: bool) -> Block:
        """Allocate a block as large as `words`, mapped if `host`. The guard must accept it before.

        kp copies the words into a host block; a storage block ignores them.
        """
        return self._manager.tensor_t(words, self._host if host else self._storage)

    def view(self, block: Block) -> Words:
        """Return the memory of a host block, as a view that keeps the block alive."""
        view: Words = block.data()
        return view

    def pipeline(self, spirv: bytes, spec: Sequence[int], push_words: int) -> Pipeline:
        """Return what `bind` needs to make a kp algorithm."""
        constants = np.array(spec, np.uint32) if spec else self._no_spec
        return spirv, constants, np.zeros(push_words, np.uint32)

    def bind(self, pipeline: Pipeline, blocks: Sequence[Block], groups: Groups) -> Bound:
        """Make a kp algorithm."""
        return self._manager.algorithm(list(blocks), pipeline[0], list(groups), *pipeline[1:])

    def submit(self, commands: Sequence[Command], timed: bool = False) -> Ticket:
        """Record a sequence of dispatches, which `wait` runs: kp cannot start it any earlier."""
        dispatch = self._kp.OpAlgoDispatch
        # With more operations than it was created for, it would write past its query pool.
        is_timed = timed and self._tick_ns
        sequence = (
            self._manager.sequence(0, len(commands)) if is_timed else self._manager.sequence()
        )
        for command in commands:
            if not isinstance(command, Dispatch):
                rule = "Kompute takes no commands but dispatches: please report it"
                raise DeviceError("submit", rule, command=command)
            sequence.record(dispatch(command.bound, command.push))
        return sequence

    wait = staticmethod(operator.methodcaller("eval"))

    def microseconds(self, ticket: Ticket) -> list[float] | None:
        """Return the times, each from the end of the command before, since commands may overlap."""
        if not self._tick_ns:
            return None
        ticks = ticket.get_timestamps()
        return [max(0, end - start) * self._tick_ns / 1000 for start, end in pairwise(ticks)]

    def leak(self, objects: Iterable[Any]) -> None:
        """Keep kp's objects, and the Manager, from ever being destroyed in this process.

        A forked child must not run their destructors, which wait for threads it does not have.
        """
        for thing in (self._manager, *objects):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _import_kp() -> Any:
    root = logging.getLogger()
    handlers = root.handlers[:]
    try:
        import kp
    except ImportError as error:
        rule = f"cannot import kp: {ADVICE}{_clones_python()}"
        raise DeviceError("device", rule, error=str(error)) from None
    finally:
        # kp configures the root logger, which only the program itself should do.
        root.handlers[:] = handlers
    return kp


def _clones_python() -> str:
    """Suggest the Python of this clone, which `./dev` has set up, if another one is running."""
    environment = Path(__file__).parents[2] / ".venv"
    python = environment / "bin" / "python"
    if not python.is_file() or os.path.realpath(sys.prefix) == os.path.realpath(environment):
        return ""
    return f", or use the clone's own, {system.typed(python)}"


def exit_without_drivers() -> None:
    """Make this process, a forked child, exit before its drivers' exit handlers run.

    They too wait for threads that do not exist. Handlers run in reverse order of registration;
    `on_exit` passes the status as the first argument, just as `_exit` takes it.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "on_exit"):  # glibc
        libc.on_exit(libc._exit, None)
        libc.on_exit(libc.fcloseall, None)
