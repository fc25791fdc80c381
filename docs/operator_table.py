"""The tables in operators.md, from the code: `python docs/operator_table.py` prints them.

The second shows what the functions themselves answer, on the default device.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the clone, installed or not
import dml_vk
from dml_vk import Tensor, channels_last
from dml_vk.kernels.operators import OPERATORS, Operator

DTYPES = {
    "b": "bool",
    "i": "int8-64",
    "u": "uint8-64",
    "h": "float16",
    "s": "float32",
    "d": "float64",
    "c": "complex64",
    "z": "complex128",
}
HEAD = """\
| function | dtypes | float32 | subnormals | format | DirectML | standard |
|---|---|---|---|---|---|---|"""
# Of x, y and a, as `format_table` makes them: all else that gives tensors, by chapters.
CALLS = """
add(x, y)
add(y, x)
add(x, bias)
add(x, 1.0)
where(less(x, y), x, y)
clip(x, 0.0, 1.0)
astype(x, float16)
x[:, 1:]
x[0]
x[:, ::2, ::-1]
x[x > 0.0]
reshape(x, (2, 60))
reshape(x, (2, 3, 20))
reshape(x, (2, 3, 4, 5))
permute_dims(x, (0, 2, 3, 1))
transpose(x)
moveaxis(x, 1, 3)
matrix_transpose(x)
expand_dims(x[0], axis=0)
squeeze(x[:1], axis=0)
flip(x, axis=2)
broadcast_to(bias, (2, 3, 4, 5))
unstack(x)[0]
concat([x, y], axis=1)
stack([x[0], x[1]])
pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
repeat(x, 2, axis=2)
roll(x, 1, axis=3)
tile(x, (1, 1, 2, 2))
take(x, index, axis=1)
take_along_axis(x, argsort(x, axis=1), axis=1)
top_k(x, 2, axis=1)[0]
nn.scaled_dot_product_attention(x, x, y)
nn.local_response_norm(x, 3)
nn.unfold(x, 2)
nn.fold(nn.unfold(x, 2), (4, 5), 2)
nn.resample(x, scale=2)
nn.quantize(x, 0.5, 0, dtype="int8")
nn.one_hot(index, 3)
nn.embedding(index, y[0, 0])
tril(x)
sum(x, axis=(2, 3), keepdims=True)
mean(x, axis=1, keepdims=True)
mean(x, axis=1)
sum(x, axis=0)
max(x, axis=(2, 3))
argmax(x, axis=1, keepdims=True)
all(x, axis=3, keepdims=True)
cumulative_sum(x, axis=1)
diff(x, axis=2)
sort(x, axis=1)
argsort(x, axis=1)
unique_values(x)
matmul(x, matrix_transpose(y))
tensordot(x, y, axes=([1], [1]))
einsum("nchw,nkhw->nck", x, y)
empty_like(x)
zeros(x.shape, memory_format=channels_last)
asarray(x.numpy())
x.clone()
x.contiguous()
x.to(channels_last)
y.to(channels_last)
"""
FORMAT_HEAD = """\
| call | format of the result | memory |
|---|---|---|"""


def signature(operator: Operator) -> str:
    others = {"cast": "astype", "clip_grad": "", "clip": "clip", "whole_power": ""}
    public = others.get(operator.name, operator.name)
    told = [f"{name}={value:.7g}" for name, value in operator.parameters]
    operands = {
        "cast": ["x", "dtype"],
        "clip": ["x", "min", "max"],
        "where": ["condition", "x1", "x2"],
    }.get(operator.name) or [*(["x"] if operator.arity == 1 else ["x1", "x2"]), *told]
    return f"`{public}({', '.join(operands)})`" if public else f"({operator.name})"


def accuracy(operator: Operator) -> str:
    if not set(operator.dtypes) & set("hsdc"):
        return ""
    if operator.result:
        return "bool"
    return f"{operator.ulp:g} ULP" if operator.ulp else "exact"


def row(operator: Operator) -> str:
    dtypes = [DTYPES[letter] for letter in operator.dtypes]
    short = {
        "bool, int8-64, uint8-64, float16, float32, float64": "all real",
        "int8-64, uint8-64, float16, float32, float64": "all real numbers",
        "bool, int8-64, uint8-64, float16, float32, float64, complex64, complex128": "all",
        "int8-64, uint8-64, float16, float32, float64, complex64, complex128": "all numbers",
    }
    names = ", ".join(dtypes)
    floats = accuracy(operator)
    cells = (
        signature(operator),
        short.get(names, names),
        floats,
        "" if not floats else "kept" if operator.keeps_subnormals else "as the device does",
        "x's" if operator.arity == 1 else "common",
        ", ".join(operator.directml),
        "yes" if operator.array_api else "",
    )
    return f"| {' | '.join(cells)} |"


def table() -> str:
    return "\n".join([HEAD, *map(row, OPERATORS.values())])


def format_row(call: str, names: dict[str, object]) -> str:
    result = eval(call, {**vars(dml_vk), **names})
    assert isinstance(result, Tensor)
    form, dims = result.memory_format, ", ".join(map(str, result.layout.order))
    told = f"order ({dims})" if form is None else repr(form)
    shared = {x.allocation for x in names.values() if isinstance(x, Tensor)}
    view = result.allocation in shared
    return f"| `{call}` | {told} | {'view' if view else 'its own'} |"


def format_table() -> str:
    """Of x and y, which have the same sizes, x is channels_last and y row-major."""
    names: dict[str, object] = {name: getattr(dml_vk, name) for name in dml_vk.__all__}
    y = dml_vk.reshape(dml_vk.arange(120, dtype=dml_vk.float32), (2, 3, 4, 5))
    names |= {"x": y.to(channels_last), "y": y, "bias": dml_vk.ones((3, 1, 1))}
    names["index"] = dml_vk.asarray([2, 0])
    return "\n".join([FORMAT_HEAD, *[format_row(call, names) for call in CALLS.split("\n")[1:-1]]])


if __name__ == "__main__":
    print(table(), format_table(), sep="\n\n")
