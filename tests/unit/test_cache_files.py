"""Files of the cache: what is not exactly what was written is ignored, and nothing is an error."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from dml_vk import cache_files

pytestmark = pytest.mark.linux
MOST = 1000


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "folder" / "name"
    assert cache_files.write(found, b"some words")
    assert cache_files.read(found, MOST) == b"some words"
    return found


def replaced(path):
    path.unlink()
    return path


def flipped(path, bit):
    data = bytearray(path.read_bytes())
    data[bit // 8 % len(data)] ^= 1 << bit % 8
    path.write_bytes(data)


def linked(path):
    aside = path.with_name("aside")
    path.rename(aside)
    path.symlink_to(aside)


SPOILED = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "head only": lambda path: path.write_bytes(path.read_bytes()[:20]),
    "empty": lambda path: path.write_bytes(b""),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "huge": lambda path: os.truncate(path, 2**40),
    "a folder": lambda path: replaced(path).mkdir(),
    "a pipe": lambda path: os.mkfifo(replaced(path)),
    "a link to it": linked,
    "a link to nothing": lambda path: replaced(path).symlink_to("nowhere"),
    "gone": replaced,
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_what_is_not_what_was_written_is_ignored(path, spoil):
    spoil(path)
    assert cache_files.read(path, MOST) == b""


def test_a_bit_that_flipped_anywhere_is_seen(path):
    whole = path.read_bytes()
    for bit in range(8 * len(whole)):
        flipped(path, bit)
        assert cache_files.read(path, MOST) == b""
        path.write_bytes(whole)
    assert cache_files.read(path, MOST) == b"some words"


def test_a_file_does_not_stand_for_another(path):
    other = path.with_name("other")
    path.rename(other)
    assert cache_files.read(other, MOST) == b""


def test_what_is_too_large_is_ignored(path):
    assert cache_files.read(path, 10) == b"some words"
    assert cache_files.read(path, 9) == b""


def test_what_belongs_to_somebody_else_is_ignored(path, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert cache_files.read(path, MOST) == b""
    monkeypatch.delattr(os, "geteuid")
    assert cache_files.read(path, MOST) == b"some words"


def test_a_folder_that_cannot_be_written_is_no_error(path):
    assert not cache_files.write(path / "below a file", b"data")
    folder = path.parent / "in the way"
    folder.mkdir()
    assert not cache_files.write(folder, b"data")
    assert sorted(one.name for one in path.parent.iterdir()) == ["in the way", "name"]


def test_a_full_disk_leaves_nothing(path, monkeypatch):
    def full(self, data):
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert not cache_files.write(path, b"new")
    assert list(path.parent.iterdir()) == [path]
    assert cache_files.read(path, MOST) == b"some words"


def test_several_that_write_at_once_leave_a_whole_file(path):
    def write(letter):
        for _ in range(50):
            assert cache_files.write(path, letter * MOST)

    writers = [threading.Thread(target=write, args=(bytes([65 + k]),)) for k in range(3)]
    for one in writers:
        one.start()
    found = set()
    while any(one.is_alive() for one in writers):
        found.add(cache_files.read(path, MOST))
    found.add(cache_files.read(path, MOST))
    assert found <= {b"some words", *[bytes([65 + k]) * MOST for k in range(3)]}
    assert list(path.parent.iterdir()) == [path]


def test_the_oldest_go(tmp_path):
    for number in range(20):
        path = tmp_path / str(number)
        cache_files.write(path, b"x" * 68)  # 100 with its digest
        os.utime(path, (number, number))
    cache_files.trim(tmp_path, 2000)
    assert len(list(tmp_path.iterdir())) == 20
    (tmp_path / "0").unlink()
    (tmp_path / "0").mkdir()  # which cannot go
    os.utime(tmp_path / "0", (0, 0))
    cache_files.trim(tmp_path, 1600)
    left = {int(one.name) for one in tmp_path.iterdir()} - {0}
    assert left == set(range(20 - len(left), 20))
    assert 8 <= len(left) <= 14
    cache_files.trim(tmp_path, 0)
    assert [one.name for one in tmp_path.iterdir()] == ["0"]
    cache_files.trim(tmp_path / "nowhere", 0)


def test_what_is_used_stays_young(path):
    os.utime(path, (1, 1))
    assert cache_files.read(path, MOST) == b"some words"
    assert path.stat().st_mtime > 1
