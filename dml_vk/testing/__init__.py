"""For tests of what uses dml_vk: references in NumPy, and hypothesis in `.strategies`."""

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
