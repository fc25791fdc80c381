"""Functions for the forward pass of networks, named as in torch.nn.functional."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dml_vk.aliases import not_there
from dml_vk.nn.conv import conv
from dml_vk.nn.conv_transpose import conv_transpose
from dml_vk.nn.products import gemm, linear

__all__ = ["conv", "conv_transpose", "gemm", "linear"]

if not TYPE_CHECKING:  # It would make type checkers accept all names.

    def __getattr__(name: str) -> Any:
        raise AttributeError(not_there("module 'dml_vk.nn'", name))
