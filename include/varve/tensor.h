/* tensor.h - Declares element types, shapes, and views of typed memory.
 *
 *     float w[784][10];
 *     int64_t step;
 *     varve_tensor a = varve_array(&w[0][0], 784, 10);
 *     varve_tensor b = varve_scalar(&step);
 *     varve_tensor half = varve_view(bits, VARVE_FLOAT16, VARVE_SHAPE(8));
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_TENSOR_H
#define VARVE_TENSOR_H

#include <varve/types.h>

VARVE_BEGIN_DECLS

/* The maximum rank (number of dimensions) of a tensor. */
#define VARVE_MAX_RANK 16

/* The element type of a tensor. The numbers are those in the file
 * (docs/format.md). */
typedef enum varve_dtype {
    VARVE_BOOL = 1, /* one byte, 0 or 1; other bytes are rejected */
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
    VARVE_COMPLEX64 = 14,     /* float32 real part, then imaginary part */
    VARVE_COMPLEX128 = 15,    /* float64 real part, then imaginary part */
    VARVE_FLOAT8_E4M3FN = 16, /* no infinities; 0x7f and 0xff are NaN */
    VARVE_FLOAT8_E5M2 = 17,   /* IEEE-like, with infinities */
    VARVE_STRING = 18         /* varve_string: byte strings of any length */
} varve_dtype;

/* The number of element types. Their numbers run from 1 to this number. */
#define VARVE_DTYPE_COUNT 18

/* An element of a VARVE_STRING tensor: any bytes, without a terminator.
 *
 * Before a save the program owns the bytes. After a restore they belong to the
 * variable, until it is restored again or removed. */
typedef struct varve_string {
    const char *data;
    uint64_t size; /* bytes */
} varve_string;

/* The shape of a tensor: its extents, outermost dimension first (row-major
 * order).
 *
 * A scalar has rank 0. An extent may be 0. */
typedef struct varve_shape {
    uint32_t rank;
    uint64_t extents[VARVE_MAX_RANK];
} varve_shape;

/* A box: a part of a tensor, given by its start and its extent in each
 * dimension.
 *
 * It has the rank of the tensor. Further elements of the arrays are ignored. */
typedef struct varve_box {
    uint64_t start[VARVE_MAX_RANK];
    uint64_t extents[VARVE_MAX_RANK];
} varve_box;

/* Access to elements that are not row-major in host memory. See memory.h. */
typedef struct varve_memory varve_memory;

/* A view of typed memory, which it does not own.
 *
 * `data` may be NULL if only type and shape are needed, for tensors without
 * elements, and if `memory` has functions. */
typedef struct varve_tensor {
    void *data;
    varve_dtype dtype;
    uint32_t rank;
    const varve_memory *memory; /* NULL: row-major at `data` */
    uint64_t shape[VARVE_MAX_RANK];
} varve_tensor;

/* Returns a shape of `rank` extents.
 *
 * If `rank` is above VARVE_MAX_RANK, the further extents are dropped, and calls
 * that use the shape reject it. */
VARVE_API varve_shape varve_shape_of(uint32_t rank, const uint64_t *extents);

/* Returns a row-major view of `data` with an explicit element type.
 *
 * Use it in C++, and for types that C does not have (float16, bfloat16,
 * float8). */
VARVE_API varve_tensor varve_view(
    void *data, varve_dtype dtype, varve_shape shape);

/* Returns a view of memory whose rows have `row_size` bytes. varve_array calls
 * it.
 *
 * If the extents do not match `row_size`, every call that uses the view rejects
 * it with VARVE_BAD_SHAPE. */
VARVE_API varve_tensor varve_view_of_rows(
    void *data, size_t row_size, varve_dtype dtype, varve_shape shape);

/* Returns the number of elements, which is 1 for a scalar. The tensor must be
 * valid. */
VARVE_API uint64_t varve_tensor_count(const varve_tensor *tensor);

/* Returns the size of the elements in memory, in bytes. For strings it is the
 * size of the varve_string structs. The tensor must be valid. */
VARVE_API uint64_t varve_tensor_size(const varve_tensor *tensor);

/* Returns the size of an element in bytes, or 0 if the number is not an element
 * type. */
VARVE_API size_t varve_dtype_size(varve_dtype dtype);

/* Returns the name of an element type, such as "float32". The string is static.
 * For any other number it is "unknown". */
VARVE_API const char *varve_dtype_name(varve_dtype dtype);

/* The size of a buffer for the text of any tensor, with its NUL. */
#define VARVE_TENSOR_TEXT_SIZE 384

/* Writes type and shape of a tensor as text, such as "float32[784,10]", or
 * "int64[]" for a scalar.
 *
 * `text` is a buffer of VARVE_TENSOR_TEXT_SIZE bytes. Returns `text`. */
VARVE_API char *varve_tensor_text(const varve_tensor *tensor, char *text);

#ifndef __cplusplus

/* Returns a shape of one or more extents.
 *
 *     VARVE_SHAPE(784, 10) */
#define VARVE_SHAPE(...)                                                       \
    varve_shape_of(                                                            \
        (uint32_t)(sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)),    \
        (const uint64_t[]){ __VA_ARGS__ })

/* Returns the shape of a scalar. */
#define VARVE_SCALAR varve_shape_of(0, NULL)

/* Returns the element type for the type of a pointer.
 *
 * The size of `long` and `long long` selects between the 32-bit and 64-bit
 * types. A pointer to const, or to any other type, does not compile. */
#define VARVE_DTYPE_OF(pointer)                                                \
    VARVE_DTYPE_ELSE_(pointer, varve_string * : VARVE_STRING)

/* The same; 0 for any other type. */
#define VARVE_DTYPE_OR_0_(pointer)                                             \
    VARVE_DTYPE_ELSE_(pointer, varve_string * : VARVE_STRING, default : 0)

#define VARVE_DTYPE_ELSE_(pointer, ...)                                        \
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
        __VA_ARGS__)

/* Returns a view of an array of the program.
 *
 *     varve_array(w, 784, 10)
 *
 * The element type is that of the pointer. If the pointer is to rows, as with
 * `float w[784][10]` and `float (*w)[10]`, the extents must be those of the
 * rows; calls reject other extents. For an array of three or more dimensions
 * pass a pointer to its first element, such as `&w[0][0][0]`. */
#define varve_array(pointer, ...)                                              \
    varve_view_of_rows((pointer), sizeof *(pointer),                           \
        (varve_dtype)(VARVE_DTYPE_IN_ROWS_(pointer) +                          \
                      VARVE_CHECK_(VARVE_DTYPE_IN_ROWS_(pointer) != 0,         \
                          "the pointer must be to numbers that are not const " \
                          "or to rows of them: pass &w[0][0][0] of an array "  \
                          "of three dimensions; use varve_add_text for "       \
                          "text") +                                            \
                      VARVE_CHECK_(sizeof(#__VA_ARGS__) > 1,                   \
                          "varve_array needs the extents, such as "            \
                          "varve_array(w, 784, 10); use varve_scalar for one " \
                          "element")),                                         \
        VARVE_SHAPE(__VA_ARGS__))

/* The element type for a pointer to elements or to rows of them; 0 for any
 * other type. */
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

/* Returns a view of one element. Arrays, values that are not pointers, and
 * pointers to const or to other types do not compile.
 *
 *     varve_scalar(&step) */
#define varve_scalar(pointer)                                                  \
    varve_view((pointer),                                                      \
        (varve_dtype)(VARVE_DTYPE_OR_0_(pointer) +                             \
                      VARVE_CHECK_(VARVE_DTYPE_OR_0_(pointer) != 0,            \
                          "varve_scalar needs a pointer to a number that is "  \
                          "not const, such as &step; use varve_add_text for "  \
                          "text")),                                            \
        varve_shape_of((uint32_t)VARVE_CHECK_(VARVE_IS_POINTER_(pointer),      \
                           "varve_scalar needs a pointer to one element: use " \
                           "varve_array for an array"),                        \
            NULL))

/* 0 if the condition is true; otherwise it does not compile. With C99 (-std=c99
 * and a compiler that supports _Generic) there is no message. */
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

/* Other compilers detect an array only if its size is not that of a pointer. */
#ifdef __GNUC__
#define VARVE_IS_POINTER_(pointer)                                             \
    (VARVE_DTYPE_OR_0_(pointer) == 0 ||                                        \
        __builtin_types_compatible_p(                                          \
            __typeof__(pointer), __typeof__((pointer) + 0)))
#else
#define VARVE_IS_POINTER_(pointer) (sizeof(pointer) == sizeof(void *))
#endif

#endif

VARVE_END_DECLS

#endif
