#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// A copy of pixels with a few CHANNELS, interleaved in one operand and in planes in the other. A unit is a
// quad, 16 bytes, of each plane. The channels are not a dim: planes are `extent` elements apart. Strides are
// in elements of BITS, for dim 0 from one unit to the next.
#include "index/index.glsl"

layout(constant_id = 4) const uint CHANNELS = 3;
layout(constant_id = 5) const bool ZIP = true;  // from planes to pixels; otherwise from pixels to planes

#define PER (128 / BITS)  // elements in a quad

layout(binding = 0) readonly buffer Src { uvec4 src[]; };
layout(binding = 1) writeonly buffer Dst { uvec4 dst[]; };

uint element(uvec4 quads[4], uint i) {
    return quads[i / PER][i % PER / (32 / BITS)] >> i % (32 / BITS) * BITS & 0xffffffffu >> 32 - BITS;
}

void unit(uint n, bool whole) {
    uvec2 at = bases;
    [[unroll]] for (uint k = 0; k < RANK; k++) at += take(n, k) * strides[k];
    uvec4 quads[4];
    [[unroll]] for (uint c = 0; c < CHANNELS; c++)
        quads[c] = src[ZIP ? (at.x + c * extent) / PER : at.x / PER + c];
    [[unroll]] for (uint c = 0; c < CHANNELS; c++) {
        uvec4 quad = uvec4(0);
        [[unroll]] for (uint i = 0; i < PER; i++) {
            uint to = c * PER + i;
            uint from = ZIP ? to % CHANNELS * PER + to / CHANNELS : i * CHANNELS + c;
            quad[i / (32 / BITS)] |= element(quads, from) << i % (32 / BITS) * BITS;
        }
        dst[ZIP ? at.y / PER + c : (at.y + c * extent) / PER] = quad;
    }
}

void main() { run(); }
