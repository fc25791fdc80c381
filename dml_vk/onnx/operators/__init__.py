"""The operators, by families: each module enters its functions into the table."""

from __future__ import annotations

import importlib

FAMILIES = (
    "activations",
    "casts",
    "control",
    "convolutions",
    "creation",
    "einsum",
    "elementwise",
    "expanded",
    "gathering",
    "images",
    "joins",
    "normalizations",
    "on_host",
    "pools",
    "products",
    "quantization",
    "random",
    "recurrent",
    "reductions",
    "resizing",
    "scattering",
    "searching",
    "sequences",
    "shapes",
    "signal",
    "slices",
    "softmaxes",
    "suppression",
)


def enter() -> None:
    """Import them, so that the table is full."""
    for name in FAMILIES:
        importlib.import_module(f"{__name__}.{name}")
