// The device's own arithmetic, in kernels for which the registry defines NATIVE_SPEC. NATIVE has a bit for each
// operation that the device was seen to give our bits for, NaN aside: see dml_vk/runtime/native_check.py.
#ifndef NATIVE_HEAD
#define NATIVE_HEAD
const uint NATIVE_ADD = 1u, NATIVE_MULTIPLY = 2u, NATIVE_DIVIDE = 4u, NATIVE_SQRT = 8u;  // of float64
const uint NATIVE_FLOAT_DIVIDE = 16u, NATIVE_FLOAT_SQRT = 32u;                           // of float32

#ifdef NATIVE_SPEC
layout(constant_id = NATIVE_SPEC) const uint NATIVE = 0u;
#endif
#endif
