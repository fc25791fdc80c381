"""The numbers of SPIR-V, against those that its own assembler has."""

from __future__ import annotations

import re
import subprocess

import pytest

from dml_vk.kernels.codegen import library
from dml_vk.spirv import spec
from dml_vk.spirv.instructions import lines_of, words_of

pytestmark = pytest.mark.compiler
# Modules of ours that have nearly all opcodes between them, and what they lack.
MODULES = "double_special_packed_16", "linalg_cholesky_float32", "float_pow_words_32"
OTHERS = """
OpCapability Shader
OpCapability Matrix
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %x DescriptorSet 0
OpDecorate %x Binding 0
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%pair = OpTypeVector %float 2
%matrix = OpTypeMatrix %pair 2
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%pointer = OpTypePointer StorageBuffer %block
%word = OpTypePointer StorageBuffer %uint
%function = OpTypeFunction %void
%one = OpConstant %uint 1
%zero = OpConstant %uint 0
%flag = OpSpecConstantFalse %bool
%x = OpVariable %pointer StorageBuffer
%main = OpFunction %void None %function
%first = OpLabel
%length = OpArrayLength %uint %x 0
%copy = OpCopyObject %uint %length
%rest = OpSRem %uint %copy %one
%modulo = OpSMod %uint %copy %one
%place = OpAccessChain %word %x %zero %zero
%before = OpAtomicLoad %uint %place %one %zero
%after = OpAtomicXor %uint %place %one %zero %one
OpUnreachable
OpFunctionEnd
"""
IMPORT = f'%1 = OpExtInstImport "{spec.Glsl.NAME}"'
OPCODES = {name: value for name, value in vars(spec).items() if type(value) is int}
# By class: an instruction with the name of a member, and which of its words has the number.
OPERANDS = {
    spec.Capability: ("OpCapability {}", 1),
    spec.Decoration: ("OpDecorate %1 {}", 2),
    spec.BuiltIn: ("OpDecorate %1 BuiltIn {}", 3),
    spec.Storage: ("%1 = OpTypePointer {} %2", 2),
    spec.LoopControl: ("OpLoopMerge %1 %2 {}", 3),
}
PARAMETERS = {
    "BUILT_IN": "NumWorkgroups",
    **dict.fromkeys(("BLOCK", "NO_CONTRACTION", "NON_WRITABLE", "NON_READABLE"), ""),
}  # of decorations; others have a number


def assembled(text, folder):
    source, path = folder / "text.spvasm", folder / "module.spv"
    source.write_text(text)
    subprocess.run(["spirv-as", "--target-env", "vulkan1.1", source, "-o", path], check=True)
    return path.read_bytes()


def disassembled(spirv):
    command = ["spirv-dis", "--no-header", "--raw-id", "-"]
    return subprocess.run(command, input=spirv, capture_output=True, check=True).stdout.decode()


def camel(name):
    """`FunctionParameter` of `FUNCTION_PARAMETER`."""
    return "".join(word.capitalize() for word in name.split("_"))


def snake(name):
    """`TYPE_INT` of `OpTypeInt`."""
    words = re.findall(r"GLSL450|GL|[A-Z]{2,}(?![a-z])|[A-Z][a-z]*\d*|\d+", name.removeprefix("Op"))
    return "_".join(words).upper()


def test_opcodes_are_those_of_the_specification(tmp_path):
    found = {}
    for spirv in (*map(library.load, MODULES), assembled(OTHERS, tmp_path)):
        text = disassembled(spirv).splitlines()
        names = [re.match(r"(?:%\d+ = )?(Op\w+)", line.strip())[1] for line in text]
        codes = [line[0] & 0xFFFF for line in lines_of(words_of(spirv))]
        assert len(names) == len(codes)
        found.update(zip(map(snake, names), codes))
    assert {name: found.get(name) for name in OPCODES} == OPCODES


@pytest.mark.parametrize(
    ("text", "at", "number"),
    [
        (template.format(camel(name)) + parameter, at, number)
        for members, (template, at) in OPERANDS.items()
        for name, number in vars(members).items()
        if name.isupper()
        for parameter in [f" {PARAMETERS.get(name, 0)}" * (members is spec.Decoration)]
    ]
    + [
        ('OpEntryPoint GLCompute %1 "main"', 1, spec.Execution.GL_COMPUTE),
        ("OpExecutionMode %1 LocalSize 1 1 1", 2, spec.Execution.LOCAL_SIZE),
        ("OpMemoryModel Logical GLSL450", 1, spec.Memory.LOGICAL),
        ("OpMemoryModel Logical GLSL450", 2, spec.Memory.GLSL450),
        (f"{IMPORT}\n%2 = OpExtInst %3 %1 Fma %4 %4 %4", 10, spec.Glsl.FMA),
        (f"{IMPORT}\n%2 = OpExtInst %3 %1 FindILsb %4", 10, spec.Glsl.FIND_I_LSB),
    ],
)
def test_operands_are_those_of_the_specification(text, at, number, tmp_path):
    assert words_of(assembled(text, tmp_path))[5 + at] == number
