"""DirectML's products of matrices."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from dml_vk.arguments import Ints
from dml_vk.directml.activations import (
    ActivationArgument,
    FusedActivation,
    check_fused,
    write_activated,
)
from dml_vk.directml.descriptors import BufferTensorDesc, DataType
from dml_vk.directml.elementwise import FLOATS, SMALL
from dml_vk.directml.fields import OverTensors
from dml_vk.directml.unary import ElementWiseClip
from dml_vk.errors import LayoutError

if TYPE_CHECKING:
    from dml_vk.tensor.core import Tensor

__all__ = ["Gemm", "MatrixMultiplyInteger", "MatrixTransform"]


class MatrixTransform(enum.Enum):
    """How a matrix is read, with DirectML's numbers."""

    NONE = 0
    TRANSPOSE = 1


class Matrices(OverTensors):
    """An operator whose last two dims are matrices, and whose others are equal batches."""

    def _check_product(self, a: Ints, b: Ints) -> None:
        """Check the output, whose matrices are the products of these."""
        if a[:-2] != b[:-2] or a[-1] != b[-2]:
            rule = "a and b must have equal batches, and a as many columns as b has rows"
            raise LayoutError(self._what, rule, a=a, b=b)
        self._check_sizes("output", (*a[:-1], b[-1]))

    def _check_of_lines(self, rank: int, rows: Sequence[str], columns: Sequence[str]) -> None:
        """Check that tensors have one element, or one for each row or column of the output."""
        ones = (1,) * (rank - 2)
        height, width = self._desc("output").sizes[-2:]
        lines = [(name, (*ones, height, 1)) for name in rows]
        for name, sizes in lines + [(name, (*ones, 1, width)) for name in columns]:
            if name in self._given and self._desc(name).sizes not in ((*ones, 1, 1), sizes):
                rule = f"{name} must have the sizes {(*ones, 1, 1)} or {sizes}"
                raise LayoutError(self._what, rule, sizes=self._desc(name).sizes)


@dataclass(frozen=True, repr=False)
class Gemm(Matrices, types=FLOATS):
    """alpha * a * b + beta * c, of matrices that may be transposed, and of batches of them.

    Without c, beta is not used; where beta is 0, c is not read.

    >>> from dml_vk.directml import BufferTensorDesc, DataType, Gemm, MatrixTransform
    >>> a = BufferTensorDesc(DataType.FLOAT32, (3, 2))
    >>> y = BufferTensorDesc(DataType.FLOAT32, (2, 2))
    >>> Gemm(a, a, None, y, trans_a=MatrixTransform.TRANSPOSE).trans_b
    <MatrixTransform.NONE: 0>
    """

    a: BufferTensorDesc
    b: BufferTensorDesc
    c: BufferTensorDesc | None
    output: BufferTensorDesc
    _: KW_ONLY
    trans_a: MatrixTransform = MatrixTransform.NONE
    trans_b: MatrixTransform = MatrixTransform.NONE
    alpha: float = 1.0
    beta: float = 1.0
    fused_activation: FusedActivation | None = None

    _tensors = ("a", "b", "c", "output")
    _optional = ("c",)

    def _check(self) -> None:
        self._check_ranks((2, 3, 4), "2 to 4")
        self._check_enum("trans_a", MatrixTransform)
        self._check_enum("trans_b", MatrixTransform)
        for name in ("alpha", "beta"):
            self._hold(name, DataType.FLOAT32)
        check_fused(self._what, self.fused_activation, ElementWiseClip)
        self._check_product(
            *[
                matrix.sizes
                if transform is MatrixTransform.NONE
                else (*matrix.sizes[:-2], *matrix.sizes[:-3:-1])
                for matrix, transform in ((self.a, self.trans_a), (self.b, self.trans_b))
            ]
        )
        if self.c is not None:
            self._check_sizes("c", self.output.sizes)

    def _compute(self, a: Tensor, b: Tensor, c: Tensor | None, out: Tensor) -> None:
        from dml_vk.nn import gemm

        def write(a: Tensor, activation: ActivationArgument, out: Tensor) -> None:
            gemm(
                *(a, b, c),
                alpha=self.alpha,
                beta=self.beta,
                transpose_a=self.trans_a is MatrixTransform.TRANSPOSE,
                transpose_b=self.trans_b is MatrixTransform.TRANSPOSE,
                activation=activation,
                out=out,
            )

        write_activated(self._what, self.fused_activation, a, out, write)


@dataclass(frozen=True, repr=False)
class MatrixMultiplyInteger(
    Matrices,
    types=SMALL,
    a_zero_point="a",
    b=SMALL,
    b_zero_point="b",
    output=(DataType.INT32,),
):
    """(a - a_zero_point) * (b - b_zero_point), whose sums wrap.

    A zero point has the sizes {..., 1, 1}, or {..., M, 1} of a and {..., 1, N} of b, after ones.
    """

    a: BufferTensorDesc
    a_zero_point: BufferTensorDesc | None
    b: BufferTensorDesc
    b_zero_point: BufferTensorDesc | None
    output: BufferTensorDesc

    _tensors = ("a", "a_zero_point", "b", "b_zero_point", "output")
    _optional = ("a_zero_point", "b_zero_point")

    def _check(self) -> None:
        rank = self._check_ranks((2, 3, 4), "2 to 4")
        self._check_product(self.a.sizes, self.b.sizes)
        self._check_of_lines(rank, rows=("a_zero_point",), columns=("b_zero_point",))

    def _compute(
        self, a: Tensor, p: Tensor | None, b: Tensor, q: Tensor | None, out: Tensor
    ) -> None:
        from dml_vk.nn import matmul_integer

        zero_points = [0 if point is None else point for point in (p, q)]
        matmul_integer(a, b, *zero_points, out=out)
