"""How tests run code in a process of its own: nothing that it began is left, also if it hangs."""

from __future__ import annotations

import os
import select
import subprocess

import pytest

from tests.hanging import HANGING
from tests.integration import process

pytestmark = pytest.mark.linux
# Another process, and a word in the pipe, which both have open.
BEGINS = """
import os, signal, subprocess, sys
pipe = os.open({pipe!r}, os.O_WRONLY)
quiet = {{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "pass_fds": [pipe]}}
subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], **quiet)
os.write(pipe, b"begun")
"""


@pytest.mark.parametrize("hangs", [False, True])
def test_nothing_that_it_began_outlives_it(tmp_path, monkeypatch, hangs):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    code = BEGINS.format(pipe=str(pipe))

    def read() -> bytes:
        assert select.select([reading], [], [], HANGING)[0] == [reading]
        return os.read(reading, 99)

    class Late(subprocess.Popen):
        def communicate(self, *, timeout):
            assert read() == b"begun"
            raise subprocess.TimeoutExpired(self.args, timeout)

    if hangs:
        monkeypatch.setattr(process.subprocess, "Popen", Late)
        with pytest.raises(subprocess.TimeoutExpired):
            process.run(code + "signal.pause()")
    else:
        assert process.run(code).stderr == ""
        assert read() == b"begun"
    assert read() == b"", "nobody has it open to write"
    os.close(reading)
