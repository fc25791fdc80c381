"""`python -m dml_vk doctor`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys

from dml_vk.commands.progress import Progress
from dml_vk.errors import DmlVkError
from dml_vk.install import doctor


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fix", action="store_true", help="build and install kp first")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Show what is installed, what is missing, and how to install it."""
    if arguments.fix:
        try:
            with Progress() as progress:
                doctor.fix(progress.step)
        except DmlVkError as error:
            print(error, file=sys.stderr)
    findings = doctor.examine()
    if arguments.json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=2))
    else:
        print(doctor.report(findings))
    return int(any(finding.is_fatal for finding in findings))
