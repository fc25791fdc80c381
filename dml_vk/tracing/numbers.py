"""Placeholders for numbers whose values are known only when a trace runs."""

from __future__ import annotations

from typing import Any, NamedTuple

from dml_vk.arguments import Ints


class Number:
    """A placeholder for a Python number, whose value is known only at each call."""

    operand: int


class IntNumber(Number, int):
    """A placeholder for an int."""


class FloatNumber(Number, float):
    """A placeholder for a float."""


class Word(int):
    """A placeholder for one word of a number."""

    number: NumberWords
    position: int  # among the words of the number


class NumberWords(NamedTuple):
    """How to make the words of a number that is an operand."""

    operand: int
    pack: Any  # makes them from the operation's name, the argument's name, the dtype and the value
    known: tuple[Any, ...]  # these arguments except the value

    def words(self, count: int) -> Ints:
        words = []
        for position in range(count):
            word = Word()
            word.number, word.position = self, position
            words.append(word)
        return tuple(words)


class LiveNumber:
    """A number that each call of a program gives."""

    __slots__ = ("_value", "is_pinned", "kind", "operand")

    def __init__(self, operand: int, value: float) -> None:
        self.operand = operand
        self._value = value  # that of the first call
        self.kind = type(value)  # int or float
        self.is_pinned = False

    # What asks for the class of an instance gets that of the number.
    __class__ = property(lambda self: self.kind)

    def words(self, of: NumberWords) -> Ints:
        """Return placeholders for the words that this number has instead of another."""
        count = len(of.pack(*of.known, 1))
        return NumberWords(self.operand, of.pack, of.known).words(count)

    def pinned(self) -> Any:
        """The value, on which the program depends from now on."""
        self.is_pinned = True
        return self._value


def with_values(value: Any) -> Any:
    """Return nested lists and tuples with the values of live numbers in their place."""
    if issubclass(type(value), LiveNumber):
        return value.pinned()
    if type(value) is list or type(value) is tuple:
        return type(value)([with_values(item) for item in value])
    return value
