"""One table at the end: how much faster than NumPy, and how many bytes a second."""

from __future__ import annotations

from collections import defaultdict


def pytest_terminal_summary(terminalreporter, config):
    session = getattr(config, "_benchmarksession", None)
    cases = defaultdict(dict)
    for row in getattr(session, "benchmarks", ()):
        if "who" in row.extra_info and row.stats.rounds:
            cases[row.group, row.extra_info["case"]][row.extra_info["who"]] = row
    if not cases:
        return
    terminalreporter.section("medians, and how many times as fast as NumPy")
    line = "{:30} {:15} {:>10} {:>7} {:>7}"
    last = None
    for (group, case), rows in cases.items():
        if group != last:
            terminalreporter.write_line("")
            terminalreporter.write_line(line.format(group, "", "us", "GB/s", "times"))
            last = group
        numpy = rows.get("numpy")
        for who, row in rows.items():
            scale = row.extra_info.get("calls", 1)
            median = row.stats.median / scale
            nbytes = row.extra_info.get("nbytes")
            rate = f"{nbytes / median / 1e9:.1f}" if nbytes else ""
            times = f"{numpy.stats.median / row.stats.median:.2f}" if numpy else ""
            terminalreporter.write_line(
                line.format(f"  {case}", who, f"{1e6 * median:.1f}", rate, times)
            )
