"""Texts of a model, which protobuf does not check to be texts."""

from __future__ import annotations

from collections.abc import Iterable

from dml_vk.errors import ModelError


def to_text(what: str, value: str | bytes) -> str:
    """Return a text; protobuf gives bytes for what is not UTF-8."""
    try:
        return value.decode("utf-8") if isinstance(value, bytes) else str(value)
    except UnicodeDecodeError:
        raise ModelError(what, "texts must be UTF-8", given=value) from None


def to_texts(what: str, values: Iterable[str | bytes]) -> tuple[str, ...]:
    return tuple(to_text(what, value) for value in values)
