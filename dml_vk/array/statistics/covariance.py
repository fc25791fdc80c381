"""Covariances and correlations of variables, whose sums are those of `mean` and `matmul`.

float16 is computed in float32, and integers in float64; results are rounded once.
"""

from __future__ import annotations

from typing import Any

from dml_vk.arguments import to_bool, to_int
from dml_vk.array.data_types import real
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.manipulation.shapes import concat, reshape
from dml_vk.array.math.clipping import clip
from dml_vk.array.math.elementwise import (
    astype,
    conj,
    divide,
    maximum,
    multiply,
    sqrt,
    subtract,
)
from dml_vk.array.products.matrix_products import matmul
from dml_vk.array.statistics.averages import average
from dml_vk.array.statistics.moments import mean
from dml_vk.array.statistics.reductions import computed_in, sum
from dml_vk.dtypes import DType, DTypeLike, to_dtype
from dml_vk.errors import ErrorsAs, LayoutError
from dml_vk.layout import Layout
from dml_vk.ops.parts import as_parts
from dml_vk.promotion import common_dtype, float_dtype
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import (
    Operand,
    check_dtype,
    of_kinds,
    result_over,
    to_tensor,
    to_tensors,
)


def cov(
    m: Tensor,
    /,
    y: Tensor | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the covariances of variables: rows of m and y, or columns with `rowvar=False`.

    Sums are divided by the number of observations minus `ddof`, which is 1, or 0 with `bias`.
    `fweights` says how often each observation counts, `aweights` how much. Deviations of a complex
    variable are multiplied by the conjugates of the other one's: element i, j of the result has
    those of variable j conjugated. `dtype` is that of the result, which otherwise is that of
    `mean`, and of the computation, which for integers is float64.

    >>> import dml_vk
    >>> dml_vk.cov(dml_vk.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    what = "cov"
    matrix, kind = _covariances(what, m, y, rowvar, bias, ddof, fweights, aweights, dtype)
    return _result(what, matrix, kind, out)


def corrcoef(
    x: Tensor,
    /,
    y: Tensor | None = None,
    rowvar: bool = True,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the correlation coefficients of variables, from -1 to 1, with `cov`'s parameters.

    Those of complex variables have parts from -1 to 1.

    >>> import dml_vk
    >>> dml_vk.corrcoef(dml_vk.asarray([[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    what = "corrcoef"
    matrix, kind = _covariances(what, x, y, rowvar, False, None, None, None, dtype)
    with ErrorsAs(what):
        if matrix.shape == (1, 1):
            return _result(what, divide(matrix, matrix), kind, out)
        spread = sqrt(real(matrix.over(matrix.layout.diagonal())))
        across = spread.over(spread.layout.unsqueeze(1))
        matrix = divide(divide(matrix, across), spread)
        parts = Tensor(as_parts(matrix)) if kind.kind == "c" else matrix
        clip(parts, -1.0, 1.0, out=parts)
        return _result(what, matrix, kind, out)


def _covariances(
    what: str,
    m: Tensor,
    y: Tensor | None,
    rowvar: bool,
    bias: bool,
    ddof: int | None,
    fweights: Tensor | None,
    aweights: Tensor | None,
    dtype: DTypeLike | None,
) -> tuple[Tensor, DType]:
    """Return the matrix in the dtype of the computation, and the dtype of the result."""
    m, y, fweights, aweights = upload_operands(what, m, y, fweights, aweights)
    rowvar, bias = (
        _switch(what, name, value) for name, value in (("rowvar", rowvar), ("bias", bias))
    )
    variables = [to_tensor(what, "m", m)] + ([] if y is None else [to_tensor(what, "y", y)])
    kind = common_dtype(what, [float_dtype(value.dtype) for value in to_tensors(what, variables)])
    kind = kind if dtype is None else to_dtype(what, dtype)
    check_dtype(what, kind, of_kinds("fc"))
    weight_tensors = [value for value in (fweights, aweights) if isinstance(value, Tensor)]
    wide = computed_in(kind, *[value.dtype for value in (*variables, *weight_tensors)])
    rows = [_rows(what, astype(value, wide, copy=False), rowvar) for value in variables]
    with ErrorsAs(what):
        observed = rows[0] if y is None else concat(rows)
    count = observed.shape[1]
    correction = 1 - bias if ddof is None else to_int(what, "ddof", ddof)
    weights = [
        _weights(what, name, value, count, observed, wide.part)
        for name, value in (("fweights", fweights), ("aweights", aweights))
        if value is not None
    ]
    if not weights:
        centred = subtract(observed, mean(observed, axis=1, keepdims=True))
        return divide(matmul(centred, conj(centred).T), float(max(0, count - correction))), kind
    scale = weights[0] if len(weights) == 1 else multiply(*weights)
    means: Any = average(observed, 1, scale, keepdims=True)
    centred, total = subtract(observed, means), sum(scale)
    less: Operand = correction
    if aweights is not None:
        less = multiply(divide(sum(multiply(scale, weights[-1])), total), correction)
    by = maximum(subtract(total, less), 0.0)
    return divide(matmul(multiply(centred, scale), conj(centred).T), by), kind


def _switch(what: str, name: str, value: bool | int) -> bool:
    """Convert a bool, or 0 or 1, which SciPy passes."""
    return to_bool(what, name, bool(value) if isinstance(value, int) and value in (0, 1) else value)


def _rows(what: str, x: Tensor, rowvar: bool) -> Tensor:
    if x.ndim > 2:
        raise LayoutError(what, "m must have at most two dims", shape=x.shape)
    if x.ndim < 2:
        return reshape(x, (1, x.size))
    return x if rowvar else x.T


def _weights(
    what: str, name: str, values: Tensor, count: int, near: Tensor, dtype: DType
) -> Tensor:
    weights = to_tensor(what, name, values)
    to_tensors(what, [near, weights])
    if weights.shape != (count,):
        raise LayoutError(what, f"{name} must have the shape {(count,)}", **{name: weights.shape})
    return astype(weights, dtype, copy=False)


def _result(what: str, matrix: Tensor, kind: DType, out: Tensor | None) -> Tensor:
    """Write the covariances, or the only one, without dims, to the result."""
    seen = reshape(matrix, ()) if matrix.shape == (1, 1) else matrix
    if out is None and kind is seen.dtype:
        return seen
    target = result_over(what, Layout(seen.shape), kind, seen, out)
    return astype(seen, kind, out=target)
