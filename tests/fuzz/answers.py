"""What NumPy says of the same call, where it has one, and whether ours says the same."""

from __future__ import annotations

import operator
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import dml_vk
from dml_vk import fft
from dml_vk.dtypes import DTYPES, DType, to_dtype
from dml_vk.kernels.operators import OPERATORS
from dml_vk.numpy_protocols.ufuncs import UFUNCS
from dml_vk.promotion import common_dtype, float_dtype
from dml_vk.tensor.operands import plain
from dml_vk.testing.elementwise import cast
from tests.fuzz.targets import BINARY, COMPARE
from tests.kernel.elementwise import compare, expected_of

Answer = Callable[..., Any]
NOT_THERE = {"out", "device", "memory_format"}  # NumPy has no such parameters, or needs none
KINDS = "biufc"  # the dtypes that NumPy and we have
# Before 2.0 the dtypes of results depended on values.
OLD_NUMPY = np.lib.NumpyVersion(np.__version__) < "2.0.0"
MOST = 10**6  # elements that are compared
# Sums of floats: as far off as so many roundings, beside the sum of magnitudes.
CLOSE = {"float16": 4e-3, "float32": 1e-5, "float64": 1e-12}
CLOSE |= {"complex64": CLOSE["float32"], "complex128": CLOSE["float64"]}
# Python's operators, as the functions are called.
OF_OPERATORS = {
    "neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert", "add": "add",
    "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "pow", "matmul": "matmul", "and_": "bitwise_and",
    "or_": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift", "eq": "equal", "ne": "not_equal", "lt": "less",
    "le": "less_equal", "gt": "greater", "ge": "greater_equal",
}  # fmt: skip


@contextmanager
def patience() -> Iterator[None]:
    """NumPy may take what we refuse or find at once for a life's work."""

    def stop(*_: object) -> None:
        raise TimeoutError("NumPy is not done")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 2.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def elementwise_name(name: str) -> tuple[str, bool]:
    """The operator of the library that a target is, and whether its operands are swapped."""
    group, _, short = name.rpartition(".")
    found = short if group == "dml_vk" else ""
    if group in ("operator", "reflected"):
        found = OF_OPERATORS.get(short, "")
        if not found and short[:1] == "i":
            in_place = {f"i{one.strip('_')}": one for one in BINARY.split()}
            found = OF_OPERATORS.get(in_place.get(short, ""), "")
    if group == "numpy":
        found = next((ours for numpys, ours in UFUNCS.items() if numpys.__name__ == short), "")
    known = found in OPERATORS and found not in ("clip", "cast")
    return (found if known else ""), group == "reflected" and short in f"{BINARY} {COMPARE}".split()


def _unfold(x: Any, dim: int, size: int, step: int) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x, size, dim)
    return windows[(slice(None),) * (dim % x.ndim) + (slice(None, None, step),)]


def _expand(x: Any, *sizes: Any) -> Any:
    wanted = sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
    lead = len(wanted) - x.ndim
    return np.broadcast_to(x, [x.shape[k - lead] if n == -1 else n for k, n in enumerate(wanted)])


def _sort(x: Any, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    found = np.sort(x, axis=axis, kind="stable")
    return np.flip(found, axis) if descending else found


def _searched(x1: Any, x2: Any, side: str = "left", sorter: Any = None) -> Any:
    return np.searchsorted(x1, x2, side, sorter)


def _written(x: Any, key: Any, value: Any) -> Any:
    found = x.copy()
    found[key] = cast(np.array(value, copy=True), found.dtype)
    return found


def _transposed(x: Any, *dims: Any) -> Any:
    return np.swapaxes(x, *dims) if len(dims) == 2 else x.transpose(*dims)


# Ours where NumPy's has another name or form, or none of ours must be asked: None.
ANSWERS: dict[str, Answer | None] = {
    "dml_vk.argsort": lambda x, axis=-1, descending=False, stable=True: (
        None if descending else np.argsort(x, axis, kind="stable")
    ),
    "dml_vk.astype": None,
    "numpy.argsort": lambda x, axis=-1, stable=True: np.argsort(x, axis, kind="stable"),
    "dml_vk.can_cast": None,
    "dml_vk.clip": None,
    "dml_vk.copy": lambda src, dst: None,
    "dml_vk.cumulative_prod": None,
    "dml_vk.from_dlpack": lambda x, copy=None: np.asarray(x),
    "dml_vk.full": lambda shape, value, dtype=None: None,
    "dml_vk.imag": None,
    "dml_vk.load": None,
    "dml_vk.repeat": lambda x, repeats, axis=None: np.repeat(x, repeats, axis),
    "dml_vk.pad": lambda x, widths, value=0, mode="constant": (
        np.pad(x, widths, mode, constant_values=value)
        if mode == "constant" else np.pad(x, widths, mode)
    ),
    "dml_vk.prod": None,
    "dml_vk.result_type": lambda *given: (
        np.result_type(*given)
        if all(isinstance(one, np.dtype) for one in given) and not _mixed(given) else None
    ),
    "dml_vk.save": None,
    "dml_vk.searchsorted": _searched,
    "dml_vk.sort": _sort,
    "dml_vk.unique_values": lambda x: np.unique(x, equal_nan=False),
    "numpy.unique": lambda x: np.unique(x, equal_nan=False),
    "numpy.unique_values": lambda x: np.unique(x, equal_nan=False),
    "numpy.can_cast": None, "numpy.empty_like": None, "numpy.prod": None, "numpy.cumprod": None,
    "numpy.cumulative_prod": None, "numpy.multiply.reduce": None,
    # A matter of roundings, or of dtypes that are ours.
    "dml_vk.isclose": None, "dml_vk.allclose": None, "dml_vk.nanprod": None,
    "dml_vk.nancumprod": None, "dml_vk.histogram": None, "dml_vk.nanargmax": None,
    "dml_vk.nanargmin": None, "dml_vk.unique": None, "dml_vk.polyval": None,
    "numpy.polyval": None,
    "dml_vk.nan_to_num": lambda x, nan=0.0, posinf=None, neginf=None: (
        np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
    ),
    "dml_vk.tile": lambda x, repetitions: np.tile(x, repetitions),
    "Tensor.T": lambda x: x.T,
    "Tensor.all": np.all, "Tensor.any": np.any,
    "Tensor.argmax": np.argmax, "Tensor.argmin": np.argmin,
    "Tensor.clone": lambda x, memory_format=None: x,
    "Tensor.contiguous": lambda x, memory_format=None: x,
    "Tensor.diagonal": lambda x, offset=0, dim1=0, dim2=1: x.diagonal(offset, dim1, dim2),
    "Tensor.expand": _expand,
    "Tensor.flip": lambda x, *dims: np.flip(
        x, dims if all(isinstance(one, int) for one in dims) else tuple(dims[0])
    ),
    "Tensor.item": lambda x: x.item(),
    "Tensor.mT": lambda x: np.swapaxes(x, -1, -2),
    "Tensor.max": np.max, "Tensor.min": np.min,
    "Tensor.mean": np.mean,
    "Tensor.ndim": np.ndim,
    "Tensor.numpy": lambda x: x,
    "Tensor.shape": np.shape,
    "Tensor.size": np.size,
    "Tensor.sum": np.sum,
    "Tensor.tolist": lambda x: x.tolist(),
    "Tensor.transpose": _transposed,
    "Tensor.unfold": _unfold,
    "Tensor.unsqueeze": np.expand_dims,
    "operator.contains": lambda x, value: None,
    "operator.getitem": lambda x, key: x[key],
    "operator.matmul": np.matmul,
    "operator.setitem": _written,
    "python.complex": complex, "python.float": float, "python.int": int, "python.bool": bool,
    "python.copy": lambda x: x, "python.deepcopy": lambda x: x, "python.round_trip": lambda x: x,
    "python.len": len,
    "python.list": list,
}  # fmt: skip
# What adds or multiplies floats, in an order of its own.
INEXACT = {
    "cumulative_sum", "diff", "einsum", "linspace", "matmul", "mean", "std", "sum", "tensordot",
    "trace", "var", "vecdot", "vector_norm", "matrix_norm", "cross", "outer", "nancumsum",
    "nanmean", "nanstd", "nansum", "nanvar", "average", "median", "nanmedian", "quantile",
    "cbrt", "i0", "norm", "sinc", "percentile", "nanquantile", "nanpercentile", "bincount",
    *fft.__all__,
}  # fmt: skip
# What compares operands of several kinds in a dtype that is narrower than NumPy's.
COMPARED = {"array_equal", "digitize", "isin", "searchsorted"}


# What depends on the condition of a matrix, or is not unique: tests/kernel/linalg has residuals.
DECOMPOSING = {
    "cholesky", "det", "eigh", "eigvalsh", "inv", "lstsq", "matrix_power", "matrix_rank", "pinv",
    "qr", "slogdet", "solve", "svd", "svdvals",
}  # fmt: skip


def answer_of(name: str) -> Answer | None:
    """NumPy's function of this target, if it has one."""
    if name in ANSWERS:
        return ANSWERS[name]
    group, _, short = name.partition(".")
    if "linalg." in name and name.rpartition(".")[2] in DECOMPOSING:
        return None
    if group == "numpy":
        return operator.attrgetter(short)(np)
    if group == "dml_vk":
        return getattr(np, short, None) if not short.startswith(("empty", "from")) else None
    home = {"fft": np.fft, "linalg": np.linalg}.get(group)
    return getattr(home, short, None)


def differs(
    name: str, found: Any, placed: list[Any], named: dict[str, Any]
) -> tuple[str, BaseException | None]:
    """(how ours differs from NumPy's answer, what NumPy raised instead of one)."""
    if OLD_NUMPY:
        return "", None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            ours, swapped = elementwise_name(name)
            if ours:
                return _elementwise(ours, found, placed[::-1] if swapped else placed, named), None
            call = answer_of(name)
            # Of elements that are not unique, but said to be, NumPy's answer is by chance.
            said = name == "numpy.isin" and (len(placed) > 2 or named.get("assume_unique"))
            if call is None or said:
                return "", None
            kept = {key: value for key, value in named.items() if key not in NOT_THERE}
            with patience():
                expected = call(*placed, **kept)
        except AssertionError as error:
            return str(error), None
        except Exception as error:
            return "", error
        given = [*placed, *named.values()]
        arrays = [one for one in given if isinstance(one, (np.ndarray, np.generic))]
        if name.rpartition(".")[2] in COMPARED and _mixed([one.dtype for one in arrays]):
            return "", None
        floats = any(one.dtype.kind == "f" for one in arrays)
        if floats and any(_is_integers(one) for one in given):
            return "", None  # What floats beyond an integer type become, NumPy leaves open.
        products = any(one.dtype.kind == "c" for one in arrays)
        inexact = products or name.rpartition(".")[2] in INEXACT
        return _differs(found, expected, placed if inexact else None), None


def _mixed(dtypes: Iterable[Any]) -> bool:
    """Of several kinds, of which NumPy makes floats of 64 bits."""
    return len({one.kind.replace("u", "i") for one in dtypes}) > 1


def _is_integers(one: Any) -> bool:
    """A dtype that holds no floats."""
    named = isinstance(one, str) and one in DTYPES
    return (named or isinstance(one, np.dtype)) and np.dtype(one).kind in "biu"


def _elementwise(name: str, found: Any, placed: list[Any], named: dict[str, Any]) -> str:
    if not isinstance(found, dml_vk.Tensor) or found.size > MOST:
        return ""
    if not all(isinstance(one, (np.ndarray, int, float, np.generic)) for one in placed):
        return ""
    operands = placed[: OPERATORS[name].arity]
    told = dict(zip([one for one, _ in OPERATORS[name].parameters], placed[len(operands) :]))
    told |= {key: value for key, value in named.items() if key != "out"}
    # Whole arrays, since of single exponents NumPy knows short cuts: -inf ** 0.5 would be NaN.
    filled = [one if isinstance(one, np.ndarray) else np.full(found.shape, one) for one in operands]
    if any(one.dtype.kind not in KINDS for one in filled):
        return ""
    first = int(name == "where")  # the condition has no part in it
    common = _common(name, operands[first:])
    if common.kind == "c":
        numbers = [one.astype(common.numpy_name) for one in filled[first:]]
        return _near(
            found.numpy(), getattr(np, OPERATORS[name].numpy or name)(*filled[:first], *numbers)
        )
    operands = filled[:first] + [cast(one, common) for one in filled[first:]]
    expected, _ = expected_of(name, operands, found.dtype, told)
    if expected.shape != found.shape:
        return f"shape {found.shape} for {expected.shape}"
    seen = [np.asarray(one) for one in operands]
    compare(name, seen, found.numpy(), expected)
    return ""


def _near(found: Any, expected: Any) -> str:
    """Whether complex results are NumPy's but for roundings, where nothing overflows."""
    if expected.shape != found.shape:
        return f"shape {found.shape} for {expected.shape}"
    if found.dtype.kind == "b":
        return "" if (found == expected).all() else f"{found!r} for {expected!r}"
    size = np.abs(expected).astype(np.float64)
    usual = (size > 1e-30) & (size < 1e30)
    off = np.abs(found.astype(np.complex128) - expected)[usual]
    right = off <= 1e3 * CLOSE[found.dtype.name] * size[usual]
    return "" if right.all() else f"{found[usual][~right][0]!r} for {expected[usual][~right][0]!r}"


def _common(name: str, operands: list[Any]) -> DType:
    """What is computed in. Numbers of NumPy's are as weak as Python's."""
    dtypes = [to_dtype(name, one.dtype) for one in operands if isinstance(one, np.ndarray)]
    numbers = [plain(one) for one in operands if not isinstance(one, np.ndarray)]
    common = common_dtype(name, dtypes, numbers)
    return float_dtype(common) if OPERATORS[name].only_floats else common


def _differs(found: Any, expected: Any, inexact: list[Any] | None) -> str:
    if expected is None:
        return ""
    if isinstance(found, (tuple, list)) and isinstance(expected, (tuple, list)):
        if len(found) != len(expected):
            return f"{len(found)} results for {len(expected)}"
        return next(filter(None, [_differs(*two, inexact) for two in zip(found, expected)]), "")
    if isinstance(found, DType) and isinstance(expected, np.dtype):
        same = expected.kind not in KINDS or found == expected
        return "" if same else f"{found!r} for {expected!r}"
    if isinstance(found, (dml_vk.Tensor, np.ndarray)):
        return _values_differ(found, expected, inexact)
    if isinstance(found, (bool, int, float, complex)):
        same = found == expected or (found != found and expected != expected)
        return "" if same else f"{found!r} for {expected!r}"
    return ""


def _values_differ(found: Any, expected: Any, inexact: list[Any] | None) -> str:
    if not isinstance(expected, (np.ndarray, np.generic, int, float, complex)):
        return ""
    shape = np.shape(expected)
    if tuple(found.shape) != shape:
        return f"shape {tuple(found.shape)} for {shape}"
    if found.size > MOST:
        return ""
    ours = found.numpy() if isinstance(found, dml_vk.Tensor) else found
    theirs = np.asarray(expected)
    if theirs.dtype.kind not in KINDS or ours.dtype.kind not in KINDS:
        return ""
    if ours.dtype.kind not in "fc":
        right = ours == theirs.astype(ours.dtype)
    else:
        wide = np.complex128 if ours.dtype.kind == "c" else np.float64
        beside = np.asarray(theirs, wide)
        close = 0.0
        if inexact is not None:
            inputs = [one for one in inexact if isinstance(one, np.ndarray) and one.size]
            most = max([float(np.nanmax(np.abs(one))) for one in inputs], default=1.0)
            count = max([one.size for one in inputs], default=1)
            if not most < 1e3:
                return ""  # Where sums overflow is a matter of their order.
            close = CLOSE[ours.dtype.name] * max(1.0, most) ** 2 * count
        same = ours.astype(wide) == beside.astype(ours.dtype)
        right = same | (np.isnan(ours) & np.isnan(beside)) | (np.abs(ours - beside) <= close)
    if right.all():
        return ""
    at = tuple([index[0] for index in np.nonzero(~np.atleast_1d(right))])
    pair = np.atleast_1d(ours)[at], np.atleast_1d(theirs)[at]
    return f"{pair[0]!r} for {pair[1]!r} at {tuple(map(int, at))}, {int((~right).sum())} wrong"
