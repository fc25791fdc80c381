"""Whether results must be exact, and gradients are searched for NaN: `dml_vk.settings`."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dml_vk import context
from dml_vk.arguments import to_bool

_AS_BEFORE: Any = object()


class Settings:
    """Settings of the process; as a context manager, of this thread or task for a while.

    `exact`, which is True unless DML_VK_EXACT is 0, promises results that are the same bits on
    every device. Without it, products of matrices may round a product and the sum that it is added
    to once instead of twice.

    If `debug_nans` is True, functions that are differentiated are checked: an error names the first
    operation whose result or gradient has NaN. They wait for each operation, unless they are
    compiled, which is done again for this setting.

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

    @property
    def debug_nans(self) -> bool:
        return context.get().settings.debug_nans

    @debug_nans.setter
    def debug_nans(self, value: bool) -> None:
        context.get().settings.debug_nans = to_bool("settings", "debug_nans", value)

    @contextmanager
    def __call__(
        self, *, exact: bool = _AS_BEFORE, debug_nans: bool = _AS_BEFORE
    ) -> Iterator[None]:
        """Change settings within a `with` block, for what this thread or task calls there."""
        values = copy.copy(context.get().settings)
        for name, value in (("exact", exact), ("debug_nans", debug_nans)):
            if value is not _AS_BEFORE:
                setattr(values, name, to_bool("settings", name, value))
        with context.within(settings=values):
            yield

    def __repr__(self) -> str:
        return f"settings(exact={self.exact}, debug_nans={self.debug_nans})"


settings = Settings()
"""Whether results must be exact, and whether gradients are searched for NaN."""
