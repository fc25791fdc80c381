"""Many small cases in one test: a test of pytest's own for each takes longer than the case."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any


class FailedCaseError(AssertionError):
    """What went wrong is its cause."""


def each(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As pytest.mark.parametrize, but one test, which says in which case it failed."""
    arguments = names.replace(",", " ").split()
    every = [case if len(arguments) > 1 else (case,) for case in cases]
    assert every

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            for case in every:
                given = dict(zip(arguments, case, strict=True))
                try:
                    test(**given, **fixtures)
                except Exception as error:
                    told = ", ".join(f"{name}={value!r}" for name, value in given.items())
                    raise FailedCaseError(f"{told}: {error}") from error

        left = inspect.signature(test).parameters.values()
        run.__signature__ = inspect.Signature([one for one in left if one.name not in arguments])
        del run.__wrapped__
        return run

    return decorated
