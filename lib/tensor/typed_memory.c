/* typed_memory.c - Describes typed memory: element types, and the sizes of
 * shapes and views.
 *
 * SPDX-License-Identifier: MIT
 */
#include "typed_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <varve/memory.h>
#include <varve/tensor.h>

#include "bytes.h"

/* --- Element types -------------------------------------------------------- */

/* Contains names, sizes and ranges of the element types, and converts their
 * byte order. */

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

/* --- Sizes ---------------------------------------------------------------- */

/* Multiplies extents with overflow checks. */

bool vv_shape_count(uint32_t rank, const uint64_t *extents, uint64_t *count)
{
    uint64_t product = 1;
    bool overflow = false;
    for (uint32_t i = 0; i < rank; i++) {
        if (extents[i] == 0) {
            *count = 0;
            return true;
        }
        overflow |= __builtin_mul_overflow(product, extents[i], &product);
    }
    if (!overflow)
        *count = product;
    return !overflow;
}

bool vv_size_of(uint64_t count, uint64_t size, uint64_t *total)
{
    uint64_t product;
    if (__builtin_mul_overflow(count, size, &product))
        return false;
    *total = product;
    return true;
}

bool vv_tensor_is_valid(const varve_tensor *tensor)
{
    uint64_t count, size = 0;
    return vv_dtype_of(tensor->dtype) && tensor->rank <= VARVE_MAX_RANK &&
           vv_shape_count(tensor->rank, tensor->shape, &count) &&
           vv_size_of(count, varve_dtype_size(tensor->dtype), &size) &&
           size <= SIZE_MAX;
}

varve_tensor vv_tensor_copy(const varve_tensor *tensor)
{
    varve_tensor copy = { 0 };
    memcpy(&copy, tensor, vv_tensor_bytes(tensor->rank));
    return copy;
}

bool vv_shape_equal(const varve_tensor *a, const varve_tensor *b)
{
    return a->rank == b->rank && a->rank <= VARVE_MAX_RANK &&
           memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
}

/* --- Public functions ----------------------------------------------------- */

/* Functions for shapes and views in the public interface. */

static uint32_t kept_rank(uint32_t rank)
{
    return rank < VARVE_MAX_RANK ? rank : VARVE_MAX_RANK;
}

varve_shape varve_shape_of(uint32_t rank, const uint64_t *extents)
{
    varve_shape shape = { .rank = rank };
    for (uint32_t i = 0; i < kept_rank(rank); i++)
        shape.extents[i] = extents[i];
    return shape;
}

varve_tensor varve_view(void *data, varve_dtype dtype, varve_shape shape)
{
    varve_tensor view = { .data = data, .dtype = dtype, .rank = shape.rank };
    for (uint32_t i = 0; i < kept_rank(shape.rank); i++)
        view.shape[i] = shape.extents[i];
    return view;
}

varve_tensor varve_view_of_rows(
    void *data, size_t row_size, varve_dtype dtype, varve_shape shape)
{
    varve_tensor view = varve_view(data, dtype, shape);
    uint64_t size = varve_dtype_size(dtype), count = 1;
    bool has_rows = row_size != size;
    for (uint32_t i = 1; i < kept_rank(shape.rank); i++)
        if (!vv_size_of(count, shape.extents[i], &count))
            count = 0;
    if (has_rows && (!size || row_size % size || count != row_size / size))
        view.rank = VV_RANK_OF_OTHER_ROWS;
    return view;
}

varve_tensor varve_view_in(const varve_memory *memory, void *data,
    varve_dtype dtype, varve_shape shape)
{
    varve_tensor view = varve_view(data, dtype, shape);
    view.memory = memory;
    return view;
}

uint64_t vv_extent_now(const varve_extent *extent)
{
    const void *at = (const void *)(uintptr_t)extent->at;
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
        uint8_t bytes[16]; /* the largest element type */
    } is = { 0 };
    if (!extent->dtype)
        return extent->at;
    memcpy(&is, at, varve_dtype_size(extent->dtype));
    switch (extent->dtype) {
    case VARVE_INT8: return (uint64_t)is.i8;
    case VARVE_INT16: return (uint64_t)is.i16;
    case VARVE_INT32: return (uint64_t)is.i32;
    case VARVE_UINT8: return is.u8;
    case VARVE_UINT16: return is.u16;
    case VARVE_UINT32: return is.u32;
    default: return is.u64;
    }
}

varve_tensor varve_view_at(
    const varve_memory *memory, varve_dtype dtype, uint32_t rank)
{
    varve_tensor view = { .dtype = dtype, .rank = rank, .memory = memory };
    memcpy(&view.data, memory->pointer, sizeof view.data);
    for (uint32_t i = 0; i < kept_rank(rank); i++)
        view.shape[i] = vv_extent_now(&memory->extents[i]);
    return view;
}

uint64_t varve_tensor_count(const varve_tensor *tensor)
{
    uint64_t count = 0;
    if (tensor->rank <= VARVE_MAX_RANK)
        vv_shape_count(tensor->rank, tensor->shape, &count);
    return count;
}

uint64_t varve_tensor_size(const varve_tensor *tensor)
{
    uint64_t size = 0;
    vv_size_of(
        varve_tensor_count(tensor), varve_dtype_size(tensor->dtype), &size);
    return size;
}

char *varve_tensor_text(const varve_tensor *tensor, char *text)
{
    char *end = text + VARVE_TENSOR_TEXT_SIZE;
    char *at = text;
    at += snprintf(
        at, (size_t)(end - at), "%s[", varve_dtype_name(tensor->dtype));
    for (uint32_t i = 0; i < kept_rank(tensor->rank); i++)
        at += snprintf(at, (size_t)(end - at), "%s%" PRIu64, i ? "," : "",
            tensor->shape[i]);
    if (tensor->rank > VARVE_MAX_RANK)
        at += snprintf(at, (size_t)(end - at), ",...");
    snprintf(at, (size_t)(end - at), "]");
    return text;
}
