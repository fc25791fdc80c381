"""A user's shader, and a call of it, checked before any device is asked."""

from __future__ import annotations

import dataclasses
import itertools
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from dml_vk import dtypes
from dml_vk.errors import DeviceError, DTypeError, ShaderError
from dml_vk.layout import Layout
from dml_vk.limits import MINIMUM, ROUNDS_ASKED, Limits
from dml_vk.ops.view import View
from dml_vk.user_kernel import compile_glsl, kernel

pytestmark = pytest.mark.compiler

SOURCE = """#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
layout(constant_id = 2) const float SCALE = 1.5;
layout(constant_id = 3) const bool NEGATE = false;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(set = 0, binding = 1) readonly buffer Quads { uvec4 quads[]; };
layout(push_constant) uniform Push {
  uint n, x_base;
  float factor;
  uint y_base, quads_base;
  int steps[2];
};
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < n) y[y_base + i] = factor * x[x_base + i] * SCALE;
}
"""
CALLS = []


def fake_device(limits=MINIMUM):
    def dispatch(work, operands):
        assert work.push.dtype == "uint32"
        push = work.push.copy()
        for at, operand, unit in work.bases:
            push[at] = operands[operand].base // unit
        CALLS.append(Call(work.spirv, work.spec, tuple(push.tolist()), work.groups, operands))

    return SimpleNamespace(limits=limits, dispatch=dispatch)


class Call(NamedTuple):
    spirv: bytes
    spec: tuple
    push: tuple
    groups: tuple
    operands: list


DEVICE, OTHER = fake_device(), fake_device()
GOOD = {"groups": 1, "push": (10, 0.5, -1, -2)}


@pytest.fixture(scope="module")
def shader():
    return compile_glsl(SOURCE)


@pytest.fixture
def ran():
    CALLS.clear()
    return CALLS


def tensor(offset_bytes=0, dtype=dtypes.float32, sizes=(10,), start=0, device=DEVICE, strides=None):
    """What a kernel sees of a tensor, `offset_bytes` into an arena."""
    allocation = SimpleNamespace(
        arena=SimpleNamespace(accesses={}), offset=offset_bytes, nbytes=4096
    )
    layout = Layout(sizes, strides, start)
    return View(device, allocation, layout, dtype)


def refusal(call, error=ShaderError):
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def changed(*pairs):
    source = SOURCE
    for old, new in pairs:
        assert old in source
        source = source.replace(old, new)
    return source


def test_compiling_and_repr(shader):
    assert repr(shader).startswith(
        "<Shader buffers: readonly float x[], readonly uint quads[], float y[]; "
        "push: uint n, uint x_base, float factor, uint y_base, uint quads_base, int steps[2]; "
        "spec: uint LOCAL_SIZE, float SCALE, bool NEGATE; local size: LOCAL_SIZE=64 x 1 x 1; "
    )
    assert shader == compile_glsl(SOURCE)
    assert len({shader, compile_glsl(SOURCE)}) == 1
    assert repr(kernel(shader, name="mine")).startswith("<kernel mine: <Shader buffers")


def test_a_compile_error_names_the_line():
    said = refusal(lambda: kernel(changed(("factor *", "factory *"))))
    assert said.endswith("got log=\nline 17: 'factory' : undeclared identifier")


def test_macros():
    source = changed(("* SCALE", "* TIMES"))
    assert "undeclared" in refusal(lambda: compile_glsl(source))
    assert compile_glsl(source, macros={"TIMES": "2.0"}) != compile_glsl(
        source, macros={"TIMES": "3.0"}
    )
    assert compile_glsl(source, macros={"TIMES": 2}).module.entry == "main"


@pytest.mark.parametrize("source", [None, b"#version 450", 7, "#version 450\0"])
def test_a_source_is_text(source):
    assert "source must be a string, a GLSL compute shader" in refusal(lambda: compile_glsl(source))


def test_arguments_of_kernel(shader):
    assert "must be a Shader or its source; got shader=7" in refusal(lambda: kernel(7))
    assert "macros need a source to compile" in refusal(lambda: kernel(shader, macros={"A": 1}))
    assert "name must be a string; got name=3" in refusal(lambda: kernel(shader, name=3))


QUADS = "layout(set = 0, binding = 1) readonly buffer Quads { uvec4 quads[]; };"


@pytest.mark.parametrize(
    ("said", "pairs"),
    [
        ("0, 1, 2... in set 0", [("binding = 1", "binding = 2")]),
        ("0, 1, 2... in set 0", [("set = 0, binding = 1", "set = 1, binding = 1")]),
        (
            "must have a member `uint y_base`, to be added to every index into y[]",
            [("uint y_base,", "uint"), ("y[y_base + i]", "y[i]")],
        ),
        (
            "must have a member `uint y_base`",
            [("uint y_base,", "uvec2 y_base; uint"), ("y_base + i", "y_base.x + i")],
        ),
        (
            "must have a member `uint x_base`",
            [("uint n, x_base;", "uint n; float x_base;"), ("x_base + i", "uint(x_base) + i")],
        ),
        (
            "length() is that of the whole buffer: pass sizes as push constants",
            [("i < n", "i < x.length()")],
        ),
        (
            "one runtime array `T name[]` and nothing else; got buffer='Y'",
            [("buffer Y { float y[]; }", "buffer Y { uint count; float y[]; }")],
        ),
        ("nothing else; got buffer='Y'", [("float y[];", "float y[100];")]),
        ("at most 256 bytes; got array='quads', bytes=48", [("uvec4 quads[]", "vec3 quads[][3]")]),
        ("distinct names", [("{ uvec4 quads[]; };", "{ uvec4 y[]; } other;")]),
        ("at most 128 bytes; got bytes=132", [("int steps[2]", "int steps[28]")]),
        ("at most 127; got constant_id=128", [("constant_id = 3", "constant_id = 128")]),
        (
            "storage buffers and a push block; got others=('U',)",
            [("void main", "layout(binding = 2) uniform U { uint u; };\nvoid main")],
        ),
        ("got capability='Float64'", [("factor * x", "float(double(factor) * 3.0LF) * x")]),
    ],
)
def test_shaders_that_cannot_be_called_are_refused(said, pairs):
    assert said in refusal(lambda: kernel(changed(*pairs), name="mine"))


def test_the_entry_point_must_be_main(shader):
    other = dataclasses.replace(shader, module=dataclasses.replace(shader.module, entry="other"))
    assert "the entry point must be main; got entry='other'" in refusal(lambda: kernel(other))


def test_a_shader_without_buffers_is_refused():
    source = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}"
    assert "bindings must be 0, 1, 2... in set 0; got bindings=[]" in refusal(
        lambda: kernel(source)
    )


def test_a_call(shader, ran):
    x, y = tensor(1024, start=3), tensor(512, dtypes.float32)
    kernel(shader)(x, y, groups=(2, 3), push=(10, 0.5, -1, -2), spec={"SCALE": 2.0})
    [(spirv, spec, push, groups, operands)] = ran
    assert (spirv, groups) == (shader.spirv, (2, 3, 1))
    assert [operand.writes for operand in operands] == [False, True]
    assert [(o.base, o.low, o.high) for o in operands] == [
        (1024 + 12, 1024 + 12, 1024 + 52),
        (512, 512, 512 + 48),
    ]
    # constant 1 is declared by nobody; 0 and 3 keep their defaults
    assert spec == (64, 0, 0x40000000, 0)
    # n, x_base in floats, factor, y_base in floats, quads_base in uvec4, steps
    assert push == (10, 1036 // 4, 0x3F000000, 512 // 4, 512 // 16, 2**32 - 1, 2**32 - 2)


def test_push_by_name_and_as_bytes(shader, ran):
    k = kernel(shader)
    for push in (
        {"steps": (-1, -2), "factor": 0.5, "n": 10},
        b"\x0a\0\0\0\0\0\0\x3f\xff\xff\xff\xff\xfe\xff\xff\xff",
    ):
        k(tensor(256), tensor(), groups=1, push=push)
        assert ran.pop().push == (10, 64, 0x3F000000, 0, 0, 2**32 - 1, 2**32 - 2)


def test_what_is_written_can_be_narrowed(ran):
    k = kernel(changed(("readonly buffer X", "buffer X")))
    for writes, expected in (
        (None, [True, True]),
        ("y", [False, True]),
        (["x"], [True, False]),
        ((), [False, False]),
    ):
        k(tensor(), tensor(), **GOOD, writes=writes)
        assert [operand.writes for operand in ran.pop().operands] == expected
    for wrong in (-1, [["y"]], itertools.count()):
        said = refusal(lambda w=wrong: k(tensor(), tensor(), **GOOD, writes=w))
        assert "writes must name arrays" in said
    said = refusal(lambda: k(tensor(), tensor(), **GOOD, writes=("y", "quads")))
    assert (
        "writes must name arrays that are not readonly: ['x', 'y']; got writes=('y', 'quads')"
        in said
    )


def test_empty_tensors_have_a_place_too(shader, ran):
    kernel(shader)(tensor(256, sizes=(0,)), tensor(sizes=(3, 0)), **GOOD)
    operands, push = ran[0].operands, ran[0].push
    assert all(operand.low < operand.high for operand in operands)
    assert push[1] == 64


def test_reversed_tensors_start_at_their_first_element(shader, ran):
    kernel(shader)(tensor(256, strides=(-1,), start=9), tensor(), **GOOD)
    assert ran[0].push[1] == 64 + 9
    assert (ran[0].operands[0].low, ran[0].operands[0].high) == (256, 256 + 40)


UINT_Y = [("float y[]", "uint y[]"), ("= factor * x", "= uint(factor * x"), ("SCALE;", "SCALE);")]


@pytest.mark.parametrize("dtype", [dtypes.uint8, dtypes.float16, dtypes.int64, dtypes.bool_])
def test_uint_arrays_take_any_element_type(dtype, ran):
    kernel(changed(*UINT_Y))(tensor(), tensor(512, dtype), **GOOD)
    assert ran[0].push[3] == 128


def test_packed_elements_are_ordered_by_whole_words(ran):
    k = kernel(changed(*UINT_Y, (QUADS, ""), ("y_base, quads_base", "y_base")))
    k(tensor(), tensor(256, dtypes.uint8, sizes=(5,), start=4), **GOOD)
    operand = ran[0].operands[1]
    assert (operand.base, operand.low, operand.high) == (256 + 4, 256 + 4, 256 + 12)


@pytest.mark.parametrize(
    ("tensors", "error", "said"),
    [
        ((), ShaderError, "one tensor for each of the 2 bindings; got tensors=0"),
        ((tensor(),), ShaderError, "got tensors=1"),
        ((tensor(),) * 3, ShaderError, "got tensors=3"),
        ((tensor(), [1.0]), DTypeError, "convert arrays with asarray; got operand='list'"),
        ((tensor(), None), DTypeError, "got operand='NoneType'"),
        ((tensor(), SimpleNamespace(layout=3)), DTypeError, "got operand='SimpleNamespace'"),
        (
            (tensor(dtype=dtypes.int32), tensor()),
            DTypeError,
            "tensor 0 must be float32 for the array float x[]; got dtype=dml_vk.int32",
        ),
        (
            (tensor(), tensor(start=1)),
            ShaderError,
            "tensor 1 must start at a whole element of quads[], 16 bytes each; got start_bytes=4",
        ),
        ((tensor(), tensor(device=OTHER)), DeviceError, "operands must be on one device"),
    ],
)
def test_tensors_that_do_not_fit_are_refused(shader, ran, tensors, error, said):
    assert said in refusal(lambda: kernel(shader)(*tensors, **GOOD), error)
    assert not ran


@pytest.mark.parametrize(
    "groups", [0, -1, 65536, 1.0, (), (1, 2, 3, 4), (1, 0), "1", None, (1, None)]
)
def test_groups_are_checked(shader, ran, groups):
    said = refusal(lambda: kernel(shader)(tensor(), tensor(), push=GOOD["push"], groups=groups))
    assert said.startswith("kernel: groups must be ")
    assert not ran


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"push": ()}, "push must be 4 values: uint n, float factor, int steps[2]; got push=()"),
        ({"push": (1, 0.5, 1, 1, 1)}, "push must be 4 values"),
        ({"push": (0.5, 10, -1, -2)}, "n must be a 32-bit uint; got n=0.5"),
        ({"push": (-1, 0.5, -1, -2)}, "n must be a 32-bit uint; got n=-1"),
        ({"push": {"n": 1}}, "push takes exactly these names: uint n, float factor, int steps[2]"),
        ({"spec": (1, 1.0, True, 4)}, "spec must be at most 3 values: uint LOCAL_SIZE"),
        ({"spec": {"RANK": 3}}, "spec must name specialization constants: uint LOCAL_SIZE, float"),
        ({"spec": {"SCALE": "2"}}, "spec must be numbers; got spec='2'"),
        ({"spec": 0}, "the local size must be 1 to 128 invocations on this device"),
        ({"spec": 129}, "got local_size=(129, 1, 1)"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(shader, ran, arguments, said):
    assert said in refusal(lambda: kernel(shader)(tensor(), tensor(), **{**GOOD, **arguments}))
    assert not ran


def test_spec_in_order(shader, ran):
    kernel(shader)(tensor(), tensor(), **GOOD, spec=(32, 2.0, True))
    assert ran[0].spec == (32, 0, 0x40000000, 1)


def test_limits_are_the_devices_own(shader, ran):
    roomy = fake_device(dataclasses.replace(MINIMUM, max_invocations=1024))
    kernel(shader)(tensor(device=roomy), tensor(device=roomy), **GOOD, spec=(1024,))
    assert ran.pop().spec[0] == 1024
    poor = fake_device(Limits(max_storage_buffers=1))
    x = tensor(device=poor)
    said = refusal(lambda: kernel(shader)(x, x, **GOOD), DeviceError)
    assert "at most 1 tensors per kernel; got tensors=2" in said
    assert not ran


def test_shared_memory_is_counted_under_the_constants_of_the_call(ran):
    room = "shared vec4 room[gl_WorkGroupSize.x * 16];\nvoid main"
    k = kernel(changed(("void main", room), ("x[x_base + i]", "room[i].x")))
    k(tensor(), tensor(), **GOOD)
    assert len(ran) == 1
    said = refusal(lambda: k(tensor(), tensor(), **GOOD, spec=65))
    assert (
        "shared memory must be at most 16384 bytes on this device; got shared_bytes=16640" in said
    )
    assert len(ran) == 1


LOOPS = """#version 450
layout(local_size_x = 1) in;
layout(constant_id = 2) const uint TURNS = 65533;
layout(binding = 0) buffer X { uint x[]; };
layout(push_constant) uniform Push { uint x_base; };
void main() {
  for (uint i = 0; i < TURNS; i++) x[x_base] = 3 * x[x_base] + i;
}
"""


def test_loops_that_are_known_to_end_early_are_refused():
    """Where the driver would end them. How rounds are counted: test_loops.py."""
    ending = fake_device(dataclasses.replace(MINIMUM, max_rounds=65535))
    patient = fake_device(dataclasses.replace(MINIMUM, max_rounds=ROUNDS_ASKED))
    run = kernel(LOOPS)
    words = tensor(dtype=dtypes.uint32, device=ending)
    run(words, groups=1)
    with pytest.raises(
        ShaderError, match=r"loops must run at most 65535 iterations .* got rounds=6553"
    ):
        run(words, groups=1, spec={"TURNS": 65536})
    before = len(CALLS)
    run(tensor(dtype=dtypes.uint32, device=patient), groups=1, spec={"TURNS": 65536})
    assert len(CALLS) == before + 1
