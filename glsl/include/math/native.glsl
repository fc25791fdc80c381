// The device's own arithmetic of 64-bit numbers, in kernels for which the registry defines NATIVE_SPEC. NATIVE
// has a bit for each operation that the device was seen to give the bits of math/double.glsl for, NaN aside.
// Where it has none, folding leaves nothing that needs shaderFloat64.
const uint NATIVE_ADD = 1u, NATIVE_MULTIPLY = 2u, NATIVE_DIVIDE = 4u, NATIVE_SQRT = 8u;

#ifdef NATIVE_SPEC
layout(constant_id = NATIVE_SPEC) const uint NATIVE = 0u;

uvec2 native_words(double a) {
  uvec2 words = unpackDouble2x32(a);
  return double_is_nan(words) ? DOUBLE_NAN : words;
}

#define NUMBER(words) packDouble2x32(words)
#define NATIVELY(operation, computed)  \
  if ((NATIVE & operation) != 0u) {    \
    precise double result = computed;  \
    return native_words(result);       \
  }
#else
#define NATIVELY(operation, computed)
#endif
