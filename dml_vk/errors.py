"""What goes wrong, as exceptions that say what must hold and what came instead."""

from __future__ import annotations


class DmlVkError(Exception):
    """The root of every error that dml_vk raises on purpose."""


class LayoutError(DmlVkError, ValueError):
    """A layout, or an operation on layouts, that makes no sense."""


class LayoutIndexError(LayoutError, IndexError):
    """A dim or an index outside the range that the sizes allow."""


class DTypeError(DmlVkError, TypeError):
    """An element type that is unknown, or not allowed where it stands."""


def explain(what: str, must: str, /, **got: object) -> str:
    """One message shape for the whole package.

    >>> explain("permute", "dims must be a permutation of 0..1", dims=(0, 0))
    'permute: dims must be a permutation of 0..1; got dims=(0, 0)'
    """
    return f"{what}: {must}; got {', '.join(f'{name}={value!r}' for name, value in got.items())}"
