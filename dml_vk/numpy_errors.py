"""Errors that are also NumPy's: `dml_vk.errors` does not import it."""

from __future__ import annotations

import numpy as np

from dml_vk import errors

_numpys = getattr(np, "exceptions", np)


class LinAlgError(errors.LinAlgError, np.linalg.LinAlgError):
    """A matrix without what was asked of it."""


class AxisError(errors.AxisError, _numpys.AxisError):  # type: ignore[misc, name-defined]
    """An axis that a tensor does not have."""
