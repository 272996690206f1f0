/* tensor.h - element types, shapes, and views of typed memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_TENSOR_H
#define VARVE_TENSOR_H

#include <varve/types.h>

VARVE_BEGIN_DECLS

/* The largest rank (number of dimensions) of a tensor. */
#define VARVE_MAX_RANK 16

/* Element types. The numbers are those in the file (docs/format.md). */
typedef enum varve_dtype {
    VARVE_BOOL = 1, /* one byte, 0 or 1; other bytes are refused */
    VARVE_INT8 = 2,
    VARVE_INT16 = 3,
    VARVE_INT32 = 4,
    VARVE_INT64 = 5,
    VARVE_UINT8 = 6,
    VARVE_UINT16 = 7,
    VARVE_UINT32 = 8,
    VARVE_UINT64 = 9,
    VARVE_FLOAT16 = 10,  /* IEEE 754 binary16 */
    VARVE_BFLOAT16 = 11, /* the upper half of a float32 */
    VARVE_FLOAT32 = 12,
    VARVE_FLOAT64 = 13,
    VARVE_COMPLEX64 = 14,     /* float32 real, then imaginary part */
    VARVE_COMPLEX128 = 15,    /* float64 real, then imaginary part */
    VARVE_FLOAT8_E4M3FN = 16, /* no infinities; 0x7f and 0xff are NaN */
    VARVE_FLOAT8_E5M2 = 17,   /* IEEE-like, with infinities */
    VARVE_STRING = 18         /* varve_string: byte strings of any length */
} varve_dtype;

/* How many there are; their numbers run from 1. */
#define VARVE_DTYPE_COUNT 18

/* An element of a VARVE_STRING tensor: borrowed bytes, any values, no
 * terminator needed. Before a save they are the program's; after a restore
 * they belong to the variable until it is restored again or removed. */
typedef struct varve_string {
    const char *data;
    uint64_t size; /* bytes */
} varve_string;

/* Extents of a tensor, outermost first; row-major order. Rank 0 is a scalar,
 * an extent of 0 is allowed. */
typedef struct varve_shape {
    uint32_t rank;
    uint64_t extents[VARVE_MAX_RANK];
} varve_shape;

/* A part of a tensor: where it starts in each dimension, and how far it goes.
 * It has the rank of the tensor; what stands behind that is not looked at. */
typedef struct varve_box {
    uint64_t start[VARVE_MAX_RANK];
    uint64_t extents[VARVE_MAX_RANK];
} varve_box;

/* How to reach elements that do not lie row-major. See memory.h. */
typedef struct varve_memory varve_memory;

/* A view: typed memory that somebody else owns. `data` may be NULL where only
 * type and shape are meant, for tensors of no elements, and where `memory` has
 * functions instead. */
typedef struct varve_tensor {
    void *data;
    varve_dtype dtype;
    uint32_t rank;
    const varve_memory *memory; /* NULL: row-major at `data` */
    uint64_t shape[VARVE_MAX_RANK];
} varve_tensor;

/* A shape of `rank` extents. A rank above VARVE_MAX_RANK is kept as it is, its
 * further extents are not; the call that uses the shape refuses it. */
VARVE_API varve_shape varve_shape_of(uint32_t rank, const uint64_t *extents);

/* A view of `data` under an element type of your choice: the form for types
 * that C lacks (float16, bfloat16, float8) and for C++. */
VARVE_API varve_tensor varve_view(
    void *data, varve_dtype dtype, varve_shape shape);

/* What varve_array gives: a view of memory in which one index goes on by
 * `row_size` bytes. Extents that are not those of the rows give a view that no
 * call takes (VARVE_BAD_SHAPE). */
VARVE_API varve_tensor varve_view_of_rows(
    void *data, size_t row_size, varve_dtype dtype, varve_shape shape);

/* The number of elements: 1 for a scalar. The tensor must be valid. */
VARVE_API uint64_t varve_tensor_count(const varve_tensor *tensor);

/* The bytes its elements take in memory; of a string element those of its
 * varve_string. The tensor must be valid. */
VARVE_API uint64_t varve_tensor_size(const varve_tensor *tensor);

/* Bytes of one element in memory; 0 for a number that is no element type. */
VARVE_API size_t varve_dtype_size(varve_dtype dtype);

/* "float32", "string" and so on; "unknown" for any other number. */
VARVE_API const char *varve_dtype_name(varve_dtype dtype);

/* Room for any tensor's text with its terminating NUL. */
#define VARVE_TENSOR_TEXT_SIZE 384

/* Writes "float32[784,10]", or "int64[]" for a scalar, into `text`, which
 * holds VARVE_TENSOR_TEXT_SIZE bytes; returns `text`. */
VARVE_API char *varve_tensor_text(const varve_tensor *tensor, char *text);

#ifndef __cplusplus

/* VARVE_SHAPE(784, 10): a shape of one or more extents. */
#define VARVE_SHAPE(...)                                                       \
    varve_shape_of(                                                            \
        (uint32_t)(sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)),    \
        (const uint64_t[]){ __VA_ARGS__ })

/* The shape of a scalar. */
#define VARVE_SCALAR varve_shape_of(0, NULL)

/* The element type that a pointer points at. `long` and `long long` are told
 * apart by size. A pointer to const or to any other type does not compile. */
#define VARVE_DTYPE_OF(pointer)                                                \
    _Generic((pointer),                                                        \
        _Bool *: VARVE_BOOL,                                                   \
        signed char *: VARVE_INT8,                                             \
        short *: VARVE_INT16,                                                  \
        int *: VARVE_INT32,                                                    \
        long *: (sizeof(long) == 8 ? VARVE_INT64 : VARVE_INT32),               \
        long long *: VARVE_INT64,                                              \
        unsigned char *: VARVE_UINT8,                                          \
        unsigned short *: VARVE_UINT16,                                        \
        unsigned *: VARVE_UINT32,                                              \
        unsigned long *: (sizeof(long) == 8 ? VARVE_UINT64 : VARVE_UINT32),    \
        unsigned long long *: VARVE_UINT64,                                    \
        float *: VARVE_FLOAT32,                                                \
        double *: VARVE_FLOAT64,                                               \
        float _Complex *: VARVE_COMPLEX64,                                     \
        double _Complex *: VARVE_COMPLEX128,                                   \
        varve_string *: VARVE_STRING)

/* varve_array(w, 784, 10): a view of the program's memory; the element type
 * comes from the pointer. Of `float w[784][10]` and `float (*w)[10]` the
 * extents are those of the array: others are refused by the call that uses the
 * view. */
#define varve_array(pointer, ...)                                              \
    varve_view_of_rows((pointer), sizeof *(pointer),                           \
        (varve_dtype)(VARVE_DTYPE_IN_ROWS_(pointer) +                          \
                      VARVE_CHECK_(VARVE_DTYPE_IN_ROWS_(pointer) != 0,         \
                          "expected numbers that are not const or an array "   \
                          "of rows of them: of three dimensions "              \
                          "&w[0][0][0]")),                                     \
        VARVE_SHAPE(__VA_ARGS__))

/* The element type that a pointer points at, directly or as a row; 0: none. */
#define VARVE_OF_ROWS_(T, number) T * : (number), T(*)[] : (number)
#define VARVE_DTYPE_IN_ROWS_(pointer)                                          \
    _Generic((pointer), VARVE_OF_ROWS_(_Bool, VARVE_BOOL),                     \
        VARVE_OF_ROWS_(signed char, VARVE_INT8),                               \
        VARVE_OF_ROWS_(short, VARVE_INT16), VARVE_OF_ROWS_(int, VARVE_INT32),  \
        VARVE_OF_ROWS_(long, (sizeof(long) == 8 ? VARVE_INT64 : VARVE_INT32)), \
        VARVE_OF_ROWS_(long long, VARVE_INT64),                                \
        VARVE_OF_ROWS_(unsigned char, VARVE_UINT8),                            \
        VARVE_OF_ROWS_(unsigned short, VARVE_UINT16),                          \
        VARVE_OF_ROWS_(unsigned, VARVE_UINT32),                                \
        VARVE_OF_ROWS_(                                                        \
            unsigned long, (sizeof(long) == 8 ? VARVE_UINT64 : VARVE_UINT32)), \
        VARVE_OF_ROWS_(unsigned long long, VARVE_UINT64),                      \
        VARVE_OF_ROWS_(float, VARVE_FLOAT32),                                  \
        VARVE_OF_ROWS_(double, VARVE_FLOAT64),                                 \
        VARVE_OF_ROWS_(float _Complex, VARVE_COMPLEX64),                       \
        VARVE_OF_ROWS_(double _Complex, VARVE_COMPLEX128),                     \
        VARVE_OF_ROWS_(varve_string, VARVE_STRING), default : 0)

/* varve_scalar(&step): a view of one element; an array does not compile. */
#define varve_scalar(pointer)                                                  \
    varve_view((pointer), VARVE_DTYPE_OF(pointer),                             \
        varve_shape_of((uint32_t)VARVE_CHECK_(VARVE_IS_POINTER_(pointer),      \
                           "expected a pointer to one element, found an "      \
                           "array: varve_array"),                              \
            NULL))

/* 0, unless the condition does not hold: then it does not compile. Where C is
 * older than C11 (-std=c99 of compilers that know _Generic) without words. */
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define VARVE_CHECK_(condition, message)                                       \
    (0 * sizeof(struct {                                                       \
        _Static_assert(condition, message);                                    \
        int one;                                                               \
    }))
#else
#define VARVE_CHECK_(condition, message)                                       \
    (0 * sizeof(char[(condition) ? 1 : -1]))
#endif

/* Of other compilers only arrays of another size than a pointer's are told. */
#ifdef __GNUC__
#define VARVE_IS_POINTER_(pointer)                                             \
    __builtin_types_compatible_p(__typeof__(pointer), __typeof__(&(pointer)[0]))
#else
#define VARVE_IS_POINTER_(pointer) (sizeof(pointer) == sizeof(void *))
#endif

#endif

VARVE_END_DECLS

#endif
