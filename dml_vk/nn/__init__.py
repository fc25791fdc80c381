"""Functions for the forward pass of networks, named as in torch.nn.functional."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dml_vk.aliases import not_there
from dml_vk.nn.dropout import dropout
from dml_vk.nn.folding import fold, unfold
from dml_vk.nn.lookup import embedding, one_hot
from dml_vk.nn.losses import cross_entropy, nll_loss
from dml_vk.nn.quantized import dequantize, matmul_integer, quantize
from dml_vk.nn.resampling import resample
from dml_vk.nn.shuffling import pixel_shuffle, pixel_unshuffle

__all__ = [
    "cross_entropy",
    "dequantize",
    "dropout",
    "embedding",
    "fold",
    "matmul_integer",
    "nll_loss",
    "one_hot",
    "pixel_shuffle",
    "pixel_unshuffle",
    "quantize",
    "resample",
    "unfold",
]

if not TYPE_CHECKING:  # It would make type checkers accept all names.

    def __getattr__(name: str) -> Any:
        raise AttributeError(not_there("module 'dml_vk.nn'", name))
