"""The epilogue of tiles of a product: a bias and an activation."""

from __future__ import annotations

from typing import NamedTuple

from dml_vk.arguments import Ints
from dml_vk.dtypes import DType, float32
from dml_vk.kernels.elementwise import COMPUTED
from dml_vk.kernels.operators import OPCODES
from dml_vk.kernels.plan import rounds
from dml_vk.kernels.plan.paths import Path
from dml_vk.kernels.plan.tasks import Task

LINEAR_SPEC = (
    *("ACTIVATION", "ALPHA", "BETA", "BIAS", "BIAS_STEP", "BIAS_TYPE"),
    *("DST_TYPE", "PAIRS", "BY_ROWS"),
)
# Activations that take few instructions.
SHORT = (0, *[int(OPCODES[name]) for name in ("RELU", "LEAKY_RELU", "THRESHOLDED_RELU")])
# Larger tiles of sums of at least as many terms are stored in a loop over their rows. llvmpipe then
# takes up to 80 % less time to compile; moving the rows adds 8 % to a convolution of 147 terms, and
# nothing that can be measured to one of 576.
_MOST_STORES, _LEAST_DEPTH = 64, 512
_OF_ROWS, _OF_COLUMNS = 1, 2  # the dim of a bias


class Linear(NamedTuple):
    """The epilogue of a product: a bias along the dim that only b has, and an activation."""

    activation: int = 0  # an opcode of float_activation.comp, or 0
    params: Ints = ()  # its words, at most two
    bias: tuple[int, DType] | None = None  # its step and dtype


def is_by_rows(
    rows: int, columns: int, depth: int, activation: int = 0, dtype: DType = float32
) -> bool:
    """Whether a loop stores a tile row by row, as drivers take long to compile many stores."""
    is_large = rows * columns > _MOST_STORES and depth >= _LEAST_DEPTH
    return is_large or activation not in SHORT or dtype is not float32


def storing_rounds(rows: int, columns: int, activation: int = 0) -> int:
    """Bound the rounds of storing a tile row by row, after an activation."""
    element = 0 if activation in SHORT else COMPUTED["float_activation"].rounds
    return rounds.loop(rows, columns * element)


def linear_path(
    path: Path, task: Task, depth: int, linear: Linear, dtype: DType, b: int
) -> tuple[Path, dict[str, int]]:
    """(the path of tiles with an epilogue, its constants); `b` is the number of that source."""
    column, row, *others = path.dims
    narrow = dtype is not float32
    pairs = (
        narrow
        and column.dst == 1
        and column.size % 2 == 0
        and task.aligned(-1, 4, [row, *others])  # words
    )
    down, across = path.constants["ROWS"], path.constants["COLUMNS"]
    by_rows = is_by_rows(down, across, depth, linear.activation, dtype)
    if by_rows:
        stored = storing_rounds(down, across, linear.activation)
        path = path._replace(unit_rounds=path.unit_rounds + stored)
    step, bias_type = linear.bias or (0, float32)
    bias = 0 if linear.bias is None else _OF_COLUMNS if column.strides[b] else _OF_ROWS
    alpha, beta, *_ = *linear.params, 0, 0
    constants = {
        "ACTIVATION": linear.activation,
        "ALPHA": alpha,
        "BETA": beta,
        "BIAS": bias,
        "BIAS_STEP": step,
        "BIAS_TYPE": bias_type.code,
        "DST_TYPE": dtype.code,
        "PAIRS": int(pairs),
        "BY_ROWS": int(by_rows),
    }
    return path._replace(shares_words=narrow and not pairs), constants
