"""What makes a decomposition fail, found by one read of the host at the end."""

from __future__ import annotations

import numpy as np

from dml_vk import errors
from dml_vk.strides.order import Ints
from dml_vk.tensor.core import Tensor


class LinAlgError(errors.LinAlgError, np.linalg.LinAlgError):
    """Both, which `errors` cannot make, as it does not import NumPy."""


def check_none(what: str, rule: str, marks: Tensor, shape: Ints) -> None:
    """Wait for a mark of each matrix of this shape, and raise an error if one of them is not 0."""
    found = np.flatnonzero(marks.numpy())
    if found.size:
        batch = shape[:-2]
        at = {"matrix": tuple([int(k) for k in np.unravel_index(found[0], batch)])} if batch else {}
        raise LinAlgError(what, rule, shape=shape, **at)
