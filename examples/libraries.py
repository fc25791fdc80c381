"""The array libraries that the examples run on."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

import dml_vk


def installed() -> dict[str, Callable[[np.ndarray], Any]]:
    """What makes arrays of NumPy's, by the name of the library."""
    found: dict[str, Callable[[np.ndarray], Any]] = {"numpy": np.asarray, "dml_vk": dml_vk.asarray}
    if importlib.util.find_spec("torch"):
        import torch

        found["torch"] = torch.asarray
    return found
