"""What the runtime on Vulkan does beyond the contract of all runtimes."""

from __future__ import annotations

import gc
import os
import struct
import subprocess
import sys
import weakref

import numpy as np
import pytest

from dml_vk.driver import probe
from dml_vk.errors import DeviceError, DeviceMemoryError
from dml_vk.runtime.interface import Barrier, Copy, Dispatch, Fill
from dml_vk.runtime.vulkan.engine import Vulkan
from dml_vk.spirv import glslang

pytestmark = pytest.mark.compiler

KINDS = ("device", "upload", "readback", "unified")
SHADER = """
#version 450
{extensions}
layout(local_size_x = 1) in;
layout(binding = 0) buffer Src {{ {kind} src[]; }};
layout(binding = 1) buffer Dst {{ {kind} dst[]; }};
void main() {{
  uint n = gl_WorkGroupID.x;
  dst[n] = {kind}(src[n] * src[n]);
}}
"""
# Features -> the type that needs them, in GLSL and in NumPy.
TYPES = {
    ("shaderInt64",): ("uint64_t", np.uint64, "explicit_arithmetic_types_int64"),
    ("shaderFloat64",): ("double", np.float64, None),
    ("shaderInt16", "storageBuffer16BitAccess"): (
        *("int16_t", np.int16),
        "explicit_arithmetic_types_int16",
    ),
    ("shaderInt8", "storageBuffer8BitAccess"): (
        *("uint8_t", np.uint8),
        "explicit_arithmetic_types_int8",
    ),
    ("shaderFloat16", "storageBuffer16BitAccess"): (
        *("float16_t", np.float16),
        "explicit_arithmetic_types_float16",
    ),
}


@pytest.fixture(scope="module")
def engine():
    return Vulkan(probe.select())


@pytest.fixture(scope="module")
def chain():
    """A shader whose result tells in which order it ran."""
    return glslang.compile(
        """
#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Dst { uint dst[]; };
layout(push_constant) uniform Push { uint factor; uint bias; };
void main() { dst[0] = factor * dst[0] + bias; }
"""
    )


def run(engine, *commands, timed=False):
    ticket = engine.record(commands, timed)
    engine.submit(ticket)
    engine.wait(ticket)
    return ticket


def step(bound, factor, bias):
    return Dispatch(bound, struct.pack("II", factor, bias), (1, 1, 1))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_memory_holds_what_is_copied_there(engine, kind):
    source, target = engine.allocate(64, "upload"), engine.allocate(64, "readback")
    block = engine.allocate(64, kind)
    engine.view(source)[:] = np.arange(16)
    run(engine, Copy(source, 0, block, 0, 64), Barrier(), Copy(block, 8, target, 0, 56))
    assert engine.view(target)[:14].tolist() == [*range(2, 16)]


@pytest.mark.parametrize("kind", KINDS[1:])
def test_a_view_is_words_that_keep_the_block_alive(engine, kind):
    block = engine.allocate(64, kind)
    view = engine.view(block)
    assert (view.dtype, view.shape, view.flags.writeable) == (np.uint32, (16,), True)
    view[:] = 7
    part, seen = view[3:5], weakref.ref(block)
    del block, view
    gc.collect()
    assert seen() is not None
    assert part.tolist() == [7, 7]
    del part
    assert seen() is None


def test_commands_with_barriers_run_in_order(engine, chain):
    block = engine.allocate(64, "unified")
    bound = engine.bind(engine.pipeline(chain, (), 2, 1), [block])
    commands = [Fill(block, 0, 4, 1)]
    expected = 1
    for n in range(100):
        commands += [Barrier(), step(bound, 3, n)]
        expected = (3 * expected + n) % 2**32
    run(engine, *commands)
    assert engine.view(block)[0] == expected


def test_submissions_run_in_order_without_waiting(engine, chain):
    block = engine.allocate(64, "unified")
    engine.view(block)[0] = 1
    bound = engine.bind(engine.pipeline(chain, (), 2, 1), [block])
    tickets = [engine.record([step(bound, 3, n)]) for n in range(20)]
    for ticket in tickets:
        engine.submit(ticket)
    engine.wait(tickets[-1])
    expected = 1
    for n in range(20):
        expected = (3 * expected + n) % 2**32
    assert engine.view(block)[0] == expected
    assert all(map(engine.is_done, tickets))


def test_a_shader_without_push_words_or_blocks_runs(engine):
    spirv = glslang.compile(
        "#version 450\nlayout(local_size_x = 1) in;\nshared uint x;\nvoid main() { x = 1; }"
    )
    run(engine, Dispatch(engine.bind(engine.pipeline(spirv, (), 0, 0), []), b"", (1, 1, 1)))


@pytest.mark.parametrize("needed", TYPES, ids=lambda needed: needed[0])
def test_a_type_is_there_if_its_features_are(engine, needed):
    kind, dtype, extension = TYPES[needed]
    if not engine.features.issuperset(needed):
        assert engine.features < {name for names in TYPES for name in names}
        return
    extensions = "#extension GL_EXT_shader_16bit_storage : require\n"
    extensions += "#extension GL_EXT_shader_8bit_storage : require\n"
    if extension:
        extensions += f"#extension GL_EXT_shader_{extension} : require"
    spirv = glslang.compile(SHADER.format(extensions=extensions, kind=kind))
    blocks = [engine.allocate(64, "unified") for _ in range(2)]
    values = np.array([3, 5, 7, 11], dtype)
    engine.view(blocks[0]).view(dtype)[:4] = values
    engine.view(blocks[1])[:] = 0
    run(engine, Dispatch(engine.bind(engine.pipeline(spirv, (), 0, 2), blocks), b"", (4, 1, 1)))
    assert engine.view(blocks[1]).view(dtype)[:4].tolist() == [9, 25, 49, 121]


def test_every_command_but_barriers_of_a_timed_submission_has_a_time(engine, chain):
    block = engine.allocate(1 << 22, "unified")
    bound = engine.bind(engine.pipeline(chain, (), 2, 1), [block])
    commands = [Fill(block, 0, 1 << 22, 1), Barrier(), step(bound, 3, 1)]
    ticket = run(engine, *commands, timed=True)
    assert engine.view(block)[0] == 4
    times = engine.microseconds(ticket)
    assert times is None or (len(times) == 2 and min(times) >= 0 and times[0] > 0)
    assert engine.microseconds(run(engine, *commands)) is None


def test_more_memory_than_there_is_is_an_error_and_the_next_allocation_works(engine):
    with pytest.raises((DeviceMemoryError, DeviceError), match="call='vk"):
        engine.allocate(1 << 50, "device")
    assert engine.view(engine.allocate(4, "unified")).shape == (1,)


def test_a_block_beyond_the_range_of_a_binding_is_bound_as_far_as_it_goes(engine, monkeypatch):
    block = engine.allocate(64, "unified")
    engine.view(block)[:] = 0
    spirv = glslang.compile(
        """
#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Dst { uint dst[]; };
void main() { dst[0] = dst.length(); }
"""
    )
    pipeline = engine.pipeline(spirv, (), 0, 1)
    for most, words in ((2**31 - 4096, 16), (32, 8)):
        monkeypatch.setattr(engine, "_most_bytes", most)
        run(engine, Dispatch(engine.bind(pipeline, [block]), b"", (1, 1, 1)))
        assert engine.view(block)[0] == words


def python(code, tmp_path):
    """What a process prints that has an engine, and whose caches are elsewhere."""
    start = """
import os, sys
from dml_vk.driver import probe
from dml_vk.runtime.interface import Barrier, Fill
from dml_vk.runtime.vulkan.engine import Vulkan
engine = Vulkan(probe.select())
block = engine.allocate(1 << 24, "unified")
ticket = engine.record([one for n in range(50) for one in (Fill(block, 0, 1 << 24, n), Barrier())])
"""
    done = subprocess.run(
        [sys.executable, "-c", start + code],
        env={**os.environ, "DML_VK_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_a_process_may_end_with_work_in_flight(tmp_path):
    """There is twice as much of it, until it is still under way when this is looked at."""
    code = """
for doublings in range(8):
    work = [one for n in range(50 << doublings) for one in (Fill(block, 0, 1 << 24, n), Barrier())]
    ticket = engine.record(work)
    engine.submit(ticket)
    is_done = engine.is_done(ticket)
    if not is_done:
        break
print(is_done)
"""
    assert python(code, tmp_path) == ["False"]


def test_a_forked_child_destroys_nothing(tmp_path):
    code = """
engine.submit(ticket)
if os.fork() == 0:
    engine.leak([block, ticket])
    del block, ticket
    os._exit(0)
print(os.waitstatus_to_exitcode(os.wait()[1]))
engine.wait(ticket)
print(engine.view(block)[-1])
"""
    assert python(code, tmp_path) == ["0", "49"]


def test_the_cache_is_written_at_the_end_and_read_again(tmp_path):
    code = "print(len(engine._cache._saved)); engine._cache._data = lambda: b'compiled'"
    assert python(code, tmp_path) == ["0"]
    assert python("print(engine._cache._saved)", tmp_path) == ["b'compiled'"]
