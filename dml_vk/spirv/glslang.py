"""Compile GLSL with the programs glslangValidator, spirv-opt and spirv-val."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from dml_vk.errors import Log, ShaderError

# The instance is Vulkan 1.1, so modules must be SPIR-V 1.3 or older.
TARGET = "vulkan1.1"
_COMPILE = ("--quiet", "--target-env", TARGET)
# `spirv-opt -O` without the passes that change values: `simplify-instructions` turns x*0 into 0,
# x+0 into x, x/3 into x*(1/3) and (x+1)+2 into x+3, all of which differ for some floats. Inlining
# is left to the driver, since it makes modules of many operators three times as large. Bindings and
# specialization constants that a variant does not use are kept, because callers pass them anyway.
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
"""What the bytes of a module depend on, besides its source and the versions of the programs."""

_PACKAGES = {
    "glslangValidator": "glslang-tools",
    "spirv-opt": "spirv-tools",
    "spirv-val": "spirv-tools",
}
_ERROR = re.compile(r"ERROR: +(?:([^:]*):(\d+): *)?(.*)")  # file, line, message
# Lines that the compiler adds after every error.
_SUMMARIES = ("compilation errors.  No code", "compilation terminated", "Missing entry point: Each")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)


def compile(
    source: str,
    macros: Mapping[str, str | int] | None = None,
    include_dirs: Sequence[Path] = (),
    *,
    name: str = "shader",
) -> bytes:
    """Compile, optimise and validate a GLSL compute shader.

    `name` names the shader in errors. Includes need `#extension GL_GOOGLE_include_directive`.
    """
    defines = [f"-D{key}={value}" for key, value in _check(name, macros or {}).items()]
    includes = [f"-I{directory}" for directory in include_dirs]
    with TemporaryDirectory(prefix="dml_vk-") as folder:
        text, built, optimised = (
            Path(folder, f"shader.{suffix}") for suffix in ("comp", "spv", "optimised")
        )
        text.write_text(source, encoding="utf-8")
        log = _call("glslangValidator", *_COMPILE, *defines, *includes, text, "-o", built)
        if log is not None:
            log = _readable(log, text, include_dirs)
            raise ShaderError(name, "the shader does not compile", log=Log(log))
        for log in (
            _call("spirv-opt", *_OPTIMISE, built, "-o", optimised),
            _call("spirv-val", "--target-env", TARGET, optimised),
        ):
            if log is not None:
                log = log.replace(f"{folder}{os.sep}", "").strip()
                raise ShaderError(name, "the shader is not valid SPIR-V", log=Log(log))
        return optimised.read_bytes()


def included(source: str, include_dirs: Sequence[Path]) -> dict[str, str]:
    """Every file that a source includes, directly or indirectly, with its text."""
    files: dict[str, str] = {}
    texts = [source]
    while texts:
        for name in _INCLUDE.findall(texts.pop()):
            path = next((p for folder in include_dirs if (p := folder / name).is_file()), None)
            if path is None:
                raise ShaderError("include", "included file not found", include=name)
            if name not in files:
                files[name] = path.read_text(encoding="utf-8")
                texts.append(files[name])
    return files


def versions() -> dict[str, str]:
    """Debian package -> version that its program reports."""
    from subprocess import PIPE, STDOUT, run

    reported = {}
    for tool in ("glslangValidator", "spirv-opt"):
        command = [_find(tool), "--version"]
        done = run(command, stdout=PIPE, stderr=STDOUT, encoding="utf-8", check=True)
        # "Glslang Version: 11:12.0.0", "SPIRV-Tools v2023.1 unknown hash, 2023-02-15T14:03:51"
        version = re.search(r"\d[\w.:]*", done.stdout)
        reported[_PACKAGES[tool]] = version.group() if version else done.stdout
    return reported


def _check(name: str, macros: Mapping[str, str | int]) -> Mapping[str, str | int]:
    if not isinstance(macros, Mapping):
        raise ShaderError(name, "macros must be a mapping of names to values", macros=macros)
    for key, value in macros.items():
        if not (isinstance(key, str) and key.isidentifier() and key.isascii()):
            raise ShaderError(name, "a macro's name must be an identifier", macro=key)
        if type(value) not in (str, int) or "\n" in str(value):
            rule = "a macro's value must be an int or one line of text"
            raise ShaderError(name, rule, **{key: value})
    return macros


def _find(tool: str) -> str:
    from shutil import which

    path = which(tool)
    if path is None:
        rule = f"{tool} is not on the PATH: install the package {_PACKAGES[tool]}"
        raise ShaderError("compile_glsl", rule, found=None)
    return path


def _call(tool: str, *arguments: str | Path) -> str | None:
    """Run a tool and return its output if it fails, else None."""
    from subprocess import PIPE, STDOUT, run  # the import takes 10 ms, needed only to compile

    command = [_find(tool), *map(str, arguments)]
    done = run(command, stdout=PIPE, stderr=STDOUT, encoding="utf-8", errors="replace", check=False)
    if done.returncode == 0:
        return None
    return done.stdout or f"{tool} ended with code {done.returncode}"


def _readable(log: str, source: Path, include_dirs: Sequence[Path]) -> str:
    """Shorten the compiler's errors to `line 3: ...` or `some_include.glsl: line 3: ...`."""
    for directory in include_dirs:
        log = log.replace(f"{directory}/", "")
    lines = []
    errors = [line for line in log.replace(f"{source}:", ":").splitlines() if "ERROR" in line]
    for line in [e for e in errors if not any(s in e for s in _SUMMARIES)] or errors:
        file, number, rest = _ERROR.split(line.strip())[1:4]
        position = (f"{file}: " if file else "") + (f"line {number}: " if number else "")
        lines.append(position + rest)
    return "\n".join(lines) or log.replace(f"{source}", "").strip()
