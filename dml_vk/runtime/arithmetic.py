"""What a device's arithmetic is seen to do, and which kernels rest on what it fails."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from dml_vk import cache_files
from dml_vk.errors import DeviceWarning, DmlVkError
from dml_vk.observe.callers import caller

# The traits that each kernel shows, by its module.
TRAITS = {
    "float_check_float32": (
        *("rounds", "multiplies_apart", "keeps_nan", "keeps_zeros", "keeps_subnormals"),
        *("keeps_constants", "packs_halves"),
    ),
    "function_check_float32": ("compares", "narrows", "divides", "converts"),
    "integer_check_int64": ("divides_integers", "shifts"),
}
TEXTS = {
    "rounds": "round to nearest",
    "multiplies_apart": "round a product before it is added to something",
    "keeps_nan": "keep NaN",
    "keeps_zeros": "keep signs of zeros",
    "compares": "compare NaN and zeros",
    "narrows": "round a sum before it becomes a float16",
    "divides": "divide and take roots of floats",
    "converts": "convert floats that integers cannot hold",
    "divides_integers": "divide integers",
    "shifts": "shift by counts beyond the width",
    "keeps_subnormals": "keep subnormals",
    "keeps_constants": "compute x + 0.0 and x * 0.0 with constants",
    "packs_halves": "round a sum before packHalf2x16",
}
# No kernel of ours rests on these, but kernels of the user's may.
FOR_OWN = ("keeps_constants", "packs_halves")
_OPTIONAL = ("keeps_subnormals", *FOR_OWN)  # subnormals are promised only where they are kept
_SUMS = ("rounds", "multiplies_apart", "keeps_nan", "keeps_zeros")
# Kernels without sums and products of floats, by the first words of their names, and the last.
_MOVES = "copy fill gather scatter nonzero offsets pick radix search sort integers sequence"
_MOVES += " linalg_swap linalg_largest linalg_order linalg_vectors"
_INTEGERS = "int_ long_ reduce_int reduce_long reduce_arg scan_int scan_long roi_boxes"
_INTEGERS += " segments_int segments_long"
_WITHOUT = re.compile(
    rf"({'|'.join(f'{_MOVES} {_INTEGERS}'.split())}|.*_u?int\d+$|philox_words_float64$"
    r"|pool_(packed_8|words_64)$|\w+_check_|philox_advance)"
)
_MORE = {
    r"(int|long)_arithmetic": ("divides_integers", "shifts"),
    r"cast": ("converts", "narrows"),
    r"float_(arithmetic|compare)|scan_float|segments_float": ("compares",),
    r"float_arithmetic|normal|pairs|pool|rows": ("divides",),
}
_MOST_BYTES = 4096  # of the file


def rests_on(module: str) -> frozenset[str]:
    """The traits of a device that the results of a kernel of ours depend on."""
    needed: set[str] = set()
    if not _WITHOUT.match(module):
        needed.update(_SUMS)
        if module.endswith(("_16", "_float16")):
            needed.add("narrows")
    for pattern, traits in _MORE.items():
        if re.match(pattern, module):
            needed.update(traits)
    return frozenset(needed)


class Arithmetic:
    """One device's, examined when a kernel first rests on it, and kept on disk."""

    def __init__(
        self, device: str, examine: Callable[[str], dict[str, bool]], file: Path | None = None
    ) -> None:
        self._device, self._examine, self._file = device, examine, file
        self._seen: set[str] = set()  # kernels
        self._told: set[str] = set()  # traits that a warning named
        self._known = read(file)

    def traits(self) -> dict[str, bool]:
        """All of them, by name."""
        self._look_at([trait for traits in TRAITS.values() for trait in traits])
        return {trait: self._known[trait] for trait in TEXTS}

    def use(self, modules: Iterable[str]) -> None:
        """Warn of each trait that these kernels rest on and the device fails, once."""
        for module in modules:
            if module in self._seen:
                continue
            traits = rests_on(module)
            try:
                self._look_at(traits)
            except DmlVkError:  # no memory for it now, or a driver that cannot compile it
                continue
            self._seen.add(module)
            for trait in sorted(traits - self._told):
                if not self._known[trait]:
                    self._told.add(trait)
                    self._warn(trait)

    def _warn(self, trait: str) -> None:
        op, file, line = caller()
        text = (
            f"{op}: {self._device} does not {TEXTS[trait]} as IEEE 754 and dml_vk's kernels need "
            "it; results may be wrong, or have other bits than on other devices (see "
            "`python -m dml_vk doctor`)"
        )
        warnings.warn_explicit(text, DeviceWarning, file, line)

    def _look_at(self, traits: Iterable[str]) -> None:
        missing = {trait for trait in traits if trait not in self._known}
        for module, shown in TRAITS.items():
            if missing.intersection(shown):
                self._known.update(self._examine(module))
                if self._file:
                    cache_files.write(self._file, json.dumps(self._known).encode())


def read(file: Path | None) -> dict[str, bool]:
    """What was kept of a device, by traits."""
    data = cache_files.read(file, _MOST_BYTES) if file else b""
    try:
        stored: Any = json.loads(data) if data else {}
    except ValueError:
        return {}
    pairs = stored.items() if isinstance(stored, dict) else ()
    return {trait: has for trait, has in pairs if trait in TEXTS and isinstance(has, bool)}


def lacking(traits: dict[str, bool]) -> list[str]:
    """What functions rest on and a device does not do, in words."""
    return [TEXTS[trait] for trait, has in traits.items() if not has and trait not in _OPTIONAL]
