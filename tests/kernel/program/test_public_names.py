"""Each public function gives the same bits compiled, for other values too, or asks for values."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import dml_vk
from dml_vk import nn
from dml_vk.errors import CaptureError
from dml_vk.kernels.operators import OPERATORS
from dml_vk.program.trees import replace
from dml_vk.random import Generator
from tests.fuzz import rounds
from tests.fuzz.targets import targets
from tests.kernel.nn.test_every_function import CALLS, images

SPACES = ("dml_vk", "linalg", "fft", "Tensor", "operator")
TRIES = 6  # draws of arguments, of which one must be right
SEED = 3
NO_VALUES = {"dml_vk.empty_like", "Tensor.__dlpack__"}  # whose result has none of its own
# What needs values while it is captured. docs/programs.md says so.
NEEDS_VALUES = {
    *("dml_vk.allclose", "dml_vk.argwhere", "dml_vk.array_equal", "dml_vk.compress"),
    *("dml_vk.digitize", "dml_vk.extract", "dml_vk.flatnonzero", "dml_vk.histogram"),
    *("dml_vk.histogram_bin_edges", "dml_vk.nanargmax", "dml_vk.nanargmin"),
    *("dml_vk.nanpercentile", "dml_vk.nonzero", "dml_vk.percentile", "dml_vk.save"),
    *("dml_vk.trim_zeros", "dml_vk.unique", "dml_vk.unique_all", "dml_vk.unique_counts"),
    *("dml_vk.unique_inverse", "dml_vk.unique_values", "linalg.eigh", "linalg.eigvalsh"),
    *("linalg.lstsq", "linalg.matrix_rank", "linalg.pinv", "linalg.svd", "linalg.svdvals"),
    *("Tensor.__array__", "Tensor.map", "Tensor.numpy", "Tensor.tobytes", "Tensor.tolist"),
    "operator.contains",
}


def names() -> list[str]:
    """All but elementwise operators, which random programs have."""
    found = [name for name in targets() if name.partition(".")[0] in SPACES]
    return [name for name in found if name.rpartition(".")[2] not in OPERATORS]


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


def right(name: str) -> int | None:
    """The number of a draw with tensors whose call is right."""
    for number in range(TRIES):
        call = drawn(name, number)
        if call.draws.drawn:
            with suppress(Exception):
                call.make()
                return number
    return None


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


@pytest.mark.filterwarnings("ignore")  # NumPy's own, of what is drawn
def test_public_functions_have_the_same_bits_or_ask_for_values(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    asked, differ, count = set(), [], 0
    for name in names():
        number = right(name)
        if number is None or name in NO_VALUES:
            continue
        count += 1
        try:
            if not is_same(name, number):
                differ.append((name, number))
        except CaptureError:
            asked.add(name)
    assert differ == []
    assert asked == NEEDS_VALUES
    assert count > 200


@pytest.mark.parametrize("name", CALLS)
def test_functions_of_networks_have_the_same_bits(name):
    for x in (images(2, 4, 5, 6), images(2, 4, 5, 6).to(dml_vk.channels_last)):
        fixed = {key: one for key, one in CALLS[name](x).items() if key != "generator"}
        draws = [{"generator": Generator(3)} if name == "dropout" else {} for _ in range(2)]
        compiled = dml_vk.compile(getattr(nn, name))
        for _ in range(2):
            x += 1
            found, expected = compiled(**fixed, **draws[0]), getattr(nn, name)(**fixed, **draws[1])
            assert told(found) == told(expected)
