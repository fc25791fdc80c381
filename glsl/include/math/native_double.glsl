// The device's own float64. Where NATIVE has no bit of it, folding leaves nothing that needs shaderFloat64.
#include "math/native.glsl"

#ifdef NATIVE_SPEC
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
