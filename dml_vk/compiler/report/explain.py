"""What a program does, as text: its kernels, what they read and write, and on which levels."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dml_vk.compiler.report.formats import described
from dml_vk.kernels.plan.base import Plan
from dml_vk.observe.dispatches import USERS_KERNEL
from dml_vk.observe.text_table import table

if TYPE_CHECKING:
    from dml_vk.compiler.program import Program
    from dml_vk.tracing.step import Launch


def explained(program: Program) -> str:
    """A table of the launches of a program."""
    rows = [("level", "kernel", "does", "read", "written", "us", "line"), *rows_of(program)]
    text = f"{head_of(program)}\n{table(rows, right={0, 3, 4, 5})}"
    return text if program.formats is None else f"{text}\n{described(program.formats)}"


def launches_of(program: Program) -> list[Launch]:
    return [launch for part in program.parts for launch in part.launches]


def head_of(program: Program) -> str:
    """Its numbers in one line."""
    launches = launches_of(program)
    levels = len({launch.level for launch in launches})
    kernels, on = _counted(len(launches), "kernel"), _counted(levels, "level")
    head = f"{kernels} on {on}, {program.temporary_bytes:,} bytes of temporaries"
    parts = len([part for part in program.parts if part.launches])
    if parts > 1:
        head += f", in {parts} parts: values are checked in between"
    return head


def rows_of(program: Program) -> list[tuple[str, str, str, str, str, str, str]]:
    """For each launch the cells of the table."""
    launches = launches_of(program)
    times = [f"{time:.1f}" for time in program.times] or [""] * len(launches)
    return list(map(_row, launches, times))


def _row(launch: Launch, time: str) -> tuple[str, str, str, str, str, str, str]:
    work, callers = launch.work, [part.caller for part in launch.parts or (launch,)]
    names = [caller.op for caller in callers]
    read, written = (
        sum([access.high - access.low for access in launch.accesses if access.writes is writes])
        for writes in (False, True)
    )
    lines = dict.fromkeys([f"{os.path.basename(call.file)}:{call.line}" for call in callers])
    return (
        str(launch.level),
        work.module if isinstance(work, Plan) else USERS_KERNEL,
        ", ".join(names),
        f"{read:,}",
        f"{written:,}",
        time,
        ", ".join(lines),
    )


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'s' if count != 1 else ''}"
