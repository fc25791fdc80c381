"""Constants and push words of a kernel, from their names."""

from __future__ import annotations

import pytest

from dml_vk.kernels.kernel import READS, WRITES, Kernel, index_push, of_dims
from dml_vk.kernels.plan.base import BASES, END, FIRST
from dml_vk.kernels.registry import KERNELS
from dml_vk.runtime.arithmetic import TEXTS

KERNEL = Kernel(
    "made_up",
    bindings=("Src", "Dst"),
    spec=("LOCAL_SIZE", "STRIDE_0", "STRIDE_1"),
    push=index_push(("src_base", "dst_base"), 2, (("offset", 1), ("scalars", 2), ("key", 2))),
    params=("key",),
)
INDEX = {"whole": 5, "groups": 1, "extent": 9, "sizes": (2, 3), "strides": (3, 1, -1, 2)}


def test_constants_come_in_the_kernels_order():
    values = {**of_dims("STRIDE", (7, -1)), "LOCAL_SIZE": 64}
    assert KERNEL.constants(values) == (64, 7, 2**32 - 1)


def test_push_words_come_in_the_kernels_order_without_those_of_launches():
    block = KERNEL.words(6, {"scalars": (8, 9), "offset": -2, **INDEX})
    assert (block[FIRST], block[END]) == (0, 6)
    assert block[BASES : BASES + 2] == (0, 0)
    assert block[BASES + 2 :] == (5, 1, 9, 2, 3, 3, 1, 2**32 - 1, 2, 2**32 - 2, 8, 9)
    assert len(block) + 2 == KERNEL.push_words


@pytest.mark.parametrize(
    ("values", "missing", "unknown"),
    [
        ({"LOCAL_SIZE": 64, "STRIDE_0": 1}, ["STRIDE_1"], []),
        ({"LOCAL_SIZE": 64, **of_dims("STRIDE", (1, 2, 3))}, [], ["STRIDE_2"]),
        ({"LOCAL_SIZES": 64, **of_dims("STRIDE", (1, 2))}, ["LOCAL_SIZE"], ["LOCAL_SIZES"]),
    ],
)
def test_constants_that_are_missing_or_unknown_are_refused(values, missing, unknown):
    with pytest.raises(ValueError, match=r"^made_up: constants") as raised:
        KERNEL.constants(values)
    assert str(raised.value).endswith(f"missing: {missing}, unknown: {unknown}")


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"key": (1, 2)}, r"unknown: \['key'\]"),  # launches append it
        ({"src_base": 0}, r"unknown: \['src_base'\]"),  # launches set it
        ({"scalars": 8}, "scalars has 2 words, not 1"),
        ({"sizes": (2, 3, 4)}, "sizes has 2 words, not 3"),
    ],
)
def test_push_words_that_do_not_fit_are_refused(changed, rule):
    with pytest.raises(ValueError, match=rf"^made_up: .*{rule}$"):
        KERNEL.words(6, {"scalars": (8, 9), "offset": 0, **INDEX, **changed})


def test_the_push_constants_of_launches_are_the_last_ones():
    for kernel in KERNELS.values():
        names = [name for name, _ in kernel.push]
        assert tuple(names[len(names) - len(kernel.params) :]) == kernel.params, kernel.name


def test_every_kernel_says_where_chains_may_be_inlined():
    for kernel in KERNELS.values():
        assert kernel.inlines, kernel.name
        assert isinstance(kernel.inlines, str) or {*kernel.inlines} <= {READS, WRITES}, kernel.name


def test_every_kernel_says_what_arithmetic_it_rests_on():
    for kernel in KERNELS.values():
        assert kernel.rests is not None, kernel.name
        for module in kernel.modules:
            assert {*kernel.traits(module)} <= {*TEXTS}, module


# Kernels whose addresses depend on what they read, or that continue with what is there.
BY_VALUE = (
    *("gather_words", "gather_packed", "gather_checked", "scatter", "pick", "search", "linalg_"),
    *("nonzero", "offsets", "radix_", "roi_", "segments_", "philox_advance"),
    *[f"{name}_check" for name in ("rounds", "float", "function", "integer", "double", "divide")],
)


def test_every_kernel_accesses_memory_by_position_or_is_listed():
    for kernel in KERNELS.values():
        assert kernel.by_position is not kernel.name.startswith(BY_VALUE), kernel.name


def test_what_is_known_of_tiles_names_constants():
    tiled = {name: kernel.tile for name, kernel in KERNELS.items() if kernel.tile}
    assert {"conv", "matmul_tile", "matmul_linear"} == tiled.keys()
    for name, tile in tiled.items():
        assert {*tile, "BY_ROWS"} <= {*KERNELS[name].spec}, name
