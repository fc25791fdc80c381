"""Test helpers for users and ourselves: NumPy references, and hypothesis `strategies`."""

from dml_vk.testing.random import philox_between, philox_integers, philox_normal
from dml_vk.testing.references import philox_after, philox_uniform, philox_words, sequence

__all__ = [
    "philox_after",
    "philox_between",
    "philox_integers",
    "philox_normal",
    "philox_uniform",
    "philox_words",
    "sequence",
]
