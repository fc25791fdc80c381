"""Files of the user's cache. They can be rebuilt, so failures to read or write are no errors."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from time import time

_DIGEST_BYTES = 32
# Plain files only: links are not followed, and a pipe does not block.
_FLAGS = ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")  # each on some systems
_READ = os.O_RDONLY | sum(getattr(os, name, 0) for name in _FLAGS)
_DAY = 86_400.0


def read(path: Path, most: int) -> bytes:
    """Return the data of `write`; b"" if the file is damaged, not our user's, or above `most`."""
    with contextlib.suppress(OSError):
        file = os.open(path, _READ)
        try:
            state = os.fstat(file)
            is_plain = stat.S_ISREG(state.st_mode) and _is_own(state)
            if not is_plain or state.st_size > most + _DIGEST_BYTES:
                return b""
            content = os.read(file, state.st_size)
        finally:
            os.close(file)
        digest, data = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        if digest == _digest(path, data):
            if time() - state.st_mtime > _DAY:
                os.utime(path)  # `trim` drops what was not used for long
            return data
    return b""


def write(path: Path, data: bytes) -> bool:
    """Write a file atomically; return whether that succeeded."""
    unfinished = path.with_name(f"{path.name}.{os.urandom(8).hex()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            unfinished.write_bytes(_digest(path, data) + data)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def trim(folder: Path, most: int) -> None:
    """Remove the oldest files of a folder, until they have an eighth less than `most` bytes."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        files = [(entry.stat(follow_symlinks=False), entry.path) for entry in entries]
        held = sum([state.st_size for state, _ in files])
        if held <= most:
            return
        for state, path in sorted(files, key=lambda entry: entry[0].st_mtime):
            if held <= most - most // 8:
                break
            held -= state.st_size
            with contextlib.suppress(OSError):
                os.unlink(path)


def _is_own(state: os.stat_result) -> bool:
    own = getattr(os, "geteuid", None)  # none on Windows
    return own is None or state.st_uid == own()


def _digest(path: Path, data: bytes) -> bytes:
    """The digest of the name and the contents, so that a renamed file is not valid."""
    import hashlib  # takes 3 ms

    return hashlib.sha256(path.name.encode() + b"\n" + data).digest()
