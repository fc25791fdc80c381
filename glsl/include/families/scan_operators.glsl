// What scans and reductions of segments do with two values. The includer includes one of types/*_values.glsl, and
// defines `identity`; `combine`, by OP; WORDS, the words of a value; and STORED, the type in which it is stored.
const uint SUM = 0, PRODUCT = 1, MAXIMUM = 2, MINIMUM = 3;

layout(constant_id = 4) const uint OP = SUM;

VALUE identity();
VALUE combine(VALUE a, VALUE b);
