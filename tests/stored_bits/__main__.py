"""`python -m tests.stored_bits`: store results, compare a device's with them, explain a difference.

write              compute everything on the device at hand, and store digests of it
compare            compare the device at hand; `--json FILE` for what was found, `--wrong FILE.npz`
                   for results that differ
explain FILE.npz   say where those results, of another device, differ from this one's
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from tests.stored_bits.table import (
    TABLE,
    Comparison,
    as_text,
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
    found, table = Comparison(), stored()

    def save() -> None:
        if arguments.json:
            arguments.json.write_text(found.as_json())
        if arguments.wrong and found.kept:
            np.savez_compressed(arguments.wrong, **found.kept)

    try:
        for name in arguments.cases or table:
            print(name, flush=True)  # if the process dies, this says of what
            bad = len(found.errors) + len(found.wrong)
            found.add(name, *table[name])
            if len(found.errors) + len(found.wrong) > bad:
                save()
    except KeyboardInterrupt:
        found.errors.append(f"stopped after {found.compared} of {len(table)} cases")
    save()
    for line in (*found.wrong, *found.errors):
        print("WRONG", line)
    bad = len(found.errors) + len(found.wrong)
    print(f"{found.compared} compared, {bad} wrong")
    return int(bool(bad))


def _explain(file: Path) -> int:
    with np.load(file) as results:
        for name, found in results.items():
            given, expected = computed(name)
            print(f"{name}: {first_difference(given, found, expected)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
