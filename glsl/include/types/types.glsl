// Element types, numbered as in dml_vk/dtypes.py.
#ifndef TYPES_HEAD
#define TYPES_HEAD
const uint BOOL = 0, INT8 = 1, UINT8 = 2, INT16 = 3, UINT16 = 4, INT32 = 5, UINT32 = 6;
const uint INT64 = 7, UINT64 = 8, FLOAT16 = 9, FLOAT32 = 10, FLOAT64 = 11;
const uint COMPLEX64 = 12, COMPLEX128 = 13;

uint bits_of(uint type) {
    if (type < INT16) return 8;
    if (type < INT32 || type == FLOAT16) return 16;
    if (type < INT64 || type == FLOAT32) return 32;
    return type == COMPLEX128 ? 128 : 64;
}

bool is_signed_int(uint type) {
    return type == INT8 || type == INT16 || type == INT32 || type == INT64;
}
#endif
