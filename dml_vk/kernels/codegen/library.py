"""Load built modules; run as a program, build them from `glsl/`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from dml_vk.errors import Log, ShaderError
from dml_vk.kernels.kernel import Kernel
from dml_vk.kernels.registry import KERNELS
from dml_vk.limits import MINIMUM
from dml_vk.spirv.module import Module
from dml_vk.spirv.passes.specialize import specialized

SPV = Path(__file__).parents[1] / "spv"
GLSL = Path(__file__).parents[3] / "glsl"  # in a checkout; an installed package has only SPIR-V
INCLUDE = "include"  # the folder of shared code, in GLSL
MANIFEST = "manifest.json"


@cache
def load(module: str) -> bytes:
    """The SPIR-V of a module."""
    try:
        return (SPV / f"{module}.spv").read_bytes()
    except FileNotFoundError:
        rule = "a module must be registered, and built by python -m dml_vk.kernels.codegen.library"
        raise ShaderError("load", rule, module=module) from None


@lru_cache(maxsize=512)
def load_for(module: str, spec: tuple[int, ...], *, unrolls: bool = True) -> bytes:
    """The SPIR-V of a module with these values of specialization constants 0, 1, ... set."""
    return specialized(parsed(module), spec, unrolls=unrolls)


@lru_cache(maxsize=16)  # up to 1 MB each
def parsed(module: str) -> Module:
    """A module, to look up and to specialize."""
    return Module(load(module))


class Difference(NamedTuple):
    """A property on which the registry and a module disagree."""

    registry: object
    module: object


class Changes(NamedTuple):
    """The modules that a build wrote and removed."""

    built: tuple[str, ...]
    removed: tuple[str, ...]


def source_hash(kernel: Kernel, macros: Mapping[str, str], glsl: Path = GLSL) -> str:
    """Hash all inputs of a module: source, includes, macros and compiler options."""
    import hashlib  # takes 3 ms

    from dml_vk.spirv import glslang

    source = (glsl / kernel.source).read_text(encoding="utf-8")
    parts = (glslang.RECIPE, source, glslang.included(source, (glsl / INCLUDE,)), dict(macros))
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def read_manifest(spv: Path = SPV) -> tuple[dict[str, str], dict[str, str]]:
    """(compiler versions, module -> source hash) of a folder of built modules."""
    try:
        manifest = json.loads((spv / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, {}
    return manifest["compilers"], manifest["modules"]


def build(kernels: Mapping[str, Kernel] = KERNELS, glsl: Path = GLSL, spv: Path = SPV) -> Changes:
    """Bring a folder up to date with the sources: build what changed, remove what is gone.

    A module that does not compile or disagrees with the registry keeps its previous build, and
    does not stop the others; the error is raised at the end.
    """
    from concurrent.futures import ThreadPoolExecutor

    from dml_vk.spirv import glslang

    compilers = glslang.versions()
    known_compilers, known = read_manifest(spv)
    if compilers != known_compilers:
        known = {}
    wanted = {
        module: (kernel, macros, source_hash(kernel, macros, glsl))
        for kernel in kernels.values()
        for module, macros in kernel.modules.items()
    }
    stale = [
        module
        for module, (_, _, digest) in wanted.items()
        if known.get(module) != digest or not (spv / f"{module}.spv").exists()
    ]

    def make(module: str) -> ShaderError | None:
        kernel, macros, _ = wanted[module]
        try:
            source = (glsl / kernel.source).read_text(encoding="utf-8")
            spirv = glslang.compile(source, macros, (glsl / INCLUDE,), name=module)
            if wrong := differences(kernel, spirv):
                rule = f"the module must agree with the registry on {', '.join(wrong)}"
                raise ShaderError(module, rule, **wrong)
        except ShaderError as error:
            return error
        _write(spv / f"{module}.spv", spirv)
        return None

    spv.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor() as threads:
        failed = {module: why for module, why in zip(stale, threads.map(make, stale)) if why}
    gone = [path for path in spv.glob("*.spv") if path.stem not in wanted]
    for path in gone:
        path.unlink()
    hashes = {
        module: known.get(module, "") if module in failed else wanted[module][2]
        for module in sorted(wanted)
    }
    modules = {module: digest for module, digest in hashes.items() if digest}
    manifest = json.dumps({"compilers": compilers, "modules": modules}, indent=1) + "\n"
    _write(spv / MANIFEST, manifest.encode())
    if failed:
        log = Log("\n".join(map(str, failed.values())))
        rule = "every module must compile and agree with the registry"
        raise ShaderError("build", rule, log=log)
    built = tuple(module for module in stale if module not in failed)
    return Changes(built, tuple(sorted(path.stem for path in gone)))


def differences(kernel: Kernel, spirv: bytes) -> dict[str, Difference]:
    """Properties on which the registry and a module disagree."""
    from dml_vk.spirv.capabilities import NATIVE_CAPABILITIES, check_capabilities
    from dml_vk.spirv.interface import read

    module = read(spirv, kernel.name)
    is_native = any(constant.name == "NATIVE" for constant in module.spec)
    check_capabilities(module, kernel.name, NATIVE_CAPABILITIES if is_native else ())
    # Several blocks may be views of one binding; the name of any block or array there will do.
    names: dict[tuple[int, int], list[str | None]] = {}
    for block in module.bindings:
        names.setdefault((block.set, block.number), []).extend((block.array, block.block))
    registered = {(0, number): name for number, name in enumerate(kernel.bindings)}
    declared = {
        number: registered[number] if registered.get(number) in blocks else blocks[0]
        for number, blocks in names.items()
    }
    written = {declared[block.set, block.number] for block in module.bindings if block.writes}
    constants = dict(enumerate((*kernel.spec, *["NATIVE"] * is_native)))
    # The constant of the local size is unnamed in the source.
    spec = {
        constant.number: constant.name or constants.get(constant.number, "")
        for constant in module.spec
    }
    shared = module.shared_bytes({})
    at, offsets = 0, []
    for _, words in kernel.push:
        offsets.append(at)
        at += 4 * words
    pairs: dict[str, tuple[object, object]] = {
        "bindings": (registered, declared),
        "writes": (set(kernel.writes), written),
        "spec": (constants, spec),
        "push": (kernel.push, tuple((member.name, member.words) for member in module.push)),
        "push_offsets": (offsets, [member.offset for member in module.push]),
        "push_bytes": (min(at, MINIMUM.max_push_bytes), module.push_bytes),
        "shared_bytes": (min(shared, MINIMUM.max_shared_bytes), shared),
        "entry": ("main", module.entry),
        "other_resources": ((), module.others),
    }
    return {what: Difference(*both) for what, both in pairs.items() if both[0] != both[1]}


def _write(path: Path, content: bytes) -> None:
    """Write a file atomically."""
    new = path.with_suffix(".new")
    new.write_bytes(content)
    new.replace(path)


def main(kernels: Mapping[str, Kernel] = KERNELS, glsl: Path = GLSL, spv: Path = SPV) -> None:
    """Bring the package's modules up to date and print what changed."""
    try:
        changes = build(kernels, glsl, spv)
    except ShaderError as error:
        sys.exit(str(error))
    for verb, modules in changes._asdict().items():
        for module in modules:
            print(f"{verb} {module}")
    print(f"{len(read_manifest(spv)[1])} modules, {len(changes.built)} built")


if __name__ == "__main__":
    main()
