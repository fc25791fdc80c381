"""The registry of all kernels.

It repeats interfaces that the GLSL declares; a test compares it with the built SPIR-V.
"""

from __future__ import annotations

from dml_vk.arguments import Ints
from dml_vk.kernels import elementwise
from dml_vk.kernels.kernel import NATIVE_SPEC, Kernel, by_name, native
from dml_vk.kernels.operators import OPERATORS
from dml_vk.kernels.plan import (
    conv,
    copy,
    depthwise,
    doubling,
    draws,
    fft,
    fill,
    gather,
    linalg,
    matmul,
    nonzero,
    offsets,
    philox,
    pool,
    pool_tile,
    radix,
    reduce,
    resample,
    roi,
    rows,
    scan,
    scatter,
    search,
    segments,
    sequence,
    sort,
)

_CHECK = "its result is no tensor"
_KERNELS = (
    Kernel(
        "rounds_check",
        inlines=_CHECK,
        rests=(),
        bindings=("Dst",),
        spec=("INNER",),
        push=(("dst_base", 1), ("wanted", 1)),
        variants={"uint32": {}},
    ),
    Kernel(
        "float_check",
        inlines=_CHECK,
        rests=(),
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
        inlines=_CHECK,
        rests=(),
        bindings=("a", "b", "Dst"),
        spec=(),
        push=(("a_base", 1), ("b_base", 1), ("dst_base", 1), ("count", 1)),
        variants={"float32": {}},
    ),
    Kernel(
        "integer_check",
        inlines=_CHECK,
        rests=(),
        bindings=("Src", "Dst"),
        spec=(),
        push=(("src_base", 1), ("dst_base", 1), ("count", 1)),
        variants={"int64": {}},
    ),
    Kernel(
        "double_check",
        inlines=_CHECK,
        rests=(),
        bindings=("Src", "Dst"),
        spec=(),
        push=(("src_base", 1), ("dst_base", 1), ("count", 1)),
        variants={"float64": native(())},
    ),
    Kernel(
        "divide_check",
        native="float32",
        inlines=_CHECK,
        rests=(),
        bindings=("Src", "Dst"),
        spec=(),
        push=(("src_base", 1), ("dst_base", 1), ("count", 1)),
        variants={"float32": native(())},
    ),
    *copy.KERNELS,
    *fill.KERNELS,
    *sequence.KERNELS,
    *philox.KERNELS,
    *draws.KERNELS,
    *elementwise.KERNELS,
    *matmul.KERNELS,
    *conv.KERNELS,
    *depthwise.KERNELS,
    *doubling.KERNELS,
    *fft.KERNELS,
    *gather.KERNELS,
    *scatter.KERNELS,
    *linalg.KERNELS,
    *nonzero.KERNELS,
    *offsets.KERNELS,
    *pool.KERNELS,
    *pool_tile.KERNELS,
    *reduce.KERNELS,
    *resample.KERNELS,
    *rows.KERNELS,
    *roi.KERNELS,
    *scan.KERNELS,
    *search.KERNELS,
    *segments.KERNELS,
    *sort.KERNELS,
    *radix.KERNELS,
)

KERNELS = by_name(_KERNELS)
# By the names of their modules.
OF_MODULES = {module: kernel for kernel in _KERNELS for module in kernel.modules}
# Modules that have the constant NATIVE.
NATIVE_MODULES = frozenset(
    module
    for kernel in _KERNELS
    for module, macros in kernel.modules.items()
    if NATIVE_SPEC in macros
)
# All operators of the others depend on it, or may.
_DIVIDING = frozenset({operator.code for operator in OPERATORS.values() if operator.divides})


def checks_of(module: str, computed: Ints) -> tuple[str, ...]:
    """Whose operations of a device a module depends on: dtypes for runtime/native_check.py.

    `computed` are its constants from the opcode on, if it is of an elementwise kernel.
    """
    if module not in NATIVE_MODULES:
        return ()
    dtype = OF_MODULES[module].native
    return () if dtype == "float32" and not _DIVIDING.issuperset(computed[:1]) else (dtype,)


def constants_from_op(module: str, spec: Ints) -> Ints:
    """Those of the constants of a module that begin with an opcode, if it has one."""
    kernel = KERNELS.get(module.rpartition("_")[0])
    names = () if kernel is None else kernel.spec
    return spec[names.index("OP") :] if "OP" in names else ()
