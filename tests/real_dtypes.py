"""Element types without complex ones, which have tests of their own: tests/kernel/complex."""

from __future__ import annotations

from dml_vk import dtypes

DTYPES = {name: dtype for name, dtype in dtypes.DTYPES.items() if dtype.kind != "c"}
