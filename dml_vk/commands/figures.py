"""Figures of measurements."""

from __future__ import annotations


def rounded(number: float) -> float:
    """Round to the precision of a measurement.

    >>> from dml_vk.commands.figures import rounded
    >>> rounded(1234567.0), rounded(0.000123456)
    (1235000.0, 0.0001235)
    """
    return float(f"{number:.4g}")
