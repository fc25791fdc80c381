"""Names of other libraries: who tries one is told what is here, and nothing else is changed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dml_vk
from dml_vk import aliases, linalg

PAGE = Path(__file__).parents[2] / "docs" / "tensors.md"
X = dml_vk.zeros((2, 2))
TABLES = {
    "FUNCTIONS": (dml_vk, aliases.FUNCTIONS),
    "METHODS": (X, aliases.METHODS),
    "LINALG": (linalg, aliases.LINALG),
}


def rows() -> list[tuple[str, str]]:
    """Each name on the page that is not here, as one writes it, and what the page has for it."""
    _, after = PAGE.read_text().split("| NumPy, PyTorch | here |\n|---|---|\n")
    found = []
    for line in after.split("\n\n")[0].splitlines():
        _, theirs, ours, _ = line.split(" | ") if line.count(" | ") == 3 else line.split("|")
        names = re.findall(r"`((?:x\.|linalg\.)?\w+)", theirs)
        found += [(name, ours) for name in names]
    return found


def owner(spelt: str):
    """What the name is asked of, and the name."""
    before, _, name = spelt.rpartition(".")
    return {"x": X, "linalg": linalg, "": dml_vk}[before], name


@pytest.mark.parametrize(("spelt", "ours"), rows())
def test_each_row_of_the_page_is_suggested_by_an_error(spelt, ours):
    asked, name = owner(spelt)
    if hasattr(asked, name):  # It is here, and is called in another way; or a module.
        assert name in ("transpose", "var", "tensor", "array")
        if name in ("tensor", "array"):
            with pytest.raises(TypeError, match=r"is a package: use dml_vk\.as"):
                getattr(asked, name)([1.0])
        return
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; here that is ") as raised:
        getattr(asked, name)
    told = str(raised.value).partition("; here that is ")[2]
    known = {word for code in re.findall("`(.+?)`", ours) for word in re.findall(r"[a-z]\w+", code)}
    assert known & set(re.findall(r"\w+", told)) or "= v" in told


def test_the_page_has_rows():
    assert {"tensor", "cat", "cumsum", "softmax", "x.float", "x.cpu"} <= {
        name for name, _ in rows()
    }


@pytest.mark.parametrize("table", TABLES)
def test_names_are_of_others_and_what_is_named_instead_is_here(table):
    asked, names = TABLES[table]
    for name, told in names.items():
        assert not hasattr(asked, name) or name in ("tensor", "array")
        for where, word in re.findall(r"\b(dml_vk|x)\.(\w+)", told):
            assert hasattr(dml_vk if where == "dml_vk" else X, word), f"{name}: {told}"


def test_tensor_is_told_where_tensors_come_from():
    code = "import dml_vk; assert not hasattr(dml_vk, 'tensor'); dml_vk.tensor.core"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "no attribute 'tensor'; here that is dml_vk.asarray" in done.stderr


def test_functions_that_are_no_methods():
    with pytest.raises(AttributeError, match=r"'exp'; here that is dml_vk\.exp\(x\)$"):
        X.exp()
    with pytest.raises(AttributeError, match=r"'cumsum'; here that is dml_vk\.cumulative_sum$"):
        X.cumsum()


@pytest.mark.parametrize("asked", [dml_vk, X, linalg], ids=["module", "tensor", "linalg"])
def test_names_unknown_everywhere_get_pythons_error(asked):
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing_at_all'$"):
        _ = asked.nothing_at_all
    assert getattr(asked, "nothing_at_all", 3) == 3


def test_an_attribute_that_fails_says_why_in_its_own_words():
    class Odd(dml_vk.Tensor):
        @property
        def failing(self):
            return np.nothing

    odd = Odd(X)
    with pytest.raises(AttributeError, match="module 'numpy' has no attribute 'nothing'"):
        _ = odd.failing
    with pytest.raises(AttributeError, match="_dtype"):
        _ = object.__new__(dml_vk.Tensor).dtype


@pytest.mark.parametrize(
    ("module", "name", "here"),
    [
        ("nn", "relu", "dml_vk.relu"),
        ("nn", "gelu", "dml_vk.gelu"),
        ("nn", "conv2d", "dml_vk.nn.conv"),
        ("nn", "max_pool2d", "dml_vk.nn.max_pool"),
        ("random", "normal", "dml_vk.random.Generator(seed).normal"),
        ("random", "shuffle", "x[dml_vk.random.Generator(seed).permutation(len(x))]"),
    ],
)
def test_ordinary_names_of_modules_are_suggested(module, name, here):
    with pytest.raises(AttributeError, match=re.escape(f"{name!r}; here that is {here}") + "$"):
        getattr(getattr(dml_vk, module), name)


@pytest.mark.parametrize("name", ["nothing", "__path__", "_from_state"])
def test_other_names_of_a_module_have_no_hint(name):
    with pytest.raises(AttributeError, match=f"'dml_vk.random' has no attribute '{name}'$"):
        getattr(dml_vk.random, name)
