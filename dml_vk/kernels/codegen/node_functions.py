"""The function that an elementwise kernel computes, for modules that have several of them.

The function takes the bits of elements, and returns those of the result, as `encode(compute(...))`
does in the kernel itself. It is folded like a whole module, from a main function made here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from dml_vk.arguments import Ints
from dml_vk.kernels.codegen import library
from dml_vk.kernels.elementwise import COMPUTED
from dml_vk.kernels.operators import OPCODES
from dml_vk.kernels.plan.nodes import module_of
from dml_vk.kernels.registry import KERNELS, NATIVE_MODULES
from dml_vk.spirv import spec as op
from dml_vk.spirv.instructions import Words, instruction
from dml_vk.spirv.linking import Piece
from dml_vk.spirv.module import Module, is_push
from dml_vk.spirv.passes.dead_code import Pruner
from dml_vk.spirv.passes.fold import Folder

# Functions of kernels that a piece can be made of. Those with a slow branch for a few values also
# compute for common ones alone, and tell which are rare.
COMPUTE, COMMON, IS_RARE = "compute(", "compute_common(", "is_rare("
_NEGATIVE = int(OPCODES["NEGATIVE"])


@lru_cache(maxsize=256)
def piece(
    kernel: str, spec: Ints, native: int = 0, of: str = COMPUTE, *, unrolls: bool = True
) -> Piece:
    """The piece of a kernel with these constants, which are those of `Computed`.

    `native` tells by which operations it may compute: see runtime/native_check.py.
    """
    module = module_of(kernel, spec)
    name = module.rpartition("_")[0]
    before = KERNELS[name].spec.index("OP")
    root = _Root(library.parsed(module), spec, of)
    folder = Folder(
        root.module(COMPUTED[kernel].sources),
        (*(0,) * before, *spec, *((native,) if module in NATIVE_MODULES else ())),
        unrolls=unrolls,
    )
    pruner = Pruner(folder)
    pruner.run()
    functions = [
        [
            instruction(op.FUNCTION, body.result, body.name, 0, body.type),
            *body.params,
            instruction(op.LABEL, body.first),
            *[line for line in body.variables if line[2] in pruner.used],
            *[line for line in body.lines if pruner.stays(line)],
            instruction(op.FUNCTION_END),
        ]
        for body in folder.bodies
        if body.name in pruner.used
    ]
    declared = {line[1 if line[0] & 0xFFFF in op.TYPES else 2]: line for line in folder.all.lines}
    (push,) = [name for name, line in declared.items() if is_push(line)]
    values = folder.all.values
    return Piece(
        folder.module.main,
        functions,
        declared,
        frozenset(pruner.used.intersection(folder.precise)),
        root.words,
        {
            line[2]: values[line[5]]
            for function in functions
            for line in function
            if line[0] & 0xFFFF == op.ACCESS_CHAIN and line[3] == push
        },
    )


def could_be_known(kernel: str, spec: Ints, by: str) -> bool:
    """Whether a driver could simplify what kernel `by` computes of a kernel's result, wrongly.

    It folds x < x to 0, and then 0.0 * y to 0.0, also where that is -0.0 or NaN. And it makes
    y - x of -x + y, which is another NaN where x is one.
    """
    family, user = COMPUTED.get(kernel), COMPUTED.get(by)
    if family is None or (user is not None and user.is_exact):
        return False
    if kernel == "float_arithmetic":
        return spec[0] == _NEGATIVE
    return family.is_knowable


class _Root:
    """Writes the function that is a piece's root, as glslang would."""

    def __init__(self, module: Module, spec: Ints, of: str) -> None:
        self._of = of
        self.declared: list[Words] = []
        self.bound = module.bound
        _, _, self._absent, self._target, _, *self._codes = spec
        self._functions = module.by_name
        self._module = module
        self._pointers = {
            line[3]: line[1]
            for line in module.declared
            if line[0] & 0xFFFF == op.TYPE_POINTER and line[2] == op.Storage.FUNCTION
        }
        self._pointees = {pointer: of_type for of_type, pointer in self._pointers.items()}
        self._variables: list[Words] = []
        self._lines: list[Words] = []
        self._decode = module.function(self._named("decode("))
        self._raw, self._word = [self._pointees[param[1]] for param in self._decode.params]
        self.words = 4 if "decode(vu4;u1;" in self._functions else 2

    def module(self, sources: int) -> Module:
        """The module with it as the main function."""
        lines = list(self._root(sources))
        return self._module.rooted(self.declared, lines, self.bound)

    def _named(self, start: str) -> int:
        """The function with a name that starts so."""
        (wanted,) = [
            function for name, function in self._functions.items() if name.startswith(start)
        ]
        return wanted

    def _root(self, sources: int) -> Iterator[Words]:
        raw, decode = self._raw, self._decode
        to_value, compute = self._named("to_value("), self._named(self._of)
        params, values = [], []
        for k in range(sources):
            if self._absent >> k & 1:
                value = self._call(to_value, self._scalar(k))
            else:
                params.append(instruction(op.FUNCTION_PARAMETER, raw, self._new()))
                value = self._call(decode.name, params[-1][2], self._constant(self._codes[k]))
            values.append(value)
        result, result_type = self._call(compute, *values), self._module.function(compute).result
        if self._of != IS_RARE:
            result, result_type = self._encoded(result, result_type), raw
        name, of_type = self._new(), self._new()
        self.declared.append(
            instruction(op.TYPE_FUNCTION, of_type, result_type, *[param[1] for param in params])
        )
        yield instruction(op.FUNCTION, result_type, name, 0, of_type)
        yield from params
        yield instruction(op.LABEL, self._new())
        yield from self._variables
        yield from self._lines
        yield instruction(op.RETURN_VALUE, result)
        yield instruction(op.FUNCTION_END)

    def _encoded(self, result: int, of_type: int) -> int:
        encode = next(
            function
            for name, function in self._functions.items()
            if name.startswith("encode(") and self._takes(function, of_type)
        )
        return self._call(encode, result, self._constant(self._target))

    def _new(self) -> int:
        self.bound += 1
        return self.bound - 1

    def _takes(self, function: int, of_type: int) -> bool:
        (first, *_) = self._module.function(function).params
        return self._pointees[first[1]] == of_type

    def _constant(self, value: int) -> int:
        name = self._new()
        self.declared.append(instruction(op.CONSTANT, self._word, name, value))
        return name

    def _call(self, name: int, *values: int) -> int:
        """Call a function, whose parameters are pointers to variables."""
        function = self._module.function(name)
        arguments = []
        for param, value in zip(function.params, values):
            variable = self._new()
            self._variables.append(
                instruction(op.VARIABLE, param[1], variable, op.Storage.FUNCTION)
            )
            self._lines.append(instruction(op.STORE, variable, value))
            arguments.append(variable)
        result = self._new()
        self._lines.append(instruction(op.FUNCTION_CALL, function.result, result, name, *arguments))
        return result

    def _scalar(self, source: int) -> int:
        """The words of a source that is a scalar: see glsl/include/families/source.glsl."""
        places = [source // 2, source // 2 + 1, 2, 3][: self.words]
        words = [self._word_at(word) for word in places]
        name = self._new()
        self._lines.append(instruction(op.COMPOSITE_CONSTRUCT, self._raw, name, *words))
        return name

    def _word_at(self, number: int) -> int:
        declared = self._module.declared
        types = {
            line[1]: line
            for line in declared
            if line[0] & 0xFFFF in (op.TYPE_POINTER, op.TYPE_STRUCT)
        }
        (push,) = [line for line in declared if is_push(line)]
        to_word = (op.Storage.PUSH_CONSTANT, self._word)
        pointer = next(name for name, line in types.items() if line[2:] == to_word)
        members = types[types[push[1]][3]][2:]
        last = self._constant(len(members) - 1)  # the scalars
        chain, word = self._new(), self._new()
        self._lines += (
            instruction(op.ACCESS_CHAIN, pointer, chain, push[2], last, self._constant(number)),
            instruction(op.LOAD, self._word, word, chain),
        )
        return word
