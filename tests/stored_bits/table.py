"""The stored table, and how a device is compared with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import dml_vk
from dml_vk.dtypes import to_dtype
from dml_vk.errors import DTypeError
from dml_vk.kernels.operators import OPERATORS
from dml_vk.testing import elementwise
from tests.kernel.elementwise import keeps_subnormals
from tests.stored_bits.cases import Arrays, cases

TABLE = Path(__file__).parents[1] / "data" / "stored_bits.json"
MOST_KEPT = 12 << 20  # bytes of wrong results, so that their file stays small

Stored = dict[str, list[str]]
Found = dict[str, Any]


def digest(arrays: Iterable[np.ndarray]) -> str:
    """A few digits that depend on each bit, and on dtypes and shapes."""
    made = hashlib.blake2b(digest_size=8)
    for array in arrays:
        made.update(f"{array.dtype}{array.shape}".encode())
        made.update(np.ascontiguousarray(array))
    return made.hexdigest()


def stored() -> Stored:
    """By case, the digests of its operands and of its result."""
    table: Stored = json.loads(TABLE.read_text())
    return table


def computed(name: str) -> tuple[Arrays, np.ndarray]:
    """The operands and the result on the device."""
    case = cases()[name]
    given = case.operands()
    return given, case.compute(given)


def made_anew() -> Stored:
    """The table of the device at hand, without what has no such dtype."""
    table = {}
    for name in cases():
        try:
            given, found = computed(name)
        except DTypeError:
            continue
        table[name] = [digest(given), digest([found])]
    return table


def as_text(table: Stored) -> str:
    lines = [f'"{name}": {json.dumps(digests)}' for name, digests in table.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


@dataclass
class Comparison:
    """What was found so far."""

    compared: int = 0
    wrong: list[Found] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    kept: dict[str, np.ndarray] = field(default_factory=dict)
    """Wrong results."""

    def add(self, name: str, of_operands: str, of_result: str) -> None:
        """Compute a case, and compare it with the digests that are stored of it.

        Where subnormals are flushed, what depends on them is left out.
        """
        if cases()[name].is_flushed and not keeps_subnormals():
            return
        self.compared += 1
        try:
            given, found = computed(name)
        except Exception as error:  # a driver that is new to us may do anything
            self.errors.append(f"{name}: {type(error).__name__}: {error}")
            return
        if digest(given) != of_operands:
            rule = "NumPy makes other operands here, so that nothing is compared"
            self.errors.append(f"{name}: {rule}")
        elif digest([found]) != of_result:
            self.wrong.append({"case": name, **difference(name, given, found)})
            if sum(array.nbytes for array in self.kept.values()) + found.nbytes <= MOST_KEPT:
                self.kept[name] = found

    def as_json(self) -> str:
        """All but the wrong results."""
        told = {"compared": self.compared, "wrong": self.wrong, "errors": self.errors}
        return json.dumps({"device": dml_vk.device().name, **told}, indent=1) + "\n"


def difference(name: str, given: Arrays, found: np.ndarray) -> Found:
    """Where a result is wrong, by NumPy: of an exact case the first element, else how far off."""
    case = cases()[name]
    if case.exact is not None:
        return first_difference(given, found, case.exact(given))
    operator, _, dtype = name.rpartition("-")
    if operator not in OPERATORS or to_dtype(name, dtype).kind != "f":
        return {"of": found.size}
    expected = elementwise.reference(operator, *given)
    floats = found.view(expected.dtype)
    # What may be flushed is 0 in one of them.
    apart = np.where(floats == 0, 0.0, elementwise.ulps_apart(floats, expected))
    at = int(np.argmax(apart))
    return {"of": found.size, "ulps": float(apart[at]), **_element(given, floats, expected, at)}


def first_difference(given: Arrays, found: np.ndarray, expected: np.ndarray) -> Found:
    """The first element that differs, with its operands if there is one of each for it."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return {"found": _kind(found), "expected": _kind(expected)}
    differ = np.flatnonzero(found.reshape(-1) != expected.reshape(-1))
    if not differ.size:
        return {"differ": 0, "of": found.size}
    told = _element(given, found.reshape(-1), expected.reshape(-1), int(differ[0]))
    return {"differ": int(differ.size), "of": found.size, **told}


def _element(given: Arrays, found: np.ndarray, expected: np.ndarray, at: int) -> Found:
    alike = all(each.size == found.size for each in given)
    operands = [repr(each.reshape(-1)[at].item()) for each in given] if alike else []
    pair = {"found": found[at].item(), "expected": expected[at].item()}
    return {"first": at, "operands": operands, **{key: repr(one) for key, one in pair.items()}}


def _kind(array: np.ndarray) -> str:
    return f"{array.dtype}{array.shape}"
