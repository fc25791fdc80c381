"""`python -m dml_vk`: the command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit code."""
    try:
        from dml_vk.commands import verbs  # here, since Ctrl-C may come while modules load

        return verbs.run(arguments)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
