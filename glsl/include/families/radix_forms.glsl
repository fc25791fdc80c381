// What a pass of a radix sort writes for an element.
layout(constant_id = 5) const uint FORM = 0;
#define AS_VALUE 0     // the element, in whole words
#define AS_PLACED 1    // its key, and its place in an array of their own
#define AS_PLACE 2     // its place
#define AS_JOINED 3    // its place, of 24 bits, below the next digit of its key
#define AS_UNJOINED 4  // the lower 24 bits of the element
layout(constant_id = 6) const bool HAS_PLACES = false;  // else they are the positions in the row
