"""Special functions by SciPy's names; most of them are in the main namespace as well.

`logsumexp` is that of `dml_vk.nn`: its default is the last axis, where SciPy's is all.
"""

from __future__ import annotations

from dml_vk.array.math.elementwise import digamma, erf, erfc, gammaln, i0e, i1e, xlogy
from dml_vk.array.math.elementwise import sigmoid as expit
from dml_vk.array.math.inverse_erf import erfinv
from dml_vk.nn.softmax import logsumexp

__all__ = [
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "expit",
    "gammaln",
    "i0e",
    "i1e",
    "logsumexp",
    "xlogy",
]
