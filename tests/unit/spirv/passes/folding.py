"""Small shaders, and what is left of them when their specialization constants are known."""

from dml_vk.spirv import glslang
from dml_vk.spirv.module import Module
from dml_vk.spirv.passes.specialize import specialized
from tests.modules import check_valid

HEAD = """#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint N = 1;
layout(constant_id = 2) const bool YES = true;
layout(constant_id = 3) const float HALF = 0.5;
layout(binding = 0) buffer X { uint x[]; };
layout(binding = 1) buffer Z { float z[]; };
layout(binding = 1) buffer Q { uvec4 q[]; };
"""


def folding(path, *, unrolls=True):
    """A function that folds a shader with these constants, which writes the module there."""

    def fold(source, *spec):
        spirv = specialized(Module(glslang.compile(HEAD + source)), spec, unrolls=unrolls)
        check_valid(spirv, path, source)
        return spirv

    return fold
