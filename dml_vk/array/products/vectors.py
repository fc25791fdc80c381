"""NumPy's products of vectors and of all pairs; sums are those of `matmul`."""

from __future__ import annotations

from dml_vk.array.host_operands import upload_operands
from dml_vk.array.manipulation.shapes import reshape
from dml_vk.array.math.elementwise import logical_and, multiply
from dml_vk.array.products.einsum import numeric_dtype
from dml_vk.array.products.matrix_products import matmul, tensordot, vecdot
from dml_vk.errors import ErrorsAs
from dml_vk.layout import Layout
from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import Operand, result_over


def dot(a: Operand, b: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Multiply matrices or vectors; sum over the last dim of a and the second last, or only, of b.

    The result has the other dims of a and then those of b. Numbers are multiplied by elements.

    >>> import dml_vk
    >>> x = dml_vk.asarray([1, 2, 3])
    >>> dml_vk.dot(x, x).tolist(), dml_vk.dot(x, 2).tolist()
    (14, [2, 4, 6])
    """
    a, b = upload_operands("dot", a, b)
    with ErrorsAs("dot"):
        if not (isinstance(a, Tensor) and isinstance(b, Tensor) and a.ndim and b.ndim):
            return multiply(a, b, out=out)
        if a.ndim <= 2 and b.ndim <= 2:
            return matmul(a, b, out=out)
        return tensordot(a, b, ((-1,), (-2 if b.ndim > 1 else -1,)), out=out)


def inner(a: Operand, b: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Sum over the last dim of both; the result has the other dims of a and then those of b.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2], [3, 4]])
    >>> dml_vk.inner(x, x).tolist()
    [[5, 11], [11, 25]]
    """
    a, b = upload_operands("inner", a, b)
    with ErrorsAs("inner"):
        if not (isinstance(a, Tensor) and isinstance(b, Tensor) and a.ndim and b.ndim):
            return multiply(a, b, out=out)
        return tensordot(a, b, ((-1,), (-1,)), out=out)


def vdot(a: Tensor, b: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the sum of the products of all elements, in row-major order.

    >>> import dml_vk
    >>> x = dml_vk.asarray([[1, 2], [3, 4]])
    >>> dml_vk.vdot(x, x).tolist()
    30
    """
    a, b = upload_operands("vdot", a, b)
    with ErrorsAs("vdot"):
        return vecdot(reshape(a, -1), reshape(b, -1), out=out)


def outer(a: Tensor, b: Tensor, /, *, out: Tensor | None = None) -> Tensor:
    """Return the products of each element of a with each of b, both in row-major order.

    >>> import dml_vk
    >>> dml_vk.outer(dml_vk.asarray([1, 2]), dml_vk.asarray([[3, 4], [5, 6]])).tolist()
    [[3, 4, 5, 6], [6, 8, 10, 12]]
    """
    a, b = upload_operands("outer", a, b)
    with ErrorsAs("outer"):
        return multiply(reshape(a, (-1, 1)), reshape(b, -1), out=out)


def kron(a: Operand, b: Operand, /, *, out: Tensor | None = None) -> Tensor:
    """Return the Kronecker product: a block for each element of a, which is it times b.

    >>> import dml_vk
    >>> dml_vk.kron(dml_vk.asarray([1, 10]), dml_vk.asarray([1, 2, 3])).tolist()
    [1, 2, 3, 10, 20, 30]
    """
    what = "kron"
    a, b = upload_operands(what, a, b)
    if not (isinstance(a, Tensor) and isinstance(b, Tensor) and a.ndim and b.ndim):
        with ErrorsAs(what):
            return multiply(a, b, out=out)
    dtype = numeric_dtype(what, (("a", a), ("b", b)))
    rank = max(a.ndim, b.ndim)
    pairs = list(zip(*[(1,) * (rank - x.ndim) + x.shape for x in (a, b)]))
    sizes = tuple([first * second for first, second in pairs])
    target = result_over(what, Layout(sizes), dtype, a, out)
    seen = target.layout.view([size for pair in pairs for size in pair])
    assert seen is not None  # A dim can be split in any strides.
    with ErrorsAs(what):
        left = reshape(a, [size for first, _ in pairs for size in (first, 1)])
        right = reshape(b, [size for _, second in pairs for size in (1, second)])
        product = logical_and if dtype.kind == "b" else multiply
        product(left, right, out=target.over(seen))
    return target
