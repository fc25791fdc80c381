"""A copy of the working tree, in which one mutant lives at a time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.mutants.mutant import ROOT, Mutant

SPV = "dml_vk/kernels/spv"


class Tree:
    """Files that git knows, or that it would add, without what it ignores."""

    def __init__(self, folder: Path, root: Path = ROOT) -> None:
        self.folder = folder
        for name in listed(root):
            source, target = root / name, folder / name
            if source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        # Compiled once for all runs, and by what is in the files: their times are whole seconds, in
        # which a fault may come and go.
        packages = [name for name in ("dml_vk", "tests") if (folder / name).is_dir()]
        if packages:
            options = ("-q", "--invalidation-mode", "checked-hash")
            command = [sys.executable, "-m", "compileall", *options, *packages]
            subprocess.run(command, cwd=folder, check=True)

    @contextmanager
    def mutated(self, mutant: Mutant) -> Iterator[None]:
        """Let the copy have the fault inside of the `with`; a ValueError if it cannot."""
        path = self.folder / mutant.file
        text = path.read_bytes()
        fault = mutant.applied(text.decode()).encode()
        modules = {one: one.read_bytes() for one in self._modules()} if mutant.is_shader else {}
        try:
            path.write_bytes(fault)
            if mutant.is_shader:
                self._build(mutant)
            yield
        finally:
            path.write_bytes(text)
            for one in self._modules():
                if mutant.is_shader and one not in modules:
                    one.unlink()
            for one, data in modules.items():
                if not one.exists() or one.read_bytes() != data:
                    one.write_bytes(data)

    def _modules(self) -> list[Path]:
        return [one for one in (self.folder / SPV).glob("*") if one.is_file()]

    def _build(self, mutant: Mutant) -> None:
        """Build the modules whose sources have changed."""
        done = subprocess.run(
            [sys.executable, "-m", "dml_vk.kernels.codegen.library"],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise ValueError(f"{mutant.name}: {done.stdout}{done.stderr}")
        if ", 0 built" in done.stdout:
            raise ValueError(f"{mutant.name}: no module changes")


def listed(root: Path) -> list[str]:
    """The names of the files."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
    return sorted({name for name in done.stdout.split("\0") if name})
