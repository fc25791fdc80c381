"""Elementwise operators as operations: on tensors and numbers, into new memory or `out`."""

from __future__ import annotations

from collections.abc import Sequence

from dml_vk.arguments import Ints
from dml_vk.array.calls import call
from dml_vk.array.host_operands import upload_operands
from dml_vk.array.math import exact_comparisons as exact
from dml_vk.dtypes import DTYPES, DType
from dml_vk.errors import LayoutError
from dml_vk.kernels.operators import Operator
from dml_vk.layout import broadcast_sizes, elementwise
from dml_vk.ops.elementwise import compute
from dml_vk.ops.numbers import double_words, scalar_words
from dml_vk.ops.view import View
from dml_vk.promotion import common_dtype, float_dtype
from dml_vk.tensor.core import Tensor, tensor_over
from dml_vk.tensor.operands import Operand, check_dtype, check_out, of_kind, plain, to_tensors
from dml_vk.tracing.formats import operation


def common_of(what: str, operator: Operator, operands: Sequence[Operand]) -> DType:
    dtypes = [operand.dtype for operand in operands if isinstance(operand, Tensor)]
    numbers = [plain(operand) for operand in operands if not isinstance(operand, Tensor)]
    common = common_dtype(what, dtypes, numbers)
    if operator.only_floats:
        common = float_dtype(common)
    if common.kind == "f" and operator.name in exact.COMPARISONS:
        common = exact.compared_in(common, dtypes)
    if not operator.takes(common):
        check_dtype(what, common, filter(operator.takes, DTYPES.values()))
    return common


def target_of(what: str, tensors: list[Tensor], dtype: DType, out: Tensor | None) -> Tensor:
    """Return the tensor to write: `out`, after checking it, or a new one."""
    layouts = [tensor.layout for tensor in tensors]
    try:
        if out is None:
            near = tensors[0].allocation
            return tensor_over(what, elementwise(*layouts), dtype, tensors[0].device, near)
        sizes = broadcast_sizes(*[layout.sizes for layout in layouts])
    except LayoutError as error:
        raise error.renamed(what) from None
    return check_out(what, out, sizes, dtype, tensors[0])


@operation(flexible="all")
def computed(
    operands: Sequence[Operand], out: Tensor | None, operator: Operator, params: Ints
) -> Tensor:
    what, scalars = operator.name, params
    on_device = upload_operands(what, *operands)
    if any(x is not y for x, y in zip(operands, on_device)):  # Tensors have a trace.
        return call(computed, on_device, out, operator, params)
    tensors = to_tensors(what, operands)
    common = common_of(what, operator, operands)
    dtype = operator.result_dtype(common)
    target = target_of(what, tensors, dtype, out)
    sources: list[View | None] = []
    for operand in to_floats(what, operands, common):
        if isinstance(operand, Tensor):
            sources.append(operand)
        else:
            sources.append(None)
            words = double_words if operator.in_doubles(common) else scalar_words
            scalars = words(what, "number", common, plain(operand))
    compute(what, operator, sources, target, common, scalars)
    return target


def to_floats(what: str, operands: Sequence[Operand], common: DType) -> list[Operand]:
    """Convert tensors among the operands to floats if floats are computed."""
    return [of_kind(what, x, common) if isinstance(x, Tensor) else x for x in operands]
