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
    "array.indexing.along_axis": "apply_along_axis",
    "array.statistics.averages": "average ptp",
    "buffer": "Buffer",
    "array.math.clipping": "clip",
    "array.indexing.piecewise": "choose piecewise trim_zeros unwrap",
    "array.math.comparisons": "allclose array_equal isclose",
    "array.products.einsum": "einsum",
    "exactness": "settings",
    "array.creation.arrays": (
        "asarray empty empty_like from_dlpack full full_like ones ones_like zeros zeros_like"
    ),
    "array.creation.pinned": "pin pinned",
    "array.math.cumulative": "cumulative_prod cumulative_sum diff",
    "array.math.cumulative_extremes": "cummax cummin logcumsumexp",
    "array.data_types": "angle can_cast finfo iinfo imag isdtype real real_if_close result_type",
    "array.io.files": "load save",
    "array.math.elementwise": " ".join(_FUNCTIONS),
    "array.creation.index_tricks": "c_ mgrid ogrid r_",
    "array.creation.grids": "arange eye linspace meshgrid tril triu",
    "array.statistics.histograms": "bincount histogram histogram2d histogram_bin_edges",
    "array.indexing.index_grids": (
        "diag_indices diag_indices_from ix_ tril_indices tril_indices_from triu_indices "
        "triu_indices_from"
    ),
    "array.indexing.take": "take take_along_axis",
    "array.info": "__array_namespace_info__",
    "array.manipulation.stacking": (
        "atleast_1d atleast_2d atleast_3d column_stack dstack hstack vstack"
    ),
    "array.manipulation.shapes": (
        "broadcast_arrays broadcast_shapes broadcast_to concat expand_dims flip moveaxis "
        "permute_dims reshape squeeze stack transpose unstack"
    ),
    "array.statistics.moments": "mean std var",
    "array.statistics.nan_moments": "nanmean nanstd nanvar",
    "array.statistics.nan_statistics": (
        "nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmin nanprod nansum"
    ),
    "array.math.number_parts": (
        "cbrt degrees fabs fmax fmin frexp gcd i0 lcm ldexp modf radians sinc"
    ),
    "array.manipulation.padding": "pad roll",
    "array.indexing.put": "fill_diagonal place put putmask",
    "array.products.matrix_products": "matmul matrix_transpose tensordot vecdot",
    "array.statistics.quantiles": "median nanmedian nanpercentile nanquantile percentile quantile",
    "array.statistics.covariance": "corrcoef cov",
    "array.math.differences": "ediff1d gradient trapezoid",
    "array.math.interpolation": "digitize interp",
    "array.creation.matrices": "block indices polyval tri vander",
    "array.sets.membership": "in1d intersect1d isin setdiff1d setxor1d union1d",
    "array.sorting.partitions": "argpartition lexsort partition",
    "array.manipulation.repetition": "repeat tile",
    "array.math.rounding": "around fix",
    "array.indexing.selection": (
        "append argwhere compress delete extract flatnonzero insert put_along_axis "
        "ravel_multi_index select unravel_index"
    ),
    "array.math.signal": "convolve correlate",
    "array.creation.logspace": "geomspace logspace",
    "array.manipulation.splitting": "array_split dsplit hsplit split vsplit",
    "array.windows.window_functions": "bartlett blackman hamming hanning kaiser",
    "array.manipulation.numpy_views": "diag diagflat diagonal fliplr flipud ravel rot90 swapaxes",
    "array.products.vectors": "dot inner kron outer vdot",
    "array.windows.sliding": "as_strided sliding_window_view",
    "linalg": "cross",
    "runtime.device": "Device default_device device memory_stats synchronize",
    "array.sorting.searching": "nonzero searchsorted",
    "compiler.compiled": "compile fuse",
    "gradients.custom": "custom_vjp",
    "gradients.recomputed": "checkpoint",
    "gradients.transforms": "grad hessian jacobian jvp stop_gradient value_and_grad vjp",
    "array.sets.distinct": "unique unique_all unique_counts unique_inverse unique_values",
    "array.sorting.sorts": "argsort sort sort_complex top_k",
    "array.statistics.reductions": " ".join(sorted(REDUCTIONS)),
    "tensor.core": "copy",
    "tensor.methods": "Tensor",
    "observe.copies": "trace",
    "user_kernel": "compile_glsl kernel",
}
_LAZY = {name: module for module, names in _MODULES.items() for name in names.split()}
# Modules themselves.
_LAZY |= dict.fromkeys(
    ("directml", "fft", "linalg", "nn", "onnx", "optim", "random", "special"), ""
)
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
