"""Mutants of ONNX models, and of arrays over chunks."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

_ONNX = "dml_vk/onnx"
_DASK = "dml_vk/dask"
_MODELS = "tests/kernel/onnx"
_CHUNKS = "tests/kernel/dask"

MUTANTS = (
    Mutant(
        "onnx-group-norm-of-opset-21",
        "scale and bias of opset 21 are taken for those of groups",
        f"{_ONNX}/operators/normalizations.py",
        "    if node.opset < 21:\n        each =",
        "    if node.opset <= 21:\n        each =",
        (f"{_MODELS}/test_operators.py",),
        options=("-k", "group_norm"),
    ),
    Mutant(
        "onnx-reshape-of-zeros",
        "a 0 in a new shape keeps a size also where zeros are allowed",
        f"{_ONNX}/operators/shapes.py",
        'keeps = not node.get("allowzero", 0)',
        "keeps = True",
        (f"{_MODELS}/test_operators.py",),
        options=("-k", "reshape"),
    ),
    Mutant(
        "onnx-peephole-of-the-output",
        "the output gate of an LSTM looks at the cell of the step before",
        "dml_vk/nn/recurrence.py",
        "cell = add(multiply(forget, cell), multiply(enter, inner))\n"
        "        leave = f(_bounded(bounded, seen(leave, cell, 1)))",
        "leave = f(_bounded(bounded, seen(leave, cell, 1)))\n"
        "        cell = add(multiply(forget, cell), multiply(enter, inner))",
        (f"{_MODELS}/test_operators.py",),
        options=("-k", "lstm"),
    ),
    Mutant(
        "onnx-clip-of-a-cell",
        "the clip of a recurrent layer does not hold for the reset gate's product",
        "dml_vk/nn/recurrence.py",
        "inner = g(_bounded(bounded, add(products[:, 2 * size :], product)))",
        "inner = g(add(products[:, 2 * size :], product))",
        (f"{_MODELS}/test_values.py",),
    ),
    Mutant(
        "onnx-integers-of-four-bits",
        "small integers of an odd number lack the last byte",
        f"{_ONNX}/constants.py",
        "_check_bytes(what, name, shape, raw.size, -(-count // _PER_BYTE[kind]))",
        "_check_bytes(what, name, shape, raw.size, count // _PER_BYTE[kind])",
        (
            f"{_MODELS}/test_values.py",
            f"{_MODELS}/test_hostile.py",
        ),
    ),
    Mutant(
        "onnx-quantized-to-four-bits",
        "the limits of a zero point of 4 bits are those of its byte",
        f"{_ONNX}/narrow.py",
        '        if node.op == "QuantizeLinear" and len(marks) > 2 and marks[2]:',
        "        if False:",
        (f"{_MODELS}/test_values.py",),
    ),
    Mutant(
        "onnx-folded-although-used",
        "a convolution whose result is an output as well takes in the activation after it",
        f"{_ONNX}/fold_norms.py",
        "    uses.update(output.name for output in graph.outputs)\n",
        "",
        (f"{_MODELS}/test_models.py",),
    ),
    Mutant(
        "onnx-quotients-on-the-host",
        "quotients of shapes are rounded down instead of towards zero",
        f"{_ONNX}/operators/on_host.py",
        "np.asarray((x - np.fmod(x, y)) // y)",
        "np.asarray(x // y)",
        (f"{_MODELS}/test_on_host.py",),
    ),
    Mutant(
        "onnx-random-constants",
        "random numbers without inputs are drawn once, when a model is loaded",
        f"{_ONNX}/folding.py",
        "if node.operator is None or node.operator.is_random or any(node.graphs):",
        "if node.operator is None or any(node.graphs):",
        (f"{_MODELS}/test_values.py", f"{_MODELS}/test_models.py"),
    ),
    Mutant(
        "onnx-column-major-indexes",
        "indexes in the other storage order count by the sizes of the wrong dims",
        f"{_ONNX}/operators/pools.py",
        "for own, size in zip(reversed(along), spatial):",
        "for own, size in zip(reversed(along), reversed(spatial)):",
        (f"{_MODELS}/test_values.py",),
    ),
    Mutant(
        "dask-order-of-nodes",
        "nodes of different levels are joined in the order of their numbers",
        f"{_DASK}/sums.py",
        "key=lambda node: node.number << node.level)",
        "key=lambda node: node.number)",
        (f"{_CHUNKS}/test_sums.py::test_any_chunks_and_axes",),
    ),
    Mutant(
        "dask-mean-of-float16",
        "the means that variances of float16 are made with are rounded to float16",
        f"{_DASK}/statistics.py",
        "means = _divided(x, axes, count, wide, True)",
        "means = _divided(x, axes, count, kind.part, True)",
        (f"{_CHUNKS}/test_sums.py::test_means_of_float16_stay_wide",),
    ),
    Mutant(
        "dask-words-of-a-draw",
        "a draw of numbers of two words each advances the stream by half",
        f"{_DASK}/random.py",
        "state = self._next(blocks_of(layout.numel * draw.words))",
        "state = self._next(blocks_of(layout.numel))",
        (f"{_CHUNKS}/test_random.py",),
    ),
    Mutant(
        "dask-place-within-a-block",
        "a chunk that begins within a block of random words takes the wrong ones of two",
        "dml_vk/ops/excerpts.py",
        "yield target, blocks, word // words",
        "yield target, blocks, word",
        ("tests/kernel/random/test_excerpts.py", f"{_CHUNKS}/test_random.py"),
    ),
    Mutant(
        "dask-format-of-a-file",
        "an array of zarr does not note the memory format of what was written",
        f"{_DASK}/zarr_files.py",
        "    if memory_format is not None:\n",
        "    if memory_format is None:\n",
        (f"{_CHUNKS}/test_chunks.py::test_zarr_keeps_formats_and_refuses_what_it_cannot_hold",),
    ),
    Mutant(
        "dask-runs-of-single-dims",
        "a reduced axis of several chunks inside of a split one is not rechunked",
        f"{_DASK}/sums.py",
        "before = [axis for axis in axes if splits and axis < splits[-1]]",
        "before = [axis for axis in axes if splits and axis < splits[0]]",
        (f"{_CHUNKS}/test_sums.py::test_any_chunks_and_axes",),
    ),
)
