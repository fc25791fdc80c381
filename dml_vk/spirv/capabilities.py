"""The SPIR-V capabilities that a module may use: those that need no optional device feature.

Others work on some devices, but not on all. Where one is not enabled it is invalid, and may give
wrong values or crash the process.
"""

from __future__ import annotations

from collections.abc import Collection

from dml_vk.errors import ShaderError
from dml_vk.spirv import spec as op
from dml_vk.spirv.interface import Interface

NEWEST = (1, 3)  # the instance is Vulkan 1.1
CLEAN = {
    0: "Matrix",
    1: "Shader",
    # Not features but properties: a device reports which kinds of subgroup operation it supports,
    # and every Vulkan 1.1 device supports the first.
    61: "GroupNonUniform",
    62: "GroupNonUniformVote",
    63: "GroupNonUniformArithmetic",
    64: "GroupNonUniformBallot",
    65: "GroupNonUniformShuffle",
    66: "GroupNonUniformShuffleRelative",
    68: "GroupNonUniformQuad",
}
_FEATURE = "it needs a feature that not every device has"
_PACK = f"{_FEATURE}: pack such elements into uint words"
UNCLEAN = {
    9: ("Float16", _PACK),
    op.Capability.FLOAT64: ("Float64", f"{_FEATURE}: a double is a pair of words"),
    op.Capability.INT64: ("Int64", f"{_FEATURE}: use pairs of words, umulExtended and uaddCarry"),
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
NATIVE_CAPABILITIES = (op.Capability.FLOAT64,)  # of whole modules of ours, until they are folded
EXTENSIONS = ("SPV_KHR_storage_buffer_storage_class",)  # part of SPIR-V 1.3


def check_capabilities(
    module: Interface, what: str = "spirv", allowed: Collection[int] = ()
) -> None:
    """Reject a module that some device cannot run, by other capabilities than those allowed."""
    if module.version > NEWEST:
        rule = "SPIR-V must be 1.3 or older: use glslangValidator --target-env vulkan1.1"
        raise ShaderError(what, rule, version=module.version)
    for capability in module.capabilities:
        if capability not in CLEAN and capability not in allowed:
            name, why = UNCLEAN.get(capability, (str(capability), _FEATURE))
            rule = f"a shader may use only the capabilities {', '.join(CLEAN.values())} ({why})"
            raise ShaderError(what, rule, capability=name)
    for extension in module.extensions:
        if extension not in EXTENSIONS:
            rule = "a shader may use no SPIR-V extensions, which not every device has"
            raise ShaderError(what, rule, extension=extension)
