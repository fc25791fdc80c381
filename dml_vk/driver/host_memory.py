"""Free host memory on Linux, within the limits of cgroups."""

from __future__ import annotations

import functools
import os

# The files of a cgroup's limit and usage, and the name of its reclaimable part in memory.stat.
_V2 = ("memory.max", "memory.current", b"inactive_file ")
_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", b"total_inactive_file ")
_UNLIMITED = 1 << 60  # version 1 has no word for it, but reports a number near 2**63

_Cgroup = tuple[str, str, str, bytes]


def available_bytes(root: str = "/") -> int | None:
    """The memory left before the kernel kills a process; None if unknown."""
    left = []
    machine = _number(_read(f"{root}/proc/meminfo"), b"MemAvailable:")
    if machine is not None:
        left.append(machine * 1024)
    for limit, usage, stat, reclaimable in _cgroups(root):
        most = _read(limit).strip()
        if most.isdigit() and int(most) < _UNLIMITED:
            held = int(_read(usage)) - (_number(_read(stat), reclaimable) or 0)
            left.append(max(0, int(most) - held))
    return min(left, default=None)


@functools.cache
def _cgroups(root: str) -> tuple[_Cgroup, ...]:
    """The files of each cgroup of this process, with its ancestors, whose limits also apply."""
    groups = []
    for line in _read(f"{root}/proc/self/cgroup").decode().splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            mount, (limit, usage, reclaimable) = f"{root}/sys/fs/cgroup", _V2
        elif "memory" in controllers.split(","):
            mount, (limit, usage, reclaimable) = f"{root}/sys/fs/cgroup/memory", _V1
        else:
            continue
        # Inside a container the path may be that on the host, of which only the root is visible.
        names = [name for name in path.split("/") if name]
        for depth in range(len(names), -1, -1):
            folder = "/".join([mount, *names[:depth]])
            if os.path.exists(f"{folder}/{limit}"):
                groups.append(
                    (f"{folder}/{limit}", f"{folder}/{usage}", f"{folder}/memory.stat", reclaimable)
                )
    return tuple(groups)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError:
        return b""


def _number(text: bytes, name: bytes) -> int | None:
    """The number after a name at the start of a line."""
    at = text.find(b"\n" + name) + 1  # 0 if not found, which is also right for the first line
    return int(text[at + len(name) :].split(None, 1)[0]) if text.startswith(name, at) else None
