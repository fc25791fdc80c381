"""NaN in results and gradients, which `settings.debug_nans` has searched for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dml_vk.array.math.elementwise import isnan
from dml_vk.array.statistics.reductions import any as any_of
from dml_vk.errors import GradientError
from dml_vk.gradients.memory import FLOATS
from dml_vk.observe.callers import Caller
from dml_vk.ops.view import View
from dml_vk.tensor.core import Tensor


def check_no_nan(call: Caller, name: str, values: Iterable[Any]) -> None:
    """Raise an error if a value has NaN; in a program, when it runs."""
    for x in values:
        if isinstance(x, View) and x.dtype.kind in FLOATS and x.layout.numel:
            _check(call, name, Tensor(x))


def _check(call: Caller, name: str, x: Tensor) -> None:
    mark = any_of(isnan(x))

    def check(data: Any, _: object) -> None:
        if data.any():
            rule = f"a {name} must not have NaN while settings.debug_nans is set"
            raise GradientError(call.op, rule, line=f"{call.file}:{call.line}", shape=x.shape)

    mark.device.verify(mark.allocation, 0, mark.nbytes, check)
