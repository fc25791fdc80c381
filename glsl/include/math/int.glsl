// Integers of 32 bits, or of 8 or 16 extended to 32 by sign or by zeros; only the low bits of results
// count. Division by zero gives 0; GLSL's own `/` and `%` may give anything there, and for negative
// operands.
#ifndef INT_HEAD
#define INT_HEAD

bool int_is_negative(uint a, bool is_signed) { return is_signed && a >> 31u != 0u; }

bool int_less(uint a, uint b, bool is_signed) {
  uint flip = is_signed ? 0x80000000u : 0u;
  return (a ^ flip) < (b ^ flip);
}

uint int_negate_if(bool negative, uint a) { return negative ? 0u - a : a; }

uint int_magnitude(uint a, bool is_signed) {
  return int_negate_if(int_is_negative(a, is_signed), a);
}

// The quotient of the magnitudes.
uint int_quotient(uint a, uint b, bool is_signed) {
  return int_magnitude(a, is_signed) / max(int_magnitude(b, is_signed), 1u);
}

uint int_rest(uint a, uint b, bool is_signed) {
  uint divisor = max(int_magnitude(b, is_signed), 1u);
  return int_magnitude(a, is_signed) - int_quotient(a, b, is_signed) * divisor;
}

// Division towards zero.
uint int_divide_truncate(uint a, uint b, bool is_signed) {
  uint quotient = int_negate_if(int_is_negative(a ^ b, is_signed), int_quotient(a, b, is_signed));
  return b == 0u ? 0u : quotient;
}

uint int_divide_floor(uint a, uint b, bool is_signed) {
  bool negative = int_is_negative(a ^ b, is_signed);
  bool inexact = int_rest(a, b, is_signed) != 0u;
  uint quotient = int_quotient(a, b, is_signed) + (negative && inexact ? 1u : 0u);
  return b == 0u ? 0u : int_negate_if(negative, quotient);
}

// The remainder of division towards zero; it has the dividend's sign.
uint int_fmod(uint a, uint b, bool is_signed) {
  return int_negate_if(int_is_negative(a, is_signed), int_rest(a, b, is_signed));
}

// The remainder of floor division; it has the divisor's sign.
uint int_remainder(uint a, uint b, bool is_signed) {
  uint rest = int_rest(a, b, is_signed);
  bool other = rest != 0u && int_is_negative(a ^ b, is_signed);
  return int_negate_if(int_is_negative(b, is_signed),
                       other ? int_magnitude(b, is_signed) - rest : rest);
}

// Counts are unsigned or sign-extended, so negative ones are larger than every width. Counts from the
// width to 31 shift out all bits that count anyway.
uint int_shift_left(uint a, uint count) { return count < 32u ? a << (count & 31u) : 0u; }

uint int_shift_right(uint a, uint count, bool is_signed) {
  uint signs = int_is_negative(a, is_signed) ? 0xFFFFFFFFu : 0u;
  return (count < 32u ? (a ^ signs) >> (count & 31u) : 0u) ^ signs;
}

// A negative exponent gives a power of 1 / base rounded towards zero: 0 except for bases 1 and -1; 1 / 0
// counts as 0.
uint int_pow(uint base, uint exponent, bool is_signed) {
  if (int_is_negative(exponent, is_signed)) {
    if (base + 1u > 2u) base = 0u;  // neither -1, 0 nor 1
    exponent = 0u - exponent;
  }
  uint power = 1u;
  for (; exponent != 0u; exponent >>= 1u) {
    if ((exponent & 1u) != 0u) power *= base;
    base *= base;
  }
  return power;
}

#endif
