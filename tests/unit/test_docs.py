"""Docs run: every code block of the README and of docs/ is executed."""

from __future__ import annotations

import doctest
import re
import runpy
import subprocess
from pathlib import Path

import pytest

from tests.integration import process

pytestmark = pytest.mark.linux

ROOT = Path(__file__).parents[2]
# Only pages of this repository: tools leave folders with pages of their own, all hidden ones.
PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("[!.]*/*.md"), *ROOT.glob("docs/**/*.md")})
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module", autouse=True)
def _anew():
    """Pages show what is printed, and not how kernels are made."""


def blocks(page):
    return [(language, body) for language, body in BLOCK.findall(page.read_text())]


def examples(page):
    return "\n".join(body for language, body in blocks(page) if language == "python")


def check(page):
    source = examples(page)
    test = doctest.DocTestParser().get_doctest(source, {}, page.name, str(page), 0)
    said = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    runner.run(test, out=said.append)
    assert not said, "".join(said)
    assert runner.tries == source.count(">>> ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_blocks_say_what_they_print(page):
    if "Cluster(" not in examples(page):
        check(page)
        return
    # Sockets that Dask leaves open would be found, as errors, while some later test runs.
    code = "from pathlib import Path; from tests.unit.test_docs import check; check(Path({!r}))"
    done = process.run(code.format(str(page)))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_shell_blocks_run(page):
    for language, body in blocks(page):
        # tests/integration/test_contributing.py makes the changes that a page shows.
        applied = ("diff",) if page.name == "CONTRIBUTING.md" else ()
        assert language in ("python", "bash", *applied), "every block is run, so it says how"
        for command in body.splitlines() if language == "bash" else ():
            run = re.fullmatch(r"(\./dev \w+)(?: +#.*)?", command)
            assert run, f"{command!r} is not a command of this repository"
            # Here the suite runs already; that its command works can be seen without a second run.
            call = run[1].replace("./dev test", "./dev test --version")
            done = subprocess.run(call.split(), cwd=ROOT, capture_output=True, check=False)
            assert done.returncode == 0, done.stderr.decode()
            assert done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())
    lost = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not lost
    assert links or page != ROOT / "README.md"


def test_the_blocks_are_found():
    assert BLOCK.findall("a\n```python\n>>> 1\n```\nb\n```bash\n./dev demo\n```\n") == [
        ("python", ">>> 1\n"),
        ("bash", "./dev demo\n"),
    ]
    assert any(language == "python" for language, _ in blocks(ROOT / "docs" / "layouts.md"))
    assert any(language == "bash" for language, _ in blocks(ROOT / "README.md"))


def test_pictures_are_those_that_the_library_draws_now():
    """`python docs/pictures.py` brings them up to date."""
    drawn = runpy.run_path(str(ROOT / "docs" / "pictures.py"))["PICTURES"]
    kept = {path.stem: path.read_text() for path in (ROOT / "docs" / "pictures").glob("*.svg")}
    assert {name: draw() + "\n" for name, draw in drawn.items()} == kept
    pages = "\n".join(page.read_text() for page in PAGES)
    assert [name for name in kept if f"pictures/{name}.svg)" not in pages] == []


def test_the_map_of_the_source_is_true():
    page, mapped = (ROOT / "docs" / "architecture.md").read_text(), set()
    for row in re.findall(r"^\| (`[^|]+) \|", page, re.MULTILINE):
        first, *others = re.findall(r"`([^`]+)`", row)  # these are beside it
        for name in [first, *[f"{Path(first).parent}/{other}" for other in others]]:
            found = list(ROOT.glob(name))
            assert found, f"the map names {name}, which is not there"
            for path in found:
                mapped |= set(path.rglob("*.py")) if path.is_dir() else {path}
    modules = {path for path in ROOT.glob("dml_vk/**/*.py") if not path.stem.startswith("__")}
    assert sorted(str(path.relative_to(ROOT)) for path in modules - mapped) == []
