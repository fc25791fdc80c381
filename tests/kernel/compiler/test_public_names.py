"""Each public function gives the same bits compiled, for other values too, or asks for values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.compiler.program import Part, Program
from dml_vk.compiler.trees import replace
from dml_vk.errors import CaptureError
from dml_vk.kernels.operators import OPERATORS
from dml_vk.random import Generator
from tests import tier
from tests.fuzz import rounds
from tests.fuzz.targets import targets
from tests.integration import same_bits
from tests.kernel.compiler.right_arguments import CALLS, LEFT_OUT
from tests.kernel.compiler.right_arguments import Given as Right
from tests.kernel.nn import test_every_function as networks
from tests.kernel.nn.test_every_function import images

# Functions that are made of others, and operators of Python, which are elementwise: they are only
# captured, but with --all. Their kernels take a driver longest.
WINDOWS = ["kaiser", "blackman", "hamming", "hanning", "geomspace", "logspace", "linspace", "i0"]
OF_ELEMENTS = [
    *("gcd", "lcm", "nanstd", "nanmean", "nanvar", "nanmedian", "median", "unwrap", "gradient"),
    *("cbrt", "sinc", "ldexp", "frexp", "isclose", "cov", "corrcoef", "fmin", "piecewise"),
    *("array_split", "sliding_window_view", "choose", "degrees", "radians", "fmax", "modf"),
    *("around", "fix", "nan_to_num", "angle", "std", "var", "average", "ptp", "nancumprod"),
    *("nancumsum", "nanmax", "nanmin", "nanprod", "vander", "polyval", "interp", "trapezoid"),
    *("ediff1d", "bartlett", "tri", "kron", "outer", "inner", "vdot", "cross", "correlate"),
    *("in1d", "select", "insert", "delete", "partition", "argpartition", "nanquantile"),
]
SYMBOLS = [
    *("neg", "pos", "invert", "sub", "mul", "floordiv", "mod", "and_", "or_", "xor", "lshift"),
    *("rshift", "eq", "ne", "lt", "le", "gt", "ge", "isub", "imul", "itruediv", "ifloordiv"),
    *("imod", "iand_", "ior_", "ixor", "ilshift", "irshift"),
]
TRANSFORMS = ["fft2", "ifft2", "ifftn", "irfft2", "irfftn", "rfft2", "rfftn", "hfft", "ihfft"]
OF_OTHERS = {
    *(f"dml_vk.{name}" for name in WINDOWS + OF_ELEMENTS),
    *(f"operator.{name}" for name in SYMBOLS),
    *(f"fft.{name}" for name in TRANSFORMS),
    *("linalg.det", "linalg.inv", "linalg.matrix_norm", "linalg.matrix_power", "linalg.slogdet"),
}
SPACES = ("dml_vk", "linalg", "fft", "Tensor", "operator")
TRIES = 6  # draws of arguments, of which one must be right
SEED = 3
# What needs values while it is captured. docs/programs.md says so.
NEEDS_VALUES = {
    *("dml_vk.allclose", "dml_vk.argwhere", "dml_vk.array_equal", "dml_vk.compress"),
    *("dml_vk.digitize", "dml_vk.extract", "dml_vk.flatnonzero", "dml_vk.histogram"),
    *("dml_vk.histogram_bin_edges", "dml_vk.nanargmax", "dml_vk.nanargmin"),
    *("dml_vk.nanpercentile", "dml_vk.nonzero", "dml_vk.percentile", "dml_vk.save"),
    *("dml_vk.trim_zeros", "dml_vk.unique", "dml_vk.unique_all", "dml_vk.unique_counts"),
    *("dml_vk.unique_inverse", "dml_vk.unique_values", "linalg.eig"),
    *("linalg.eigvals", "linalg.lstsq"),
    *(
        "Tensor.__array__",
        "Tensor.ctypes",
        "Tensor.map",
        "Tensor.numpy",
        "Tensor.tobytes",
        "Tensor.tolist",
    ),
    *("dml_vk.bincount", "dml_vk.histogram2d", "dml_vk.intersect1d", "dml_vk.place", "dml_vk.put"),
    *("dml_vk.ravel_multi_index", "dml_vk.setdiff1d", "dml_vk.setxor1d", "dml_vk.union1d"),
    *("dml_vk.unravel_index", "Tensor.item", "operator.contains"),
}

# Of tests/integration/same_bits.py, one of each kind of work that takes several kernels.
SEVERAL = {
    *("sum-float16", "cumulative", "matmul", "fft-columns", "argsort", "unique", "masked"),
    *("group_norm", "top_k", "nn-dropout", "linalg-solve", "linalg-lstsq"),
}
SEVERAL_NEED_VALUES = {
    *("unique", "masked", "numpy-quantile-weights", "numpy-bincount", "linalg-eig"),
    "linalg-lstsq",
}


def names() -> list[str]:
    """All but elementwise operators, which have a test of their own, and what cannot take part."""
    left_out = {name for names in LEFT_OUT.values() for name in names}
    found = [name for name in targets() if name.partition(".")[0] in SPACES]
    assert left_out | CALLS.keys() <= set(found)
    apart = left_out | OPERATORS.keys()
    return [name for name in found if not {name, name.rpartition(".")[2]} & apart]


class Place:
    """Stands for a tensor."""

    def __init__(self, number: int) -> None:
        self.number = number


class Given:
    """A call as a function of its tensors alone."""

    def __init__(self, call: rounds.Call) -> None:
        self.make = call.target.call
        self.tensors: list[dml_vk.Tensor] = []
        self.placed = [replace(one.ours, self._place) for _, one in call.placed]
        self.named = {name: replace(one.ours, self._place) for name, one in call.named.items()}

    def __call__(self, *tensors: Any) -> Any:
        def real(one: Any) -> Any:
            return tensors[one.number] if type(one) is Place else one

        named = {name: replace(one, real) for name, one in self.named.items()}
        return self.make(*[replace(one, real) for one in self.placed], **named)

    def _place(self, one: Any) -> Any:
        if type(one) is not dml_vk.Tensor:
            return one
        self.tensors.append(one)
        return Place(len(self.tensors) - 1)


def drawn(name: str, number: int) -> rounds.Call:
    return rounds.draw(SEED, number, [targets()[name]], spoils=False)


def right(name: str) -> int:
    """The number of a draw with tensors whose call is right."""
    for number in range(TRIES):
        call = drawn(name, number)
        if call.draws.drawn:
            with suppress(Exception):
                call.make()
                return number
    raise AssertionError(f"{name}: without right arguments")


def told(value: Any) -> Any:
    """What there is to compare of a result."""
    if isinstance(value, dml_vk.Tensor):
        return value.numpy().tobytes(), value.layout, value.dtype
    if isinstance(value, (tuple, list)):
        return type(value), [told(one) for one in value]
    return type(value), repr(value)


def came_of(call: rounds.Call, function: Any, tensors: list[Any], *, turned: bool) -> Any:
    """The result or the error, and the memory of the arguments afterwards."""
    for drawn in call.draws.drawn:
        if turned and drawn.base.tensor.dtype.kind in "fc":
            drawn.base.tensor[...] = dml_vk.asarray(np.roll(drawn.base.expected, 1))
    try:
        found = told(function(*tensors))
    except CaptureError:
        raise
    except Exception as error:
        found = type(error), str(error)
    return found, [one.base.tensor.numpy().tobytes() for one in call.draws.drawn]


def is_same(name: str, number: int) -> bool:
    """Make a call both ways, and again with other values."""
    compiled = None
    for turned in (False, True):
        ours, plain = drawn(name, number), drawn(name, number)
        given, expected = Given(ours), Given(plain)
        compiled = compiled or dml_vk.compile(given)
        found = came_of(ours, compiled, given.tensors, turned=turned)
        if found != came_of(plain, expected, expected.tensors, turned=turned):
            return False
    return True


def is_same_call(name: str) -> bool:
    """Make a call of right arguments both ways, and again with other values."""
    compiled = dml_vk.compile(lambda given: CALLS[name](SimpleNamespace(**given)))
    for number in range(2):
        ours, plain = vars(Right(number)), Right(number)
        found, expected = compiled(ours), CALLS[name](plain)
        if told([found, *ours.values()]) != told([expected, *vars(plain).values()]):
            return False
    return True


@contextmanager
def nothing_runs() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Part, "run", lambda *_: None)
        patch.setattr(Program, "_verify", lambda *_: None)
        patch.setattr(dml_vk.device().queue, "add", lambda *_: None)  # also what draws need
        yield


def is_only_captured(name: str) -> bool:
    """Also where a method or a function of linalg is one of those of dml_vk."""
    if tier.is_all():
        return False
    space, _, function = name.partition(".")
    return name in OF_OTHERS or (space != "dml_vk" and f"dml_vk.{function}" in targets())


def capture(name: str) -> None:
    """Capture a right call, of which nothing runs."""
    with nothing_runs():
        if name in CALLS:
            dml_vk.compile(lambda one: CALLS[name](SimpleNamespace(**one)))(vars(Right(0)))
            return
        for number in range(TRIES):
            call = Given(drawn(name, number))
            try:
                if call.tensors:
                    dml_vk.compile(call)(*call.tensors)
                    return
            except CaptureError:
                raise
            except Exception:  # of arguments that are not right
                continue
    raise AssertionError(f"{name}: without right arguments")


@pytest.mark.filterwarnings("ignore")  # NumPy's own, of what is drawn
def test_public_functions_have_the_same_bits_or_ask_for_values(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    asked, differ = set(), []
    tier.leave_out(len([name for name in names() if is_only_captured(name)]))
    for name in names():
        try:
            if name in NEEDS_VALUES or is_only_captured(name):
                capture(name)
            elif not (is_same_call(name) if name in CALLS else is_same(name, right(name))):
                differ.append(name)
        except CaptureError:
            asked.add(name)
    assert differ == []
    assert asked == NEEDS_VALUES


def test_numeric_functions_have_the_same_bits_at_sizes_of_several_kernels():
    images, asked = same_bits.tame(dml_vk.float32), set()
    calls = same_bits.calls()
    chosen = [name for name in calls if tier.is_all() or name in SEVERAL]
    tier.leave_out(len(calls) - len(chosen))
    for name in chosen:
        call = calls[name]
        compiled = dml_vk.compile(call)
        for k in range(2):
            x = dml_vk.asarray(np.roll(images, k, axis=1), memory_format=dml_vk.channels_last)
            with suppress(CaptureError):
                assert told(compiled(x)) == told(call(x)), name
        if not compiled.programs:
            asked.add(name)
    assert asked == SEVERAL_NEED_VALUES & {*chosen}


# The others are only captured.
NETWORKS = tier.some(networks.CALLS, 14)


@tier.parametrize("name form", networks.CALLS, [dml_vk.contiguous_format, dml_vk.channels_last])
def test_functions_of_networks_have_the_same_bits(name, form):
    x = images(2, 4, 5, 6).to(form)
    fixed = {key: one for key, one in networks.CALLS[name](x).items() if key != "generator"}
    draws = [{"generator": Generator(3)} if name == "dropout" else {} for _ in range(2)]
    compiled = dml_vk.compile(getattr(nn, name))
    if name not in NETWORKS:
        with nothing_runs():
            compiled(**fixed, **draws[0])
        return
    for _ in range(2):
        x += 1
        found, expected = compiled(**fixed, **draws[0]), getattr(nn, name)(**fixed, **draws[1])
        assert told(found) == told(expected)
