"""How a benchmark says what it is: the table at the end reads it."""

from __future__ import annotations


def describe(benchmark, group, case, who, nbytes=None, calls=1):
    """`who` did `case`, `calls` times a round, and moved so many bytes each time."""
    benchmark.group = group
    benchmark.extra_info.update(case=case, who=who, calls=calls)
    if nbytes:
        benchmark.extra_info.update(nbytes=nbytes)


def finish(benchmark, nbytes):
    """Once it has run: what it comes to in gigabytes a second."""
    if benchmark.stats:  # None where benchmarks run as plain tests
        benchmark.extra_info["GB/s"] = round(nbytes / benchmark.stats.stats.median / 1e9, 2)
