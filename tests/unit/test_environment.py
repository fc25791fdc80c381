"""Where files are kept that can be made again."""

from __future__ import annotations

import os

import pytest

from dml_vk import environment


@pytest.mark.parametrize(
    ("platform", "variable", "default"),
    [
        ("linux", "XDG_CACHE_HOME", ".cache"),
        ("win32", "LOCALAPPDATA", "AppData/Local"),
        ("darwin", None, "Library/Caches"),
    ],
)
def test_the_cache_is_where_each_system_has_it(monkeypatch, tmp_path, platform, variable, default):
    monkeypatch.setattr(environment.sys, "platform", platform)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path.replace("~", "/home/me"))
    for name in ("DML_VK_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    assert environment.cache_folder().as_posix() == f"/home/me/{default}/dml_vk"
    if variable:
        monkeypatch.setenv(variable, str(tmp_path))
        assert environment.cache_folder() == tmp_path / "dml_vk"


def test_the_cache_can_be_moved_or_off(monkeypatch, tmp_path):
    monkeypatch.delenv("DML_VK_CACHE")
    default = environment.cache_folder()
    assert environment.saves()
    monkeypatch.setenv("DML_VK_CACHE", str(tmp_path))
    assert (environment.saves(), environment.cache_folder()) == (True, tmp_path)
    monkeypatch.setenv("DML_VK_CACHE", "off")
    assert (environment.saves(), environment.cache_folder()) == (False, default)
