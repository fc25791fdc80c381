"""The seam: everything that dml_vk asks of Kompute, and the only file that imports `kp`.

Most mistakes below this line end the process or corrupt memory without a word, so nothing here is
reached unchecked: the probe has seen the device, the guard has seen the memory, push constants are
uint32 arrays of exactly the declared size, and nothing is ever destroyed while something uses it.
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

from dml_vk import system, vulkan
from dml_vk.errors import DeviceError, explain

ADVICE = "`python -m dml_vk doctor` says what is missing and what to type"
Words = np.ndarray[Any, np.dtype[np.uint32]]
# kp's own objects, which nothing outside this file looks into.
Block = Any
Pipeline = Any
Recording = Any


class Runtime:
    """One Vulkan device through Kompute. It lives as long as the process: never destroyed."""

    def __init__(self, index: int, name: str, tick_ns: float = 0.0) -> None:
        self._kp = kp = _import_kp()
        self._manager = kp.Manager(index)
        listed = self._manager.list_devices()
        known = [found["device_name"] for found in listed]
        if known[index : index + 1] != [name]:
            must = f"Kompute must see the devices that Vulkan lists: {ADVICE}"
            raise DeviceError(explain("device", must, index=index, name=name, kompute=known))
        # Kompute never resets the queries that it times by, which the validation layer minds.
        self._tick_ns = 0.0
        if tick_ns and listed[index]["timestamps_supported"] and not vulkan.is_validating():
            self._tick_ns = tick_ns
        self._host = kp.TensorTypes.host
        self._storage = kp.TensorTypes.storage
        self._no_spec = np.zeros(0, np.uint32)
        self._check_views()

    def _check_views(self) -> None:
        # Built against an old pybind11, kp reads NumPy 2's arrays at the wrong offsets: strides of
        # 0 and no error. Everything after that would be silently wrong.
        expected = np.arange(1, 8, dtype=np.uint32)
        seen = self._manager.tensor_t(expected, self._host).data()
        if seen.strides != (4,) or not np.array_equal(seen, expected):
            must = (
                "kp must be built against a pybind11 that knows this NumPy: "
                "`python -m dml_vk doctor --fix` builds it anew"
            )
            raise DeviceError(explain("device", must, numpy=np.__version__))

    def allocate(self, words: Words, host: bool) -> Block:
        """A block as large as `words`, mapped if `host`. The guard must have agreed before.

        kp copies the words into a host block, and so touches it; a storage block ignores them.
        """
        return self._manager.tensor_t(words, self._host if host else self._storage)

    def view(self, block: Block) -> Words:
        """The memory of a host block itself. The view keeps the block alive."""
        view: Words = block.data()
        return view

    def pipeline(
        self,
        blocks: Sequence[Block],
        spirv: bytes,
        spec: Sequence[int],
        push: int,
        groups: Sequence[int],
    ) -> Pipeline:
        """A kernel bound to blocks, specialised, for a fixed number of groups (x, y, z)."""
        return self._manager.algorithm(
            list(blocks),
            spirv,
            list(groups),
            np.array(spec, np.uint32) if spec else self._no_spec,
            np.zeros(push, np.uint32),
        )

    def record(self, work: Sequence[tuple[Pipeline, Words]], timed: bool = False) -> Recording:
        """A sequence of independent dispatches, to be run once. `timed`: for `microseconds`."""
        dispatch = self._kp.OpAlgoDispatch
        # With more operations than it was told of it would write beyond its end.
        is_timed = timed and self._tick_ns
        sequence = self._manager.sequence(0, len(work)) if is_timed else self._manager.sequence()
        for pipeline, push in work:
            sequence.record(dispatch(pipeline, push))
        return sequence

    run = staticmethod(operator.methodcaller("eval"))
    """Run a recording and wait. A C callable: no signal handler runs between its end and its caller
    in C, which lets a batch know for certain what has run."""

    def microseconds(self, recording: Recording) -> list[float] | None:
        """What each dispatch of a timed recording took; None on a device without a clock.

        From the end of the one before, that is, where the device does several at once.
        """
        if not self._tick_ns:
            return None
        ticks = recording.get_timestamps()
        return [max(0, end - start) * self._tick_ns / 1000 for start, end in pairwise(ticks)]

    def leak(self, objects: Iterable[Any]) -> None:
        """Keep kp's objects, and the Manager, from ever being destroyed in this process.

        A forked child must not run their destructors: they wait for threads it does not have.
        """
        for thing in (self._manager, *objects):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _import_kp() -> Any:
    root = logging.getLogger()
    handlers = root.handlers[:]
    try:
        import kp
    except ImportError as error:
        must = f"kp must be importable: {ADVICE}{_clones_python()}"
        raise DeviceError(explain("device", must, error=str(error))) from None
    finally:
        # It sets up logging for the whole program, which is the program's own to do.
        root.handlers[:] = handlers
    return kp


def _clones_python() -> str:
    """A clone's own Python, which `./dev` has given all that is needed, where another runs."""
    environment = Path(__file__).parents[2] / ".venv"
    python = environment / "bin" / "python"
    if not python.is_file() or os.path.realpath(sys.prefix) == os.path.realpath(environment):
        return ""
    return f", or use the clone's own, {system.typed(python)}"


def exit_without_drivers() -> None:
    """Let this process, a forked child, end before its drivers' exit handlers come up.

    They too wait for threads that are not there. Handlers run last come, first served; `_exit`
    takes the status as its first argument, as what `on_exit` calls does, and ends it all.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "on_exit"):  # glibc
        libc.on_exit(libc._exit, None)
        libc.on_exit(libc.fcloseall, None)
