"""What NumPy's functions do not take as tensors is refused by our errors."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import dml_vk
from dml_vk.errors import DTypeError, LayoutError, RangeError
from dml_vk.numpy_protocols import matrices

M = np.array([[0.25, -1.5, 3.0], [2.5, 0.75, -0.5]], np.float32)
TRUE = np.array([[True, False, True], [True, True, False]])


def test_what_tensors_do_not_offer_is_refused():
    x = dml_vk.asarray(M)
    asarray = "convert arrays with asarray; got"
    host = r"not available for tensors: use np\.asarray\(x\) to run it on the host"
    for call, said in (
        (lambda: operator.iadd(M.copy(), x), asarray),
        (lambda: np.add(M, M, out=x), asarray),
        (lambda: np.add.reduce(M, out=dml_vk.zeros((3,))), asarray),
        (lambda: np.can_cast(x, "int8", "kind"), "can_cast: casting must be one of no, equiv, sa"),
        (lambda: np.trace([[1]], out=x), asarray),
        (lambda: np.spacing(x), f"numpy.spacing: {host}"),
        (lambda: np.less.accumulate(x), f"numpy.less.accumulate: {host}"),
        (lambda: np.hypot.reduceat(x, [0]), f"numpy.hypot.reduceat: {host}"),
        (lambda: np.linalg.cond(x), f"numpy.linalg.*cond: {host}"),
        (lambda: matrices.matrix_rank(x, 1, rtol=2), "matrix_rank: tol and rtol exclude each"),
        (lambda: matrices.matrix_rank(x, iter((1, 2))), "operands must be tensors or numbers"),
        (
            lambda: np.maximum.reduce(x, dtype="int8"),
            "options must be among axis, initial, keepdims, out, where; got",
        ),
        (lambda: np.nanvar(x, mean=1), "numpy.nanvar: mean is not supported; got mean=1"),
        (lambda: np.argsort(x, order="a"), "numpy.argsort: order is not supported; got order='a'"),
    ):
        with pytest.raises(DTypeError, match=said):
            call()
    for call, said in (
        (lambda: np.cov(x[None]), "cov: m must have at most two dims; got shape=\\(1, 2, 3\\)"),
        (lambda: np.diag(x[None]), "diag: x must be 1-D or 2-D; got shape"),
        (lambda: np.pad(x, 1, constant_values=(1, 2, 3)), "pad: constant_values must be a number"),
        (
            lambda: np.select([], [x]),
            "select: condlist and choicelist must have the same length, at least 1",
        ),
        (lambda: np.split(x, 2, 1), "split: indices_or_sections must be a number of equal parts"),
        (lambda: np.array_split(x, 0), "array_split: indices_or_sections must be a number of eq"),
        (lambda: np.empty_like(x, order=M), "empty_like: order must be 'K', 'A', 'C' or 'F'"),
        (
            lambda: np.linalg.norm(x[None], 1),
            "norm: with ord, x must be 1-D or 2-D, or axis an integer or two",
        ),
        (lambda: np.partition(x, 3), "partition: kth must be from -3 to 2; got kth=3"),
        (lambda: np.argpartition(x, [0, -7], axis=None), "argpartition: kth must be from -6 to 5"),
        (lambda: np.partition(x, 1.5), "partition: kth must be an integer; got kth=1.5"),
    ):
        with pytest.raises(LayoutError, match=said):
            call()
    with pytest.raises(RangeError, match="linspace: num must not be negative; got num=-1"):
        np.linspace(x, 2, -1)
