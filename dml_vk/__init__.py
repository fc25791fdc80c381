"""DirectML's strided tensors, for every GPU."""

from __future__ import annotations

import importlib
from math import e, inf, nan, pi
from typing import Any

from dml_vk import directml
from dml_vk.dtypes import (
    bool_,
    complex64,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from dml_vk.dtypes import bool_ as bool  # the standard's name
from dml_vk.errors import (
    DeviceError,
    DeviceMemoryError,
    DmlVkError,
    DTypeError,
    LayoutError,
    LayoutIndexError,
    RangeError,
    ShaderError,
)
from dml_vk.kernels.operators import NOT_PUBLIC, OPERATORS
from dml_vk.layout import (
    Layout,
    MemoryFormat,
    channels_first,
    channels_last,
    contiguous_format,
    preserve_format,
)
from dml_vk.probe import devices

__version__ = "0.1.0"
__array_api_version__ = "2024.12"
newaxis = None

# The functions that work element by element.
_FUNCTIONS = sorted({*OPERATORS, "astype"} - NOT_PUBLIC)
# What needs NumPy, imported when first asked for: layouts work without it. Module -> names;
# `__init__.pyi` tells type checkers of them.
_MODULES = {
    "averages": "average ptp",
    "comparisons": "allclose array_equal isclose",
    "contractions": "einsum",
    "creation": (
        "asarray empty empty_like from_dlpack full full_like ones ones_like zeros zeros_like"
    ),
    "cumulative": "cumulative_prod cumulative_sum diff",
    "dtype_functions": "can_cast conj finfo iinfo imag isdtype real result_type",
    "files": "load save",
    "functions": " ".join(_FUNCTIONS),
    "grids": "arange eye linspace meshgrid tril triu",
    "histograms": "bincount histogram",
    "indexing": "take take_along_axis",
    "info": "__array_namespace_info__",
    "joins": "atleast_1d atleast_2d atleast_3d column_stack dstack hstack vstack",
    "manipulation": (
        "broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims reshape "
        "squeeze stack unstack"
    ),
    "nan_statistics": (
        "nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmin nanprod nanstd "
        "nansum nanvar"
    ),
    "pieces": "pad repeat roll tile",
    "products": "matmul matrix_transpose tensordot vecdot",
    "quantiles": "median nanmedian nanpercentile nanquantile percentile quantile",
    "runtime.device": "Device default_device device memory_stats synchronize",
    "searching": "nonzero searchsorted",
    "sets": "unique unique_all unique_counts unique_inverse unique_values",
    "sorting": "argsort sort",
    "statistics": "all any argmax argmin count_nonzero max mean min prod std sum var",
    "tensor": "Tensor copy",
    "tracing": "trace",
    "user_kernel": "compile_glsl kernel",
}
_LAZY = {name: module for module, names in _MODULES.items() for name in names.split()}
_LAZY["linalg"] = _LAZY["random"] = ""  # modules themselves
__all__ = [
    "DTypeError",
    "DeviceError",
    "DeviceMemoryError",
    "DmlVkError",
    "Layout",
    "LayoutError",
    "LayoutIndexError",
    "MemoryFormat",
    "RangeError",
    "ShaderError",
    "bool",
    "bool_",
    "channels_first",
    "channels_last",
    "complex64",
    "contiguous_format",
    "devices",
    "directml",
    "e",
    "float16",
    "float32",
    "float64",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "nan",
    "newaxis",
    "pi",
    "preserve_format",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    *_LAZY,
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        from dml_vk.other_names import not_there

        raise AttributeError(not_there("module 'dml_vk'", name))
    if _LAZY[name]:
        found = getattr(importlib.import_module(f"dml_vk.{_LAZY[name]}"), name)
    else:
        found = importlib.import_module(f"dml_vk.{name}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
