"""Every elementwise operator, once: what it takes, what computes it, how exactly, its other names.

The registry, the shaders' opcodes, the public functions, DirectML's classes, the documentation and
the tests all read this table.
"""

from __future__ import annotations

from dataclasses import dataclass

from dml_vk.dtypes import DType

# Dtypes by letter: b(ool), i(nt) and u(int) of 8 to 64 bits, h(alf), s(ingle) and d(ouble) floats.
_LETTERS = {"float16": "h", "float32": "s", "float64": "d"}
# Arithmetic that a device does itself on float32.
_BY_FLOATS = {"add", "subtract", "multiply", "square", "mean_of_two", "difference_square"}
_BY_FLOATS.add("whole_power")
_ALL, _NUMBERS, _FLOATS, _HALVES, _BITS = "biuhsd", "iuhsd", "hsd", "hs", "biu"


@dataclass(frozen=True, eq=False)
class Operator:
    """One function of the elements at the same index of its operands."""

    name: str  # the public function, and the opcode in lower case
    arity: int
    dtypes: str  # letters, as above
    family: str = "arithmetic"  # the kernel: <kind of value>_<family>, but for `cast` and `where`
    result: str = ""  # the dtype that comes out, if it is not the operands'
    ulp: float = (
        0.0  # float32: off the correctly rounded result by at most so much; 0 is that itself
    )
    parameters: tuple[tuple[str, float], ...] = ()  # numbers, with what they are if left out
    directml: tuple[str, ...] = ()  # its descriptors, without prefix
    array_api: bool = False  # the Python array API standard has a function of this name
    numpy: str | None = ""  # NumPy's function if it is called otherwise; None if there is none

    @property
    def keeps_subnormals(self) -> bool:
        """Of float32 too, on every device: it is done on bits and integers alone."""
        done_on_bits = self.family in ("arithmetic", "compare", "where", "cast")
        return done_on_bits and self.name not in _BY_FLOATS

    @property
    def opcode(self) -> str:
        return self.name.upper()

    def takes(self, dtype: DType) -> bool:
        return _LETTERS.get(dtype.name, dtype.kind) in self.dtypes

    def kernel(self, common: DType) -> str:
        """What computes it in this type."""
        if self.family in ("cast", "where"):
            return self.family
        floats = common.kind == "f"
        if floats and common.itemsize < 8:
            return f"float_{self.family}"
        wide = ("double" if floats else "long") if common.itemsize == 8 else "int"
        return f"{wide}_{'compare' if self.result else 'arithmetic'}"


def _ew(*names: str) -> tuple[str, ...]:
    return tuple([f"ELEMENT_WISE_{name}" for name in names])


def _exact(
    name: str,
    arity: int,
    dtypes: str,
    directml: tuple[str, ...] = (),
    *,
    api: bool = True,
    numpy: str | None = "",
    family: str = "arithmetic",
) -> Operator:
    return Operator(name, arity, dtypes, family, directml=directml, array_api=api, numpy=numpy)


def _compare(
    name: str, arity: int, dtypes: str, directml: tuple[str, ...] = (), *, api: bool = True
) -> Operator:
    return Operator(name, arity, dtypes, "compare", "bool_", directml=directml, array_api=api)


def _function(
    name: str,
    family: str,
    directml: tuple[str, ...] = (),
    *,
    arity: int = 1,
    ulp: float = 2.0,
    api: bool = True,
    numpy: str | None = "",
) -> Operator:
    return Operator(name, arity, _HALVES, family, "", ulp, (), directml, api, numpy)


def _activation(name: str, ulp: float, numpy: str | None = None, **parameters: float) -> Operator:
    """DirectML's, some of which are functions elsewhere as well."""
    directml = (f"ACTIVATION_{name.upper()}",)
    told = tuple(parameters.items())
    return Operator(name, 1, _HALVES, "activation", "", ulp, told, directml, False, numpy)


_TABLE = (
    # Correctly rounded, or exact.
    _exact("add", 2, _ALL, _ew("ADD", "ADD1")),
    _exact("subtract", 2, _NUMBERS, _ew("SUBTRACT")),
    _exact("multiply", 2, _ALL, _ew("MULTIPLY")),
    _exact("divide", 2, _FLOATS, _ew("DIVIDE")),
    _exact("trunc_divide", 2, "iu", _ew("DIVIDE"), api=False, numpy=None),
    _exact("floor_divide", 2, _NUMBERS),
    _exact("remainder", 2, _NUMBERS, _ew("MODULUS_FLOOR")),
    _exact("fmod", 2, _NUMBERS, _ew("MODULUS_TRUNCATE"), api=False),
    _exact("maximum", 2, _ALL, _ew("MAX", "THRESHOLD")),
    _exact("minimum", 2, _ALL, _ew("MIN")),
    _exact("mean_of_two", 2, _HALVES, _ew("MEAN"), api=False, numpy=None),
    _exact("difference_square", 2, "iuhs", _ew("DIFFERENCE_SQUARE"), api=False, numpy=None),
    _exact("copysign", 2, _FLOATS),
    _exact("nextafter", 2, _FLOATS),
    _exact("positive", 1, _NUMBERS, (*_ew("IDENTITY"), "ACTIVATION_IDENTITY")),
    _exact("negative", 1, _NUMBERS, _ew("NEGATE")),
    _exact("abs", 1, _NUMBERS, _ew("ABS")),
    _exact("sign", 1, _NUMBERS, _ew("SIGN")),
    _exact("square", 1, _NUMBERS),
    _exact("floor", 1, _NUMBERS, _ew("FLOOR")),
    _exact("ceil", 1, _NUMBERS, _ew("CEIL")),
    _exact("trunc", 1, _NUMBERS, _ew("ROUND")),
    _exact("round", 1, _NUMBERS, _ew("ROUND")),
    _exact("sqrt", 1, _FLOATS, _ew("SQRT")),
    _exact("reciprocal", 1, _FLOATS, _ew("RECIP")),
    # What `pow` takes for numbers that are whole: of float16 and float32, only 3 and 4.
    _exact("whole_power", 2, _FLOATS, api=False, numpy=None),
    _exact("bitwise_and", 2, _BITS, _ew("BIT_AND")),
    _exact("bitwise_or", 2, _BITS, _ew("BIT_OR")),
    _exact("bitwise_xor", 2, _BITS, _ew("BIT_XOR")),
    _exact("bitwise_left_shift", 2, "iu", _ew("BIT_SHIFT_LEFT"), numpy="left_shift"),
    _exact("bitwise_right_shift", 2, "iu", _ew("BIT_SHIFT_RIGHT"), numpy="right_shift"),
    _exact("bitwise_invert", 1, _BITS, _ew("BIT_NOT"), numpy="invert"),
    _exact("bitwise_count", 1, "iu", _ew("BIT_COUNT"), api=False),
    Operator(
        *("clip", 1, _NUMBERS, "arithmetic", "", 0.0, (("min", 0.0), ("max", 0.0))),
        directml=_ew("CLIP", "CLIP1"),
        array_api=True,
    ),
    Operator(
        *("clip_grad", 2, "iuhs", "arithmetic", "", 0.0, (("min", 0.0), ("max", 0.0))),
        directml=_ew("CLIP_GRAD", "CLIP_GRAD1"),
        numpy=None,
    ),
    _exact("relu_grad", 2, _HALVES, ("ACTIVATION_RELU_GRAD",), api=False, numpy=None),
    _exact("where", 3, _ALL, _ew("IF"), family="where"),
    _exact("cast", 1, _ALL, ("CAST",), api=False, numpy=None, family="cast"),
    # What is true.
    _compare("equal", 2, _ALL, _ew("LOGICAL_EQUALS")),
    _compare("not_equal", 2, _ALL),
    _compare("less", 2, _ALL, _ew("LOGICAL_LESS_THAN")),
    _compare("less_equal", 2, _ALL, _ew("LOGICAL_LESS_THAN_OR_EQUAL")),
    _compare("greater", 2, _ALL, _ew("LOGICAL_GREATER_THAN")),
    _compare("greater_equal", 2, _ALL, _ew("LOGICAL_GREATER_THAN_OR_EQUAL")),
    _compare("logical_and", 2, _ALL, _ew("LOGICAL_AND")),
    _compare("logical_or", 2, _ALL, _ew("LOGICAL_OR")),
    _compare("logical_xor", 2, _ALL, _ew("LOGICAL_XOR")),
    _compare("logical_not", 1, _ALL, _ew("LOGICAL_NOT")),
    _compare("isnan", 1, _NUMBERS, _ew("IS_NAN")),
    _compare("isinf", 1, _NUMBERS, _ew("IS_INFINITY")),
    _compare("isposinf", 1, _HALVES, _ew("IS_INFINITY"), api=False),
    _compare("isneginf", 1, _HALVES, _ew("IS_INFINITY"), api=False),
    _compare("isfinite", 1, _NUMBERS),
    _compare("signbit", 1, _FLOATS),
    # Functions, of float32 and float16.
    _function("rsqrt", "arithmetic", ulp=1.0, api=False, numpy=None),
    _function("hypot", "arithmetic", arity=2),
    _function("exp", "exp", _ew("EXP")),
    _function("exp2", "exp", api=False),
    _function("expm1", "exp"),
    _function("sinh", "exp", _ew("SINH")),
    _function("cosh", "exp", _ew("COSH")),
    _function("tanh", "exp", (*_ew("TANH"), "ACTIVATION_TANH")),
    _function("log", "log", _ew("LOG")),
    _function("log2", "log"),
    _function("log10", "log"),
    _function("log1p", "log"),
    _function("asinh", "log", _ew("ASINH"), numpy="arcsinh"),
    _function("acosh", "log", _ew("ACOSH"), numpy="arccosh"),
    _function("atanh", "log", _ew("ATANH"), numpy="arctanh"),
    _function("logaddexp", "log", arity=2),
    _function("sin", "trig", _ew("SIN")),
    _function("cos", "trig", _ew("COS")),
    _function("tan", "trig", _ew("TAN")),
    _function("asin", "arc", _ew("ASIN"), numpy="arcsin"),
    _function("acos", "arc", _ew("ACOS"), numpy="arccos"),
    _function("atan", "arc", _ew("ATAN"), numpy="arctan"),
    _function("atan2", "arc", _ew("ATAN_YX"), arity=2, numpy="arctan2"),
    _function("erf", "erf", _ew("ERF"), api=False, numpy=None),
    # Integers take part in this one alone.
    Operator(
        *("pow", 2, "iuhs", "pow", "", 4.0),
        directml=_ew("POW", "CONSTANT_POW"),
        array_api=True,
        numpy="power",
    ),
    _activation("relu", 0.0),
    _activation("elu", 4.0, alpha=1.0),
    _activation("celu", 4.0, alpha=1.0),
    _activation("scaled_elu", 4.0, alpha=1.6732632, gamma=1.050701),
    _activation("leaky_relu", 0.0, alpha=0.01),
    _activation("thresholded_relu", 0.0, alpha=1.0),
    Operator(
        *("parameterized_relu", 2, _HALVES, "activation"),
        directml=("ACTIVATION_PARAMETERIZED_RELU",),
        numpy=None,
    ),
    _activation("linear", 2.0, alpha=1.0, beta=0.0),
    _activation("shrink", 2.0, bias=0.0, threshold=0.5),
    _activation("hard_sigmoid", 2.0, alpha=0.2, beta=0.5),
    _activation("hard_swish", 4.0, alpha=1 / 6, beta=0.5),
    _activation("softsign", 2.0),
    _activation("sigmoid", 2.0),
    _activation("swish", 4.0, sigmoid_input_scale=1.0),
    _activation("softplus", 2.0, steepness=1.0),
    _activation("parametric_softplus", 4.0, alpha=1.0, beta=1.0),
    _activation("scaled_tanh", 4.0, alpha=1.0, beta=1.0),
    _activation("gelu", 4.0),
)

# The ways of casts, which are their kernel's opcodes.
_CASTS = ("BITS", "TO_TRUTH", "INTS", "BY_FLOAT", "TO_DOUBLE", "TO_INT", "ROUNDED")
CASTS = {f"CAST_{name}": str(code) for code, name in enumerate(_CASTS)}


def cast_way(source: DType, target: DType) -> int:
    """How elements of one dtype become those of another."""
    wide = max(source.itemsize, target.itemsize) == 8
    if target.kind == "b":
        way = "TO_TRUTH"
    elif source is target:
        way = "BITS"
    elif "f" not in (source.kind, target.kind):
        way = "INTS"
    elif not wide:
        way = "BY_FLOAT"
    elif source.kind == target.kind and target.itemsize == 8:
        way = "TO_DOUBLE"
    else:
        way = "ROUNDED" if target.kind == "f" else "TO_INT"
    return _CASTS.index(way)


NOT_PUBLIC = {"cast", "clip_grad", "whole_power"}  # DirectML's alone, or other functions' own
OPERATORS: dict[str, Operator] = {operator.name: operator for operator in _TABLE}
OPCODES = {operator.opcode: str(code) for code, operator in enumerate(_TABLE)}
