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


class RangeError(DmlVkError, ValueError):
    """A number outside of what it may be."""


class DeviceError(DmlVkError, RuntimeError):
    """No device, or one that cannot do what is asked."""


class DeviceMemoryError(DmlVkError, MemoryError):
    """The device has no room for it, or no way to address it."""


class ShaderError(DmlVkError, ValueError):
    """A shader that does not compile, or is called in a way that it does not fit."""


def explain(what: str, must: str, /, **got: object) -> str:
    """One message shape for the whole package.

    >>> from dml_vk.errors import explain
    >>> explain("permute", "dims must be a permutation of 0..1", dims=(0, 0))
    'permute: dims must be a permutation of 0..1; got dims=(0, 0)'
    """
    return f"{what}: {must}; got {', '.join([f'{name}={_shown(got[name])}' for name in got])}"


def _shown(value: object) -> str:
    """Its repr, which of foreign objects may raise, as that of integers of 5000 digits does."""
    try:
        return repr(value)
    except Exception as error:
        return f"<{type(value).__name__} without a repr: {type(error).__name__}>"
