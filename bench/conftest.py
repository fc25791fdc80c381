"""Prints one table at the end: speed relative to NumPy, and bytes per second."""

from __future__ import annotations

from collections import defaultdict

import pytest

import dml_vk

LINE = "{:30} {:15} {:>10} {:>7} {:>7}"


@pytest.fixture(scope="module", autouse=True)
def quiet():
    """Release what a file allocated, so that it does not affect the next."""
    yield
    dml_vk.device().release_cached()


def pytest_terminal_summary(terminalreporter, config):
    session = getattr(config, "_benchmarksession", None)
    cases = defaultdict(dict)
    for row in getattr(session, "benchmarks", ()):
        if "who" in row.extra_info and row.stats.rounds:
            cases[row.group, row.extra_info["case"]][row.extra_info["who"]] = row
    if not cases:
        return
    terminalreporter.section("medians, and how many times as fast as NumPy")
    last = None
    order = list(dict.fromkeys(group for group, _ in cases))
    for (group, case), rows in sorted(cases.items(), key=lambda one: order.index(one[0][0])):
        if group != last:
            terminalreporter.write_line("")
            terminalreporter.write_line(LINE.format(group, "", "us", "GB/s", "times"))
            last = group
        for who, row in rows.items():
            nbytes = row.extra_info.get("nbytes")
            rate = f"{nbytes / median(row) / 1e9:.1f}" if nbytes else ""
            times = f"{median(rows['numpy']) / median(row):.2f}" if "numpy" in rows else ""
            terminalreporter.write_line(
                LINE.format(f"  {case}", who, f"{1e6 * median(row):.1f}", rate, times)
            )


def median(row):
    """Seconds per call."""
    return row.stats.median / row.extra_info["calls"]
