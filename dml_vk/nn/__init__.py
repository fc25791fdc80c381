"""Functions for the forward pass of networks, named as in torch.nn.functional."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dml_vk.aliases import not_there
from dml_vk.nn.attention import scaled_dot_product_attention
from dml_vk.nn.batches import batch_norm, batch_norm_train
from dml_vk.nn.conv import conv
from dml_vk.nn.conv_integer import conv_integer
from dml_vk.nn.conv_transpose import conv_transpose
from dml_vk.nn.distances import (
    binary_cross_entropy_with_logits,
    cosine_similarity,
    gaussian_nll_loss,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    smooth_l1_loss,
)
from dml_vk.nn.dropout import dropout
from dml_vk.nn.folding import fold, unfold
from dml_vk.nn.lookup import embedding, one_hot
from dml_vk.nn.losses import cross_entropy, nll_loss
from dml_vk.nn.norms import (
    group_norm,
    instance_norm,
    layer_norm,
    mean_variance_norm,
    normalize,
    rms_norm,
)
from dml_vk.nn.pooling import (
    adaptive_avg_pool,
    adaptive_max_pool,
    avg_pool,
    global_avg_pool,
    global_max_pool,
    lp_pool,
    max_pool,
)
from dml_vk.nn.products import gemm, linear
from dml_vk.nn.quantized import dequantize, matmul_integer, quantize
from dml_vk.nn.recurrent import gru, lstm, rnn
from dml_vk.nn.resampling import resample
from dml_vk.nn.responses import local_response_norm
from dml_vk.nn.shuffling import pixel_shuffle, pixel_unshuffle
from dml_vk.nn.softmax import hardmax, log_softmax, logsumexp, softmax
from dml_vk.nn.unpooling import max_unpool

__all__ = [
    "adaptive_avg_pool",
    "adaptive_max_pool",
    "avg_pool",
    "batch_norm",
    "batch_norm_train",
    "binary_cross_entropy_with_logits",
    "conv",
    "conv_integer",
    "conv_transpose",
    "cosine_similarity",
    "cross_entropy",
    "dequantize",
    "dropout",
    "embedding",
    "fold",
    "gaussian_nll_loss",
    "gemm",
    "global_avg_pool",
    "global_max_pool",
    "group_norm",
    "gru",
    "hardmax",
    "huber_loss",
    "instance_norm",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "linear",
    "local_response_norm",
    "log_softmax",
    "logsumexp",
    "lp_pool",
    "lstm",
    "matmul_integer",
    "max_pool",
    "max_unpool",
    "mean_variance_norm",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pixel_shuffle",
    "pixel_unshuffle",
    "quantize",
    "resample",
    "rms_norm",
    "rnn",
    "scaled_dot_product_attention",
    "smooth_l1_loss",
    "softmax",
    "unfold",
]

if not TYPE_CHECKING:  # It would make type checkers accept all names.

    def __getattr__(name: str) -> Any:
        raise AttributeError(not_there("module 'dml_vk.nn'", name))
