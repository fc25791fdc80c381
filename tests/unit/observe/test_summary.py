"""The table of the time by operation: what it adds up, and when it is printed."""

from __future__ import annotations

import logging
import os
from types import SimpleNamespace

import pytest

from dml_vk.observe.summary import Summary
from tests.integration.process import run


def ran(op, microseconds):
    caller = SimpleNamespace(op=op)
    record = logging.LogRecord("dml_vk", logging.DEBUG, "", 0, "", (), None)
    record.dispatch = SimpleNamespace(
        asked=SimpleNamespace(caller=caller), microseconds=microseconds
    )
    return record


@pytest.fixture
def summary():
    found = Summary()
    for op, microseconds in (("add", 100.0), ("matmul", 2500.0), ("add", 300.0)):
        found.emit(ran(op, microseconds))
    found.emit(logging.LogRecord("dml_vk", logging.DEBUG, "", 0, "a flush", (), None))
    return found


TABLE = """\
operation  dispatches  total ms  mean us  share
matmul              1      2.50   2500.0   86 %
add                 2      0.40    200.0   14 %
all                 3      2.90    966.7  100 %"""


def test_operations_are_sorted_by_total_time(summary):
    assert summary.text() == TABLE


def test_it_is_printed_once(summary, capsys):
    summary.close()
    summary.close()
    assert capsys.readouterr().err == f"dml_vk: time by operation\n{TABLE}\n"


def test_a_fork_prints_what_it_ran_itself(summary, capsys, monkeypatch):
    fresh, child = Summary(), os.getpid() + 1
    monkeypatch.setattr(os, "getpid", lambda: child)
    summary.close()
    assert capsys.readouterr().err == ""
    fresh.emit(ran("add", 100.0))
    fresh.close()
    assert "add" in capsys.readouterr().err


def test_a_total_of_zero_has_no_shares():
    summary = Summary()
    summary.emit(ran("add", 0.0))
    assert summary.text().splitlines()[1].split() == ["add", "1", "0.00", "0.0"]


def test_the_environment_asks_for_it():
    done = run("x, y = use()", DML_VK_LOG="summary")
    head, columns, copied, whole = done.stderr.splitlines()
    assert (done.returncode, head) == (0, "dml_vk: time by operation")
    assert columns.split() == ["operation", "dispatches", "total", "ms", "mean", "us", "share"]
    assert copied.split()[:2] == ["copy", "1"]
    assert whole.split()[:2] == ["all", "1"]
