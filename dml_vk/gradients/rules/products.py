"""Products: of matrices and of tensors, and `einsum`."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.array.creation.arrays import zeros
from dml_vk.array.manipulation.shapes import broadcast_to
from dml_vk.array.math.elementwise import conj, multiply
from dml_vk.array.products import einsum as sums
from dml_vk.array.products import matrix_products
from dml_vk.gradients.rules.registry import Noted, rule
from dml_vk.gradients.rules.shapes import fitted, summed_to, to_dtype
from dml_vk.tensor.core import Tensor

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@rule(matrix_products._matmul)
def _matmul(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    x1, x2 = noted.operands
    a = x1.unsqueeze(0) if x1.ndim == 1 else x1
    b = x2.unsqueeze(1) if x2.ndim == 1 else x2
    g = cotangent
    if x2.ndim == 1:
        g = g.unsqueeze(-1)
    if x1.ndim == 1:
        g = g.unsqueeze(-2)
    first = matrix_products.matmul(g, conj(b).mT)
    second = matrix_products.matmul(conj(a).mT, g)
    return _shaped(first, a, x1), _shaped(second, b, x2)


def _shaped(gradient: Tensor, matrix: Tensor, x: Tensor) -> Tensor | None:
    if x.dtype.kind not in "fc":
        return None
    return summed_to(to_dtype(gradient, x.dtype), matrix.shape).reshape(x.shape)


@rule(matrix_products._vecdot)
def _vecdot(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (x1, x2), (axis,) = noted.operands, noted.params
    axis = matrix_products.shared_axis("vecdot", axis, x1, x2)
    # Dims are counted from the last, so that fewer of them are as in broadcasting.
    rank = max(x1.ndim, x2.ndim)
    g = cotangent.unsqueeze(rank + axis)
    return fitted(multiply(conj(g), x2), x1), fitted(multiply(g, x1), x2)


@rule(matrix_products._tensordot)
def _tensordot(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (x1, x2), (axes1, axes2) = noted.operands, noted.params
    labels1 = [_LETTERS[dim] for dim in range(x1.ndim)]
    labels2 = [_LETTERS[26 + dim] for dim in range(x2.ndim)]
    for first, second in zip(axes1, axes2):
        labels2[second] = labels1[first]
    result = [label for dim, label in enumerate(labels1) if dim not in axes1]
    result += [label for dim, label in enumerate(labels2) if dim not in axes2]
    return _pulled([labels1, labels2], result, (x1, x2), cotangent)


@rule(sums._einsum)
def _einsum(noted: Noted, cotangent: Tensor) -> Sequence[Tensor | None]:
    (subscripts,) = noted.params
    named, result = sums.parse(subscripts, tuple([x.ndim for x in noted.operands]))
    # Letters for the dims of "...", which are numbers, apart from those that are used.
    free = iter([letter for letter in reversed(_LETTERS) if letter not in subscripts])
    used = {*map(str, result), *[str(label) for labels in named for label in labels]}
    dots: dict[str, str] = {label: next(free) for label in sorted(used) if label not in _LETTERS}
    letters = [[dots.get(str(label), str(label)) for label in labels] for labels in named]
    own = [dots.get(str(label), str(label)) for label in result]
    return _pulled(letters, own, noted.operands, cotangent)


def _pulled(
    letters: Sequence[Sequence[str]],
    result: Sequence[str],
    operands: Sequence[Tensor],
    cotangent: Tensor,
) -> list[Tensor | None]:
    gradients: list[Tensor | None] = []
    for number, x in enumerate(operands):
        if x.dtype.kind not in "fc":
            gradients.append(None)
            continue
        others = [k for k in range(len(operands)) if k != number]
        gradients.append(_gradient_of(letters, result, operands, cotangent, number, others))
    return gradients


def _gradient_of(
    letters: Sequence[Sequence[str]],
    result: Sequence[str],
    operands: Sequence[Tensor],
    cotangent: Tensor,
    number: int,
    others: Sequence[int],
) -> Tensor:
    """The gradient of an operand: a product of that of the result with the other operands."""
    x, own = operands[number], letters[number]
    distinct = list(dict.fromkeys(own))
    known = {*result, *[label for k in others for label in letters[k]]}
    terms = ["".join(result), *["".join(letters[k]) for k in others]]
    shown = [label for label in distinct if label in known]
    factors = [cotangent, *[conj(operands[k]) for k in others]]
    gradient = sums.einsum(f"{','.join(terms)}->{''.join(shown)}", *factors)
    # A dim that was summed alone, or broadcast from one of size 1.
    sizes = dict(zip(own, x.shape))
    for dim, label in enumerate(distinct):
        if label not in known:
            gradient = gradient.unsqueeze(dim)
    wanted = tuple([sizes[label] for label in distinct])
    gradient = to_dtype(summed_to(gradient, tuple(
        [1 if label in known and sizes[label] == 1 else size
         for label, size in zip(distinct, gradient.shape)]
    )), x.dtype)  # fmt: skip
    gradient = broadcast_to(gradient, wanted)
    if len(distinct) == len(own):
        return gradient
    whole = zeros(x.shape, x.dtype, device=x.device)
    sums._diagonals(whole, tuple(own), "").tensor[...] = gradient
    return whole
