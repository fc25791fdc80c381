"""NumPy's functions on tensors: each becomes the function of ours that means the same.

What has no such function is an error, and so are NumPy's arrays among the operands: nothing is
copied to the host or to the device unless somebody says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any

import numpy as np

import dml_vk
from dml_vk.errors import DTypeError, LayoutError, explain
from dml_vk.kernels.operators import OPERATORS
from dml_vk.operands import to_tensor
from dml_vk.tensor import Tensor

_ours: Any = dml_vk  # Its names come when they are asked for.
# Ours for each ufunc. `clip`, `round` and `where` are among NumPy's other functions, below.
_NAMES = {
    operator.numpy or name: name
    for name, operator in OPERATORS.items()
    if operator.numpy is not None
}
_NAMES |= {"conjugate": "conj", "matmul": "matmul", "rint": "round", "vecdot": "vecdot"}
_UFUNCS: dict[Any, str] = {
    getattr(np, numpy): ours
    for numpy, ours in _NAMES.items()
    if isinstance(getattr(np, numpy, None), np.ufunc)
}
_REDUCTIONS: dict[Any, str] = {
    np.add: "sum",
    np.multiply: "prod",
    np.maximum: "max",
    np.minimum: "min",
    np.logical_and: "all",
    np.logical_or: "any",
}


def ufunc(function: np.ufunc, method: str, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A function of the elements, or `reduce`, which goes along the first dim unless told."""
    out = named.get("out", ())
    if any(_knows_better(one) for one in (*inputs, *out)):
        return NotImplemented
    if function is np.divmod and method == "__call__":
        _check_names("numpy.divmod", (), named)
        return _ours.floor_divide(*inputs), _ours.remainder(*inputs)
    table = {"__call__": _UFUNCS, "reduce": _REDUCTIONS}.get(method, {})
    what = _named(function) + ("" if method == "__call__" else f".{method}")
    if function not in table:
        raise _no_such(what)
    given = {**named, "out": out[0]} if out else dict(named)
    allowed = {"out"} if method == "__call__" else {"axis", "dtype", "keepdims", "out"}
    if table[function] in ("max", "min", "all", "any"):
        allowed -= {"dtype"}
    if table[function] == "conj":
        allowed = set()  # It is x itself.
    _check_names(what, allowed, given)
    if method == "reduce":
        given.setdefault("axis", 0)
    return getattr(_ours, table[function])(*inputs, **given)


def function(func: Any, types: Iterable[type], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Any other of NumPy's functions, called as NumPy's documentation says."""
    if not all(issubclass(one, (Tensor, np.ndarray)) for one in types):
        return NotImplemented
    if func not in FUNCTIONS:
        raise _no_such(_named(func))
    return FUNCTIONS[func](args, named)


def _knows_better(one: Any) -> bool:
    """Of another library, which has its own idea of ufuncs on our tensors."""
    ours = isinstance(one, (Tensor, np.ndarray, np.generic))
    return not ours and hasattr(type(one), "__array_ufunc__")


def _named(function: Any) -> str:
    return f"{getattr(function, '__module__', None) or 'numpy'}.{function.__name__}"


def _no_such(what: str) -> DTypeError:
    must = "there must be a function for tensors: np.asarray(x) has the same numbers on the host"
    return DTypeError(explain(what, must, function=what))


def _check_names(what: str, allowed: Iterable[str], given: Iterable[str]) -> None:
    wrong = set(given) - set(allowed)
    if wrong:
        must = f"its options must be among {', '.join(sorted(allowed))}"
        raise DTypeError(explain(what, must, named=tuple(sorted(wrong))))


class Call:
    """A function of NumPy's with its parameters, and how they go into one of ours.

    The parameters come in NumPy's order, from `*` on by name only. Those before `/` are handed on
    by place, `...` any number of them, the others by name: `a=b` is called b by us, and `-a` must
    be None or left out.
    """

    def __init__(self, name: str, parameters: str, ours: str | Callable[..., Any]) -> None:
        self.what, self.ours = f"numpy.{name}", ours
        placed, _, rest = parameters.partition("/")
        self.placed = placed.split()
        words = [word.partition("=") for word in rest.split() if word != "*"]
        self.named = {name: ours or name for name, _, ours in words if name[0] != "-"}
        self.refused = [name[1:] for name, _, _ in words if name[0] == "-"]
        positional = rest.partition("*")[0].replace("-", "").split()
        self.places = [*self.placed, *[word.partition("=")[0] for word in positional]]

    def __call__(self, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        given = dict(named)
        if self.placed != ["..."]:
            if len(args) > len(self.places):
                must = f"arguments by place must be {', '.join(self.places)} at most"
                raise DTypeError(explain(self.what, must, arguments=len(args)))
            given.update(zip(self.places, args))
            args = tuple([given.pop(name) for name in self.placed])
        for name in self.refused:
            if given.pop(name, None) is not None:
                raise DTypeError(explain(self.what, f"{name} must be left out", named=name))
        _check_names(self.what, self.named, given)
        ours = attrgetter(self.ours)(_ours) if isinstance(self.ours, str) else self.ours
        return ours(*args, **{self.named[name]: value for name, value in given.items()})


def _broadcast_arrays(*args: Any) -> tuple[Tensor, ...]:
    return tuple(_ours.broadcast_arrays(*args))


def _copyto(dst: Any, src: Any) -> None:
    to_tensor("copyto", "dst", dst)[...] = src


def _diagonal(a: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return a.diagonal(offset, axis1, axis2)


def _dot(a: Any, b: Any, out: Tensor | None = None) -> Any:
    for name, given in (("a", a), ("b", b)):
        if to_tensor("dot", name, given).ndim not in (1, 2):
            must = f"{name} must have one dim or two: tensordot takes any"
            raise LayoutError(explain("dot", must, shape=given.shape))
    return _ours.matmul(a, b, out=out)


def _norm(x: Tensor, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    dims = x.ndim if axis is None else len(axis) if isinstance(axis, tuple) else 1
    if ord is None or dims == 1:
        two = 2 if ord is None else ord
        return _ours.linalg.vector_norm(x, axis=axis, ord=two, keepdims=keepdims)
    if axis is not None or dims != 2:
        must = "axis must be one dim, or there must be two dims in all, or no ord"
        raise LayoutError(explain("norm", must, ord=ord, axis=axis, shape=x.shape))
    return _ours.linalg.matrix_norm(x, ord=ord, keepdims=keepdims)


def _ravel(a: Tensor) -> Any:
    return _ours.reshape(a, -1)


def _squeeze(a: Tensor, axis: Any = None) -> Any:
    return a.squeeze() if axis is None else _ours.squeeze(a, axis)


def _swapaxes(a: Tensor, axis1: int, axis2: int) -> Any:
    return a.transpose(axis1, axis2)


def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, **named: Any) -> Any:
    given = to_tensor("trace", "a", a)
    return _ours.sum(given.diagonal(offset, axis1, axis2), axis=-1, **named)


def _transpose(a: Tensor, axes: Any = None) -> Any:
    return _ours.permute_dims(a, tuple(range(a.ndim))[::-1] if axes is None else axes)


def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return _ours.nonzero(condition)
    return _ours.where(condition, x, y)


_OWN: dict[str, Callable[..., Any]] = {
    "broadcast_arrays": _broadcast_arrays,
    "copy": Tensor.clone,
    "copyto": _copyto,
    "diagonal": _diagonal,
    "dot": _dot,
    "linalg.norm": _norm,
    "ndim": attrgetter("ndim"),
    "ravel": _ravel,
    "shape": attrgetter("shape"),
    "size": attrgetter("size"),
    "squeeze": _squeeze,
    "swapaxes": _swapaxes,
    "trace": _trace,
    "transpose": _transpose,
    "where": _where,
}
# NumPy's functions, by name or as name:ours, with their parameters.
_ROWS = (
    ("all any amax:max amin:min max min", "a / axis out keepdims"),
    ("argmax argmin", "a / axis out * keepdims"),
    ("argsort sort", "a / axis -kind -order * stable"),
    ("around:round round", "a / -decimals out"),
    ("array_equal", "a1 a2 / equal_nan"),
    ("astype", "x dtype / * copy"),
    ("broadcast_arrays:", "... /"),
    ("broadcast_to", "array shape /"),
    ("can_cast", "from_ to /"),
    ("clip", "a / a_min=min a_max=max out * min max"),
    ("concatenate:concat stack", "arrays / axis out"),
    ("copy:", "a /"),
    ("copyto:", "dst src /"),
    ("count_nonzero", "a / axis * keepdims"),
    ("cross:linalg.cross", "a b / -axisa -axisb -axisc axis"),
    ("cumprod:cumulative_prod cumsum:cumulative_sum", "a / axis dtype out"),
    ("cumulative_prod cumulative_sum", "x / * axis dtype out include_initial"),
    ("diagonal:", "a / offset axis1 axis2"),
    ("diff", "a / n axis prepend append"),
    ("dot:", "a b / out"),
    ("einsum", "... / * out"),
    ("empty_like", "prototype / dtype"),
    ("expand_dims", "a / axis"),
    ("flip", "m / axis"),
    ("full_like", "a fill_value / dtype"),
    ("isneginf isposinf", "x / out"),
    ("linalg.cross linalg.vecdot", "x1 x2 / * axis"),
    ("linalg.diagonal", "x / * offset"),
    ("linalg.matmul linalg.outer", "x1 x2 /"),
    ("linalg.matrix_norm", "x / * keepdims ord"),
    ("linalg.matrix_transpose matrix_transpose", "x /"),
    ("linalg.norm:", "x / ord axis keepdims"),
    ("linalg.tensordot", "x1 x2 / * axes"),
    ("linalg.trace", "x / * offset dtype"),
    ("linalg.vector_norm", "x / * axis keepdims ord"),
    ("mean", "a / axis -dtype out keepdims"),
    ("meshgrid", "... / * indexing"),
    ("moveaxis", "a source destination /"),
    ("nonzero", "a /"),
    ("ones_like zeros_like", "a / dtype"),
    ("outer:linalg.outer", "a b / out"),
    ("ndim: ravel: shape: size:", "a /"),
    ("pad", "array pad_width / mode * constant_values=value"),
    ("prod sum", "a / axis dtype out keepdims"),
    ("real", "val /"),
    ("repeat", "a repeats / axis"),
    ("reshape", "a shape / * copy"),
    ("result_type", "... /"),
    ("roll", "a shift / axis"),
    ("searchsorted", "a v / side sorter"),
    ("squeeze:", "a / axis"),
    ("std var", "a / axis -dtype out ddof=correction keepdims * correction"),
    ("swapaxes:", "a axis1 axis2 /"),
    ("take", "a indices / axis out"),
    ("take_along_axis", "arr indices / axis"),
    ("tensordot", "a b / axes"),
    ("tile", "A reps /"),
    ("trace:", "a / offset axis1 axis2 dtype out"),
    ("transpose:", "a / axes"),
    ("tril triu", "m / k"),
    ("unique:unique_values", "ar /"),
    ("unique_all unique_counts unique_inverse unique_values", "x /"),
    ("unstack", "x / * axis"),
    ("where:", "condition / x y"),
)


def _in_numpy(name: str) -> Any:
    """None in a NumPy too old to have it."""
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _calls() -> Iterator[tuple[Any, Call]]:
    for names, parameters in _ROWS:
        for word in names.split():
            name, own, ours = word.partition(":")
            yield _in_numpy(name), Call(name, parameters, ours or (_OWN[name] if own else name))


FUNCTIONS = {function: call for function, call in _calls() if function is not None}
