"""The context of a thread's or task's calls, in one variable, so that a call reads only one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from dml_vk import environment

if TYPE_CHECKING:
    from dml_vk.observe.builds import Builds
    from dml_vk.observe.copies import Log
    from dml_vk.runtime.device import Device
    from dml_vk.runtime.executor import Records


class Values:
    """The values of `dml_vk.settings`, of the process or within a `with` block."""

    debug_nans = False

    @cached_property
    def exact(self) -> bool:
        """That of the environment, unless it is set."""
        return environment.exact()


class Context(NamedTuple):
    """The settings, observers and recorder of calls."""

    settings: Values
    devices: tuple[Device, ...] = ()  # of enclosing `with device(...)` blocks
    recorder: Records | None = None  # records work in place of devices
    copies: tuple[Log, ...] = ()  # logs of enclosing `with trace()` blocks
    builds: Builds | None = None  # counts kernels that are built
    purpose: str | None = None  # what to report as the operation: the node of a model


_DEFAULT = Context(Values())
_context = ContextVar("dml_vk", default=_DEFAULT)
get = _context.get


def recorder() -> Records | None:
    """Return the recorder of this context, or None after its recording has ended."""
    recorder = get().recorder
    return None if recorder is None or recorder.is_over else recorder


def change(**changes: Any) -> None:
    """Change fields of this thread's or task's context from now on."""
    _context.set(_context.get()._replace(**changes))


@contextmanager
def within(**changes: Any) -> Iterator[None]:
    """Change fields of the context within a `with` block.

    It must end in the context where it began: a generator that another thread or task closes has
    its fields there, and theirs stay as they are.
    """
    before = get()
    token = _context.set(before._replace(**changes))
    try:
        yield
    finally:
        now = get()
        _context.reset(token)  # a ValueError in another context
        # Other fields may have been changed meanwhile, as by `with device(...)`.
        _context.set(now._replace(**{name: getattr(before, name) for name in changes}))


def unrecorded() -> AbstractContextManager[None]:
    """Run work immediately in the `with` block, even while a function is being recorded."""
    return within(recorder=None)
