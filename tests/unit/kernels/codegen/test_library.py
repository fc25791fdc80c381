"""The shipped modules are those of the sources, and say what the registry says of them."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
from dataclasses import replace

import pytest

from dml_vk.errors import ShaderError
from dml_vk.kernels.codegen import library
from dml_vk.kernels.kernel import Kernel
from dml_vk.kernels.registry import KERNELS
from dml_vk.spirv import glslang
from dml_vk.spirv.interface import read
from tests import tier

MODULES = {module: kernel for kernel in KERNELS.values() for module in kernel.modules}
SCALE = Kernel(
    "scale",
    bindings=("Src", "Dst"),
    writes=("Dst",),
    spec=("LOCAL_SIZE", "TWICE"),
    push=(("first", 1), ("end", 1), ("src_base", 1), ("dst_base", 1), ("steps", 3), ("factor", 1)),
    variants={"u32": {"T": "uint"}, "f32": {"T": "float"}},
)
HEAD = """layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push {
  uint first, end, src_base, dst_base;
  uint steps[3];
  float factor;
} push;
"""
BODY = """#version 450
#extension GL_GOOGLE_include_directive : require
#include "scale_head.glsl"
layout(constant_id = 1) const uint TWICE = 0;
layout(set = 0, binding = 0) readonly buffer Src { T src[]; };
layout(set = 0, binding = 1) writeonly buffer Dst { T dst[]; };
void main() {
  uint n = push.first + gl_GlobalInvocationID.x;
  if (n < push.end) dst[push.dst_base + n] = T(push.factor) * src[push.src_base + n];
}
"""


@pytest.fixture
def glsl(tmp_path):
    folder = tmp_path / "glsl"
    (folder / "include").mkdir(parents=True)
    (folder / "scale.comp").write_text(BODY)
    (folder / "include/scale_head.glsl").write_text(HEAD)
    return folder


def build(glsl, *kernels):
    return library.build({kernel.name: kernel for kernel in kernels}, glsl, glsl.parent / "spv")


# What ships.


def test_every_source_is_registered_and_every_kernel_has_its_source():
    found = {path.name for path in library.GLSL.glob("*.comp")}
    assert found == {kernel.source for kernel in KERNELS.values()}


def test_every_module_has_one_kernel_and_every_kernel_a_module():
    assert len(MODULES) == sum(len(kernel.modules) for kernel in KERNELS.values())
    assert all(kernel.modules for kernel in KERNELS.values())
    assert all(name == kernel.name for name, kernel in KERNELS.items())


def test_the_manifest_and_the_folder_hold_what_is_registered():
    _, known = library.read_manifest()
    built = {path.stem for path in library.SPV.glob("*.spv")}
    assert set(known) == built == set(MODULES)


def test_shipped_modules_are_built_from_these_sources():
    _, known = library.read_manifest()
    sources = {
        module: library.source_hash(kernel, macros)
        for kernel in KERNELS.values()
        for module, macros in kernel.modules.items()
    }
    assert known == sources, "run ./dev shaders"


@pytest.mark.compiler
def test_a_rebuild_gives_the_shipped_modules(tmp_path):
    """One module of a source: all take a minute, and manifests tell what else has changed."""
    firsts = {kernel.source: kernel for kernel in reversed(KERNELS.values())}
    assert len(firsts) > 50
    firsts = dict(tier.some(firsts.items(), 10))
    kernels = {
        kernel.name: replace(kernel, variants=dict([*kernel.variants.items()][:1]))
        for kernel in firsts.values()
    }
    built = library.build(kernels, spv=tmp_path).built
    assert len(built) == len(firsts)
    compilers, _ = library.read_manifest()
    for module in built:
        made, shipped = (tmp_path / f"{module}.spv").read_bytes(), library.load(module)
        if compilers == glslang.versions():
            assert made == shipped, f"{module}: run ./dev shaders"
        assert read(made) == read(shipped), f"{module}: run ./dev shaders"


def test_shipped_modules_are_what_the_registry_says():
    for kernel in KERNELS.values():
        for module in tier.some(kernel.modules, 2):
            assert library.differences(kernel, library.load(module)) == {}, module


@pytest.mark.compiler
def test_shipped_modules_are_valid():
    """Those of some: other tests look at all kernels with their constants."""
    for file in tier.some(sorted(library.SPV.glob("*.spv")), 70):
        command = ["spirv-val", "--target-env", glslang.TARGET, str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, ""), file.name


def test_a_module_that_does_not_exist_is_an_error():
    with pytest.raises(ShaderError, match=r"load: a module must be registered.*module='nonsense'"):
        library.load("nonsense")


# How building works.


@pytest.mark.compiler
def test_a_build_makes_what_is_missing_stale_or_changed_only(glsl):
    spv = glsl.parent / "spv"
    assert build(glsl, SCALE).built == ("scale_u32", "scale_f32")
    first = {path.name: path.read_bytes() for path in spv.iterdir()}
    assert set(first) == {"scale_u32.spv", "scale_f32.spv", "manifest.json"}
    assert build(glsl, SCALE) == ((), ())

    (spv / "scale_f32.spv").unlink()
    assert build(glsl, SCALE).built == ("scale_f32",)
    assert {path.name: path.read_bytes() for path in spv.iterdir()} == first

    other = dataclasses.replace(SCALE, variants={**SCALE.variants, "f32": {"T": "int"}})
    assert build(glsl, other).built == ("scale_f32",)
    (glsl / "include/scale_head.glsl").write_text(HEAD.replace("float", "uint"))
    assert build(glsl, other).built == ("scale_u32", "scale_f32")
    assert (spv / "scale_u32.spv").read_bytes() != first["scale_u32.spv"]


@pytest.mark.compiler
def test_another_compiler_builds_everything(glsl, monkeypatch):
    build(glsl, SCALE)
    monkeypatch.setattr(glslang, "versions", lambda: {"glslang-tools": "0", "spirv-tools": "0"})
    assert build(glsl, SCALE).built == ("scale_u32", "scale_f32")


@pytest.mark.compiler
def test_what_is_registered_no_more_goes(glsl):
    build(glsl, SCALE)
    fewer = dataclasses.replace(SCALE, variants={"u32": {"T": "uint"}})
    assert build(glsl, fewer) == ((), ("scale_f32",))
    assert build(glsl) == ((), ("scale_u32",))
    assert [path.name for path in (glsl.parent / "spv").iterdir()] == ["manifest.json"]


@pytest.mark.compiler
def test_a_source_that_does_not_compile_stops_nothing_else(glsl):
    shutil.copy(glsl / "scale.comp", glsl / "bad.comp")
    (glsl / "bad.comp").write_text(BODY.replace("push.factor", "factor"))
    bad = dataclasses.replace(SCALE, name="bad", variants={"u32": {"T": "uint"}})
    with pytest.raises(ShaderError) as caught:
        build(glsl, bad, SCALE)
    assert str(caught.value) == (
        "build: every module must compile and agree with the registry; got log=\n"
        "bad_u32: the shader does not compile; got log=\nline 9: 'factor' : undeclared identifier"
    )
    assert sorted(library.read_manifest(glsl.parent / "spv")[1]) == ["scale_f32", "scale_u32"]


@pytest.mark.compiler
def test_a_source_that_compiles_no_more_leaves_what_it_was_and_is_known_to_be_stale(glsl):
    build(glsl, SCALE)
    spv = glsl.parent / "spv"
    before = {path.name: path.read_bytes() for path in spv.iterdir()}
    (glsl / "scale.comp").write_text(BODY.replace("push.factor", "factor"))
    for _ in range(2):
        with pytest.raises(ShaderError, match="undeclared"):
            build(glsl, SCALE)
        assert {path.name: path.read_bytes() for path in spv.iterdir()} == before


# What the registry and a module can disagree on. Each change must be seen.


SUM = "T(push.factor) * src[push.src_base + n]"
DISAGREEMENTS = [
    ("push=Diff", {"first, end,": "end, first,"}),
    (
        "push=Diff",
        {"uint steps[3];\n  float factor;": "float factor;\n  uint steps[3];"},
    ),
    ("push=Diff", {"steps[3]": "steps[4]"}),
    ("push_bytes=Diff", {"steps[3]": "steps[25]"}),
    ("push_offsets=Diff", {"uint steps[3]": "layout(offset = 32) uint steps[3]"}),
    ("bindings=Diff", {"binding = 1) writeonly": "binding = 2) writeonly"}),
    ("bindings=Diff", {"set = 0, binding = 1": "set = 1, binding = 1"}),
    ("bindings=Diff", {"Dst { T dst": "Out { T dst"}),
    ("writes=Difference(registry={'Dst'}, module={'", {"readonly buffer Src": "buffer Src"}),
    (
        "writes=Difference(registry={'Dst'}, module=set())",
        {"writeonly buffer Dst": "readonly buffer Dst", "dst[push.dst_base + n] =": "T unused ="},
    ),
    ("spec=Diff", {"constant_id = 1": "constant_id = 2"}),
    ("spec=Diff", {"TWICE": "THRICE"}),
    (
        "shared_bytes=Difference(registry=16384, module=16388)",
        {"void main": "shared uint room[4097];\nvoid main", SUM: "T(room[n])"},
    ),
    (
        "other_resources=Difference(registry=(), module=('U',))",
        {"void main": "layout(binding = 2) uniform U { uint u; };\nvoid main"},
    ),
]


@pytest.mark.compiler
@pytest.mark.parametrize(("said", "changes"), DISAGREEMENTS)
def test_a_disagreement_is_found(glsl, said, changes):
    for old, new in changes.items():
        assert old in BODY + HEAD
        for path in (glsl / "scale.comp", glsl / "include/scale_head.glsl"):
            path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ShaderError) as caught:
        build(glsl, replace(SCALE, variants={"u32": {"T": "uint"}}))
    assert said in str(caught.value)


@pytest.mark.compiler
def test_a_capability_that_is_not_clean_stops_the_build(glsl):
    source = BODY.replace("T(push.factor) *", "T(double(push.factor) * 3.0LF) *")
    (glsl / "scale.comp").write_text(source)
    with pytest.raises(ShaderError, match="got capability='Float64'"):
        build(glsl, SCALE)


@pytest.mark.compiler
def test_two_blocks_may_look_at_one_binding(glsl):
    quads = "layout(set = 0, binding = 0) readonly buffer Quads { uvec4 quads[]; };\nvoid main"
    (glsl / "scale.comp").write_text(BODY.replace("void main", quads))
    assert build(glsl, SCALE).built == ("scale_u32", "scale_f32")


@pytest.mark.compiler
def test_the_program_builds_and_tells(glsl, capsys):
    where = {"scale": SCALE}, glsl, glsl.parent / "spv"
    library.main(*where)
    assert capsys.readouterr().out == "built scale_u32\nbuilt scale_f32\n2 modules, 2 built\n"
    (glsl / "scale.comp").write_text(BODY.replace("push.factor", "factor"))
    with pytest.raises(SystemExit, match="undeclared identifier"):
        library.main(*where)
