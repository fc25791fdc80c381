#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define WORDS 1
#define STORED UINT32
#include "types/int_values.glsl"
#include "families/scan.glsl"

// Sums and products: extremes of integers are those of int64.
uint identity() { return OP; }

uint combine(uint a, uint b) {
    switch (OP) {
    case SUM: return a + b;
    case PRODUCT: return a * b;
    }
    return a;
}

void main() { run(); }
