"""The QR decomposition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dml_vk.array.calls import whole
from dml_vk.array.creation.grids import triu
from dml_vk.errors import RangeError
from dml_vk.linalg.batches import batched, identities, result_dtype, to_matrices, unbatched
from dml_vk.linalg.reflections import apply_all, qr_in_place
from dml_vk.tensor.core import Tensor


class QRResult(NamedTuple):
    """Orthonormal columns, and an upper triangle."""

    Q: Tensor
    R: Tensor


def qr(x: Tensor, /, *, mode: str = "reduced") -> QRResult:
    """Return orthonormal columns Q and an upper triangle R for which Q @ R is x.

    Q has as many columns as R has rows: the lesser of both sizes of x, or with `mode` "complete" as
    many as x has rows. Elements on the diagonal of R may be negative, as in LAPACK.

    >>> import dml_vk
    >>> q, r = dml_vk.linalg.qr(dml_vk.asarray([[3.0, 2.5], [4.0, 5.0]]))
    >>> dml_vk.around(r, 4).tolist()
    [[-5.0, -5.5], [0.0, 1.0]]
    """
    what = "qr"
    to_matrices(what, x)
    if not isinstance(mode, str) or mode not in ("reduced", "complete"):
        raise RangeError(what, 'mode must be "reduced" or "complete"', mode=mode)
    return QRResult(*whole(_qr, (x,), None, mode))


def _qr(operands: Sequence[Tensor], out: None, mode: str) -> tuple[Tensor, Tensor]:
    what, (x,) = "qr", operands
    work = batched(what, x)
    count, m, n = work.shape
    rows = m if mode == "complete" else min(m, n)
    reflections = qr_in_place(what, work)
    q = identities(what, count, m, rows, work)
    apply_all(reflections, q)
    r = triu(work.narrow(1, 0, rows))
    batch, dtype = x.shape[:-2], result_dtype(x)
    return unbatched(q, batch, dtype), unbatched(r, batch, dtype)
