"""Gradients of Fourier transforms, which are transforms of the other direction, with its norm.

They are of the whole transform, whose points beyond the operand are dropped. `rfft` passes what
its points send to all n of them; `irfft` sends its points, but the first and the middle one, what
their conjugates get too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dml_vk.array.creation.arrays import asarray
from dml_vk.array.data_types import real
from dml_vk.array.math.elementwise import multiply
from dml_vk.array.math.fourier import COMPLEX, REAL, TO_REAL, Job, _transform, transform
from dml_vk.dtypes import DType
from dml_vk.gradients.rules.fitting import like, resized
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.runtime.device import Device
from dml_vk.runtime.device_cache import device_cache
from dml_vk.tensor.core import Tensor


@rule(_transform)
def transformed(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (job,), (x, *tables) = noted.params, noted.operands
    kind = REAL if job.kind == TO_REAL else COMPLEX
    how = job.axes, _norm(job), None
    points = transform(job.what, kind, cotangent, job.lengths, *how, inverse=not job.inverse)
    if job.kind == TO_REAL:
        last = job.axes[-1]
        after = points.ndim - 1 - last
        points = multiply(points, _shares(x.device, job.lengths[-1], after, job.dtype))
    if x.dtype.kind != "c":
        points = real(points)
    return [like(resized(points, x.shape), x), *[None] * len(tables)]


def _norm(job: Job) -> str:
    """Return the norm by which the transform of the other direction has the same factor."""
    count = math.prod(job.lengths)
    if job.factor == 1:
        return "backward" if job.inverse else "forward"
    if job.factor == 1 / count:
        return "forward" if job.inverse else "backward"
    return "ortho"


@device_cache(64)
def _shares(device: Device, n: int, after: int, dtype: DType) -> Tensor:
    """Return how many of n points each of the first n // 2 + 1 stands for."""
    shares = np.full(n // 2 + 1, 2, dtype.numpy_name)
    shares[0] = 1
    if n % 2 == 0:
        shares[-1] = 1
    return asarray(shares.reshape((-1, *(1,) * after)), device=device)
