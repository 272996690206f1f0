/* dtype.c - Contains names, sizes and ranges of the element types, and converts
 * their byte order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "dtype.h"

#include <string.h>

#include "bytes.h"

/* Parts must have 1, 2, 4 or 8 bytes, because all code that loads, stores,
 * swaps or converts them supports only these sizes. */
#define PART(bytes)                                                            \
    ((bytes) + 0 * sizeof(struct {                                             \
        int known : (bytes) == 1 || (bytes) == 2 || (bytes) == 4 ||            \
                (bytes) == 8                                                   \
            ? 1                                                                \
            : -1;                                                              \
    }))
#define INTEGER(text, bits, sign)                                              \
    {                                                                          \
        .name = text, .family = VV_FAMILY_INTEGER, .size = (bits) / 8,         \
        .part_size = PART((bits) / 8), .digits = (bits) - (sign),              \
        .highest = (bits)-1, .negative = (sign)                                \
    }
#define REAL(text, bytes, part, many, low, high, unbounded)                    \
    {                                                                          \
        .name = text, .family = VV_FAMILY_REAL, .size = (bytes),               \
        .part_size = PART(part), .digits = (many), .lowest = (low),            \
        .highest = (high), .negative = true, .infinite = (unbounded)           \
    }

#define ROW(type, ...)                                                         \
    case type: {                                                               \
        static const struct vv_dtype row = __VA_ARGS__;                        \
        _Static_assert(                                                        \
            (int)type <= VARVE_DTYPE_COUNT, "count it in tensor.h");           \
        return &row;                                                           \
    }

/* clang-format off */
/* There is no `default:`, so that a type without a row does not compile. */
#pragma GCC diagnostic error "-Wswitch"
static inline const struct vv_dtype *dtype_row(varve_dtype dtype)
{
    switch (dtype) {
    ROW(VARVE_BOOL, { .name = "bool", .family = VV_FAMILY_BOOL, .size = 1,
        .part_size = 1, .digits = 1 })
    ROW(VARVE_INT8, INTEGER("int8", 8, 1))
    ROW(VARVE_INT16, INTEGER("int16", 16, 1))
    ROW(VARVE_INT32, INTEGER("int32", 32, 1))
    ROW(VARVE_INT64, INTEGER("int64", 64, 1))
    ROW(VARVE_UINT8, INTEGER("uint8", 8, 0))
    ROW(VARVE_UINT16, INTEGER("uint16", 16, 0))
    ROW(VARVE_UINT32, INTEGER("uint32", 32, 0))
    ROW(VARVE_UINT64, INTEGER("uint64", 64, 0))
    ROW(VARVE_FLOAT16, REAL("float16", 2, 2, 11, -24, 15, true))
    ROW(VARVE_BFLOAT16, REAL("bfloat16", 2, 2, 8, -133, 127, true))
    ROW(VARVE_FLOAT32, REAL("float32", 4, 4, 24, -149, 127, true))
    ROW(VARVE_FLOAT64, REAL("float64", 8, 8, 53, -1074, 1023, true))
    ROW(VARVE_COMPLEX64, REAL("complex64", 8, 4, 24, -149, 127, true))
    ROW(VARVE_COMPLEX128, REAL("complex128", 16, 8, 53, -1074, 1023, true))
    ROW(VARVE_FLOAT8_E4M3FN, REAL("float8_e4m3fn", 1, 1, 4, -9, 8, false))
    ROW(VARVE_FLOAT8_E5M2, REAL("float8_e5m2", 1, 1, 3, -16, 15, true))
    ROW(VARVE_STRING, { .name = "string", .family = VV_FAMILY_STRING,
        .size = sizeof(varve_string) })
    }
    return NULL;
}
/* clang-format on */

const struct vv_dtype *vv_dtype_of(varve_dtype dtype)
{
    return dtype_row(dtype);
}

bool vv_dtype_is_valid(unsigned number)
{
    return vv_dtype_of((varve_dtype)number) != NULL;
}

size_t varve_dtype_size(varve_dtype dtype)
{
    const struct vv_dtype *type = dtype_row(dtype);
    return type ? type->size : 0;
}

const char *varve_dtype_name(varve_dtype dtype)
{
    const struct vv_dtype *type = vv_dtype_of(dtype);
    return type ? type->name : "unknown";
}

size_t vv_dtype_file_size(varve_dtype dtype)
{
    const struct vv_dtype *type = vv_dtype_of(dtype);
    return type && type->part_size ? type->size : 0;
}

static void dtype_copy(void *to, const void *from, size_t size)
{
    if (to != from && size)
        memcpy(to, from, size);
}

static void reverse16(unsigned char *to, const unsigned char *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t v;
        memcpy(&v, from + i * sizeof v, sizeof v);
        v = __builtin_bswap16(v);
        memcpy(to + i * sizeof v, &v, sizeof v);
    }
}

static void reverse32(unsigned char *to, const unsigned char *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t v;
        memcpy(&v, from + i * sizeof v, sizeof v);
        v = __builtin_bswap32(v);
        memcpy(to + i * sizeof v, &v, sizeof v);
    }
}

static void reverse64(unsigned char *to, const unsigned char *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t v;
        memcpy(&v, from + i * sizeof v, sizeof v);
        v = __builtin_bswap64(v);
        memcpy(to + i * sizeof v, &v, sizeof v);
    }
}

void vv_dtype_reverse_copy(
    varve_dtype dtype, void *to, const void *from, uint64_t count)
{
    const struct vv_dtype *type = vv_dtype_of(dtype);
    if (!type || !type->part_size)
        return;
    size_t size = (size_t)count * type->size;
    switch (type->part_size) {
    case 1: dtype_copy(to, from, size); break;
    case 2: reverse16(to, from, size / 2); break;
    case 4: reverse32(to, from, size / 4); break;
    default: reverse64(to, from, size / 8); break;
    }
}

void vv_dtype_swap_copy(
    varve_dtype dtype, void *to, const void *from, uint64_t count)
{
    if (VV_BIG_ENDIAN)
        vv_dtype_reverse_copy(dtype, to, from, count);
    else
        dtype_copy(to, from, (size_t)count * vv_dtype_file_size(dtype));
}
