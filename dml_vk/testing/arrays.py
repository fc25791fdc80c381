"""Arrays as references take and return them: of any dtype, which each checks by itself."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
