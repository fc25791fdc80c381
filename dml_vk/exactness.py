"""Whether results must be exact: `dml_vk.settings`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property

from dml_vk import environment
from dml_vk.arguments import to_bool


class Values:
    """The values of the settings, of the process or within a `with` block."""

    @cached_property
    def exact(self) -> bool:
        """As in the environment, unless it is set."""
        return environment.exact()


_of_process = Values()
chosen: ContextVar[Values] = ContextVar("dml_vk.settings", default=_of_process)


class Settings:
    """Settings of the process; as a context manager, of this thread or task for a while.

    `exact`, which is True unless DML_VK_EXACT is 0, promises results that are the same bits on
    every device. Without it, products of matrices may round a product and the sum that it is added
    to once instead of twice.

    >>> import dml_vk
    >>> dml_vk.settings.exact
    True
    >>> x = dml_vk.ones((2, 3))
    >>> with dml_vk.settings(exact=False):
    ...     y = x @ x.T
    >>> y.tolist(), dml_vk.settings.exact
    ([[3.0, 3.0], [3.0, 3.0]], True)
    """

    @property
    def exact(self) -> bool:
        return chosen.get().exact

    @exact.setter
    def exact(self, value: bool) -> None:
        chosen.get().exact = to_bool("settings", "exact", value)

    @contextmanager
    def __call__(self, *, exact: bool) -> Iterator[None]:
        """Set `exact` within a `with` block, for what this thread or task calls there."""
        values = Values()
        values.exact = to_bool("settings", "exact", exact)
        token = chosen.set(values)
        try:
            yield
        finally:
            chosen.reset(token)

    def __repr__(self) -> str:
        return f"settings(exact={self.exact})"


settings = Settings()
"""Whether results must be exact, as they are by default, or may be fused."""
