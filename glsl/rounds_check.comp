#version 450
#extension GL_EXT_control_flow_attributes : require
// Run when a device is opened: counts the loop iterations ("rounds") that it allows an invocation, up to
// `wanted`. Each iteration contains loops marked to be unrolled, as in other kernels, so that a driver that
// does not unroll them allows fewer.
layout(local_size_x = 8) in;
layout(constant_id = 0) const uint INNER = 4;
layout(binding = 0) writeonly buffer Dst { uint dst[]; };
layout(push_constant) uniform Push { uint dst_base, wanted; } push;

void main() {
    uint at = push.dst_base + 2 * gl_GlobalInvocationID.x, rounds = 0, mixed = at;
    for (; rounds < push.wanted; rounds++)
        [[unroll]] for (uint i = 0; i < INNER; i++)
            [[unroll]] for (uint k = 0; k < INNER; k++)
                mixed = (mixed ^ rounds + k) * 1664525u + i;
    dst[at] = rounds;
    dst[at + 1] = mixed;  // so that no iteration can be optimized away
}
