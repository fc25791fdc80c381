"""What the reference needs that cannot be read off the source, for mkdocstrings' reader of it.

Functions that are made at run time are asked for their docstring, DirectML's classes for their
signature, tensors and data types, and are built once to show how. Examples become blocks of code,
and names of functions and pages become links.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import griffe

DOCS = Path(__file__).parent
# An example ends at an empty line.
EXAMPLE = re.compile(r"^>>> .*\n?(?:.+\n?)*", re.MULTILINE)
PAGE = re.compile(r"\bdocs/(\w+)\.md\b")
NAME = re.compile(r"(?<!\[)`(dml_vk\.\w+)`")
# What DirectML's operators must be told.
NUMBERS = {
    "min": "0.0",
    "max": "1.0",
    "exponent": "2.0",
    "min_max_data_type": "DataType.FLOAT32",
}
DOCUMENTED = re.compile(r"^::: ([\w.]+)", re.MULTILINE)


def documented() -> set[str]:
    """What has an entry in the reference."""
    pages = [path.read_text() for path in (DOCS / "reference").glob("*.md")]
    return set(DOCUMENTED.findall("\n".join(pages)))


def as_markdown(text: str, known: set[str]) -> str:
    """A docstring as the site shows it, with links to what is known."""

    def link(found: re.Match[str]) -> str:
        return f"[{found[0]}][{found[1]}]" if found[1] in known else found[0]

    def page(found: re.Match[str]) -> str:
        title = (DOCS / f"{found[1]}.md").read_text().partition("\n")[0].removeprefix("# ")
        return f"[{title}](../{found[1]}.md)"

    parts, end = [], 0
    for example in EXAMPLE.finditer(text):
        parts.append(PAGE.sub(page, NAME.sub(link, text[end : example.start()])))
        parts.append(f"```pycon\n{example[0].rstrip()}\n```\n")
        end = example.end()
    return "".join([*parts, PAGE.sub(page, NAME.sub(link, text[end:]))]).strip()


def made(name: str, function: Any, parent: griffe.Module | griffe.Class) -> griffe.Function:
    """A function as it is at run time."""
    signature = inspect.signature(function)
    parameters = [
        griffe.Parameter(
            parameter.name,
            kind=griffe.ParameterKind(parameter.kind.description),
            annotation=_spelled(parameter.annotation),
            default=_spelled(parameter.default),
        )
        for parameter in signature.parameters.values()
    ]
    result = griffe.Function(
        name,
        parameters=griffe.Parameters(*parameters),
        returns=_spelled(signature.return_annotation),
    )
    result.parent = parent
    return result


def _spelled(value: object) -> str | None:
    if value is inspect.Parameter.empty:
        return None
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    return value if isinstance(value, str) else repr(value)


def built(cls: Any) -> str:
    """An example: one of DirectML's operators made of descriptors, and what it prints."""
    lines, names = ["from dml_vk.directml import *"], dict[str, str]()
    arguments = []
    for name, parameter in inspect.signature(cls).parameters.items():
        if name in cls._tensors:
            types = [one.name for one in cls._own_types.get(name, cls._types)]
            if name in cls._own_types:
                wanted = types[-1]
            else:
                wanted = "FLOAT32" if "FLOAT32" in types else types[0]
            if wanted not in names:
                names[wanted] = "xyz"[len(names)]
                desc = f"BufferTensorDesc(DataType.{wanted}, (1, 3, 4, 5))"
                lines.append(f"{names[wanted]} = {desc}")
            arguments.append(names[wanted])
        elif parameter.default is inspect.Parameter.empty:
            arguments.append(f"{name}={NUMBERS[name]}")
    scope = dict[str, Any]()
    exec("\n".join(lines), scope)
    lines.append(f"{cls.__name__}({', '.join(arguments)})")
    return "\n".join([*[f">>> {line}" for line in lines], repr(eval(lines[-1], scope))])


class Docstrings(griffe.Extension):
    """The extension that mkdocs.yml names."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        # A stub has their signatures, and of their docstrings the sentence.
        tables = {
            "math.elementwise": "math.operator_functions",
            "statistics.reductions": "statistics.reduction_functions",
        }
        for module, stub in tables.items():
            functions = pkg[f"array.{stub}"].functions
            for name, found in importlib.import_module(f"dml_vk.array.{module}").FUNCTIONS.items():
                functions[name].docstring = griffe.Docstring(str(inspect.getdoc(found)))
        # Hypothesis itself gives strategies the function that they draw with.
        for found in pkg["testing.strategies"].functions.values():
            if any("composite" in str(one.value) for one in found.decorators):
                del found.parameters["draw"]
        for module in ("activations", "binary", "unary"):
            self._spell_operators(pkg["directml"][module], f"dml_vk.directml.{module}")
        self._walk(pkg, documented())

    def _spell_operators(self, module: griffe.Module, path: str) -> None:
        import dml_vk

        for name, found in vars(importlib.import_module(path)).items():
            of, member = getattr(found, "__dict__", {}).get("_of"), module.members.get(name)
            if of is None or not isinstance(member, griffe.Class) or member.docstring is None:
                continue
            member.set_member("__init__", made("__init__", found.__init__, member))
            for field, attribute in list(member.members.items()):
                if isinstance(attribute, griffe.Attribute) and not attribute.docstring:
                    member.del_member(field)  # the signature has it
            types = {"": found._types, **found._own_types}
            told = [f"{name}: {_names(some)}".removeprefix(": ") for name, some in types.items()]
            says = f"Data types: {'; '.join(told)}."
            same = f" Computes [`dml_vk.{of}`][dml_vk.{of}]." if of in dml_vk.__all__ else ""
            example = "" if ">>> " in member.docstring.value else f"\n\n{built(found)}"
            member.docstring.value += f"\n\n{says}{same}{example}"

    def _walk(self, item: griffe.Object, known: set[str]) -> None:
        if item.docstring:
            item.docstring.value = as_markdown(item.docstring.value, known)
        for member in item.members.values():
            if not member.is_alias:
                self._walk(member, known)


def _names(types: Any) -> str:
    return ", ".join([one.name for one in types])
