"""Softmax, LogSoftmax and Hardmax; before opset 13, over all dims from the axis on."""

from __future__ import annotations

import math
from collections.abc import Callable

import dml_vk as dv
from dml_vk import nn
from dml_vk.onnx.context import Context
from dml_vk.onnx.registry import operator
from dml_vk.tensor.core import Tensor


def _entered(name: str, function: Callable[..., Tensor]) -> None:
    @operator(name)
    def softmax(node: Context, x: Tensor) -> Tensor:
        axis = node.get("axis", -1)
        if node.opset >= 13:
            return function(x, axis=axis)
        axis += x.ndim if axis < 0 else 0
        rows = dv.reshape(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))
        return dv.reshape(function(rows, axis=1), x.shape)


_entered("Softmax", nn.softmax)
_entered("LogSoftmax", nn.log_softmax)
_entered("Hardmax", nn.hardmax)
