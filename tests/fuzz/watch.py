"""Rounds in a process that is watched: what kills it or hangs is reported, and the rest goes on.

The child tells of each call before it makes it, one line of JSON for each event. It lives for some
rounds, under a small DML_VK_MEMORY_LIMIT and a bound on its memory, so that what is refused for
lack of memory comes up often and nothing else suffers.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LIFE = 2000  # rounds of one child
PATIENCE = 20.0  # seconds: no call takes so long
MEMORY_LIMIT = 2**25  # bytes of tensors
MOST_BYTES = 8 * 2**30  # of the child, with all that it maps
CHECKED = 100  # rounds between two looks for leaks


@dataclass
class Report:
    """What came of all rounds."""

    seed: int
    only: str = ""
    rounds: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)  # by NumPy, and not by us

    def fail(self, number: int, call: str, wrong: str) -> None:
        """Said at once: long runs may be cut off."""
        failure = (
            f"--replay {self.seed}:{number}{self.only and f' --only {self.only}'}\n{call}\n{wrong}"
        )
        print(failure, flush=True)
        self.failures.append(failure)

    def text(self, questions: bool = False) -> str:
        parts = [f"{self.rounds} rounds of seed {self.seed}, {len(self.failures)} failures"]
        parts += [f"{count:7} {name}" for name, count in sorted(self.counts.items())]
        if questions:
            parts += [f"NumPy refuses: {kind}\n    {call}" for kind, call in self.refused.items()]
        return "\n".join(parts)


def child(seed: int, start: int, rounds: int, only: str, patience: float) -> None:
    """The rounds themselves, told to standard output line by line."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # What calls print is no event.
    from tests.fuzz import rounds as making

    known = making.known_targets(only)
    judge = making.Judge()
    leaks = making.Leaks()
    for number in range(start, start + rounds):
        faulthandler.dump_traceback_later(patience, exit=True)
        print(json.dumps({"drawing": number}), file=out)
        call = making.draw(seed, number, known)
        print(json.dumps({"round": number, "call": str(call)}), file=out)
        faulthandler.dump_traceback_later(patience * call.target.patience, exit=True)
        outcome = judge.round(call)
        told = {"kind": outcome.kind, "refused": outcome.refused, "call": str(call)}
        print(json.dumps(told), file=out)
        if outcome.wrong:
            told = {"failed": number, "call": str(call), "wrong": outcome.wrong}
            print(json.dumps(told), file=out)
        if call.target.keeps:
            leaks.forgive(call)
        del call
        if number % CHECKED == CHECKED - 1:
            leaked = leaks.look()
            if leaked:
                print(json.dumps({"failed": number, "call": "", "wrong": leaked}), file=out)
        faulthandler.cancel_dump_traceback_later()


def run(seed: int, start: int, rounds: int, only: str = "", patience: float = PATIENCE) -> Report:
    """All rounds, in as many children as that takes."""
    report, end = Report(seed, only), start + rounds
    while start < end:
        start = _watched(report, start, min(end, start + LIFE), patience)
    return report


def _watched(report: Report, start: int, end: int, patience: float) -> int:
    """The rounds of one child, to the end or to its death. The round to go on with."""
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz", "--child"]
    command += ["--seed", str(report.seed), "--start", str(start), "--rounds", str(end - start)]
    command += ["--patience", str(patience), "--only", report.only]
    environment = {
        **os.environ,
        "DML_VK_MEMORY_LIMIT": str(MEMORY_LIMIT),
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(ROOT),
    }
    last: dict[str, Any] = {"round": start, "call": "before its first call"}
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryDirectory() as folder:
        # Calls may leave files, and a process that dies its core.
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=said, text=True
        )
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                event = json.loads(line)
                if "failed" in event:
                    report.fail(event["failed"], event["call"], event["wrong"])
                elif "round" in event:
                    last = event
                    report.rounds += 1
                elif "drawing" in event:
                    last = {"round": event["drawing"], "call": "while its arguments were made"}
                else:
                    kind, refused = event["kind"], event["refused"]
                    report.counts[kind] = report.counts.get(kind, 0) + 1
                    if refused and refused not in report.refused:
                        report.refused[refused] = event["call"]
        status = process.wait()
        if status:
            said.seek(0)
            told = said.read()[-4000:]
            report.fail(last["round"], last["call"], f"the process died: {status}\n{told}")
            return int(last["round"]) + 1
    return end
