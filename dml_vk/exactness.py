"""Whether results must be exact: `dml_vk.settings`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dml_vk import context
from dml_vk.arguments import to_bool
from dml_vk.context import Values


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
        return context.get().settings.exact

    @exact.setter
    def exact(self, value: bool) -> None:
        context.get().settings.exact = to_bool("settings", "exact", value)

    @contextmanager
    def __call__(self, *, exact: bool) -> Iterator[None]:
        """Set `exact` within a `with` block, for what this thread or task calls there."""
        values = Values()
        values.exact = to_bool("settings", "exact", exact)
        with context.within(settings=values):
            yield

    def __repr__(self) -> str:
        return f"settings(exact={self.exact})"


settings = Settings()
"""Whether results must be exact, as they are by default, or may be fused."""
