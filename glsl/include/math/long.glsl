// Integers of 64 bits as pairs of words, the lower one first, by 32-bit operations. Division by
// zero gives 0.
#ifndef LONG_HEAD
#define LONG_HEAD

bool long_is_zero(uvec2 a) { return (a.x | a.y) == 0u; }

bool long_is_negative(uvec2 a, bool is_signed) { return is_signed && a.y >> 31u != 0u; }

bool long_equal(uvec2 a, uvec2 b) { return long_is_zero(a ^ b); }

bool long_less(uvec2 a, uvec2 b, bool is_signed) {
  uint flip = is_signed ? 0x80000000u : 0u;
  return (a.y ^ flip) < (b.y ^ flip) || a.y == b.y && a.x < b.x;
}

uvec2 long_add(uvec2 a, uvec2 b) {
  uint carry;
  uint low = uaddCarry(a.x, b.x, carry);
  return uvec2(low, a.y + b.y + carry);
}

uvec2 long_subtract(uvec2 a, uvec2 b) {
  uint borrow;
  uint low = usubBorrow(a.x, b.x, borrow);
  return uvec2(low, a.y - b.y - borrow);
}

uvec2 long_negate(uvec2 a) { return long_subtract(uvec2(0u), a); }

uvec2 long_negate_if(bool negative, uvec2 a) { return negative ? long_negate(a) : a; }

uvec2 long_magnitude(uvec2 a, bool is_signed) {
  return long_negate_if(long_is_negative(a, is_signed), a);
}

uvec2 long_product(uint a, uint b) {
  uvec2 product;
  umulExtended(a, b, product.y, product.x);
  return product;
}

// The product of two numbers of 64 bits, lowest word first.
uvec4 long_whole_product(uvec2 a, uvec2 b) {
  uvec2 low = long_product(a.x, b.x);
  uvec2 middle = long_add(long_product(a.x, b.y), uvec2(low.y, 0u));
  uvec2 cross = long_add(long_product(a.y, b.x), uvec2(middle.x, 0u));
  uvec2 high = long_add(long_product(a.y, b.y), uvec2(middle.y, 0u));
  return uvec4(low.x, cross.x, long_add(high, uvec2(cross.y, 0u)));
}

uvec2 long_multiply(uvec2 a, uvec2 b) {
  uvec2 product = long_product(a.x, b.x);
  product.y += a.x * b.y + a.y * b.x;
  return product;
}

uint long_bit_count(uvec2 a) { return uint(bitCount(a.x) + bitCount(a.y)); }

int long_top(uvec2 a) {  // the number of the highest bit set, -1 for 0
  return a.y != 0u ? 32 + findMSB(a.y) : findMSB(a.x);
}

uvec2 long_left(uvec2 a, uint by) {  // by < 64
  uint n = by & 31u;
  uvec2 moved = uvec2(a.x << n, a.y << n | a.x >> 1u >> (31u - n));  // a shift by 32 is undefined
  return by < 32u ? moved : uvec2(0u, moved.x);
}

uvec2 long_right(uvec2 a, uint by) {  // by < 64
  uint n = by & 31u;
  uvec2 moved = uvec2(a.x >> n | a.y << 1u << (31u - n), a.y >> n);
  return by < 32u ? moved : uvec2(moved.y, 0u);
}

// Counts outside of [0, 64) shift out everything.
uvec2 long_shift_left(uvec2 a, uvec2 count) {
  return count.y == 0u && count.x < 64u ? long_left(a, count.x & 63u) : uvec2(0u);
}

uvec2 long_shift_right(uvec2 a, uvec2 count, bool is_signed) {
  uvec2 signs = uvec2(long_is_negative(a, is_signed) ? 0xFFFFFFFFu : 0u);
  uvec2 moved = long_right(a ^ signs, count.x & 63u);
  return (count.y == 0u && count.x < 64u ? moved : uvec2(0u)) ^ signs;
}

// Division by digits of 32 bits, as in Moeller and Granlund, "Improved division by invariant integers"
// (2011): with a reciprocal of the divisor, whose top bit is set, a digit takes two multiplications and at
// most two corrections.

// floor((2^64 - 1) / divisor) - 2^32 for a divisor of one word with its top bit set.
uint long_word_reciprocal(uint divisor) {
  uint odd = divisor & 1u;
  // An estimate, then refined. The top bit is always set, except in idle lanes.
  uint few = 0xFFC200u / (divisor >> 22u | 512u);
  uint more = (few << 4u) - long_product(few * few, (divisor >> 11u) + 1u).y - 1u;
  uint error = (odd == 0u ? 0u : more >> 1u) - more * ((divisor >> 1u) + odd);
  uint most = (more << 15u) + (long_product(more, error).y >> 1u);
  return most - long_add(long_product(most, divisor), uvec2(divisor, divisor)).y;
}

// floor((2^96 - 1) / divisor) - 2^32 for a divisor with its top bit set.
uint long_reciprocal(uvec2 divisor) {
  uint reciprocal = long_word_reciprocal(divisor.y);
  uint rest = divisor.y * reciprocal + divisor.x;
  if (rest < divisor.x) {
    reciprocal -= rest >= divisor.y ? 2u : 1u;
    rest -= rest >= divisor.y ? divisor.y << 1u : divisor.y;
  }
  uvec2 product = long_product(reciprocal, divisor.x);
  rest += product.y;
  if (rest < product.y)
    reciprocal -= long_less(uvec2(product.x, rest), divisor, false) ? 1u : 2u;
  return reciprocal;
}

// (rest * 2^32 + next) / divisor for rest below divisor; `rest` becomes the remainder.
uint long_digit(inout uvec2 rest, uvec2 divisor, uint reciprocal, uint next) {
  uvec2 estimate = long_add(long_product(reciprocal, rest.y), rest);
  uvec2 less = long_add(long_product(estimate.y, divisor.x), divisor);
  rest = long_subtract(uvec2(next, rest.x - estimate.y * divisor.y), less);
  uint digit = estimate.y + 1u;
  if (rest.y >= estimate.x) {
    --digit;
    rest = long_add(rest, divisor);
  }
  if (!long_less(rest, divisor, false)) {
    ++digit;
    rest = long_subtract(rest, divisor);
  }
  return digit;
}

// The quotient of the magnitudes; division by 0 is replaced by division by 1.
uvec2 long_quotient(uvec2 a, uvec2 b, bool is_signed, out uvec2 rest) {
  a = long_magnitude(a, is_signed);
  b = long_is_zero(b) ? uvec2(1u, 0u) : long_magnitude(b, is_signed);
  uint by = uint(63 - long_top(b));
  uvec2 divisor = long_left(b, by), low = long_left(a, by), quotient;
  uint reciprocal = long_reciprocal(divisor);
  rest = long_right(long_right(a, 1u), 63u - by);
  quotient.y = long_digit(rest, divisor, reciprocal, low.y);
  quotient.x = long_digit(rest, divisor, reciprocal, low.x);
  rest = long_right(rest, by);
  return quotient;
}

// Division towards zero.
uvec2 long_divide_truncate(uvec2 a, uvec2 b, bool is_signed) {
  uvec2 rest, quotient = long_quotient(a, b, is_signed, rest);
  quotient = long_negate_if(long_is_negative(a ^ b, is_signed), quotient);
  return long_is_zero(b) ? uvec2(0u) : quotient;
}

uvec2 long_divide_floor(uvec2 a, uvec2 b, bool is_signed) {
  uvec2 rest, quotient = long_quotient(a, b, is_signed, rest);
  bool negative = long_is_negative(a ^ b, is_signed);
  if (negative && !long_is_zero(rest)) quotient = long_add(quotient, uvec2(1u, 0u));
  return long_is_zero(b) ? uvec2(0u) : long_negate_if(negative, quotient);
}

// The remainder of division towards zero; it has the dividend's sign.
uvec2 long_fmod(uvec2 a, uvec2 b, bool is_signed) {
  uvec2 rest;
  long_quotient(a, b, is_signed, rest);
  return long_negate_if(long_is_negative(a, is_signed), rest);
}

// The remainder of floor division; it has the divisor's sign.
uvec2 long_remainder(uvec2 a, uvec2 b, bool is_signed) {
  uvec2 rest = long_fmod(a, b, is_signed);
  bool other = !long_is_zero(rest) && long_is_negative(a ^ b, is_signed);
  return other ? long_add(rest, b) : rest;
}

// A negative exponent gives a power of 1 / base rounded towards zero: 0 except for bases 1 and -1; 1 / 0
// counts as 0.
uvec2 long_pow(uvec2 base, uvec2 exponent, bool is_signed) {
  if (long_is_negative(exponent, is_signed)) {
    if (!long_equal(long_magnitude(base, true), uvec2(1u, 0u))) base = uvec2(0u);
    exponent = long_negate(exponent);
  }
  uvec2 power = uvec2(1u, 0u);
  for (; !long_is_zero(exponent); exponent = long_right(exponent, 1u)) {
    if ((exponent.x & 1u) != 0u) power = long_multiply(power, base);
    base = long_multiply(base, base);
  }
  return power;
}

#endif
