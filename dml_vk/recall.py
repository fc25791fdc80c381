"""Elementwise calls that were made before on tensors alike: their plan and result are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dml_vk.dtypes import DType
from dml_vk.kernels.kernel import SCALAR_WORDS
from dml_vk.kernels.operators import Operator
from dml_vk.kernels.plan import Plan
from dml_vk.layout import Layout
from dml_vk.ops.elementwise import scalar_words
from dml_vk.ops.strided import Strided
from dml_vk.runtime.device import Device
from dml_vk.runtime.launch import Operand
from dml_vk.strides.order import Ints
from dml_vk.tensor import Tensor, allocation_bytes

MOST = 4096  # forms and recipes; beyond, all are found anew


class Form:
    """All of a tensor but where its memory lies. There is one for each layout, dtype and device."""

    __slots__ = ("device", "dtype", "layout")

    def __init__(self, layout: Layout, dtype: DType, device: Device) -> None:
        self.layout = layout
        self.dtype = dtype
        self.device = device


class Recipe:
    """What an operator comes to on operands of some forms."""

    __slots__ = ("common", "form", "nbytes", "plan", "span", "words")

    def __init__(self, plan: Plan, common: DType, target: Tensor, told: Ints) -> None:
        self.plan = plan
        self.common = common
        self.form = form_of(target)
        _, base, low, high, _ = target.strided.operand(True)
        self.span = base, low, high  # of what it writes, in its own memory
        self.nbytes = allocation_bytes(target.layout, target.dtype)
        room = SCALAR_WORDS[len(plan.base_bytes) - 1]
        self.words = (*told, *(0,) * (room - len(told)))


_forms: dict[tuple[Layout, str, Device], Form] = {}
_recipes: dict[tuple[Any, ...], Recipe] = {}


def form_of(tensor: Tensor) -> Form:
    form: Form | None = tensor._form
    if form is None:
        key = tensor.layout, tensor.dtype.name, tensor.device
        form = _forms.get(key)
        if form is None:
            if len(_forms) > MOST:
                _forms.clear()
            form = _forms[key] = Form(tensor.layout, tensor.dtype, tensor.device)
        tensor._form = form
    return form


def recall(operator: Operator, operands: Sequence[Any], out: Any, told: Ints = ()) -> Tensor | None:
    """The result, if such a call was made before. A number among operands is for all of them."""
    recipe = _recipes.get((operator, told, *map(_key, operands), _key(out)))
    if recipe is None:
        return None
    words, reads = recipe.words, []
    for x in operands:
        if type(x) is Tensor:
            reads.append(x.reads)
        else:
            scalar = scalar_words(operator.name, "number", recipe.common, x)
            words = scalar + words[len(scalar) :]
    result: Tensor = out
    if out is None:
        near = reads[0].allocation
        device, form = recipe.form.device, recipe.form
        allocation = device.allocate(operator.name, recipe.nbytes, near)
        base, low, high = recipe.span
        writes = Operand(allocation, base, low, high, True)
        strided = Strided(device, allocation, form.layout, form.dtype.itemsize)
        result = Tensor.known(strided, form.dtype, form)
    else:
        writes = out.strided.operand(True)
        for x in operands:
            if x is out:
                if recipe.plan.shares_words:
                    return None
            elif type(x) is Tensor and x.strided.allocation is writes.allocation:
                return None
        device = out.device
    bindings = len(recipe.plan.base_bytes) - 1
    if len(reads) < bindings:
        # Numbers have bindings as well, and so has what is not there; nothing reads them.
        reads = [reads[0]] * bindings
    device.queue.launch(recipe.plan, (*reads, writes), words)
    return result


def remember(
    operator: Operator,
    operands: Sequence[Any],
    out: Any,
    told: Ints,
    target: Tensor,
    common: DType,
    plan: Plan | None,
) -> None:
    """The call was made, and came to this plan, if it is one for all such calls."""
    key = operator, told, *map(_key, operands), _key(out)
    if len(_recipes) > MOST:
        _recipes.clear()
    if plan is not None and STRANGE not in key:
        _recipes[key] = Recipe(plan, common, target, told)


STRANGE = object()


def _key(x: Any) -> Any:
    """What of an operand decides about plan and result; STRANGE where that is not known here."""
    if type(x) is Tensor:
        return x._form or form_of(x)
    if x is None:
        return None
    return type(x) if type(x) in (int, float) else STRANGE
