"""Mutants of compiled functions: their memory, order, fused kernels and signatures."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

_COMPILER = "dml_vk/compiler"
_TESTS = "tests/kernel/compiler"

MUTANTS = (
    Mutant(
        "sharing-on-the-same-level",
        "a temporary takes the memory of another one on the level of its last use",
        f"{_COMPILER}/passes/memory.py",
        "            or span.last < new.first\n",
        "            or span.last <= new.first\n",
        (f"{_TESTS}/test_sharing.py",),
    ),
    Mutant(
        "sharing-beyond-a-small-block",
        "the memory of a temporary does not grow with a larger one that takes it",
        f"{_COMPILER}/passes/memory.py",
        "blocks[number].nbytes = max(blocks[number].nbytes, nbytes)",
        "blocks[number].nbytes = blocks[number].nbytes",
        (f"{_TESTS}/test_sharing.py",),
    ),
    Mutant(
        "sharing-with-another-reader",
        "a launch writes over what it reads although another one reads it on the same level",
        f"{_COMPILER}/passes/memory.py",
        "if users[target, at] == users[source, at] == 1",
        "if users[target, at] == 1",
        (f"{_TESTS}/test_sharing.py::test_what_others_read_is_not_overwritten",),
    ),
    Mutant(
        "sharing-small-elements-in-place",
        "elements of shared words are written over others that are read there",
        f"{_COMPILER}/passes/aliasing.py",
        "if not isinstance(plan, Plan) or plan.shares_words:",
        "if not isinstance(plan, Plan):",
        ("tests/kernel/ops/test_fused_parts.py", f"{_TESTS}/test_sharing.py"),
    ),
    Mutant(
        "aliasing-of-other-launches",
        "a launch may read what another that is part of it writes",
        f"{_COMPILER}/passes/aliasing.py",
        "    return len(groups) == 1 and all(",
        "    return len(groups) > 0 or all(",
        (f"{_TESTS}/test_read_twice.py",),
    ),
    Mutant(
        "refusals-that-are-caught",
        "a function that catches an error about values is compiled as it went on",
        f"{_COMPILER}/first_call.py",
        "        if capture.refusal is not None:  # The function went on with something else.",
        "        if False:",
        (f"{_TESTS}/test_what_cannot_be_captured.py",),
    ),
    Mutant(
        "numbers-of-functions-that-look-at-classes",
        "type(s) of a number is that of a placeholder",
        f"{_COMPILER}/first_call.py",
        "        if not looks_at_classes(self.function):",
        "        if True:",
        (f"{_TESTS}/test_what_cannot_be_captured.py",),
    ),
    Mutant(
        "writes-before-an-error",
        "what a function wrote before it failed at its first call is lost",
        f"{_COMPILER}/first_call.py",
        "            self._program(inputs, None, ()).run(self.tensors, self.memory, inputs.values)",
        "            pass",
        (f"{_TESTS}/test_what_cannot_be_captured.py",),
    ),
    Mutant(
        "generators-without-a-seed",
        "a generator that is made in a function draws the same numbers at each call",
        "dml_vk/random.py",
        "        self._is_begun = key is not None or seed is not None or not is_captured()",
        "        self._is_begun = True",
        (f"{_TESTS}/test_what_cannot_be_captured.py",),
    ),
    Mutant(
        "liveness-of-checks",
        "what only a check reads is not computed",
        f"{_COMPILER}/passes/liveness.py",
        "            wanted |= slots_of(step)",
        "            wanted |= slots_of(step) if isinstance(step, Work) else set()",
        (f"{_TESTS}/test_checks.py", f"{_TESTS}/test_compiled.py"),
    ),
    Mutant(
        "fusion-write-after-read",
        "a step that writes what an earlier one reads need not wait for it",
        f"{_COMPILER}/passes/fuse.py",
        "return (self.writes or other.writes) and not apart",
        "return other.writes and not apart",
        (
            f"{_TESTS}/test_compiled.py",
            f"{_TESTS}/test_random_programs.py",
        ),
    ),
    Mutant(
        "fusion-of-shared-words",
        "a chain in place reads words that another invocation writes",
        f"{_COMPILER}/passes/fuse.py",
        "if chained is None or plan is None or (plan.shares_words and _is_in_place(chained)):",
        "if chained is None or plan is None:",
        (
            "tests/kernel/ops/test_fused_parts.py::"
            "test_words_that_one_invocation_reads_and_another_writes_are_in_kernels_of_their_own",
        ),
    ),
    Mutant(
        "inlining-past-a-check",
        "a chain that writes a tensor from outside waits until after a check",
        f"{_COMPILER}/passes/inline.py",
        "if end < start or (checks and any(access.writes for access in own)):",
        "if end < start:",
        (
            f"{_TESTS}/test_scans_and_readers.py::"
            "test_what_is_written_before_a_check_is_there_if_it_fails",
        ),
    ),
    Mutant(
        "inlining-what-the-kernel-writes",
        "a chain becomes part of a kernel that writes another thing that the chain reads",
        f"{_COMPILER}/passes/inline.py",
        "            for other in (*between, *accesses_of(later))\n",
        "            for other in (*between, *[one for one in accesses_of(later) if one.writes])\n",
        (f"{_TESTS}/test_read_twice.py",),
    ),
    Mutant(
        "inlining-what-is-written-between",
        "a chain moves to its reader past a step that writes what it reads",
        f"{_COMPILER}/passes/inline.py",
        "            and (access.writes or other.writes)\n",
        "            and one.writes\n",
        (
            f"{_TESTS}/test_inlining.py",
            f"{_TESTS}/test_scans_and_readers.py::"
            "test_what_is_written_before_one_of_the_readers_stays_as_it_was",
        ),
    ),
    Mutant(
        "donation-of-memory-in-use",
        "a donated argument gives its memory although another tensor sees it",
        f"{_COMPILER}/donation.py",
        "{position for position in places if _references(memory, position) == _ALONE}",
        "{place for place in places if _references(memory, place) >= _ALONE}",
        (f"{_TESTS}/test_donation.py",),
    ),
    Mutant(
        "donation-that-numpy-holds",
        "a donated argument gives its memory although NumPy holds it",
        f"{_COMPILER}/donation.py",
        "[number for number in numbers if not _is_exported(memory[shares[number]])]",
        "[*numbers]",
        (f"{_TESTS}/test_donation.py",),
    ),
    Mutant(
        "signature-of-zeros",
        "0.0 and -0.0 among static arguments have one program",
        f"{_COMPILER}/trees.py",
        "        return value.hex()\n",
        "        return value\n",
        (f"{_TESTS}/test_exact_arguments.py", f"{_TESTS}/test_signatures.py"),
    ),
    Mutant(
        "signature-of-one-tensor-twice",
        "one tensor that is given twice has the program of two over the same memory",
        f"{_COMPILER}/compiled.py",
        "        if len(memory) < len(tensors):\n",
        "        if len(memory) > len(tensors):\n",
        (f"{_TESTS}/test_signatures.py",),
    ),
    Mutant(
        "signature-of-exactness",
        "a program is repeated as it was made, whether results must be exact or not",
        f"{_COMPILER}/compiled.py",
        "parts: list[object] = [settings.exact, settings.debug_nans]",
        "parts: list[object] = [settings.debug_nans]",
        ("tests/kernel/ops/test_inexact.py", f"{_TESTS}/test_compiled.py"),
    ),
    Mutant(
        "constant-that-is-returned",
        "what the host gives and a function returns is the same memory at each call",
        f"{_COMPILER}/passes/constants.py",
        "if not (slot in changes or slot in returned or slot < capture.arguments):",
        "if not (slot in changes or slot < capture.arguments):",
        (f"{_TESTS}/test_compiled.py",),
    ),
    Mutant(
        "program-recorded-for-other-places",
        "a program that was recorded for an arena is repeated wherever its memory lies there",
        f"{_COMPILER}/program.py",
        "            where += (allocation.arena, allocation.offset)",
        "            where += (allocation.arena,)",
        (f"{_TESTS}/test_compiled.py", f"{_TESTS}/test_programs.py"),
    ),
    Mutant(
        "layout-copy-of-what-was-written",
        "a copy in another format is used again after its tensor was written to",
        f"{_COMPILER}/passes/conversions.py",
        "                if writes:\n                    self._of(slot).others.clear()\n",
        "                if writes and slot < 0:\n"
        "                    self._of(slot).others.clear()\n",
        (f"{_TESTS}/test_layout.py::test_a_copy_of_what_was_written_to_is_made_anew",),
    ),
)
