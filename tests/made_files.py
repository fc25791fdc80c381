"""Files that follow from the sources: `python -m tests.made_files` writes them."""

from __future__ import annotations

import inspect
import json
import re
import runpy
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import dml_vk
from dml_vk import nn
from dml_vk.array.math import elementwise
from dml_vk.array.statistics import reductions as reduction_functions
from dml_vk.kernels.operators import NOT_PUBLIC, OPERATORS, Operator
from dml_vk.kernels.reductions import REDUCTIONS, Reduction
from dml_vk.numpy_protocols.rows import NAMES
from dml_vk.tensor.methods import OF_REDUCTIONS
from tests import public_stub

ROOT = Path(__file__).parents[1]
CODES = ROOT / "tests" / "data" / "operator_codes.json"
PACKAGE = Path(dml_vk.__file__).parent
FUNCTIONS = PACKAGE / "array" / "math" / "operator_functions.pyi"
REDUCED = PACKAGE / "array" / "statistics" / "reduction_functions.pyi"
METHODS = PACKAGE / "tensor" / "reduction_methods.pyi"
TABLE = ROOT / "docs" / "operators.md"
REFERENCE = ROOT / "docs" / "reference" / "elementwise.md"
STATISTICS = ROOT / "docs" / "reference" / "statistics.md"
NETWORKS = ROOT / "docs" / "reference" / "networks.md"
PROTOCOLS = ROOT / "docs" / "protocols.md"
HEAD = "# Made by `python -m tests.made_files`. There is no such module at run time.\n"


def functions() -> str:
    """A stub of the functions that are made at run time, by their own signatures."""
    head = '''\
"""What type checkers know of the functions that `elementwise` makes out of the operators' table."""

from dml_vk.tensor.core import Tensor
from dml_vk.tensor.operands import Operand
'''
    docs = {name: OPERATORS[name].doc for name in elementwise.FUNCTIONS}
    return "\n".join([HEAD + head, *stubs(elementwise.FUNCTIONS, docs)])


def reductions() -> str:
    """A stub of the reductions, in the same way."""
    head = '''\
"""What type checkers know of the functions that `statistics` makes out of the reductions' table."""

from dml_vk.arguments import Axes
from dml_vk.dtypes import DTypeLike
from dml_vk.tensor.core import Tensor
'''
    docs = {name: row.doc for name, row in REDUCTIONS.items()}
    return "\n".join([HEAD + head, *stubs(reduction_functions.FUNCTIONS, docs)])


def methods() -> str:
    """A stub of the methods that are made of reductions."""
    head = '''\
"""What type checkers know of the methods that `methods` makes out of the reductions' table."""

# mypy: disable-error-code="misc"
# What is called `self` is a Tensor.
from dml_vk.arguments import Axes
from dml_vk.dtypes import DTypeLike
from dml_vk.tensor.core import Tensor

class ReductionMethods:
    __slots__ = ()

'''
    docs = {name: str(inspect.getdoc(method)) for name, method in OF_REDUCTIONS.items()}
    body = "\n".join(stubs(OF_REDUCTIONS, docs, 96))
    return HEAD + head + textwrap.indent(body, "    ")


def stubs(made: Mapping[str, Any], docs: Mapping[str, str], width: int = 100) -> Iterator[str]:
    for name in sorted(made):
        signature = str(inspect.signature(made[name])).replace("'", "")
        if len(f"def {name}{signature}:") > width:
            inside, result = signature[1:].split(") -> ")
            signature = "(\n    " + inside.replace(", ", ",\n    ") + f",\n) -> {result}"
        doc, *more = docs[name].split("\n\n")
        doc = textwrap.fill(doc, width - 10, subsequent_indent="    ")
        doc = "\n\n".join([doc, *[textwrap.indent(part, "    ") for part in more]])
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
    public = [row for name, row in OPERATORS.items() if name not in NOT_PUBLIC]
    return chapters(REFERENCE.read_text(), public)


def statistics_page() -> str:
    return chapters(STATISTICS.read_text(), REDUCTIONS.values())


def chapters(page: str, rows: Iterable[Operator | Reduction]) -> str:
    for row in rows:
        entry = f"::: dml_vk.{row.name}\n"
        if entry not in page:
            chapter = re.compile(rf"(^## {row.chapter}\n(?:\n::: .*\n)*)", re.MULTILINE)
            page = chapter.sub(rf"\1\n{entry}", page)
    return page


def networks() -> str:
    """The page with each function that it lacks: after others of its module, or in a chapter."""
    page = NETWORKS.read_text()
    homes = {name: inspect.unwrap(getattr(nn, name)).__module__ for name in nn.__all__}
    for name, home in homes.items():
        entry = f"::: dml_vk.nn.{name}\n"
        if entry in page:
            continue
        beside = [f"::: dml_vk.nn.{other}\n" for other in homes if homes[other] == home]
        at = max([page.rfind(other) + len(other) for other in beside if other in page], default=0)
        if at:
            page = f"{page[:at]}\n{entry}{page[at:]}"
        else:
            title = str(sys.modules[home].__doc__).splitlines()[0].partition(":")[0].rstrip(".")
            page = f"{page.rstrip()}\n\n## {title}\n\n{entry}"
    return page


def protocols() -> str:
    """The page with all of NumPy's functions that tensors have."""
    page = PROTOCOLS.read_text()
    start = page.index("- **Other functions**")
    names = ", ".join(f"`{name}`" for name in sorted(NAMES))
    told = textwrap.fill(f"- **Other functions**: {names}.", 160, subsequent_indent="  ")
    return page[:start] + told + page[page.index("\n- ", start) :]


def errors() -> str:
    """The page of errors, with every message of the package."""
    source = runpy.run_path(str(ROOT / "docs" / "error_messages.py"))
    return str(source["written"](source["messages"]()))


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
    REDUCED: reductions,
    METHODS: methods,
    STATISTICS: statistics_page,
    NETWORKS: networks,
    PROTOCOLS: protocols,
    CODES: codes,
    ROOT / "docs" / "errors.md": errors,
}

if __name__ == "__main__":
    for path, make in FILES.items():
        path.write_text(make())
