"""What a run of tests keeps of kernels, which are many times as many as those of a program."""

from __future__ import annotations

import os

from dml_vk.driver import host_memory
from dml_vk.environment import cache_folder
from dml_vk.kernels.codegen import kernel_cache
from dml_vk.runtime import pipelines

GIB = 2  # on disk, of each kind
FILES = 2**10  # new ones, before it looks at whether that is too much
PIPELINES, PROCESS_GIB = 4, 6  # times as many as programs keep, where a process has so much memory
AS_USERS = pipelines.MOST, pipelines.MOST_BYTES


def keep() -> None:
    """Share kernels among all processes of all runs. Tests of caches use others."""
    kept = os.environ.setdefault("DML_VK_TESTS_CACHE", str(cache_folder() / "tests"))
    os.environ["DML_VK_CACHE"] = kept
    os.environ.setdefault("MESA_SHADER_CACHE_DIR", kept)
    os.environ["MESA_SHADER_CACHE_MAX_SIZE"] = f"{GIB}G"  # of what lavapipe compiles
    kernel_cache.MOST_BYTES, kernel_cache.LOOK_FILES = GIB * 2**30, FILES
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if (host_memory.available_bytes() or 0) >= processes * PROCESS_GIB * 2**30:
        pipelines.MOST, pipelines.MOST_BYTES = (PIPELINES * most for most in AS_USERS)
