"""What type checkers and editors are told of `dml_vk`: `python -m tests.made_files` writes it."""

from __future__ import annotations

import importlib
from pathlib import Path

import dml_vk

STUB = Path(dml_vk.__file__).with_suffix(".pyi")
HEAD = """# Made by `python -m tests.made_files`: names that are looked up when first needed.
"""


def text() -> str:
    """The stub: each name from the module that has it."""
    homes: dict[str, list[str]] = {"dml_vk": []}
    values = []
    known = dml_vk._LAZY | dict.fromkeys(dml_vk._OPTIONAL, "")
    for name in sorted({*dml_vk.__all__, *known}):
        home = known.get(name)
        if home is None:
            found = getattr(dml_vk, name)
            if name in ("directml", "bool"):
                home = {"directml": "", "bool": "dtypes"}[name]
            else:
                home = next((m for m in MODULES if vars(module(m)).get(name, ...) is found), None)
        if home is None:
            values.append(name)
            continue
        source = "bool_" if name == "bool" else name
        homes.setdefault(f"dml_vk.{home}".rstrip("."), []).append(f"{source} as {name}")
    lines = [HEAD]
    for home, names in sorted(homes.items()):
        lines += [f"from {home} import (", *[f"    {name}," for name in names], ")"]
    lines.append("")
    kinds = {"e": "float", "inf": "float", "nan": "float", "pi": "float", "newaxis": "None"}
    lines += [f"{name}: {kinds[name]}" for name in values]
    lines += ["__version__: str", "__array_api_version__: str", "__all__: list[str]", ""]
    return "\n".join(lines)


MODULES = ("errors", "dtypes", "layout", "driver.probe")


def module(name: str) -> object:
    return importlib.import_module(f"dml_vk.{name}")
