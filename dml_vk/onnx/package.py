"""The package `onnx`, which reads models and knows the attributes of operators."""

from __future__ import annotations

import importlib
from typing import Any

from dml_vk.errors import ModelError


def onnx_package(what: str) -> Any:
    """Return the package, imported when first needed, or an error that says how to install it."""
    try:
        return importlib.import_module("onnx")
    except ImportError as error:
        rule = "the package onnx must be installed, as by: pip install dml-vk[onnx]"
        raise ModelError(what, rule, error=str(error)) from None
