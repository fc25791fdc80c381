"""A patch applies exactly or not at all, and what does not match is told."""

from __future__ import annotations

import pytest

from dml_vk.errors import DmlVkError
from dml_vk.install import unified_diff

SONG = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"
PATCH = """\
diff --git a/deep/song b/deep/song
--- a/deep/song
+++ b/deep/song
@@ -1,4 +1,5 @@
 one
+one and a half
-two
+2
 three
 four
@@ -8,3 +9,2 @@ a heading
 eight
-nine
 ten
--- a/other
+++ b/other
@@ -1,1 +1,1 @@
-here
+there
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/song").write_text(SONG)
    (tmp_path / "other").write_text("here\n")
    return tmp_path


def test_a_patch_changes_what_it_says(folder):
    unified_diff.apply(PATCH, folder)
    assert (folder / "deep/song").read_text() == (
        "one\none and a half\n2\nthree\nfour\nfive\nsix\nseven\neight\nten\n"
    )
    assert (folder / "other").read_bytes() == b"there\n"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("-two", "-too", "file='deep/song', line=3, expected='too', found='two'"),
        (" ten", " eleven", "file='deep/song', line=10, expected='eleven', found='ten'"),
        ("@@ -8,3 +9,2", "@@ -9,3 +9,2", "line=10, expected='eight', found='nine'"),
        ("@@ -8,3 +9,2", "@@ -11,3 +9,2", "line=12, expected='eight', found=None"),
        ("-here", "-nowhere", "file='other', line=1, expected='nowhere', found='here'"),
    ],
)
def test_what_does_not_match_is_told_and_nothing_is_changed(folder, old, new, told):
    with pytest.raises(DmlVkError, match=r"^kp: the patch must match the source; got ") as raised:
        unified_diff.apply(PATCH.replace(old, new), folder)
    assert told in str(raised.value)
    assert (folder / "deep/song").read_text() == SONG
    assert (folder / "other").read_text() == "here\n"


def test_a_file_that_is_not_there_is_told(folder):
    (folder / "other").unlink()
    with pytest.raises(DmlVkError, match=r"no such file; got file='other'$"):
        unified_diff.apply(PATCH, folder)
    assert (folder / "deep/song").read_text() == SONG


@pytest.mark.parametrize(
    ("patch", "row"),
    [
        (PATCH + "and more", "and more"),
        (PATCH.replace("+there\n", "\\ No newline at end of file\n"), "\\ No newline"),
        (PATCH.removesuffix("+there\n"), ""),
    ],
)
def test_what_is_no_unified_diff_is_refused(folder, patch, row):
    with pytest.raises(DmlVkError, match=r"the patch must be a unified diff; got row=") as raised:
        unified_diff.apply(patch, folder)
    assert raised.value.got["row"].startswith(row)
    assert (folder / "other").read_text() == "here\n"
