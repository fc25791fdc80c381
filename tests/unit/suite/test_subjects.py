"""Subjects of commits: what is refused, and which commits are looked at."""

from __future__ import annotations

import subprocess

import pytest

from tests import subjects


@pytest.mark.parametrize(
    ("subject", "fault"),
    [
        ("Let waits spin before they sleep", None),
        ("Speed up sorts of rows by a radix sort for each of their segments, and", None),
        ("Bring back the table", None),
        ("x" * 73, "has 73 characters: at most 72"),
        ("X" * 72, None),
        ("fix sorts", "does not begin with a capital letter"),
        ("Sort rows.", "ends with a full stop"),
        ("Sorted rows by radix", "is not imperative"),
        ("Sorting of rows", "is not imperative"),
    ],
)
def test_what_is_refused(subject, fault):
    found = list(subjects.faults([subject]))
    assert (len(found) >= 1) == (fault is not None)
    assert fault is None or any(fault in one for one in found)


def git(*arguments):
    names = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *names, *arguments], check=True, capture_output=True)


def test_commits_since_the_branch_left_are_looked_at(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    git("init", "first")
    monkeypatch.chdir(tmp_path / "first")
    git("commit", "--allow-empty", "-m", "old and wrong.")
    assert subjects.main() == 0
    assert "there is no branch of others" in capsys.readouterr().out
    git("clone", ".", "../second")
    monkeypatch.chdir(tmp_path / "second")
    git("commit", "--allow-empty", "-m", "Add a thing")
    assert subjects.main() == 0
    assert "subjects of 1 commits: 0 faults" in capsys.readouterr().out
    git("commit", "--allow-empty", "-m", "Added a thing")
    assert subjects.main() == 1
    assert "'Added a thing' is not imperative" in capsys.readouterr().out
