"""Mutants of what reads, folds, fuses and makes SPIR-V, and of kernels that are kept on disk."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

_SPIRV, _CODEGEN = "dml_vk/spirv", "dml_vk/kernels/codegen"
_PASSES, _UNIT = f"{_SPIRV}/passes", "tests/unit/spirv"

MUTANTS = (
    Mutant(
        "fold-store-to-a-part",
        "a store to a part of a variable leaves what is known of the whole",
        f"{_PASSES}/stores.py",
        "return a[:shared] == b[:shared]",
        "return a == b",
        (f"{_UNIT}/passes/test_stores.py", "tests/kernel/test_folding.py"),
    ),
    Mutant(
        "fold-what-a-call-stores",
        "what a function stores in private variables is not forgotten after its call",
        f"{_PASSES}/fold.py",
        "        stores.forget(state, changed)\n",
        "",
        (f"{_UNIT}/passes/test_fold.py", "tests/kernel/test_folding.py"),
    ),
    Mutant(
        "fold-what-a-loop-calls",
        "what functions that a loop calls store is taken for known in the loop",
        f"{_PASSES}/control_flow.py",
        "        if calls:\n            stores.forget(self.state, self.all.private)\n",
        "",
        (f"{_UNIT}/passes/test_fold_loops.py", "tests/kernel/test_folding.py"),
    ),
    Mutant(
        "unroll-phis-in-turn",
        "an iteration of an unrolled loop begins with values of its own",
        f"{_PASSES}/control_flow.py",
        """            values = [self._phi(phi, edges) for phi in block.phis]
            self.env.update(zip((phi[2] for phi in block.phis), values))
""",
        """            for phi in block.phis:
                self.env[phi[2]] = self._phi(phi, edges)
""",
        (f"{_UNIT}/passes/test_fold_loops.py", "tests/kernel/test_folding.py"),
    ),
    Mutant(
        "unroll-past-an-unknown-end",
        "a loop whose end is not known is unrolled",
        f"{_PASSES}/control_flow.py",
        "        if not self._unrolled.keys().isdisjoint(labels):\n"
        "            raise _NotUnrolledError\n",
        "",
        (f"{_UNIT}/passes/test_fold_loops.py", "tests/kernel/test_folding.py"),
    ),
    Mutant(
        "fold-quotients-of-negatives",
        "quotients of signed constants are rounded down instead of towards zero",
        f"{_SPIRV}/integers.py",
        "return -(abs(x) // abs(y)) if (x < 0) != (y < 0) else abs(x) // abs(y)",
        "return x // y",
        (f"{_UNIT}/test_integers.py",),
    ),
    Mutant(
        "fold-shift-by-32",
        "a shift by 32 bits, which is undefined, is computed",
        f"{_SPIRV}/integers.py",
        "if opcode in _SHIFTS and operands[1] < 32:",
        "if opcode in _SHIFTS and operands[1] <= 32:",
        (f"{_UNIT}/test_integers.py",),
    ),
    Mutant(
        "fuse-products-of-two-sums",
        "a product that several sums need is fused with one, and gone for the other",
        f"{_PASSES}/fma.py",
        "            if counts[product] == 2:",
        "            if counts[product] >= 2:",
        (f"{_UNIT}/passes/test_fma.py",),
    ),
    Mutant(
        "unroll-marks-of-the-last-loop",
        "a loop that a driver must not unroll keeps its mark if it has others",
        f"{_PASSES}/unroll.py",
        "changed[at + _CONTROL] = 0",
        "changed[at + _CONTROL] &= 1",
        (f"{_UNIT}/passes/test_unroll.py",),
    ),
    Mutant(
        "widen-arrays-of-parts",
        "arrays of whose elements parts are accessed become 64-bit integers, too",
        f"{_PASSES}/widen.py",
        "in blocks and len(line) != _TO_ELEMENT:",
        "in blocks and len(line) > _TO_ELEMENT + 1:",
        (f"{_UNIT}/passes/test_widen.py", "tests/kernel/ops/test_fft.py"),
    ),
    Mutant(
        "chain-elements-ahead",
        "units of a row that starts within a word begin at another element than they should",
        f"{_CODEGEN}/chained.py",
        "ahead = number(op.U_MOD, back, main.constant(recipe.ahead + 1))",
        "ahead = number(op.U_MOD, back, main.constant(recipe.ahead or 1))",
        ("tests/kernel/ops/test_fused_parts.py",),
    ),
    Mutant(
        "chain-carry-of-coordinates",
        "elements that follow each other across the end of a dim keep its index",
        f"{_CODEGEN}/chained.py",
        "more[-1] = main.make(op.SELECT, main.uint, carry, main.constant(0), more[-1])",
        "pass",
        ("tests/kernel/ops/test_fused.py::test_layouts",),
    ),
    Mutant(
        "inlined-start",
        "a chain counts its index from the other side of where a kernel starts",
        f"{_CODEGEN}/inlined.py",
        "self.constant(-inlined.start)",
        "self.constant(inlined.start)",
        ("tests/kernel/compiler/test_before.py::test_before",),
    ),
    Mutant(
        "chain-negative-of-a-nan",
        "a driver may subtract instead of adding a negative, which gives another NaN",
        f"{_CODEGEN}/node_functions.py",
        "        return spec[0] == _NEGATIVE\n",
        "        return False\n",
        ("tests/kernel/compiler/test_nan.py",),
    ),
    Mutant(
        "saved-without-code",
        "a kernel on disk stands for that of another version of the code",
        f"{_CODEGEN}/kernel_cache.py",
        "parts = (_code(), asked, [(module, _content(module)) for module in modules])",
        "parts = (asked, [(module, _content(module)) for module in modules])",
        ("tests/unit/kernels/codegen/test_kernel_cache.py",),
    ),
    Mutant(
        "saved-without-fused",
        "a kernel whose products are fused and one whose are not have one name on disk",
        "dml_vk/runtime/pipelines.py",
        "ways = self._widens, self._unrolls, key.fma",
        "ways = self._widens, self._unrolls",
        (
            "tests/unit/kernels/codegen/test_kernel_cache.py",
            f"{_UNIT}/passes/test_fma.py",
            "tests/kernel/ops/test_inexact.py",
        ),
    ),
    Mutant(
        "cache-file-of-another-name",
        "a file of the cache that was renamed is taken for what the new name stands for",
        "dml_vk/cache_files.py",
        'hashlib.sha256(path.name.encode() + b"\\n" + data)',
        "hashlib.sha256(data)",
        ("tests/unit/test_cache_files.py",),
    ),
)
