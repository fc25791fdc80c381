"""`python -m tests.stored_bits`: store results, compare a device's with them, explain a difference.

write              compute everything on the device at hand, and store digests of it
compare            compare the device at hand; `--json FILE` for what was found, `--wrong FILE.npz`
                   for results that differ
explain FILE.npz   say where those results, of another device, differ from this one's
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

import dml_vk
from tests.stored_bits.table import (
    TABLE,
    as_text,
    compare,
    computed,
    first_difference,
    made_anew,
    stored,
)


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.stored_bits",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("write")
    comparing = verbs.add_parser("compare")
    comparing.add_argument("--json", type=Path, metavar="FILE")
    comparing.add_argument("--wrong", type=Path, metavar="FILE.npz")
    comparing.add_argument("--cases", nargs="+", metavar="NAME", help="only these")
    verbs.add_parser("explain").add_argument("file", type=Path, metavar="FILE.npz")
    arguments = parser.parse_args(given)
    if arguments.verb == "write":
        TABLE.write_text(as_text(made_anew()))
        return 0
    return _explain(arguments.file) if arguments.verb == "explain" else _compare(arguments)


def _compare(arguments: argparse.Namespace) -> int:
    begun = time.perf_counter()
    # Each name is printed before its turn: if the process dies, the last one says of what.
    found, wrong = compare(arguments.cases or stored(), lambda name: print(name, flush=True))
    found |= {"device": dml_vk.device().name, "seconds": round(time.perf_counter() - begun, 1)}
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2) + "\n")
    if arguments.wrong and wrong:
        np.savez_compressed(arguments.wrong, **wrong)
    told = [f"{one.pop('case')}: {one}" for one in found["wrong"]]
    for line in (*told, *found["errors"]):
        print("WRONG", line)
    print(f"{found['compared']} compared, {len(told) + len(found['errors'])} wrong")
    return int(bool(told or found["errors"]))


def _explain(file: Path) -> int:
    with np.load(file) as results:
        for name, found in results.items():
            given, expected = computed(name)
            print(f"{name}: {first_difference(given, found, expected)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
