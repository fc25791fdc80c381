"""Which SPIR-V a module may use: Kompute enables no device feature and no extension.

What is outside of this list often works all the same, is invalid all the same, and on the next
driver gives wrong values or ends the process.
"""

from __future__ import annotations

from dml_vk.errors import ShaderError, explain
from dml_vk.kernels.spirv import Module

NEWEST = (1, 3)  # the instance is Vulkan 1.1
CLEAN = {
    0: "Matrix",
    1: "Shader",
    # Not features but properties: a device says which kinds of subgroup operation it has, and
    # every Vulkan 1.1 device has the first.
    61: "GroupNonUniform",
    62: "GroupNonUniformVote",
    63: "GroupNonUniformArithmetic",
    64: "GroupNonUniformBallot",
    65: "GroupNonUniformShuffle",
    66: "GroupNonUniformShuffleRelative",
    68: "GroupNonUniformQuad",
}
_FEATURE = "it needs a device feature, and none is enabled"
_PACK = f"{_FEATURE}: pack such elements into uint words"
UNCLEAN = {
    9: ("Float16", _PACK),
    10: ("Float64", f"{_FEATURE}: a double is a pair of words"),
    11: ("Int64", f"{_FEATURE}: use pairs of words, umulExtended and uaddCarry"),
    12: ("Int64Atomics", _FEATURE),
    22: ("Int16", _PACK),
    39: ("Int8", _PACK),
    67: ("GroupNonUniformClustered", "it gives wrong values on drivers that do not have it"),
    4433: ("StorageBuffer16BitAccess", _PACK),
    4434: ("UniformAndStorageBuffer16BitAccess", _PACK),
    4435: ("StoragePushConstant16", _PACK),
    4441: ("VariablePointersStorageBuffer", _FEATURE),
    4442: ("VariablePointers", _FEATURE),
    4448: ("StorageBuffer8BitAccess", _PACK),
    4449: ("UniformAndStorageBuffer8BitAccess", _PACK),
    4450: ("StoragePushConstant8", _PACK),
    4464: ("DenormPreserve", _FEATURE),
    4465: ("DenormFlushToZero", _FEATURE),
    4466: ("SignedZeroInfNanPreserve", _FEATURE),
    4467: ("RoundingModeRTE", _FEATURE),
    4468: ("RoundingModeRTZ", _FEATURE),
    5345: ("VulkanMemoryModel", _FEATURE),
    5347: ("PhysicalStorageBufferAddresses", _FEATURE),
    6033: ("AtomicFloat32AddEXT", _FEATURE),
}
EXTENSIONS = ("SPV_KHR_storage_buffer_storage_class",)  # part of SPIR-V 1.3


def check_capabilities(module: Module, what: str = "spirv") -> None:
    """Refuse a module that uses more than every device gives under Kompute."""
    if module.version > NEWEST:
        must = "SPIR-V must be 1.3 or older, as from glslangValidator --target-env vulkan1.1"
        raise ShaderError(explain(what, must, version=module.version))
    for capability in module.capabilities:
        if capability not in CLEAN:
            name, why = UNCLEAN.get(capability, (str(capability), _FEATURE))
            must = f"a shader must not use a capability beyond {', '.join(CLEAN.values())} ({why})"
            raise ShaderError(explain(what, must, capability=name))
    for extension in module.extensions:
        if extension not in EXTENSIONS:
            must = "a shader must not use an extension, for none is enabled on the device"
            raise ShaderError(explain(what, must, extension=extension))
