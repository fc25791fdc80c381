"""The stored table, and how a device is compared with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from dml_vk.dtypes import to_dtype
from dml_vk.errors import DTypeError
from dml_vk.kernels.operators import OPERATORS
from dml_vk.testing import elementwise
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


def compare(names: Iterable[str], told: Callable[[str], object]) -> tuple[Found, dict[str, Any]]:
    """(what was found, the results that are wrong). `told` is called with each name before."""
    table, wrong, kept = stored(), list[Found](), dict[str, np.ndarray]()
    errors, count = list[str](), 0
    for name in names:
        told(name)
        count += 1
        try:
            given, found = computed(name)
        except Exception as error:  # a driver that is new to us may do anything
            errors.append(f"{name}: {type(error).__name__}: {error}")
            continue
        of_operands, of_result = table[name]
        if digest(given) != of_operands:
            errors.append(f"{name}: NumPy makes other operands here, so that nothing is compared")
        elif digest([found]) != of_result:
            wrong.append({"case": name, **difference(name, given, found)})
            if sum(array.nbytes for array in kept.values()) + found.nbytes <= MOST_KEPT:
                kept[name] = found
    return {"compared": count, "wrong": wrong, "errors": errors}, kept


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
