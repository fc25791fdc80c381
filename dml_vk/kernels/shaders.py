"""The built shaders: loaded by module, and built from `glsl/` by `python -m` this file."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from dml_vk.errors import ShaderError, explain
from dml_vk.kernels.cases import only_case
from dml_vk.kernels.kernel import Kernel
from dml_vk.kernels.registry import KERNELS
from dml_vk.limits import MINIMUM

SPV = Path(__file__).parent / "spv"
GLSL = Path(__file__).parents[2] / "glsl"  # in a checkout; an installed package has SPIR-V alone
MANIFEST = "manifest.json"


@cache
def load(module: str) -> bytes:
    """The SPIR-V of a module."""
    try:
        return (SPV / f"{module}.spv").read_bytes()
    except FileNotFoundError:
        must = "a module must be registered, and built by python -m dml_vk.kernels.shaders"
        raise ShaderError(explain("load", must, module=module)) from None


def load_for(module: str, spec: tuple[int, ...]) -> bytes:
    """The SPIR-V of a module, of its operators only the one that these constants ask for."""
    place = _operator_places().get(module)
    return load(module) if place is None else _load_case(module, place, spec[place])


@lru_cache(maxsize=512)
def _load_case(module: str, place: int, operator: int) -> bytes:
    return only_case(load(module), place, operator)


@cache
def _operator_places() -> dict[str, int]:
    """Module -> the number of the specialization constant that says which operator it is."""
    return {
        module: kernel.spec.index("OP")
        for kernel in KERNELS.values()
        if "OP" in kernel.spec
        for module in kernel.modules
    }


class Changes(NamedTuple):
    """What a build did, by module."""

    built: tuple[str, ...]
    removed: tuple[str, ...]


def source_hash(kernel: Kernel, macros: Mapping[str, str], glsl: Path = GLSL) -> str:
    """A hash of all that a module is made of: source, heads, macros, and how it is compiled."""
    from dml_vk.kernels import glslang

    source = (glsl / kernel.source).read_text()
    parts = (glslang.RECIPE, source, glslang.with_heads(source, (glsl,)), dict(macros))
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def read_manifest(spv: Path = SPV) -> tuple[dict[str, str], dict[str, str]]:
    """(the compilers' versions, the source hash of each module) of a folder of built modules."""
    try:
        manifest = json.loads((spv / MANIFEST).read_text())
    except FileNotFoundError:
        return {}, {}
    return manifest["compilers"], manifest["modules"]


def build(kernels: Mapping[str, Kernel] = KERNELS, glsl: Path = GLSL, spv: Path = SPV) -> Changes:
    """Bring a folder up to date with the sources: build what changed, remove what is gone.

    What does not compile, or disagrees with the registry, stops nothing else, keeps what was built
    of it before, and is raised last.
    """
    from concurrent.futures import ThreadPoolExecutor

    from dml_vk.kernels import glslang

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

    def make(module: str) -> str:
        kernel, macros, _ = wanted[module]
        try:
            source = (glsl / kernel.source).read_text()
            spirv = glslang.compile(source, macros, (glsl,), name=module)
            if wrong := differences(kernel, spirv):
                raise ShaderError(f"{module}: {'; '.join(wrong)}")
        except ShaderError as error:
            return str(error)
        _write(spv / f"{module}.spv", spirv)
        return ""

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
        raise ShaderError("\n".join(failed.values()))
    built = tuple(module for module in stale if module not in failed)
    return Changes(built, tuple(sorted(path.stem for path in gone)))


def differences(kernel: Kernel, spirv: bytes) -> list[str]:
    """Where a module and what the registry says of it disagree."""
    from dml_vk.kernels.capabilities import check_capabilities
    from dml_vk.kernels.spirv import read

    module = read(spirv, kernel.name)
    check_capabilities(module, kernel.name)
    # Several blocks may be views of one binding; it goes by the name of any block or array there.
    names: dict[tuple[int, int], list[str | None]] = {}
    for block in module.bindings:
        names.setdefault((block.set, block.number), []).extend((block.array, block.block))
    registered = {(0, number): name for number, name in enumerate(kernel.bindings)}
    called = {
        place: registered[place] if registered.get(place) in found else found[0]
        for place, found in names.items()
    }
    written = {called[block.set, block.number] for block in module.bindings if block.writes}
    # The local size's constant has no name of its own in the source.
    spec = {
        one.number: one.name or dict(enumerate(kernel.spec)).get(one.number, "")
        for one in module.spec
    }
    shared = module.shared_bytes({})
    at, offsets = 0, []
    for _, words in kernel.push:
        offsets.append(at)
        at += 4 * words
    told = {
        "bindings": (registered, called),
        "writes": (set(kernel.writes), written),
        "spec": (dict(enumerate(kernel.spec)), spec),
        "push": (kernel.push, tuple((member.name, member.words) for member in module.push)),
        "push offsets": (offsets, [member.offset for member in module.push]),
        "push bytes": (min(at, MINIMUM.max_push_bytes), module.push_bytes),
        "shared bytes": (min(shared, MINIMUM.max_shared_bytes), shared),
        "entry": ("main", module.entry),
        "other resources": ((), module.others),
    }
    return [
        f"{what} must be {must}; got {got}" for what, (must, got) in told.items() if must != got
    ]


def _write(path: Path, content: bytes) -> None:
    """In one step, so that nobody ever reads half a file."""
    new = path.with_suffix(".new")
    new.write_bytes(content)
    new.replace(path)


def main(kernels: Mapping[str, Kernel] = KERNELS, glsl: Path = GLSL, spv: Path = SPV) -> None:
    """Bring the package's shaders up to date and say what changed."""
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
