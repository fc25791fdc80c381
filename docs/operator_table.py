"""The table in operators.md, from the code: `python docs/operator_table.py` prints it."""

from __future__ import annotations

from dml_vk.kernels.operators import OPERATORS, Operator

DTYPES = {
    "b": "bool",
    "i": "int8-64",
    "u": "uint8-64",
    "h": "float16",
    "s": "float32",
    "d": "float64",
}
HEAD = """\
| function | dtypes | float32 | subnormals | DirectML | standard |
|---|---|---|---|---|---|"""


def signature(operator: Operator) -> str:
    public = {"cast": "astype", "clip_grad": "", "clip": "clip"}.get(operator.name, operator.name)
    told = [f"{name}={value:.7g}" for name, value in operator.parameters]
    operands = {
        "cast": ["x", "dtype"],
        "clip": ["x", "min", "max"],
        "where": ["condition", "x1", "x2"],
    }.get(operator.name) or [*(["x"] if operator.arity == 1 else ["x1", "x2"]), *told]
    return f"`{public}({', '.join(operands)})`" if public else f"({operator.name})"


def accuracy(operator: Operator) -> str:
    if not set(operator.dtypes) & set("hsd"):
        return ""
    if operator.result:
        return "bool"
    return f"{operator.ulp:g} ULP" if operator.ulp else "exact"


def row(operator: Operator) -> str:
    dtypes = [DTYPES[letter] for letter in operator.dtypes]
    short = {
        "bool, int8-64, uint8-64, float16, float32, float64": "all",
        "int8-64, uint8-64, float16, float32, float64": "all numbers",
    }
    names = ", ".join(dtypes)
    floats = accuracy(operator)
    cells = (
        signature(operator),
        short.get(names, names),
        floats,
        "" if not floats else "kept" if operator.keeps_subnormals else "as the device does",
        ", ".join(operator.directml),
        "yes" if operator.array_api else "",
    )
    return f"| {' | '.join(cells)} |"


def table() -> str:
    return "\n".join([HEAD, *map(row, OPERATORS.values())])


if __name__ == "__main__":
    print(table())
