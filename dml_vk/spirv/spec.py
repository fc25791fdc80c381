"""The numbers of SPIR-V 1.3, by the names of its specification, and where instructions have ids.

Opcodes are here by themselves, and what operands name in classes: `spec.LOAD`,
`spec.Storage.PRIVATE`.
"""

from __future__ import annotations

UNDEF, NAME, MEMBER_NAME = 1, 5, 6
EXTENSION, EXT_INST_IMPORT, EXT_INST = 10, 11, 12
MEMORY_MODEL, ENTRY_POINT, EXECUTION_MODE, CAPABILITY = 14, 15, 16, 17
TYPE_VOID, TYPE_BOOL, TYPE_INT, TYPE_FLOAT, TYPE_VECTOR, TYPE_MATRIX = 19, 20, 21, 22, 23, 24
TYPE_ARRAY, TYPE_RUNTIME_ARRAY, TYPE_STRUCT, TYPE_POINTER, TYPE_FUNCTION = 28, 29, 30, 32, 33
CONSTANT_TRUE, CONSTANT_FALSE, CONSTANT, CONSTANT_COMPOSITE = 41, 42, 43, 44
SPEC_CONSTANT_TRUE, SPEC_CONSTANT_FALSE, SPEC_CONSTANT = 48, 49, 50
SPEC_CONSTANT_COMPOSITE, SPEC_CONSTANT_OP = 51, 52
FUNCTION, FUNCTION_PARAMETER, FUNCTION_END, FUNCTION_CALL = 54, 55, 56, 57
VARIABLE, LOAD, STORE, ACCESS_CHAIN, ARRAY_LENGTH = 59, 61, 62, 65, 68
DECORATE, MEMBER_DECORATE = 71, 72
VECTOR_SHUFFLE, COMPOSITE_CONSTRUCT, COMPOSITE_EXTRACT, COMPOSITE_INSERT = 79, 80, 81, 82
COPY_OBJECT, BITCAST = 83, 124
S_NEGATE, I_ADD, F_ADD, I_SUB, I_MUL, F_MUL = 126, 128, 129, 130, 132, 133
U_DIV, S_DIV, U_MOD, S_REM, S_MOD = 134, 135, 137, 138, 139
LOGICAL_EQUAL, LOGICAL_NOT_EQUAL, LOGICAL_OR, LOGICAL_AND, LOGICAL_NOT = 164, 165, 166, 167, 168
SELECT, I_EQUAL, I_NOT_EQUAL = 169, 170, 171
U_GREATER_THAN, S_GREATER_THAN, U_GREATER_THAN_EQUAL, S_GREATER_THAN_EQUAL = 172, 173, 174, 175
U_LESS_THAN, S_LESS_THAN, U_LESS_THAN_EQUAL, S_LESS_THAN_EQUAL = 176, 177, 178, 179
SHIFT_RIGHT_LOGICAL, SHIFT_RIGHT_ARITHMETIC, SHIFT_LEFT_LOGICAL = 194, 195, 196
BITWISE_OR, BITWISE_XOR, BITWISE_AND, NOT = 197, 198, 199, 200
CONTROL_BARRIER, MEMORY_BARRIER = 224, 225
ATOMIC_LOAD, ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR = 227, 240, 241, 242  # the first and last atomics
PHI, LOOP_MERGE, SELECTION_MERGE, LABEL = 245, 246, 247, 248
BRANCH, BRANCH_CONDITIONAL, SWITCH, RETURN, RETURN_VALUE, UNREACHABLE = 249, 250, 251, 253, 254, 255


class Capability:
    """Features that a module says it uses."""

    SHADER, FLOAT64, INT64 = 1, 10, 11


class Decoration:
    """What decorations say of ids and members."""

    SPEC_ID, BLOCK, ARRAY_STRIDE, MATRIX_STRIDE, BUILT_IN = 1, 2, 6, 7, 11
    NON_WRITABLE, NON_READABLE, BINDING, DESCRIPTOR_SET, OFFSET = 24, 25, 33, 34, 35
    NO_CONTRACTION = 42


class BuiltIn:
    """Inputs that a shader has of itself."""

    NUM_WORKGROUPS, WORKGROUP_SIZE, GLOBAL_INVOCATION_ID = 24, 25, 28


class Storage:
    """Storage classes: where a variable lies."""

    UNIFORM_CONSTANT, INPUT, UNIFORM, WORKGROUP, PRIVATE, FUNCTION = 0, 1, 2, 4, 6, 7
    PUSH_CONSTANT, ATOMIC_COUNTER, IMAGE, STORAGE_BUFFER = 9, 10, 11, 12


class Execution:
    """How an entry point runs."""

    GL_COMPUTE = 5  # its model
    LOCAL_SIZE = 17  # a mode


class Memory:
    """How memory is addressed, and who sees what is written."""

    LOGICAL, GLSL450 = 0, 1  # addressing, and the model
    DEVICE, RELAXED = 1, 0  # a scope, and semantics


class LoopControl:
    """What a loop's merge instruction asks for."""

    UNROLL = 1


class Glsl:
    """Instructions of the set that every module of glslang's imports."""

    NAME = "GLSL.std.450"
    FMA, FIND_I_LSB = 50, 73


# Where the operands that are not ids begin, in instructions that have such operands.
LITERALS = {
    EXT_INST: 3,
    VARIABLE: 3,
    LOAD: 4,
    STORE: 3,
    COMPOSITE_EXTRACT: 4,
    VECTOR_SHUFFLE: 5,
    COMPOSITE_INSERT: 5,
    LOOP_MERGE: 3,
    SELECTION_MERGE: 2,
}
# Instructions without a result: where their operands that are ids are, labels excepted.
NO_RESULT = {
    STORE: slice(1, 3),
    CONTROL_BARRIER: slice(1, None),
    MEMORY_BARRIER: slice(1, None),
    BRANCH_CONDITIONAL: slice(1, 2),
    SWITCH: slice(1, 2),
    RETURN_VALUE: slice(1, 2),
    **dict.fromkeys((LOOP_MERGE, SELECTION_MERGE, LABEL, BRANCH), slice(0)),
    **dict.fromkeys((RETURN, UNREACHABLE), slice(0)),
}
# The same, labels included.
LABELLED = {
    **{opcode: ids for opcode, ids in NO_RESULT.items() if opcode != SWITCH},
    BRANCH_CONDITIONAL: slice(1, 4),
    LOOP_MERGE: slice(1, 3),
    SELECTION_MERGE: slice(1, 2),
    LABEL: slice(1, 2),
    BRANCH: slice(1, 2),
    FUNCTION_END: slice(0),
}
# Types: where the types and constants are that they are made of.
TYPES = {
    TYPE_VECTOR: slice(2, 3),
    TYPE_MATRIX: slice(2, 3),
    TYPE_ARRAY: slice(2, 4),
    TYPE_RUNTIME_ARRAY: slice(2, 3),
    TYPE_STRUCT: slice(2, None),
    TYPE_POINTER: slice(3, 4),
    TYPE_FUNCTION: slice(2, None),
    **dict.fromkeys((TYPE_VOID, TYPE_BOOL, TYPE_INT, TYPE_FLOAT), slice(0)),
}
# Instructions with results that do more than compute them.
EFFECTS = frozenset({FUNCTION_CALL, *range(ATOMIC_LOAD, ATOMIC_XOR + 1)})
