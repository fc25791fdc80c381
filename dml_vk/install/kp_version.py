"""The version of `kp` that dml_vk runs on: a release of Kompute with the patch beside it."""

from __future__ import annotations

import functools
import hashlib
import sys
from pathlib import Path

KP = "0.9.0"
PATCH = Path(__file__).parent / "kompute" / f"kp-{KP}.patch"


@functools.cache
def local_version() -> str:
    """What a completed `kp` has after its version. It changes with the patch."""
    return f"+dmlvk{hashlib.sha256(PATCH.read_bytes()).hexdigest()[:8]}"


def version() -> str:
    """The version of a completed `kp`, which is `kp.__version__`."""
    return KP + local_version()


def is_installed() -> bool:
    """Whether this environment has a completed `kp`. It is not imported for that.

    `importlib.metadata` would tell as well, but importing it takes longer than opening a device.
    """
    folders = (path for folder in sys.path for path in Path(folder).glob("kp-*.dist-info"))
    first = next(folders, None)  # the one that is imported
    return first is not None and first.name == f"kp-{version()}.dist-info"
