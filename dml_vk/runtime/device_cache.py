"""Tables on a device that are computed once and kept, such as roots of unity."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from dml_vk.context import unrecorded

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

T = TypeVar("T")


def device_cache(most: int) -> Callable[[Callable[..., T]], _lru_cache_wrapper[T]]:
    """Cache up to `most` results, which must not be changed, of a function of a device.

    They outlive the call, so they are no part of a program that is being recorded.
    """

    def decorate(function: Callable[..., T]) -> _lru_cache_wrapper[T]:
        @functools.lru_cache(maxsize=most)
        def cached(device: object, *args: object) -> T:
            with unrecorded():
                return function(device, *args)

        return cached

    return decorate
