"""The documentation as a site: built strictly, whole, and without anything from elsewhere."""

from __future__ import annotations

import html
import importlib
import inspect
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
MODULES = [
    "dml_vk",
    "dml_vk.layout",
    "dml_vk.random",
    "dml_vk.linalg",
    "dml_vk.nn",
    "dml_vk.fft",
    "dml_vk.special",
    "dml_vk.directml",
    "dml_vk.onnx",
    "dml_vk.dask",
]
# An entry is a docstring, or a row of a table whose first cell has names.
ENTRY = re.compile(r"^(?:::: (dml_vk[\w.]+)|\| (`dml_vk\.[^|]*)\|)", re.MULTILINE)
ADDRESS = re.compile(r'(href|src)="([^"]*)"')
OBJECT = re.compile(
    r'<h3 id="([\w.]+)" class="doc doc-heading">(.*?)(?=<h[23] |</article>)', re.DOTALL
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The pages by their paths."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    # 404.html counts on a server.
    return {path: path.read_text() for path in folder.rglob("*.html") if path.stem != "404"}


def entries():
    """The names in the reference, as often as they are there."""
    pages = [path.read_text() for path in (ROOT / "docs" / "reference").glob("*.md")]
    found = ENTRY.findall("\n".join(pages))
    return Counter(
        name for entry, row in found for name in [entry, *re.findall(r"`([\w.]+)`", row)] if name
    )


def named_by(path):
    """What a dotted path names."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def test_every_public_name_has_one_entry_in_the_reference():
    counts = entries()
    assert [name for name, count in counts.items() if count > 1] == []
    known = {id(named_by(name)) for name in counts}
    for path in MODULES:
        module = importlib.import_module(path)
        names = {f"{path}.{name}" for name in (*module.__all__, *getattr(module, "_LAZY", ()))}
        lacking = names - set(counts)
        if path != "dml_vk":  # One path will do for what has two, as `dml_vk.linalg.matmul` has.
            lacking = {name for name in lacking if id(named_by(name)) not in known}
        assert lacking == set()


def test_an_entry_shows_signature_sentence_and_example(site):
    pages = [text for path, text in site.items() if path.parent.name == "reference"]
    shown = dict(OBJECT.findall("\n".join(pages)))
    assert {name for name in entries() if callable(named_by(name))} <= set(shown)
    for name, body in shown.items():
        words = html.unescape(re.sub(r"<[^>]+>", "", body))
        assert "<p>" in body, f"{name} has no sentence"
        assert "<blockquote>" not in body, f"{name} has an example that is no block of code"
        if inspect.isfunction(named_by(name)) or "_of" in getattr(named_by(name), "__dict__", ()):
            assert f"{name.rpartition('.')[2]}(" in words
            for parameter in inspect.signature(named_by(name)).parameters:
                assert re.search(rf"\b{parameter}\b", words), f"{name} hides {parameter}"
            assert ">>> " in words, f"{name} has no example"


def test_links_lead_somewhere_and_nothing_is_loaded_from_elsewhere(site):
    for page, text in site.items():
        for kind, address in ADDRESS.findall(text):
            path, _, anchor = html.unescape(address).partition("#")
            if re.match("https?:|mailto:", path):
                assert kind == "href", f"{page.name} loads {address}"
                continue
            target = page.parent / unquote(path) if path else page
            assert target.exists(), f"{page.name} leads to {address}"
            # A search page's own anchors are made in the browser.
            if anchor and not anchor.startswith("__") and target.suffix == ".html":
                assert f'id="{anchor}"' in site[target.resolve()], f"{page.name}: {address}"
