"""Files that follow from the table of operators: `python -m tests.made_files` writes them."""

from __future__ import annotations

import inspect
import json
import re
import runpy
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import dml_vk
from dml_vk.array.elementwise import FUNCTIONS as ELEMENTWISE
from dml_vk.kernels.operators import NOT_PUBLIC, OPERATORS
from tests import public_stub

ROOT = Path(__file__).parents[1]
CODES = ROOT / "tests" / "data" / "operator_codes.json"
FUNCTIONS = Path(dml_vk.__file__).parent / "array" / "operator_functions.pyi"
TABLE = ROOT / "docs" / "operators.md"
REFERENCE = ROOT / "docs" / "reference" / "elementwise.md"
HEAD = '''\
# Made by `python -m tests.made_files`. There is no such module at run time.
"""What type checkers know of the functions that `elementwise` makes out of the operators' table."""

from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import Operand
'''


def functions() -> str:
    """A stub of the functions that are made at run time, by their own signatures."""
    return "\n".join([HEAD, *stubs()])


def stubs() -> Iterator[str]:
    for name in sorted(ELEMENTWISE):
        signature = str(inspect.signature(ELEMENTWISE[name])).replace("'", "")
        if len(f"def {name}{signature}:") > 100:
            inside, result = signature[1:].split(") -> ")
            signature = "(\n    " + inside.replace(", ", ",\n    ") + f",\n) -> {result}"
        doc = textwrap.fill(OPERATORS[name].doc, 90, subsequent_indent="    ")
        end = "\n    " if "\n" in doc else ""
        yield f'def {name}{signature}:\n    """{doc}{end}"""\n'


def table() -> str:
    """The page with the table as docs/operator_table.py has it."""
    made = runpy.run_path(str(ROOT / "docs" / "operator_table.py"))
    page = TABLE.read_text()
    start = page.index(made["HEAD"])
    return page[:start] + made["table"]() + page[page.index("\n\n", start) :]


def reference() -> str:
    """The page with each function that it lacks at the end of its chapter."""
    page = REFERENCE.read_text()
    for name, operator in OPERATORS.items():
        entry = f"::: dml_vk.{name}\n"
        if name not in NOT_PUBLIC and entry not in page:
            chapter = re.compile(rf"(^## {operator.chapter}\n(?:\n::: .*\n)*)", re.MULTILINE)
            page = chapter.sub(rf"\1\n{entry}", page)
    return page


def codes() -> str:
    """What is known stays, whatever the table says."""
    known = json.loads(CODES.read_text())
    told = {name: operator.code for name, operator in OPERATORS.items()} | known
    return json.dumps(dict(sorted(told.items(), key=lambda one: one[1])), indent=0) + "\n"


FILES: dict[Path, Callable[[], str]] = {
    public_stub.STUB: public_stub.text,
    FUNCTIONS: functions,
    TABLE: table,
    REFERENCE: reference,
    CODES: codes,
}

if __name__ == "__main__":
    for path, make in FILES.items():
        path.write_text(make())
