"""The table of NumPy's functions on tensors: their parameters and implementations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

import numpy as np

from dml_vk.kernels.reductions import REDUCTIONS, Reduction
from dml_vk.numpy_protocols import masked, matrices, numbers, shapes
from dml_vk.numpy_protocols.calls import Call
from dml_vk.numpy_protocols.host import Download, may_share_memory, shares_memory

# The reductions by each name that NumPy has for them.
_REDUCTIONS = {
    name: row
    for row in REDUCTIONS.values()
    if row.numpy is not None
    for name in (row.name, *row.others)
}


def _is_masked(row: Reduction) -> bool:
    return "where" in str(row.numpy).split()


# Implementations that are more than a call of one function.
_ADAPTERS: dict[str, Callable[..., object]] = {
    "allclose": numbers.close("allclose"),
    "argsort": numbers.along_last("argsort"),
    "broadcast_arrays": shapes.broadcast_arrays,
    "can_cast": numbers.can_cast,
    "copy": shapes.copy,
    "copyto": shapes.copyto,
    "einsum_path": numbers.einsum_path,
    "cumprod": numbers.along("cumulative_prod"),
    "cumsum": numbers.along("cumulative_sum"),
    "einsum": numbers.einsum,
    "empty_like": shapes.like("empty_like"),
    "full_like": shapes.like("full_like"),
    "isclose": numbers.close("isclose"),
    "imag": numbers.imag,
    "iscomplex": numbers.iscomplex,
    "iscomplexobj": numbers.iscomplexobj,
    "isreal": numbers.isreal,
    "isrealobj": numbers.isrealobj,
    "linalg.matrix_rank": matrices.matrix_rank,
    "linalg.pinv": matrices.pinv,
    "linalg.qr": matrices.qr,
    "linalg.svd": matrices.svd,
    "linspace": numbers.linspace,
    "may_share_memory": may_share_memory,
    **{name: masked.reduction(row.name) for name, row in _REDUCTIONS.items() if _is_masked(row)},
    "mean": masked.moment("mean"),
    **{name: masked.nan_moment(name) for name in ("nanmean", "nanstd", "nanvar")},
    **{name: masked.nan_reduction(name) for name in ("nanmax", "nanmin", "nanprod", "nansum")},
    "meshgrid": shapes.meshgrid,
    "nan_to_num": numbers.nan_to_num,
    "ndim": attrgetter("ndim"),
    "ones_like": shapes.like("ones_like"),
    "reshape": shapes.reshape,
    "rollaxis": shapes.rollaxis,
    "shape": attrgetter("shape"),
    "shares_memory": shares_memory,
    "size": attrgetter("size"),
    "sort": numbers.along_last("sort", of_one=False),
    "squeeze": shapes.squeeze,
    "std": masked.moment("std"),
    "trace": numbers.trace,
    "var": masked.moment("var"),
    "where": shapes.where,
    "zeros_like": shapes.like("zeros_like"),
}
# NumPy's functions and their parameters, in the notation of `Call`. `name:other` calls another
# function of this package, and `name:` an adapter.
_ROWS = (
    ("append", "arr values / axis"),
    ("apply_along_axis", "... /"),
    ("argpartition partition", "a kth / axis -kind -order=fields"),
    ("argsort: sort:", "a / axis -kind -order=fields * stable"),
    ("average", "a / axis weights returned * keepdims"),
    ("angle", "z / deg"),
    ("bincount", "x / weights minlength"),
    ("argwhere flatnonzero", "a /"),
    ("around round:around", "a / decimals out"),
    ("allclose: isclose:", "a b / rtol atol equal_nan"),
    ("array_equal", "a1 a2 / equal_nan"),
    ("array_split split", "ary indices_or_sections / axis"),
    ("astype", "x dtype / * copy device"),
    ("atleast_1d atleast_2d atleast_3d", "... /"),
    ("block", "arrays /"),
    ("broadcast_arrays:", "... / * -subok"),
    ("broadcast_to", "array shape / -subok"),
    ("can_cast:", "from_ to / casting"),
    ("choose", "a choices / out mode"),
    ("clip", "a / a_min=min a_max=max out * min max -where -dtype -casting"),
    ("column_stack dstack", "tup / out"),
    ("compress", "condition a / axis out"),
    ("concatenate:concat stack", "arrays / axis out * dtype casting"),
    ("convolve correlate", "a v / mode"),
    ("copy:", "a / order -subok"),
    ("copyto:", "dst src / -casting where"),
    ("corrcoef", "x / y rowvar * dtype"),
    ("cov", "m / y rowvar bias ddof fweights aweights * dtype"),
    ("cross", "a b / -axisa -axisb -axisc axis"),
    ("cumprod: cumsum:", "a / axis dtype out"),
    ("cumulative_prod cumulative_sum", "x / * axis dtype out include_initial"),
    ("delete", "arr obj / axis"),
    ("diag diagflat", "v / k"),
    ("diag_indices_from", "arr /"),
    ("diagonal", "a / offset axis1 axis2"),
    ("diff", "a / n axis prepend append"),
    ("digitize", "x bins / right"),
    ("dot", "a b / out"),
    ("dsplit hsplit vsplit", "ary indices_or_sections /"),
    ("ediff1d", "ary / to_end to_begin"),
    ("einsum:", "... / * out optimize dtype -order -casting"),
    ("einsum_path:", "... / optimize einsum_call"),
    ("empty_like:", "prototype / dtype order -subok shape * device"),
    ("expand_dims", "a / axis"),
    ("extract", "condition arr /"),
    ("fill_diagonal", "a val / wrap"),
    ("fix", "x / out"),
    (
        "fft.fft fft.hfft fft.ifft fft.ihfft fft.irfft fft.rfft",
        "a / n axis norm out",
    ),
    (
        "fft.fft2 fft.fftn fft.ifft2 fft.ifftn fft.irfft2 fft.irfftn fft.rfft2 fft.rfftn",
        "a / s axes norm out",
    ),
    ("fft.fftshift fft.ifftshift", "x / axes"),
    ("flip", "m / axis"),
    ("fliplr flipud", "m /"),
    ("full_like:", "a fill_value / dtype order -subok shape * device"),
    ("gradient", "... / * axis edge_order"),
    ("histogram", "a / bins range density weights"),
    ("histogram2d", "x y / bins range density weights"),
    ("histogram_bin_edges", "a / bins range weights"),
    ("hstack vstack", "tup / * dtype casting"),
    ("i0 sinc", "x /"),
    ("imag: real", "val /"),
    ("inner kron vdot", "a b /"),
    ("insert", "arr obj values / axis"),
    ("interp", "x xp fp / left right period"),
    ("intersect1d", "ar1 ar2 / assume_unique return_indices"),
    ("iscomplex: iscomplexobj: isreal: isrealobj:", "x /"),
    ("ix_", "... /"),
    ("in1d", "ar1 ar2 / assume_unique invert * -kind=set"),
    ("isin", "element test_elements / assume_unique invert * -kind=set"),
    ("isneginf isposinf", "x / out"),
    ("lexsort", "keys / axis"),
    (
        "lib.stride_tricks.sliding_window_view:sliding_window_view",
        "x window_shape / axis * -subok -writeable",
    ),
    ("linspace:", "start stop / num endpoint retstep dtype axis * -device"),
    ("linalg.cholesky", "a / * upper"),
    ("linalg.cross linalg.vecdot", "x1 x2 / * axis"),
    ("linalg.det linalg.eig linalg.eigvals linalg.inv linalg.slogdet", "a /"),
    ("linalg.diagonal", "x / * offset"),
    ("linalg.eigh linalg.eigvalsh", "a / UPLO"),
    ("linalg.lstsq", "a b / rcond"),
    ("linalg.matmul linalg.outer", "x1 x2 /"),
    ("linalg.matrix_norm", "x / * keepdims ord"),
    ("linalg.matrix_power", "a n /"),
    ("linalg.matrix_rank:", "A / tol hermitian * rtol"),
    ("linalg.matrix_transpose matrix_transpose", "x /"),
    ("linalg.norm", "x / ord axis keepdims"),
    ("linalg.pinv:", "a / rcond hermitian * rtol"),
    ("linalg.qr:", "a / mode"),
    ("linalg.solve", "a b /"),
    ("linalg.svd:", "a / full_matrices compute_uv hermitian"),
    ("linalg.svdvals", "x /"),
    ("linalg.tensordot", "x1 x2 / * axes"),
    ("linalg.tensorinv", "a / ind"),
    ("linalg.tensorsolve", "a b / axes"),
    ("linalg.trace", "x / * offset dtype"),
    ("linalg.vector_norm", "x / * axis keepdims ord"),
    ("median nanmedian", "a / axis out -overwrite_input keepdims"),
    ("may_share_memory: shares_memory:", "a b / max_work"),
    ("mean:", "a / axis dtype out keepdims * where"),
    ("meshgrid:", "... / * copy sparse indexing"),
    ("moveaxis", "a source destination /"),
    ("nan_to_num:", "x / copy nan posinf neginf"),
    ("nanargmax nanargmin", "a / axis out * keepdims"),
    ("nancumprod nancumsum", "a / axis dtype out"),
    ("nanmax: nanmin:", "a / axis out keepdims initial where"),
    ("nanmean:", "a / axis dtype out keepdims * where"),
    (
        "nanpercentile nanquantile percentile quantile",
        "a q / axis out -overwrite_input method keepdims * weights -interpolation",
    ),
    ("nanprod: nansum:", "a / axis dtype out keepdims initial where"),
    ("nanstd: nanvar:", "a / axis dtype out ddof=correction keepdims * where -mean correction"),
    ("ndim: shape: size:", "a /"),
    ("nonzero", "a /"),
    ("ones_like: zeros_like:", "a / dtype order -subok shape * device"),
    ("outer", "a b / out"),
    ("pad", "array pad_width / mode * constant_values stat_length end_values"),
    ("piecewise", "... /"),
    ("place", "arr mask vals /"),
    ("polyval", "p x /"),
    ("ptp", "a / axis out keepdims"),
    ("put", "a ind v / mode"),
    ("putmask", "a mask values /"),
    ("put_along_axis", "arr indices values / axis"),
    ("ravel", "a / order"),
    ("ravel_multi_index", "multi_index dims / mode order"),
    ("real_if_close", "a / tol"),
    ("repeat", "a repeats / axis"),
    ("reshape:", "a / shape order * newshape copy"),
    ("result_type", "... /"),
    ("roll", "a shift / axis"),
    ("rollaxis:", "a axis / start"),
    ("rot90", "m / k axes"),
    ("searchsorted", "a v / side sorter"),
    ("select", "condlist choicelist / default"),
    ("setdiff1d setxor1d", "ar1 ar2 / assume_unique"),
    ("sort_complex", "a /"),
    ("squeeze:", "a / axis"),
    ("std: var:", "a / axis dtype out ddof=correction keepdims * where -mean correction"),
    ("swapaxes", "a axis1 axis2 /"),
    ("take", "a indices / axis out mode"),
    ("take_along_axis", "arr indices / axis"),
    ("tensordot", "a b / axes"),
    ("tile", "A reps /"),
    ("trace:", "a / offset axis1 axis2 dtype out"),
    ("transpose", "a / axes"),
    ("trapezoid", "y / x dx axis"),
    ("tril triu", "m / k"),
    ("tril_indices_from triu_indices_from", "arr / k"),
    ("trim_zeros", "filt / trim axis"),
    ("union1d", "ar1 ar2 /"),
    ("unique", "ar / return_index return_inverse return_counts axis * equal_nan -sorted"),
    ("unique_all unique_counts unique_inverse unique_values", "x /"),
    ("unwrap", "p / discont axis * period"),
    ("unravel_index", "indices shape / order"),
    ("unstack", "x / * axis"),
    ("vander", "x / N=n increasing"),
    ("where:", "condition / x y"),
    *[
        (f"{name}:{'' if _is_masked(row) else row.name}", str(row.numpy))
        for name, row in _REDUCTIONS.items()
    ],
)
NAMES = [word.partition(":")[0] for names, _ in _ROWS for word in names.split()]
# Functions that NumPy runs on the host: callers expect them to copy the values.
_DOWNLOADS = "array2string array_repr array_str save savetxt savez savez_compressed"


def _in_numpy(name: str) -> object:
    """NumPy's function of this name, or None if this NumPy lacks it."""
    function: Any = np
    for part in name.split("."):
        function = getattr(function, part, None)
    return function


def _calls() -> Iterator[tuple[object, Call | Download]]:
    for names, parameters in _ROWS:
        for word in names.split():
            name, colon, ours = word.partition(":")
            function = ours or (_ADAPTERS[name] if colon else name)
            yield _in_numpy(name), Call(name, parameters, function)
    for name in _DOWNLOADS.split():
        yield _in_numpy(name), Download(name)


CALLS = tuple(_calls())
