"""What NumPy's and PyTorch's names are called here, for the error of who tries them."""

from __future__ import annotations

import dml_vk

_FLAT = "x.reshape(-1)"
_JOINED = "dml_vk.concat"
_PRODUCT = "dml_vk.matmul, dml_vk.vecdot"
_NEITHER = "exp over its sum: e = dml_vk.exp(x - dml_vk.max(x)); e / dml_vk.sum(e)"
# Of both libraries' modules; most are methods there as well.
FUNCTIONS = {
    "absolute": "dml_vk.abs",
    "amax": "dml_vk.max",
    "amin": "dml_vk.min",
    "arccos": "dml_vk.acos",
    "arccosh": "dml_vk.acosh",
    "arcsin": "dml_vk.asin",
    "arcsinh": "dml_vk.asinh",
    "arctan": "dml_vk.atan",
    "arctan2": "dml_vk.atan2",
    "arctanh": "dml_vk.atanh",
    "array": "dml_vk.asarray",
    "as_tensor": "dml_vk.asarray",
    "bmm": "dml_vk.matmul",
    "cat": _JOINED,
    "chunk": "x.chunk",
    "clamp": "dml_vk.clip",
    "concatenate": _JOINED,
    "cumprod": "dml_vk.cumulative_prod",
    "cumsum": "dml_vk.cumulative_sum",
    "dot": _PRODUCT,
    "from_numpy": "dml_vk.asarray",
    "gather": "dml_vk.take_along_axis",
    "index_select": "dml_vk.take",
    "inner": _PRODUCT,
    "invert": "dml_vk.bitwise_invert",
    "left_shift": "dml_vk.bitwise_left_shift",
    "manual_seed": "dml_vk.random.Generator(seed)",
    "mm": "dml_vk.matmul",
    "numel": "x.size",
    "permute": "dml_vk.permute_dims",
    "power": "dml_vk.pow",
    "rand": "dml_vk.random.Generator(seed).random(shape)",
    "randint": "dml_vk.random.Generator(seed).integers(low, high, shape)",
    "randn": "dml_vk.random.Generator(seed).normal(shape)",
    "randperm": "dml_vk.random.Generator(seed).permutation(n)",
    "ravel": _FLAT,
    "repeat_interleave": "dml_vk.repeat",
    "right_shift": "dml_vk.bitwise_right_shift",
    "silu": "dml_vk.swish",
    "softmax": _NEITHER,
    "split": "x.split",
    "swapaxes": "x.transpose(a, b)",
    "tensor": "dml_vk.asarray",
    "topk": "dml_vk.argsort(x, descending=True)",
    "transpose": "dml_vk.permute_dims, x.transpose(a, b)",
    "true_divide": "dml_vk.divide",
    "unbind": "dml_vk.unstack",
    "unsqueeze": "dml_vk.expand_dims",
}
METHODS = {
    "as_strided": "x.over(dml_vk.Layout(sizes, strides, offset))",
    "bool": "x.to(dml_vk.bool)",
    "copy": "x.clone()",
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
    "swapaxes": "x.transpose(a, b)",
    "t": "x.T",
    "type": "x.to(dtype)",
    "zero_": "x[...] = 0",
}
LINALG = {
    "norm": "dml_vk.linalg.vector_norm, dml_vk.linalg.matrix_norm",
    "multi_dot": "dml_vk.einsum",
}


def not_there(where: str, name: str) -> str:
    """What an AttributeError says: that it is not there, and what is in its place.

    >>> from dml_vk.other_names import not_there
    >>> not_there("module 'dml_vk'", "cat")
    "module 'dml_vk' has no attribute 'cat'; here that is dml_vk.concat"
    """
    tables = {
        "module 'dml_vk'": FUNCTIONS,
        "module 'dml_vk.linalg'": LINALG,
        "'Tensor' object": {**FUNCTIONS, **METHODS},
    }
    found = tables[where].get(name)
    if found is None and where == "'Tensor' object" and name in dml_vk.__all__:
        found = f"dml_vk.{name}(x)"
    told = f"; here that is {found}" if found else ""
    return f"{where} has no attribute {name!r}{told}"
