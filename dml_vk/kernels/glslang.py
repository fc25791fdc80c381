"""The compiler, optimiser and validator of shaders, as three programs that we call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from dml_vk.errors import ShaderError, explain

# Kompute's instance asks for Vulkan 1.1, so SPIR-V 1.3 is the newest that a module may be.
TARGET = "vulkan1.1"
_COMPILE = ("--quiet", "--target-env", TARGET)
# `spirv-opt -O` less its arithmetic: `simplify-instructions` turns x*0 into 0, x+0 into x, x/3 into
# x*(1/3) and (x+1)+2 into x+3, none of which is the same float. What is left are the passes that
# change no value; a driver's own compiler does the rest, inlining included, which makes modules of
# many operators three times as large. Bindings and specialization constants that a variant does not
# use stay, for they are what the module is called with. Names stay anyway.
_OPTIMISE = (
    "--preserve-bindings",
    "--preserve-spec-constants",
    "--eliminate-dead-functions",
    "--private-to-local",
    "--scalar-replacement=100",
    "--convert-local-access-chains",
    "--eliminate-local-single-block",
    "--eliminate-local-single-store",
    "--ssa-rewrite",
    "--ccp",
    "--eliminate-dead-branches",
    "--redundancy-elimination",
    "--combine-access-chains",
    "--copy-propagate-arrays",
    "--reduce-load-size",
    "--vector-dce",
    "--eliminate-dead-inserts",
    "--eliminate-dead-code-aggressive",
    "--merge-blocks",
    "--compact-ids",
)
RECIPE = " ".join((*_COMPILE, *_OPTIMISE))
"""All that the bytes of a module depend on, but for its source and the programs' versions."""

_PACKAGES = {
    "glslangValidator": "glslang-tools",
    "spirv-opt": "spirv-tools",
    "spirv-val": "spirv-tools",
}
_COMPLAINT = re.compile(r"ERROR: +(?:([^:]*):(\d+): *)?(.*)")  # file, line, what
# What the compiler says again after every error.
_ECHOES = ("compilation errors.  No code", "compilation terminated", "Missing entry point: Each")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)


def compile(
    source: str,
    macros: Mapping[str, str | int] | None = None,
    include_dirs: Sequence[Path] = (),
    *,
    name: str = "shader",
) -> bytes:
    """The SPIR-V of a GLSL compute shader: compiled, optimised, validated.

    `name` stands for the source in messages. Heads are included with
    `#extension GL_GOOGLE_include_directive`.
    """
    defines = [f"-D{key}={value}" for key, value in _check(name, macros or {}).items()]
    includes = [f"-I{directory}" for directory in include_dirs]
    with TemporaryDirectory(prefix="dml_vk-") as folder:
        text, built, lean = (Path(folder, f"it.{kind}") for kind in ("comp", "spv", "lean"))
        text.write_text(source, encoding="utf-8")
        said = _call("glslangValidator", *_COMPILE, *defines, *includes, text, "-o", built)
        if said is not None:
            said = _readable(said, text, include_dirs)
            raise ShaderError(f"{name}: the shader must compile; got\n{said}")
        for said in (
            _call("spirv-opt", *_OPTIMISE, built, "-o", lean),
            _call("spirv-val", "--target-env", TARGET, lean),
        ):
            if said is not None:
                said = said.replace(f"{folder}/", "").strip()
                raise ShaderError(f"{name}: the shader must be valid SPIR-V; got\n{said}")
        return lean.read_bytes()


def with_heads(source: str, include_dirs: Sequence[Path]) -> dict[str, str]:
    """Every head that a source includes, at any depth, with its text."""
    heads: dict[str, str] = {}
    texts = [source]
    while texts:
        for head in _INCLUDE.findall(texts.pop()):
            path = next((p for folder in include_dirs if (p := folder / head).is_file()), None)
            if path is None:
                raise ShaderError(explain("include", "a head must be a file", include=head))
            if head not in heads:
                heads[head] = path.read_text()
                texts.append(heads[head])
    return heads


def versions() -> dict[str, str]:
    """Debian's package -> what its program says it is."""
    from subprocess import PIPE, STDOUT, run

    found = {}
    for tool in ("glslangValidator", "spirv-opt"):
        done = run([_find(tool), "--version"], stdout=PIPE, stderr=STDOUT, text=True, check=True)
        # "Glslang Version: 11:12.0.0", "SPIRV-Tools v2023.1 unknown hash, 2023-02-15T14:03:51"
        version = re.search(r"\d[\w.:]*", done.stdout)
        found[_PACKAGES[tool]] = version.group() if version else done.stdout
    return found


def _check(name: str, macros: Mapping[str, str | int]) -> Mapping[str, str | int]:
    if not isinstance(macros, Mapping):
        raise ShaderError(explain(name, "macros must be names with values", macros=macros))
    for key, value in macros.items():
        if not (isinstance(key, str) and key.isidentifier() and key.isascii()):
            raise ShaderError(explain(name, "a macro's name must be an identifier", macro=key))
        if type(value) not in (str, int) or "\n" in str(value):
            must = "a macro's value must be an int or one line of text"
            raise ShaderError(explain(name, must, **{key: value}))
    return macros


def _find(tool: str) -> str:
    from shutil import which

    path = which(tool)
    if path is None:
        must = f"{tool} must be on the path: it comes with the package {_PACKAGES[tool]}"
        raise ShaderError(explain("compile_glsl", must, found=None))
    return path


def _call(tool: str, *arguments: str | Path) -> str | None:
    """Run a tool; what it complained of, or None."""
    from subprocess import PIPE, STDOUT, run  # 10 ms that only those who compile should pay

    command = [_find(tool), *map(str, arguments)]
    done = run(command, stdout=PIPE, stderr=STDOUT, text=True, errors="replace", check=False)
    if done.returncode == 0:
        return None
    return done.stdout or f"{tool} ended with code {done.returncode}"


def _readable(said: str, source: Path, include_dirs: Sequence[Path]) -> str:
    """The compiler's errors as `line 3: ...` or `some_head.glsl: line 3: ...`."""
    for directory in include_dirs:
        said = said.replace(f"{directory}/", "")
    lines = []
    complaints = [line for line in said.replace(f"{source}:", ":").splitlines() if "ERROR" in line]
    for line in [c for c in complaints if not any(e in c for e in _ECHOES)] or complaints:
        file, number, rest = _COMPLAINT.split(line.strip())[1:4]
        place = (f"{file}: " if file else "") + (f"line {number}: " if number else "")
        lines.append(place + rest)
    return "\n".join(lines) or said.replace(f"{source}", "").strip()
