"""ONNX models, run on tensors: `load` reads one, `Model` runs it."""

from __future__ import annotations

from dml_vk.errors import ModelError
from dml_vk.onnx.backend import Backend
from dml_vk.onnx.loading import load
from dml_vk.onnx.model import Model
from dml_vk.onnx.session import InferenceSession

__all__ = ["Backend", "InferenceSession", "Model", "ModelError", "load"]


def __dir__() -> list[str]:
    return __all__
