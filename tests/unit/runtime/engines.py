"""A runtime of two queues in Python, each of which runs as early, or as late, as Vulkan allows."""

from __future__ import annotations

from collections import deque
from typing import Literal

from dml_vk.limits import MINIMUM
from dml_vk.runtime.arenas import Memory
from dml_vk.runtime.device_work import DeviceWork
from dml_vk.runtime.queue import Queue
from tests.unit.runtime.queues import Runtime, Submission

Name = Literal["work", "copies"]


class Line:
    """One of the queues: what it is still to run, and how much it has run."""

    def __init__(self):
        self.todo = deque()  # tickets, and the other queue's with how many of its must be over
        self.submitted = self.ran = 0


class TwoQueues(Runtime):
    """Runs what one queue gets at once, if it need not wait, and the other's if somebody waits."""

    def __init__(self, early: Name):
        super().__init__()
        self.early = early
        self.lines = {"work": Line(), "copies": Line()}
        self.links = []  # which queue was told to wait
        self.done = set()
        self.copy_engine = Engine(self)

    def submit(self, ticket):
        assert not ticket.is_submitted
        if self.before_run:
            raise self.before_run.pop()
        ticket.is_submitted = True
        ticket.line = getattr(ticket, "line", "work")
        self.ran.append(ticket)
        line = self.lines[ticket.line]
        line.todo.append(ticket)
        line.submitted += 1
        ticket.number = line.submitted
        self.advance()

    def is_done(self, ticket):
        return ticket in self.done

    def wait(self, ticket):
        assert ticket.is_submitted
        self.waited.append(ticket)
        self.finish(ticket.line, ticket.number)
        self.advance()

    def link(self, name, other):
        self.links.append(name)
        self.lines[name].todo.append((other, self.lines[other].submitted))

    def advance(self):
        """Run all that the early queue may run."""
        line = self.lines[self.early]
        while line.todo:
            first = line.todo[0]
            if isinstance(first, Submission):
                self.run_first(line)
            elif self.lines[first[0]].ran < first[1]:
                return
            else:
                line.todo.popleft()

    def finish(self, name, count):
        """Run as many of a queue, and what they wait for."""
        line = self.lines[name]
        while line.ran < count:
            if isinstance(line.todo[0], Submission):
                self.run_first(line)
            else:
                self.finish(*line.todo.popleft())

    def run_first(self, line):
        ticket = line.todo.popleft()
        for command in ticket.commands:
            self.do(command)
        line.ran += 1
        self.done.add(ticket)


class Engine:
    """Its copy engine."""

    def __init__(self, runtime):
        self.runtime = runtime

    def record(self, commands):
        ticket = Submission(commands)
        ticket.line = "copies"
        return ticket

    def follow(self):
        self.runtime.link("copies", "work")

    def precede(self):
        self.runtime.link("work", "copies")


class Guard:
    def refusal(self, nbytes, kind, held_bytes):
        return None


class Card(DeviceWork):
    """A device with memory that the host does not see."""

    unified = False

    def __init__(self, runtime):
        self.queue = Queue(runtime, MINIMUM, lambda: None)
        self.memory, self.uploads, self.downloads = (
            Memory(runtime, Guard(), 2**24, kind, self.queue.flush, self.queue.forget)
            for kind in ("device", "upload", "readback")
        )
        self.staging = self.uploads, self.downloads
        self.ring, self._aside = deque(maxlen=2), deque()
