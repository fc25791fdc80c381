"""Exceptions, whose messages name the rule and the value that broke it."""

from __future__ import annotations

from typing import TypeVar

Self = TypeVar("Self", bound="DmlVkError")

ONE_DEVICE = "operands must be on one device: x.to(device=...) makes a copy on another"


class DmlVkError(Exception):
    """The base class of every error that dml_vk raises on purpose.

    >>> from dml_vk.errors import LayoutError
    >>> error = LayoutError("permute", "dims must be a permutation of 0..1", dims=(0, 0))
    >>> print(error)
    permute: dims must be a permutation of 0..1; got dims=(0, 0)
    >>> error.op, error.got
    ('permute', {'dims': (0, 0)})
    """

    op: str
    rule: str
    got: dict[str, object]

    def __init__(self, op: str, rule: str = "", /, **got: object) -> None:
        # The text is made at once: values such as lists may change before anybody reads it. Others
        # who raise these errors may give a text alone.
        super().__init__(explain(op, rule, **got) if rule else op)
        self.op, self.rule, self.got = op, rule, got

    def renamed(self: Self, op: str, /, **names: str) -> Self:
        """The same error of another operation, with these arguments under other names.

        >>> from dml_vk.errors import RangeError
        >>> print(RangeError("expand", "too large", sizes=7).renamed("reshape", sizes="shape"))
        reshape: too large; got shape=7
        """
        got = {names.get(name, name): value for name, value in self.got.items()}
        return type(self)(op, self.rule, **got)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled with its text; values other than plain ones go as their repr."""
        got = {name: _picklable(value) for name, value in self.got.items()}
        state = {**self.__dict__, "got": got, "args": self.args}
        return type(self), (self.op, self.rule), state


class LayoutError(DmlVkError, ValueError):
    """An invalid layout, or an invalid operation on layouts or shapes."""


class LayoutIndexError(LayoutError, IndexError):
    """A dim or an index out of range."""


class AxisError(LayoutIndexError):
    """An axis that a tensor does not have. What is raised is also NumPy's class of this name."""


class DTypeError(DmlVkError, TypeError):
    """An element type that is unknown, or not supported here."""


class RangeError(DmlVkError, ValueError):
    """A number out of its range."""


class DeviceError(DmlVkError, RuntimeError):
    """No device, or a device that cannot do what is requested."""


class DeviceWarning(UserWarning):
    """A device whose arithmetic does not give the bits that a function promises."""


class DeviceMemoryError(DmlVkError, MemoryError):
    """The device is out of memory, or cannot address that much."""

    def advise(self, advice: str) -> None:
        """Add to the rule what would take less memory, once."""
        if advice not in self.rule:
            DmlVkError.__init__(self, self.op, f"{self.rule}; {advice}", **self.got)


class CaptureError(DmlVkError, RuntimeError):
    """A function that cannot be compiled, since it needs values or does what cannot be repeated."""


class GradientError(DmlVkError, RuntimeError):
    """A function that cannot be differentiated here, or a gradient that would be lost."""


class ModelError(DmlVkError, ValueError):
    """A model that is malformed, or that needs what is not supported."""


class LinAlgError(DmlVkError, ValueError):
    """A matrix without what was asked of it. What is raised is also NumPy's class of this name."""


class ShaderError(DmlVkError, ValueError):
    """A shader that does not compile, or a call that does not match its declarations."""


# How gradients take less memory.
CHECKPOINT = "parts of the function in dml_vk.checkpoint keep nothing for the gradient"

_MOST_NESTED = 4  # lists in lists in which tensors are looked for


class Log(str):
    """What a compiler said, shown as it is, on lines of its own."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"\n{self}"


def explain(op: str, rule: str, /, **got: object) -> str:
    """Format a message; the whole package uses this form.

    >>> from dml_vk.errors import explain
    >>> explain("Layout", "a layout cannot be changed", offset=3)
    'Layout: a layout cannot be changed; got offset=3'
    """
    return f"{op}: {rule}; got {', '.join([f'{name}={_repr_of(got[name])}' for name in got])}"


def _repr_of(value: object, depth: int = 0) -> str:
    """The repr, even if that raises, as for foreign objects or integers of 5000 digits.

    What is on a device is shown without its elements, which would have to be computed and read.
    """
    try:
        described = getattr(type(value), "_described", None)
        if described is not None:
            return str(described(value))
        if depth < _MOST_NESTED and (type(value) is list or type(value) is tuple):
            shown = [_repr_of(item, depth + 1) for item in value]
            if type(value) is list:
                return f"[{', '.join(shown)}]"
            return f"({', '.join(shown)}{',' * (len(shown) == 1)})"
        return repr(value)
    except Exception as error:
        return f"<{type(value).__name__} without a repr: {type(error).__name__}>"


def _picklable(value: object) -> object:
    """What is loaded anywhere without effects: to load a device would open it."""
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return value
    if type(value) is tuple:
        return tuple(map(_picklable, value))
    if type(value) is list:
        return list(map(_picklable, value))
    return _repr_of(value)


class ErrorsAs:
    """Inside the `with`, errors are those of another operation, with its arguments' names.

    >>> from dml_vk.errors import ErrorsAs
    >>> from dml_vk.layout import Layout
    >>> with ErrorsAs("reshape", sizes="shape"):
    ...     Layout((2, 3)).view(7)
    Traceback (most recent call last):
    dml_vk.errors.LayoutError: reshape: sizes must multiply to 6, with at most one -1 to infer; \
got shape=(7,)
    """

    __slots__ = ("_names", "_op")

    def __init__(self, op: str, /, **names: str) -> None:
        self._op = op
        self._names = names

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, DmlVkError):
            raise error.renamed(self._op, **self._names) from None
