"""Every message that dml_vk can raise, read from its source, and the page that explains them.

docs/error_families.txt has a cause and a cure for each family of messages, and words by which
messages are told apart: a message belongs to the family that has its whole text, else to the only
one whose words are in it. `python -m tests.made_files` makes docs/errors.md of the two.

`python docs/error_messages.py` lists messages of no family, or of several, and words that no
message has. Given an error's text, `python docs/error_messages.py "add: sizes must agree ..."`
prints its entry of the page.
"""

from __future__ import annotations

import ast
import itertools
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))  # the clone, installed or not
from dml_vk import errors

ROOT = Path(__file__).parents[1]
FAMILIES = ROOT / "docs" / "error_families.txt"
PAGE = ROOT / "docs" / "errors.md"
VARIES = "…"  # whatever a run puts there, or nothing
RULE = "rule: str"  # the parameter of functions that take one
# These give the reason that another message ends with.
_REASONS = ("refusal", "no_slack", "_no_ram", "_over_budget", "_new_arena")
_ENTRY = re.compile(r"^- (?:`([^`\n]+)`|`` (.+) ``)$", re.MULTILINE)
_WORDS = re.compile(r"`` (.+?) ``|`([^`]+)`")
_SOURCE = re.compile(
    r"^(?P<heading>### [^\n]+)\nmessages: (?P<words>.+?)\n"
    r"cause: (?P<cause>.+?)\ncure: (?P<cure>.+?)(?=\n\n##|\n\Z)",
    re.MULTILINE | re.DOTALL,
)
_FAMILY = re.compile(r"^### .+?(?=^##|\Z)", re.MULTILINE | re.DOTALL)
ERRORS = [
    name
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.DmlVkError)
]
_Scopes = tuple[ast.FunctionDef, ...]
_Node = tuple[ast.AST, _Scopes]
_TELLING = ast.Call, ast.Return, ast.FunctionDef


class Message(NamedTuple):
    """A rule, as the source says it, or a reason why something cannot be had."""

    text: str
    place: str  # file and line
    is_reason: bool


class UnreadableError(ValueError):
    """A message that is put together in a way that cannot be read off the source."""


def messages(package: Path = ROOT / "dml_vk") -> list[Message]:
    """All of them, in the order of the source."""
    trees = {path: ast.parse(path.read_text()) for path in sorted(package.rglob("*.py"))}
    nodes = {path: list(_nodes(tree)) for path, tree in trees.items()}
    reader = _Reader(trees.values(), itertools.chain(*nodes.values()))
    found = [
        Message(text, f"{path.relative_to(package.parent)}:{line}", is_reason)
        for path, inner in nodes.items()
        for node, scopes in inner
        for expression, is_reason in reader.told(node, scopes)
        for text, line in reader.texts(expression, scopes)
        if text.strip(VARIES)
    ]
    return list(dict.fromkeys(found))


def families() -> list[str]:
    """The page's entries: a heading, messages, a cause and a cure."""
    return _FAMILY.findall(PAGE.read_text())


def entries(markdown: str) -> list[str]:
    """The messages that a part of the page is about."""
    return [plain or quoting for plain, quoting in _ENTRY.findall(markdown)]


def sources() -> list[tuple[str, list[str]]]:
    """The families of the source: a heading, and the words of their messages."""
    return [
        (
            source["heading"],
            [quoting or plain for quoting, plain in _WORDS.findall(source["words"])],
        )
        for source in _SOURCE.finditer(FAMILIES.read_text())
    ]


def families_of(text: str, known: Iterable[tuple[str, list[str]]]) -> list[str]:
    """The headings of the families that a message may belong to."""
    whole = [heading for heading, words in known if text in words]
    return whole or [heading for heading, words in known if any(word in text for word in words)]


def lacking(found: Iterable[Message]) -> list[str]:
    """Messages of no family, or of several, with their places."""
    known = sources()
    return [
        f"{each.text}  ({each.place})" + "".join(f"; {heading[4:]}?" for heading in headings)
        for each in found
        if len(headings := families_of(each.text, known)) != 1
    ]


def stale(found: Iterable[Message]) -> list[str]:
    """Words of families that are in no message."""
    texts = [each.text for each in found]
    return [
        word for _, words in sources() for word in words if not any(word in text for text in texts)
    ]


def written(found: Iterable[Message]) -> str:
    """The page: the source with all messages of each family, in the order of its words."""
    known = sources()
    texts = dict.fromkeys(each.text for each in found)
    of_family: dict[str, list[str]] = {heading: [] for heading, _ in known}
    for text in texts:
        for heading in families_of(text, known):
            of_family[heading].append(text)

    def entry(source: re.Match[str]) -> str:
        words = dict(known)[source["heading"]]
        order = {word: number for number, word in enumerate(words)}
        said = sorted(
            of_family[source["heading"]],
            key=lambda text: order.get(
                text, next(n for n, word in enumerate(words) if word in text)
            ),
        )
        lines = "\n".join(f"- `` {text} ``" if "`" in text else f"- `{text}`" for text in said)
        cause, cure = source["cause"], source["cure"]
        return f"{source['heading']}\n\n{lines}\n\n**Cause:** {cause}\n\n**Cure:** {cure}"

    return _SOURCE.sub(entry, FAMILIES.read_text())


def look_up(said: str) -> str | None:
    """The entry that an error's text belongs to: of several, the one that says most of it."""
    fitting = [
        (len(text.replace(VARIES, "")), family)
        for family in families()
        for text in entries(family)
        if re.search(".*".join(map(re.escape, text.split(VARIES))), said, re.DOTALL)
    ]
    return max(fitting, key=lambda one: one[0])[1] if fitting else None


class _Reader:
    """What a package says, by its syntax trees."""

    def __init__(self, trees: Iterable[ast.Module], nodes: Iterable[_Node]) -> None:
        outer = [node for tree in trees for node in tree.body]
        self.constants = {name: value for node in outer for name, value in _assigned(node)}
        # Functions that take a rule, and at which place; an error takes it after the operation.
        self.takers = {**dict.fromkeys(ERRORS, 1), **dict(_takers(nodes))}

    def told(self, node: ast.AST, scopes: _Scopes) -> Iterator[tuple[ast.expr, bool]]:
        """The expressions of messages that are made right here."""
        if isinstance(node, ast.Call):
            called = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
            place = self.takers.get(str(called), len(node.args))
            for argument in node.args[place : place + 1]:
                handed_on = isinstance(argument, ast.Name) and scopes
                if not (handed_on and argument.id in {p.arg for p in _parameters(scopes[0])}):
                    yield argument, False
        elif isinstance(node, ast.Return) and scopes and scopes[0].name in _REASONS:
            value = node.value.body if isinstance(node.value, ast.IfExp) else node.value
            if isinstance(value, ast.JoinedStr) or _is_text(value):
                yield value, True

    def texts(self, node: ast.expr, scopes: _Scopes) -> list[tuple[str, int]]:
        """What an expression may come to, with the line; VARIES is what only a run knows."""
        if _is_text(node):
            return [(node.value, node.lineno)]
        if isinstance(node, ast.IfExp):
            return [*self.texts(node.body, scopes), *self.texts(node.orelse, scopes)]
        if isinstance(node, ast.JoinedStr):
            said = "".join(map(self._part, node.values))
            return [(re.sub(f"{VARIES}+", VARIES, said), node.lineno)]
        if isinstance(node, ast.Name):
            inner = [statement for scope in scopes[:1] for statement in ast.walk(scope)]
            values = [value for one in inner for name, value in _assigned(one) if name == node.id]
            if not values and node.id in self.constants:
                values = [self.constants[node.id]]
            if values:
                return [told for value in values for told in self.texts(value, scopes)]
        raise UnreadableError(f"line {node.lineno}: give the text, or a name that is assigned it")

    def _part(self, part: ast.expr) -> str:
        if isinstance(part, ast.FormattedValue):
            part = part.value
            if isinstance(part, ast.Name):
                part = self.constants.get(part.id, part)
        return part.value if _is_text(part) else VARIES


def _is_text(node: object) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _nodes(tree: ast.Module) -> Iterator[_Node]:
    """All that may make a message or take one, with the functions it is in, the innermost first."""
    left: list[_Node] = [(tree, ())]
    while left:
        node, scopes = left.pop()
        if isinstance(node, _TELLING):
            yield node, scopes
        if isinstance(node, ast.FunctionDef):
            scopes = (node, *scopes)
        left += [(child, scopes) for child in [*ast.iter_child_nodes(node)][::-1] if child._fields]


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value


def _takers(nodes: Iterable[_Node]) -> Iterator[tuple[str, int]]:
    for node, _ in nodes:
        if isinstance(node, ast.FunctionDef) and node.name != "__init__":
            names = list(map(ast.unparse, _parameters(node)))
            if RULE in names:
                yield node.name, names.index(RULE) - (names[0] == "self")


def _parameters(function: ast.FunctionDef) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args]


def main(said: list[str]) -> int:
    if said:
        entry = look_up(" ".join(said))
        print(entry or "no entry of docs/errors.md has such a message")
        return int(entry is None)
    found = messages()
    lacks, extra = lacking(found), stale(found)
    print(f"{len({each.text for each in found})} messages")
    for text in lacks:
        print("of no family, or of several:", text)
    for text in extra:
        print("words of no message:", text)
    return int(bool(lacks or extra))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
