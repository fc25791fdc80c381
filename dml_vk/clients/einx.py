"""einx: it has a backend for the array API, which waits for this module to be imported."""

from __future__ import annotations

import contextlib

with contextlib.suppress(ImportError):
    import array_api_compat  # noqa: F401
