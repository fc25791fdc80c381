"""An array library over Vulkan, with DirectML's strided tensors, for every GPU."""

from __future__ import annotations

import importlib
from math import e, inf, nan, pi
from typing import Any

from dml_vk.dtypes import (
    bool_,
    complex64,
    complex128,
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
    AxisError,
    DeviceError,
    DeviceMemoryError,
    DmlVkError,
    DTypeError,
    LayoutError,
    LayoutIndexError,
    LinAlgError,
    RangeError,
    ShaderError,
)
from dml_vk.kernels.operators import NOT_PUBLIC, OPERATORS
from dml_vk.kernels.reductions import REDUCTIONS
from dml_vk.layout import (
    Layout,
    MemoryFormat,
    channels_first,
    channels_last,
    contiguous_format,
    preserve_format,
)
from dml_vk.driver.probe import devices

__version__ = "0.1.0"
__array_api_version__ = "2025.12"
newaxis = None

# The elementwise functions.
_FUNCTIONS = sorted({*OPERATORS, "astype"} - NOT_PUBLIC - {"clip"})
# Names that need NumPy are imported on first use, so that layouts work without it. Module ->
# names; `__init__.pyi` lists them for type checkers.
_MODULES = {
    "array.along_axis": "apply_along_axis",
    "array.averages": "average ptp",
    "buffer": "Buffer",
    "array.clipping": "clip",
    "array.piecewise": "choose piecewise trim_zeros unwrap",
    "array.comparisons": "allclose array_equal isclose",
    "array.einsum": "einsum",
    "exactness": "settings",
    "array.creation": (
        "asarray empty empty_like from_dlpack full full_like ones ones_like zeros zeros_like"
    ),
    "array.pinned": "pinned",
    "array.cumulative": "cumulative_prod cumulative_sum diff",
    "array.cumulative_extremes": "cummax cummin logcumsumexp",
    "array.data_types": "angle can_cast finfo iinfo imag isdtype real real_if_close result_type",
    "array.files": "load save",
    "array.elementwise": " ".join(_FUNCTIONS),
    "array.index_tricks": "c_ mgrid ogrid r_",
    "array.grids": "arange eye linspace meshgrid tril triu",
    "array.histograms": "bincount histogram histogram2d histogram_bin_edges",
    "array.index_grids": (
        "diag_indices diag_indices_from ix_ tril_indices tril_indices_from triu_indices "
        "triu_indices_from"
    ),
    "array.indexing.take": "take take_along_axis",
    "array.info": "__array_namespace_info__",
    "array.stacking": "atleast_1d atleast_2d atleast_3d column_stack dstack hstack vstack",
    "array.manipulation": (
        "broadcast_arrays broadcast_shapes broadcast_to concat expand_dims flip moveaxis "
        "permute_dims reshape squeeze stack transpose unstack"
    ),
    "array.moments": "mean std var",
    "array.nan_moments": "nanmean nanstd nanvar",
    "array.nan_statistics": (
        "nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmin nanprod nansum"
    ),
    "array.number_parts": "cbrt degrees fabs fmax fmin frexp gcd i0 lcm ldexp modf radians sinc",
    "array.padding": "pad roll",
    "array.put": "fill_diagonal place put putmask",
    "array.products": "matmul matrix_transpose tensordot vecdot",
    "array.quantiles": "median nanmedian nanpercentile nanquantile percentile quantile",
    "array.covariance": "corrcoef cov",
    "array.differences": "ediff1d gradient trapezoid",
    "array.interpolation": "digitize interp",
    "array.matrices": "block indices polyval tri vander",
    "array.membership": "in1d intersect1d isin setdiff1d setxor1d union1d",
    "array.partitions": "argpartition lexsort partition",
    "array.repetition": "repeat tile",
    "array.rounding": "around fix",
    "array.selection": (
        "append argwhere compress delete extract flatnonzero insert put_along_axis "
        "ravel_multi_index select unravel_index"
    ),
    "array.signal": "convolve correlate",
    "array.logspace": "geomspace logspace",
    "array.splitting": "array_split dsplit hsplit split vsplit",
    "array.window_functions": "bartlett blackman hamming hanning kaiser",
    "array.numpy_views": "diag diagflat diagonal fliplr flipud ravel rot90 swapaxes",
    "array.vectors": "dot inner kron outer vdot",
    "array.windows": "as_strided sliding_window_view",
    "linalg": "cross",
    "runtime.device": "Device default_device device memory_stats synchronize",
    "array.searching": "nonzero searchsorted",
    "compiler.compiled": "compile fuse",
    "array.sets": "unique unique_all unique_counts unique_inverse unique_values",
    "array.sorting": "argsort sort sort_complex top_k",
    "array.statistics": " ".join(sorted(REDUCTIONS)),
    "tensor.core": "copy",
    "tensor.methods": "Tensor",
    "observe.copies": "trace",
    "user_kernel": "compile_glsl kernel",
}
_LAZY = {name: module for module, names in _MODULES.items() for name in names.split()}
# Modules themselves.
_LAZY |= dict.fromkeys(("directml", "fft", "linalg", "nn", "onnx", "random", "special"), "")
_OPTIONAL = ("dask",)  # a module that cannot be imported without other packages
__all__ = [
    "AxisError",
    "DTypeError",
    "DeviceError",
    "DeviceMemoryError",
    "DmlVkError",
    "Layout",
    "LayoutError",
    "LayoutIndexError",
    "LinAlgError",
    "MemoryFormat",
    "RangeError",
    "ShaderError",
    "bool",
    "bool_",
    "channels_first",
    "channels_last",
    "complex128",
    "complex64",
    "contiguous_format",
    "devices",
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
    if name not in _LAZY and name not in _OPTIONAL:
        from dml_vk.aliases import not_there

        raise AttributeError(not_there("module 'dml_vk'", name))
    if _LAZY.get(name):
        value = getattr(importlib.import_module(f"dml_vk.{_LAZY[name]}"), name)
    else:
        value = importlib.import_module(f"dml_vk.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
