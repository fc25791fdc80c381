"""Memory of programs that holds what no launch has written: all bits set, which is NaN."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from dml_vk.compiler.program import Program


@contextmanager
def poisoned() -> Iterator[None]:
    """Fill the results and temporaries of programs before each call, where the host can."""
    run = Program.run

    def run_poisoned(self, *args, **options):
        memory = self.device.memory
        allocate = memory.allocate

        def allocate_poisoned(what, *rest):
            made = allocate(what, *rest)
            if what == "compile" and made.bytes is not None:
                made.bytes[:] = 255
            return made

        with self.device.queue.enter():
            self.device.queue.flush()  # What is pending may still write there.
        with patch.object(memory, "allocate", allocate_poisoned):
            return run(self, *args, **options)

    with patch.object(Program, "run", run_poisoned):
        yield
