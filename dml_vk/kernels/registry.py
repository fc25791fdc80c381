"""The registry of all kernels.

It repeats interfaces that the GLSL declares; a test compares it with the built SPIR-V.
"""

from __future__ import annotations

from collections.abc import Iterator

from dml_vk.arguments import Ints
from dml_vk.kernels import finishes
from dml_vk.kernels.kernel import (
    BY_BITS,
    BY_WORDS,
    COMPUTED_RANK,
    INDEX_SPEC,
    MADE_RANK,
    MAX_RANK,
    NATIVE_SPEC,
    PACKED_SPEC,
    PATH_SPEC,
    SCALAR_WORDS,
    TILE_SPEC,
    WORDS_SPEC,
    Kernel,
    index_push,
    native,
)
from dml_vk.kernels.operators import CASTS, opcodes_of
from dml_vk.kernels.plan import (
    conv,
    depthwise,
    draw,
    fft,
    gather,
    linalg,
    matmul,
    nonzero,
    pool,
    pool_tile,
    radix,
    reduce,
    resample,
    roi,
    rows,
    scan,
    search,
    sort,
)

_COPY_PUSH = index_push(("src_base", "dst_base"), MAX_RANK)
_FILL_PUSH = index_push(("dst_base",), MADE_RANK, (("value", 4),))
_SEQUENCE_PUSH = index_push(
    ("dst_base",), MADE_RANK, (("index_base", 1), ("start", 2), ("delta", 2))
)
_PHILOX_PUSH = index_push(
    ("state_base", "dst_base"), MADE_RANK, (("index_base", 1), ("counter", 4), ("key", 2))
)
_WORDS_32, _WORDS_64 = BY_WORDS["32"], BY_WORDS["64"]
_INTEGER = "sequence_int(i, start, delta)"
_FLOAT = "sequence_float(i, start, delta, {}u, {}u)"

_FLOAT_VARIANTS = ("words_32", "packed_16")
_COMPLEX_VARIANTS = ("words_64", "words_128")
_BOOL_VARIANTS = ("packed_8", "words_32")
# Elementwise kernels: name -> (number of sources, variants by path and bits of a dst element).
COMPUTED = {
    "float_arithmetic": (2, (*_FLOAT_VARIANTS, "tile_32")),
    "float_activation": (2, (*_FLOAT_VARIANTS, "tile_32")),
    "float_compare": (2, _BOOL_VARIANTS),
    "float_exp": (1, _FLOAT_VARIANTS),
    "float_log": (2, _FLOAT_VARIANTS),
    "float_trig": (1, _FLOAT_VARIANTS),
    "float_arc": (2, _FLOAT_VARIANTS),
    "float_erf": (1, _FLOAT_VARIANTS),
    "float_pow": (2, _FLOAT_VARIANTS),
    "int_arithmetic": (2, ("packed_8", "packed_16", "words_32", "tile_32")),
    "int_compare": (2, _BOOL_VARIANTS),
    "long_arithmetic": (2, ("words_64",)),
    "long_compare": (2, _BOOL_VARIANTS),
    "double_arithmetic": (2, ("words_64",)),
    "double_compare": (2, _BOOL_VARIANTS),
    "complex_arithmetic": (2, ("words_64",)),
    "complex_compare": (2, _BOOL_VARIANTS),
    "double_complex_arithmetic": (2, ("words_128",)),
    "double_complex_compare": (2, _BOOL_VARIANTS),
    "double_exp": (1, ("words_64",)),
    "double_log": (2, ("words_64",)),
    "double_trig": (1, ("words_64",)),
    "double_arc": (2, ("words_64",)),
    "double_erf": (1, ("words_64",)),
    "double_pow": (2, ("words_64",)),
    "double_activation": (2, ("words_64",)),
    "double_special": (2, ("words_64", *_FLOAT_VARIANTS)),
    "complex_exp": (1, _COMPLEX_VARIANTS),
    "complex_log": (1, _COMPLEX_VARIANTS),
    "complex_trig": (1, _COMPLEX_VARIANTS),
    "complex_arc": (1, _COMPLEX_VARIANTS),
    "complex_pow": (2, _COMPLEX_VARIANTS),
    "complex_size": (1, ("words_32", "words_64")),
    "cast": (1, ("packed_8", "packed_16", "words_32", "words_64")),
    "where": (3, ("packed_8", "packed_16", "words_32", "words_64", "words_128", "tile_32")),
}
_NATIVE = (
    "float_arithmetic",
    "double_arithmetic",
    "double_activation",
    "complex_arithmetic",
    "double_complex_arithmetic",
)
# Together with those that do not compute operators.
BY_ELEMENT = {**COMPUTED, **finishes.KERNELS}
_OPCODES = {"cast": CASTS, "finish": finishes.OPCODES, "pairs": finishes.PAIRS_OPCODES}


def _computed() -> Iterator[Kernel]:
    """Make one kernel for every path of an elementwise family; all have the same interface."""
    for name, (sources, suffixes) in BY_ELEMENT.items():
        operands = ("a", "b", "c")[:sources]
        bases = (*(f"{operand}_base" for operand in operands), "dst_base")
        constants = ("OP", "BEFORE", "SCALARS", "TYPE", "COMMON", "A_TYPE", "B_TYPE", "C_TYPE")
        scalars = (("scalars", SCALAR_WORDS[sources]),)
        opcodes = _OPCODES.get(name) or opcodes_of(name)
        for path, before in PATH_SPEC.items():
            spec = (*before, *constants[: 5 + sources])
            macros = {
                **opcodes,
                **({"TILE": "1"} if path == "tile" else {}),
                **(native(spec) if name in _NATIVE else {}),
            }
            variants = {
                bits: {**macros, "BITS": bits}
                for of_path, bits in [suffix.split("_") for suffix in suffixes]
                if of_path == path
            }
            if variants:
                yield Kernel(
                    f"{name}_{path}",
                    bindings=(*(f"{operand}_words" for operand in operands), "Dst"),
                    spec=spec,
                    push=index_push(bases, COMPUTED_RANK[sources], scalars, sources),
                    variants=variants,
                    body=name,
                )


_KERNELS = (
    Kernel(
        "copy_words",
        bindings=("Src", "Dst"),
        spec=WORDS_SPEC,
        push=_COPY_PUSH,
        variants=BY_WORDS,
    ),
    Kernel(
        "copy_packed",
        bindings=("Src", "Dst"),
        spec=PACKED_SPEC,
        push=_COPY_PUSH,
        variants=BY_BITS,
    ),
    Kernel(
        "copy_zip",
        bindings=("Src", "Dst"),
        spec=(*INDEX_SPEC, "CHANNELS", "ZIP"),
        push=_COPY_PUSH,
        variants={bits: {"BITS": bits} for bits in ("8", "16", "32")},
    ),
    Kernel(
        "copy_tile",
        bindings=("Src", "Dst"),
        spec=TILE_SPEC,
        push=_COPY_PUSH,
        variants={bits: {"BITS": bits} for bits in ("8", "16", "32", "64")},
    ),
    Kernel(
        "fill_words",
        bindings=("Dst",),
        spec=WORDS_SPEC,
        push=_FILL_PUSH,
        variants=BY_WORDS,
    ),
    Kernel(
        "fill_packed",
        bindings=("Dst",),
        spec=PACKED_SPEC,
        push=_FILL_PUSH,
        variants=BY_BITS,
    ),
    Kernel(
        "sequence_words",
        bindings=("Dst",),
        spec=WORDS_SPEC,
        push=_SEQUENCE_PUSH,
        variants={
            "int32": {**_WORDS_32, "ELEMENT": _INTEGER},
            "int64": {**_WORDS_64, "ELEMENT": _INTEGER},
            "float32": {**_WORDS_32, "ELEMENT": _FLOAT.format(23, 8)},
            "float64": {**_WORDS_64, "ELEMENT": _FLOAT.format(52, 11)},
        },
    ),
    Kernel(
        "sequence_packed",
        bindings=("Dst",),
        spec=PACKED_SPEC,
        push=_SEQUENCE_PUSH,
        variants={
            "int8": {"BITS": "8", "ELEMENT": _INTEGER},
            "int16": {"BITS": "16", "ELEMENT": _INTEGER},
            "float16": {"BITS": "16", "ELEMENT": _FLOAT.format(10, 5)},
        },
    ),
    Kernel(
        "philox_words",
        bindings=("State", "Dst"),
        spec=(*WORDS_SPEC, "FROM_BUFFER"),
        push=_PHILOX_PUSH,
        variants={
            "uint32": {**_WORDS_32, "MAKE": ""},
            "uint64": {**_WORDS_64, "MAKE": ""},
            "float32": {**_WORDS_32, "MAKE": "uniform32"},
            "float64": {**_WORDS_64, "MAKE": "uniform64"},
        },
    ),
    Kernel(
        "philox_packed",
        bindings=("State", "Dst"),
        spec=(*PACKED_SPEC, "FROM_BUFFER"),
        push=_PHILOX_PUSH,
        variants={"float16": {"BITS": "16", "MAKE": "uniform16"}},
    ),
    Kernel(
        "philox_advance",
        bindings=("State", "Dst"),
        writes=("State", "Dst"),
        spec=("LOCAL_SIZE",),
        push=(
            *(("first", 1), ("end", 1), ("state_base", 1), ("dst_base", 1)),
            *(("blocks", 1), ("state_stride", 1), ("dst_stride", 1)),
        ),
        variants={"uint32": {}},
    ),
    Kernel(
        "rounds_check",
        bindings=("Dst",),
        spec=("INNER",),
        push=(("dst_base", 1), ("wanted", 1)),
        variants={"uint32": {}},
    ),
    Kernel(
        "float_check",
        bindings=("a", "b", "c", "Dst"),
        spec=(),
        push=(
            *(("a_base", 1), ("b_base", 1), ("c_base", 1), ("dst_base", 1)),
            *(("count", 1), ("one", 1)),
        ),
        variants={"float32": {}},
    ),
    Kernel(
        "function_check",
        bindings=("a", "b", "Dst"),
        spec=(),
        push=(("a_base", 1), ("b_base", 1), ("dst_base", 1), ("count", 1)),
        variants={"float32": {}},
    ),
    Kernel(
        "integer_check",
        bindings=("Src", "Dst"),
        spec=(),
        push=(("src_base", 1), ("dst_base", 1), ("count", 1)),
        variants={"int64": {}},
    ),
    Kernel(
        "double_check",
        bindings=("Src", "Dst"),
        spec=(),
        push=(("src_base", 1), ("dst_base", 1), ("count", 1)),
        variants={"float64": native(())},
    ),
    Kernel(
        "divide_check",
        bindings=("Src", "Dst"),
        spec=(),
        push=(("src_base", 1), ("dst_base", 1), ("count", 1)),
        variants={"float32": native(())},
    ),
    *_computed(),
    *matmul.KERNELS,
    *conv.KERNELS,
    *depthwise.KERNELS,
    *fft.KERNELS,
    *gather.KERNELS,
    *linalg.KERNELS,
    *nonzero.KERNELS,
    *pool.KERNELS,
    *pool_tile.KERNELS,
    *draw.KERNELS,
    *reduce.KERNELS,
    *resample.KERNELS,
    *rows.KERNELS,
    *roi.KERNELS,
    *scan.KERNELS,
    *search.KERNELS,
    *sort.KERNELS,
    *radix.KERNELS,
)

KERNELS: dict[str, Kernel] = {kernel.name: kernel for kernel in _KERNELS}
# Modules that have the constant NATIVE.
NATIVE_MODULES = frozenset(
    module
    for kernel in _KERNELS
    for module, macros in kernel.modules.items()
    if NATIVE_SPEC in macros
)
# All operators of the others depend on it, or may.
_DIVIDING = "DIVIDE", "FLOOR_DIVIDE", "SQRT", "RECIPROCAL"
_DIVIDES = frozenset({int(opcodes_of("float_arithmetic")[name]) for name in _DIVIDING})


def checks_of(module: str, computed: Ints) -> tuple[str, ...]:
    """Whose operations of a device a module depends on: dtypes for runtime/native_check.py.

    `computed` are its constants from the opcode on, if it is of an elementwise kernel.
    """
    if module not in NATIVE_MODULES:
        return ()
    if module.startswith("float_"):
        return ("float32",) if computed[0] in _DIVIDES else ()
    return ("float64",)


def constants_from_op(module: str, spec: Ints) -> Ints:
    """Those of the constants of a module that begin with an opcode, if it has one."""
    kernel = KERNELS.get(module.rpartition("_")[0])
    names = () if kernel is None else kernel.spec
    return spec[names.index("OP") :] if "OP" in names else ()
