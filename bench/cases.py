"""How a benchmark describes itself: the table at the end reads it."""

from __future__ import annotations


def describe(benchmark, group, case, who, nbytes=None, calls=1):
    """Describe it: `who` ran `case`, `calls` times a round, and moved this many bytes each time."""
    benchmark.group = group
    benchmark.extra_info.update(case=case, who=who, calls=calls)
    if nbytes:
        benchmark.extra_info.update(nbytes=nbytes)


def finish(benchmark, nbytes=0, operations=0):
    """Add gigabytes per second, or billions of operations, after it has run."""
    if benchmark.stats:  # None where benchmarks run as plain tests
        for unit, amount in {"GB/s": nbytes, "GFLOP/s": operations}.items():
            if amount:
                rate = amount / benchmark.stats.stats.median / 1e9
                benchmark.extra_info[unit] = round(rate, 2)
