"""The page of errors: every message that the source holds, and no other."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dml_vk import Layout, LayoutError, channels_last

pytestmark = pytest.mark.linux

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import error_messages as page  # noqa: E402

sys.path.pop(0)
SHORT = ROOT / "docs" / "troubleshooting.md"
VARIABLES = ("DML_VK_EXACT", "DML_VK_LOG", "DML_VK_MEMORY", "DML_VK_MEMORY_LIMIT", "DML_VK_RUNTIME")
NAMES = (*VARIABLES, "Kompute", "NumPy", "SPIR")
WHAT_TO_DO = (
    "docs/error_families.txt needs words of these, `…` for what varies, in the one family with "
    "their cause and cure; perhaps the package has a wording for this condition already:"
)
SOURCE = """
WORD = "a word"

def explain(op: str, rule: str, /, **got): ...

def known(x, name):
    if x:
        rule = f"{name} must be {WORD} of {x}{name}"
    else:
        rule = "x must be small" if name else "x must be large"
    refuse(rule)
    raise DTypeError(name, f"it must fit {x}", x=x)

def refuse(rule: str):
    explain("op", rule)
    raise LayoutError("op", rule)

def combine(layouts, how, rule: Rule):
    combine(layouts, how, kind())

def refusal(self):
    return f"it has {x} left" if x else None

class A:
    def _told(self, rule: str): ...
    def call(self):
        raise ValueError(self._told("self must be whole"))
"""


@pytest.fixture(scope="module")
def found():
    """All messages of the package: reading them takes seconds."""
    return page.messages()


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "module.py").write_text(SOURCE)
    return folder


def test_every_message_has_an_entry(found):
    lacks = page.lacking(found)
    assert not lacks, "\n".join([WHAT_TO_DO, *lacks])


def test_words_of_two_families_are_told(monkeypatch, tmp_path):
    file = tmp_path / "families.txt"
    family = "### {0}\nmessages: `{0} must`\ncause: A.\ncure: B.\n"
    file.write_text("\n".join(map(family.format, ("x", "and x", "x and x must be"))))
    monkeypatch.setattr(page, "FAMILIES", file)
    both = page.Message("x and x must agree", "here:1", False)
    assert page.lacking([both]) == ["x and x must agree  (here:1); x?; and x?"]
    assert page.families_of("x and x must be must", page.sources()) == ["### x and x must be"]


def test_every_entry_is_a_message(found):
    stale = page.stale(found)
    assert not stale, "\n".join(
        ["docs/error_families.txt has what the package does not say:", *stale]
    )


def test_every_entry_has_a_cause_and_a_cure():
    families = page.families()
    assert len(families) > 50
    for family in families:
        assert page.entries(family), family
        for word in ("**Cause:** ", "**Cure:** "):
            assert family.count(f"\n\n{word}") == 1, family
    known = [text for family in families for text in page.entries(family)]
    assert len(set(known)) == len(known)
    assert known == page.entries(page.PAGE.read_text()), "an entry outside of a family"


def test_anchors_are_there_and_mean_one_place():
    headings = re.findall(r"^#+ (.+)$", page.PAGE.read_text(), re.MULTILINE)
    # Such a heading has the same anchor wherever pages are shown.
    assert all(re.fullmatch(r"[\w ',:=-]+", heading) for heading in headings)
    anchors = [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
    assert len(set(anchors)) == len(anchors)
    asked = re.findall(
        r"errors\.md#([\w-]+)", "".join(each.read_text() for each in ROOT.rglob("docs/**/*.md"))
    )
    assert asked
    assert set(asked) <= set(anchors)


def test_the_short_page_quotes_messages(found):
    quoted = re.findall(r"^\| `[\w.…]+: (.+?)` \|", SHORT.read_text(), re.MULTILINE)
    assert len(quoted) > 10
    for begin in quoted:
        assert any(text.startswith(begin) for text, _, _ in found), begin


def test_messages_have_the_form(found):
    for text, place, is_reason in found:
        words = re.findall(r"\w+", text)
        assert len(words) > 2, f"{place} says too little"
        assert words[0].islower() or words[0] in NAMES or is_reason, place
        assert "; got" not in text, place
        assert not text.endswith((".", "!", ":", " ")), place


def test_errors_take_an_operation_a_rule_and_the_values():
    made = [
        (f"{path.name}:{node.lineno}", len(node.args), bool(node.keywords))
        for path in (ROOT / "dml_vk").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in page.ERRORS
    ]
    assert len(made) > 250
    assert {(given, has_values) for _, given, has_values in made} == {(2, True)}, made


def test_all_ways_of_saying_it_are_found(package):
    assert [(each.text, each.is_reason) for each in page.messages(package)] == [
        ("… must be a word of …", False),
        ("x must be small", False),
        ("x must be large", False),
        ("it must fit …", False),
        ("it has … left", True),
        ("self must be whole", False),
    ]
    assert page.messages(package)[1].place == "package/module.py:10"
    assert page.lacking(page.messages(package))[0] == "… must be a word of …  (package/module.py:8)"
    assert "sizes must not be negative" in page.stale(page.messages(package))


def test_a_message_that_cannot_be_read_is_no_way_out(package):
    (package / "module.py").write_text('raise LayoutError("op",\n"a".upper())')
    with pytest.raises(page.UnreadableError, match="line 2: give the text"):
        page.messages(package)


@pytest.mark.parametrize(
    ("call", "heading"),
    [
        (lambda: len(Layout((2, 3))), None),
        (lambda: Layout((2,), (1, 2)), "Numbers of a layout"),
        (lambda: Layout((2, 3)).select(2, 0), "Axis or index out of range"),
        (lambda: Layout(()).select(0, 0), "Axis or index out of range"),
        (lambda: Layout.packed((2, 3), channels_last), "Memory formats"),
        (lambda: Layout((2, 3)).view(7), "A shape that holds another number of elements"),
        (lambda: Layout((2, 3)).expand((3, 3)), "Sizes that do not broadcast"),
    ],
)
def test_a_message_that_is_pasted_is_found(call, heading, capsys):
    with pytest.raises((LayoutError, TypeError)) as raised:
        call()
    assert page.main([f"dml_vk.errors.LayoutError: {raised.value}"]) == int(heading is None)
    said = capsys.readouterr().out
    assert said.startswith(f"### {heading}\n" if heading else "no entry")
    assert not heading or ("**Cause:** " in said and "**Cure:** " in said)


@pytest.mark.parametrize("script", ["error_messages.py", "operator_table.py", "pictures.py"])
def test_scripts_of_the_docs_find_the_package_of_their_clone(script):
    """Also where it is not installed, and wherever they are called from."""
    code = f"""
import runpy, sys
sys.meta_path = [one for one in sys.meta_path if "editable" not in str(one).lower()]
sys.path = [one for one in sys.path if one != {str(ROOT)!r} and one]
runpy.run_path({str(ROOT / "docs" / script)!r})
print(sys.modules["dml_vk"].__file__)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "docs", capture_output=True, text=True, check=False
    )
    assert done.stdout == f"{ROOT / 'dml_vk' / '__init__.py'}\n", done.stderr


def test_the_script_says_what_lacks(capsys, monkeypatch, package, found):
    messages = [found, page.messages(package)]
    monkeypatch.setattr(page, "messages", lambda: messages.pop(0))
    assert page.main([]) == 0
    assert re.fullmatch(r"\d+ messages\n", capsys.readouterr().out)
    assert page.main([]) == 1
    said = capsys.readouterr().out
    assert "of no family, or of several: x must be small  (package/module.py:10)" in said
    assert "words of no message: sizes must not be negative" in said
