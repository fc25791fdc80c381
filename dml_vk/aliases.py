"""Equivalents of NumPy's and PyTorch's names, for the error when one of those is used."""

from __future__ import annotations

import sys
from types import ModuleType

from dml_vk.kernels.operators import OPERATORS

_JOINED = "dml_vk.concat"
_PRODUCT = "dml_vk.matmul, dml_vk.vecdot"
# Functions of both libraries; most are methods there as well.
FUNCTIONS = {
    **{
        name: f"dml_vk.{operator.name}"
        for operator in OPERATORS.values()
        for name in operator.elsewhere
    },
    "amax": "dml_vk.max",
    "amin": "dml_vk.min",
    "array": "dml_vk.asarray",
    "as_tensor": "dml_vk.asarray",
    "batch_norm": "dml_vk.nn.batch_norm",
    "bmm": "dml_vk.matmul",
    "cat": _JOINED,
    "chunk": "x.chunk",
    "concatenate": _JOINED,
    **{f"conv{n}d": "dml_vk.nn.conv" for n in (1, 2, 3)},
    **{f"{kind}_pool{n}d": f"dml_vk.nn.{kind}_pool" for kind in ("avg", "max") for n in (1, 2, 3)},
    "cross_entropy": "dml_vk.nn.cross_entropy",
    "cumprod": "dml_vk.cumulative_prod",
    "cumsum": "dml_vk.cumulative_sum",
    "depth_to_space": "dml_vk.nn.pixel_shuffle(x, factor, order='DCR')",
    "dequantize_linear": "dml_vk.nn.dequantize",
    "dropout": "dml_vk.nn.dropout",
    "embedding": "dml_vk.nn.embedding",
    "fold": "dml_vk.nn.fold",
    "from_numpy": "dml_vk.asarray",
    "gather": "dml_vk.take_along_axis",
    "index_select": "dml_vk.take",
    "group_norm": "dml_vk.nn.group_norm",
    "instance_norm": "dml_vk.nn.instance_norm",
    "layer_norm": "dml_vk.nn.layer_norm",
    "log_softmax": "dml_vk.nn.log_softmax",
    "logsumexp": "dml_vk.nn.logsumexp",
    "interpolate": "dml_vk.nn.resample",
    "manual_seed": "dml_vk.random.Generator(seed)",
    "mm": "dml_vk.matmul",
    "nll_loss": "dml_vk.nn.nll_loss",
    "numel": "x.size",
    "one_hot": "dml_vk.nn.one_hot",
    "permute": "dml_vk.permute_dims",
    "rms_norm": "dml_vk.nn.rms_norm",
    "pixel_shuffle": "dml_vk.nn.pixel_shuffle",
    "pixel_unshuffle": "dml_vk.nn.pixel_unshuffle",
    "quantize_linear": "dml_vk.nn.quantize",
    "quantize_per_channel": "dml_vk.nn.quantize",
    "quantize_per_tensor": "dml_vk.nn.quantize",
    "rand": "dml_vk.random.Generator(seed).random(shape)",
    "randint": "dml_vk.random.Generator(seed).integers(low, high, shape)",
    "randn": "dml_vk.random.Generator(seed).normal(shape)",
    "randperm": "dml_vk.random.Generator(seed).permutation(n)",
    "repeat_interleave": "dml_vk.repeat",
    "softmax": "dml_vk.nn.softmax",
    "space_to_depth": "dml_vk.nn.pixel_unshuffle(x, factor, order='DCR')",
    "tensor": "dml_vk.asarray",
    "topk": "dml_vk.top_k",
    "unbind": "dml_vk.unstack",
    "unfold": "dml_vk.nn.unfold",
    "unsqueeze": "dml_vk.expand_dims",
    "upsample": "dml_vk.nn.resample",
}
METHODS = {
    "as_strided": "x.over(dml_vk.Layout(sizes, strides, offset))",
    "bool": "x.to(dml_vk.bool)",
    "cpu": "x.numpy()",
    "cuda": "dml_vk.device, x.to_device(device)",
    "detach": "x itself, for there are no gradients",
    "dim": "x.ndim",
    "double": "x.to(dml_vk.float64)",
    "fill": "x[...] = v",
    "fill_": "x[...] = v",
    "float": "x.to(dml_vk.float32)",
    "half": "x.to(dml_vk.float16)",
    "int": "x.to(dml_vk.int32)",
    "itemsize": "x.dtype.itemsize",
    "long": "x.to(dml_vk.int64)",
    "masked_fill": "dml_vk.where(mask, value, x)",
    "new_zeros": "dml_vk.zeros",
    "storage_offset": "x.offset",
    "stride": "x.strides",
    "t": "x.T",
    "type": "x.to(dtype)",
    "zero_": "x[...] = 0",
}
LINALG = {
    "multi_dot": "dml_vk.einsum",
}


RANDOM = {
    "default_rng": "dml_vk.random.Generator",
    "rand": "dml_vk.random.Generator(seed).random",
    "randint": "dml_vk.random.Generator(seed).integers",
    "randn": "dml_vk.random.Generator(seed).normal",
    "seed": "dml_vk.random.Generator(seed)",
    "shuffle": "x[dml_vk.random.Generator(seed).permutation(len(x))]",
}


class NamesakePackage(ModuleType):
    """A package with the name of another library's function: `numpy.array`, `torch.tensor`."""

    def __call__(self, *_args: object, **_named: object) -> None:
        name = self.__name__.rpartition(".")[2]
        raise TypeError(f"{self.__name__} is a package: use {FUNCTIONS[name]}")


def not_there(where: str, name: str) -> str:
    """Return the message of an AttributeError, with the equivalent of the missing name.

    >>> from dml_vk.aliases import not_there
    >>> not_there("module 'dml_vk'", "cat")
    "module 'dml_vk' has no attribute 'cat'; here that is dml_vk.concat"
    """
    tables = {
        "module 'dml_vk'": FUNCTIONS,
        "module 'dml_vk.linalg'": LINALG,
        "module 'dml_vk.nn'": FUNCTIONS,
        "module 'dml_vk.random'": RANDOM,
        "'Tensor' object": {**FUNCTIONS, **METHODS},
    }
    equivalent = tables[where].get(name)
    if where == "module 'dml_vk.nn'" and name in sys.modules["dml_vk"].__all__:
        equivalent = f"dml_vk.{name}"
    if equivalent is None and where == "module 'dml_vk.random'":
        has_method = not name.startswith("_") and hasattr(
            sys.modules["dml_vk.random"].Generator, name
        )
        equivalent = f"dml_vk.random.Generator(seed).{name}" if has_method else None
    if equivalent is None and where == "'Tensor' object" and name in sys.modules["dml_vk"].__all__:
        equivalent = f"dml_vk.{name}(x)"
    hint = f"; here that is {equivalent}" if equivalent else ""
    return f"{where} has no attribute {name!r}{hint}"
