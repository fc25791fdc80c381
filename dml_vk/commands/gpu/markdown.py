"""The findings of `bench --gpu` as tables for a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def as_markdown(report: dict[str, object]) -> str:
    """Format a report, of which any part may be missing."""
    return "\n".join(_lines(report))


def _lines(report: dict[str, Any]) -> Iterator[str]:
    if facts := report.get("facts"):
        device, cpu = facts["device"], facts["cpu"]
        named = f"{device['name']} ({device['type']}), {device['driver']}"
        beside = f"{cpu['cores']} cores of {cpu['name']}"
        yield f"Device: {named}, beside {beside}; runtime `{report['runtime']}`."
    if rate := report.get("copy_rate"):
        size = f"{rate['nbytes'] >> 20} MiB from its memory to its memory"
        ways = ", ".join(f"by {way} {rate[f'by_{way}']:.4g}" for way in ("kernel", "command"))
        yield (
            f"It copies {size} at {rate['rate']:.4g} GB/s ({ways}), by the {rate['clock']}'s clock."
        )
    if report.get("cases"):
        yield f"Operands of {report['size_mib']} MiB; bytes read and written count."
        yield ""
        yield from table(
            ("case", "device ms", "rate", "of copy", "with the wait, ms", "agrees"),
            [_case(device) for device in report["cases"]],
        )
    if moved := report.get("transfers"):
        rates = [(way, f"{moved[way]:.4g} GB/s") for way in ("upload", "download")]
        yield ""
        yield from table((f"{moved['nbytes'] >> 20} MiB", "rate"), rates)
    if spent := report.get("host_us"):
        yield ""
        yield from table(("host", "us"), [(name, f"{us:.4g}") for name, us in spent.items()])
    if order := report.get("order"):
        took = f"{order['chains']} chains took {order['seconds']:.3g} s"
        yield ""
        yield f"{order['operations']} dependent operations in {took}; {order['wrong']} ended wrong."
    if report["failures"]:
        yield ""
        yield from (f"- FAILED: {failure}" for failure in report["failures"])


def _case(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"{row['name']}: {row['about']}",
        "" if row["device_ms"] is None else f"{row['device_ms']:.4g}",
        f"{row['rate']:.4g} {row['unit']}",
        "" if row["of_copy"] is None else f"{row['of_copy']:.2f}",
        f"{row['host_ms']:.4g}",
        "yes" if row["agrees"] else "NO",
    )


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table in Markdown."""
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
