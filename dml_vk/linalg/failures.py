"""Errors of decompositions, which the host reads once, at the end."""

from __future__ import annotations

import numpy as np

from dml_vk.arguments import Ints
from dml_vk.numpy_errors import LinAlgError
from dml_vk.observe.copies import record_host
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.host import Array


def check_none(what: str, rule: str, marks: Tensor, shape: Ints) -> None:
    """Wait for a mark of each matrix of this shape, and raise an error if one of them is not 0."""
    if marks.size:
        packed = marks.contiguous()
        kind, start = packed.dtype.numpy_name, packed.offset * packed.dtype.itemsize
        record_host(what, marks.layout, packed.layout, marks.nbytes)
        packed.device.verify(
            packed.allocation,
            start,
            packed.nbytes,
            lambda data, _: check_marks(what, rule, data.view(kind), shape),
        )


def check_marks(what: str, rule: str, marks: Array, shape: Ints) -> None:
    """Raise an error if one of the marks is not 0."""
    failed = np.flatnonzero(marks)
    if failed.size:
        matrix = tuple([int(k) for k in np.unravel_index(failed[0], shape[:-2])])
        raise LinAlgError(what, rule, shape=shape, **{"matrix": matrix} if matrix else {})
