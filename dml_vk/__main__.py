"""`python -m dml_vk`: what stands beside the library."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from dml_vk import doctor, probe
from dml_vk.errors import DmlVkError


def run_doctor(arguments: argparse.Namespace) -> int:
    """Show what the library needs, what is there, and what to type for the rest."""
    if arguments.fix:
        try:
            doctor.fix()
        except DmlVkError as error:
            print(error, file=sys.stderr)
    findings = doctor.examine()
    print(doctor.report(findings))
    return int(any(finding.is_fatal for finding in findings))


def run_devices(arguments: argparse.Namespace) -> int:
    """List the Vulkan devices."""
    found = probe.devices()
    print(*found or [found.reason], sep="\n")
    return int(not found)


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m dml_vk")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    for name, run in (("doctor", run_doctor), ("devices", run_devices)):
        verb = verbs.add_parser(name, help=run.__doc__, description=run.__doc__)
        verb.set_defaults(run=run)
        if run is run_doctor:
            verb.add_argument("--fix", action="store_true", help="build kp the right way")
    arguments = parser.parse_args(given)
    return int(arguments.run(arguments))


if __name__ == "__main__":
    sys.exit(main())
