"""Mutants of memory, of the order of work, and of both runtimes."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

_RUNTIME = "dml_vk/runtime"
_UNIT = "tests/unit/runtime"
_KERNEL = "tests/kernel"

MUTANTS = (
    Mutant(
        "hazard-write-after-read",
        "a write to a range that is known does not wait for what reads it",
        f"{_RUNTIME}/hazards.py",
        "            if access.writes and known.read > after:\n",
        "            if access.writes and known.read > after + 1:\n",
        (f"{_UNIT}/test_hazards.py", f"{_UNIT}/test_queue.py"),
    ),
    Mutant(
        "hazard-of-joined-segments",
        "pieces that become one segment keep only the last write of the last piece",
        f"{_RUNTIME}/hazards.py",
        "        wrote = max([segment.wrote for segment in touched])\n",
        "        wrote = touched[-1].wrote\n",
        (f"{_UNIT}/test_hazards.py",),
    ),
    Mutant(
        "arena-range-without-its-size",
        "memory of any size goes on in the range that was freed last",
        f"{_RUNTIME}/arenas.py",
        "                and arena.free.taken.get(note.offset) == size\n",
        "",
        (f"{_UNIT}/test_arenas.py",),
    ),
    Mutant(
        "graph-alone-after-all",
        "what must run alone has later work on its level",
        f"{_RUNTIME}/graph.py",
        "            self.end = level + 1\n        if is_alone:\n",
        "            self.end = level + 1\n        if is_alone and level > self.end:\n",
        (f"{_UNIT}/test_queue_validated.py",),
    ),
    Mutant(
        "schedule-barriers-of-neighbours",
        "no barrier stands between levels that follow each other directly",
        f"{_RUNTIME}/schedule.py",
        "        if due.level != level:",
        "        if due.level > level + 1:",
        (f"{_UNIT}/test_queue.py",),
    ),
    Mutant(
        "free-list-neighbour-above",
        "a range that becomes free is not merged with the free one above it",
        f"{_RUNTIME}/free_list.py",
        "        if start + nbytes in self._sizes:\n"
        "            nbytes += self._remove(start + nbytes)\n",
        "",
        (f"{_UNIT}/test_free_list.py",),
    ),
    Mutant(
        "arena-pipelines-of-the-released",
        "what is bound to an arena stays when the arena goes",
        f"{_RUNTIME}/arenas.py",
        "                self._forget(arena)\n",
        "",
        (f"{_UNIT}/test_arenas.py", f"{_KERNEL}/runtime/test_device.py"),
    ),
    Mutant(
        "arena-limit-of-one",
        "a memory limit holds for each arena and not for all together",
        f"{_RUNTIME}/arenas.py",
        "if self.limit is not None and self.held + nbytes > self.limit:",
        "if self.limit is not None and nbytes > self.limit:",
        (f"{_UNIT}/test_arenas.py", f"{_KERNEL}/runtime/test_device.py"),
    ),
    Mutant(
        "queue-settle-too-early",
        "the host does not wait for a batch whose first level writes what it reads",
        f"{_RUNTIME}/queue.py",
        "if last >= self._sent[count - 1].graph.first:",
        "if last > self._sent[count - 1].graph.first:",
        (f"{_UNIT}/test_queue.py",),
    ),
    Mutant(
        "queue-bar-written-too-early",
        "the host writes memory of a card that the first level of pending work still uses",
        f"{_RUNTIME}/queue.py",
        "return self._last_level(allocation, True) < pending.graph.first",
        "return self._last_level(allocation, True) <= pending.graph.first",
        (f"{_KERNEL}/runtime/test_bar.py",),
        {"DML_VK_RUNTIME": "vulkan"},
    ),
    Mutant(
        "queue-full-batches",
        "a batch of many short operations is not sent before it takes long",
        f"{_RUNTIME}/queue.py",
        "if count > MAX_OPERATIONS or graph.ns > MAX_BATCH_NS:",
        "if count > MAX_OPERATIONS and graph.ns > MAX_BATCH_NS:",
        (f"{_UNIT}/test_queue.py",),
    ),
    Mutant(
        "queue-lent-results",
        "work on memory that others hold is only done at once if they hold its first operand",
        f"{_RUNTIME}/queue.py",
        "        else:  # as in `_place`, whose call each operation would pay for\n"
        "            graph.add(encoded, accesses)\n"
        "        if Exports.alive and any("
        "access.arena.exports.has(access.start) for access in accesses):",
        "        else:  # as in `_place`, whose call each operation would pay for\n"
        "            graph.add(encoded, accesses)\n"
        "        if Exports.alive and any("
        "access.arena.exports.has(access.start) for access in accesses[:1]):",
        (f"{_KERNEL}/tensor/test_lent_memory.py",),
    ),
    Mutant(
        "transfer-chunks-of-uploads",
        "each chunk of a large upload is written to where the first one begins",
        f"{_RUNTIME}/transfer.py",
        "with written(device, allocation, start + at, chunk.size) as view:",
        "with written(device, allocation, start, chunk.size) as view:",
        (f"{_KERNEL}/runtime/test_device.py::test_more_than_a_chunk_of_staging",),
    ),
    Mutant(
        "transfer-staged-start",
        "a download through staging begins at the start of the memory",
        f"{_RUNTIME}/transfer.py",
        "_copy(device, (allocation, start + at), (staging, 0), size)",
        "_copy(device, (allocation, at), (staging, 0), size)",
        (f"{_KERNEL}/tensor/test_core.py", f"{_KERNEL}/test_buffer.py"),
        {"DML_VK_MEMORY": "staged", "DML_VK_RUNTIME": "vulkan"},
    ),
    Mutant(
        "encode-params-of-the-last-call",
        "a plan on the same memory with other params is the dispatch of the last ones",
        f"{_RUNTIME}/encode.py",
        "key: list[object] = [plan, params]",
        "key: list[object] = [plan]",
        (f"{_UNIT}/test_queue.py", f"{_KERNEL}/array/test_calls.py"),
    ),
    Mutant(
        "encode-long-copies",
        "each part of a copy that takes long is made of its first bytes",
        f"{_RUNTIME}/encode.py",
        "starts = [access.base + at + first for access, at in zip(accesses, offsets)]",
        "starts = [access.base + at for access, at in zip(accesses, offsets)]",
        (f"{_UNIT}/test_queue.py",),
    ),
    Mutant(
        "encode-units-that-go-together",
        "work items that must be in one range are split between dispatches",
        f"{_RUNTIME}/encode.py",
        "return max(plan.together, step // plan.together * plan.together)",
        "return step",
        (f"{_KERNEL}/ops/test_matmul.py::test_shared_rows_in_several_dispatches",),
    ),
    Mutant(
        "pipelines-of-other-arenas",
        "pipelines stay bound to an arena that is gone if it is not their first",
        f"{_RUNTIME}/pipelines.py",
        "for arenas in [arenas for arenas in cached.bound if arena in arenas]:",
        "for arenas in [arenas for arenas in cached.bound if arena is arenas[0]]:",
        (f"{_UNIT}/test_queue.py",),
    ),
    Mutant(
        "kompute-waits-once",
        "a wait ends after a while, whether the work is done or not",
        f"{_RUNTIME}/kompute.py",
        "        while ticket.is_running():",
        "        if ticket.is_running():",
        (f"{_KERNEL}/runtime/test_kompute.py", f"{_KERNEL}/runtime/test_contract.py"),
    ),
    Mutant(
        "vulkan-no-barriers",
        "barriers between levels are not recorded",
        f"{_RUNTIME}/vulkan/recording.py",
        "                barrier(buffer, *between)\n",
        "                pass\n",
        (f"{_UNIT}/test_vulkan_order.py",),
        {"DML_VK_RUNTIME": "vulkan"},
    ),
    Mutant(
        "vulkan-narrow-barriers",
        "a barrier between kernels alone stands where a fill is before it, too",
        f"{_RUNTIME}/vulkan/recording.py",
        "    return _BETWEEN if kinds & {Copy, Fill} else _BETWEEN_KERNELS\n",
        "    return _BETWEEN_KERNELS\n",
        (f"{_UNIT}/test_vulkan_order.py",),
        {"DML_VK_RUNTIME": "vulkan"},
    ),
    Mutant(
        "pinned-from-the-word",
        "what is read into pinned memory begins at a whole word",
        "dml_vk/tensor/host.py",
        "access(view, False).base - view.allocation.offset, out)",
        "access(view, False).low - view.allocation.offset, out)",
        ("tests/kernel/tensor/test_pinned.py",),
    ),
    Mutant(
        "vulkan-fence-of-a-repeat",
        "a submission that is repeated has a fence that is signalled already",
        f"{_RUNTIME}/vulkan/recording.py",
        "        ticket.slot.reset()\n        return ticket\n",
        "        return ticket\n",
        (f"{_KERNEL}/runtime/test_contract.py", f"{_KERNEL}/compiler/test_compiled.py"),
        {"DML_VK_RUNTIME": "vulkan"},
    ),
    Mutant(
        "gate-twice",
        "a thread that is inside is let in again, as a finalizer that interrupts it would be",
        f"{_RUNTIME}/gate.py",
        "        if self._is_owned():",
        "        if self._is_owned() and self.refuses:",
        (f"{_UNIT}/test_gate.py", f"{_UNIT}/test_interrupts.py"),
    ),
    Mutant(
        "recovery-keeps-nothing",
        "work that an interrupt left is dropped although somebody holds its results",
        f"{_RUNTIME}/queue.py",
        "batch.held = batch.held or {arena: {*arena.live} for arena in self._hazards}",
        "batch.held = batch.held or {arena: set() for arena in self._hazards}",
        (f"{_UNIT}/test_interrupts.py",),
    ),
)
