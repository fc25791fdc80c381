"""What makes a decomposition fail, found by one read of the host at the end."""

from __future__ import annotations

import numpy as np

from dml_vk.errors import DmlVkError
from dml_vk.tensor.core import Tensor


class LinAlgError(DmlVkError, np.linalg.LinAlgError):
    """A matrix without the decomposition or the inverse that was asked for."""


def check_none(what: str, rule: str, marks: Tensor) -> None:
    """Wait for the marks of all matrices, and raise an error if one of them is not 0."""
    found = np.flatnonzero(marks.numpy())
    if found.size:
        at = np.unravel_index(int(found[0]), marks.shape)
        raise LinAlgError(what, rule, matrix=tuple([int(k) for k in at]))
