"""Steps in processes of their own: one that fails, dies or hangs stops no other."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from tests.gpu.pack import ROOT

GRACE = 8.0  # seconds after Ctrl-C, in which pytest prints what it knows
LEAST = 5.0  # seconds: a step that has less left is not begun
TAIL = 2000  # characters of output to report


@dataclass(frozen=True)
class Step:
    """A command, and how many seconds it may take."""

    name: str
    command: Sequence[str]
    seconds: float
    environment: dict[str, str] = field(default_factory=dict)


def run(step: Step, environment: dict[str, str], seconds: float, log: Path) -> dict[str, Any]:
    """Run a step for at most so many seconds; its output goes to the end of the log."""
    limit = min(step.seconds, seconds - GRACE)
    record: dict[str, Any] = {"name": step.name, "command": list(step.command)}
    if limit < LEAST:
        return {**record, "ended": "not begun: no time is left", "seconds": 0.0}
    begun = time.monotonic()
    with log.open("a") as output:
        print(f"\n=== {step.name}", file=output, flush=True)
        start = output.tell()
        ended = _ended(step, environment, limit, output)
    with log.open(errors="replace") as output:
        output.seek(start)
        tail = output.read()[-TAIL:]
    spent = round(time.monotonic() - begun, 1)
    return {**record, "ended": ended, "seconds": spent, "tail": tail}


def _ended(step: Step, environment: dict[str, str], limit: float, output: TextIO) -> str:
    process = subprocess.Popen(
        step.command,
        cwd=ROOT,
        env={**os.environ, **environment, **step.environment},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        status = process.wait(limit)
    except subprocess.TimeoutExpired:
        status = None
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    finally:
        # What it started must not slow down the next step.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if status is None:
        return f"stopped after {limit:.0f} s"
    if status < 0:
        return f"died by {signal.Signals(-status).name}"
    return "passed" if status == 0 else f"failed with {status}"
