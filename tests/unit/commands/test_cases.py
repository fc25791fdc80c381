"""The table of benchmark cases."""

from __future__ import annotations

from collections import Counter

from dml_vk.commands.cases.table import by_kernel


def test_cases_by_kernel_have_names_of_their_own():
    """Benchmarks look them up by group and name, so that of two alike one would never run."""
    cases = list(by_kernel())
    names = Counter((case.group, case.name) for case in cases)
    assert not [name for name, count in names.items() if count > 1]
    for case in cases:
        assert case.group, case.name
        assert case.by("dml_vk") is not None, case.name
