/* memory.h - Views of memory that is strided, behind a pointer, or on a device.
 *
 * The x coordinates in an array of structs:
 *
 *     varve_add_variable(root, "x",
 *         varve_strided(&p[0].x, VARVE_STRIDES(sizeof *p), count));
 *
 * The interior of a field with a border of one cell:
 *
 *     varve_add_variable(root, "field", varve_strided(&f[1][1],
 *         VARVE_STRIDES(sizeof f[0], sizeof f[0][0]), rows, columns));
 *
 * One of two buffers that the program swaps:
 *
 *     varve_add_variable(root, "now", varve_array_at(&now, rows, columns));
 *
 * Device memory:
 *
 *     const varve_memory device = { .copy_out = from_device,
 *         .copy_in = to_device, .self = &buffer };
 *     varve_add_variable(root, "weights",
 *         varve_far(&device, VARVE_FLOAT32, VARVE_SHAPE(784, 10)));
 *
 * Every call that adds or rebinds a variable over the program's memory accepts
 * these views: variables, slices, slots and varve_rebind. A checkpoint contains
 * the value in row-major order, in the same form as for any other variable.
 * docs/views.md has examples.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_MEMORY_H
#define VARVE_MEMORY_H

#include <varve/error.h>
#include <varve/tensor.h>

VARVE_BEGIN_DECLS

/* An extent, or the location of an integer that contains it. */
typedef struct varve_extent {
    /* the extent if `dtype` is 0; otherwise the location of the integer: its
     * address or, for a field, its offset in the struct */
    size_t at;
    /* the type of that integer; 0: `at` is the extent */
    varve_dtype dtype;
} varve_extent;

/* The layout of a view: either `strides`, or both functions.
 *
 * A call that adds a variable copies the struct and its arrays. The copy that
 * varve_value returns belongs to the graph and is valid until varve_rebind or
 * the removal of the variable.
 *
 * A view of strings must not have strides or functions (VARVE_MISUSE). */
struct varve_memory {
    /* Distance in bytes from an element to the next in each dimension of the
     * view, outermost first. Element 0 is at `data`. Strides may be negative,
     * and elements may have any alignment. The functions are ignored if
     * `strides` is set.
     *
     * Elements must not overlap (VARVE_BAD_SHAPE): each stride must be larger
     * than the span of all dimensions with smaller strides. */
    const int64_t *strides;

    /* Copy `size` bytes of the value out of the memory or into it, beginning at
     * byte `offset` of the value. The bytes are whole elements in row-major
     * order and in the byte order of the host, at most 1 MiB in one call.
     *
     * One thread at a time calls them; it may be another thread than that of
     * the caller. If the result is not VARVE_OK, the call in progress fails,
     * with VARVE_NO_MEMORY if that was the result, otherwise with
     * VARVE_CALLBACK. */
    varve_status (*copy_out)(
        void *self, uint64_t offset, void *bytes, size_t size);
    varve_status (*copy_in)(
        void *self, uint64_t offset, const void *bytes, size_t size);
    void *self;

    /* For a view through a pointer (varve_array_at): the address of the
     * pointer, or NULL, and one extent for each dimension of the view. It may
     * have strides, but no functions. */
    const void *pointer;
    const varve_extent *extents;

    /* For a view that cannot be used: the reason; otherwise NULL. Adding a
     * variable with the view, or rebinding one to it, records VARVE_MISUSE with
     * this text. The C++ interface sets it. */
    const char *invalid;

    void *reserved[5];
};

/* Returns a view with the layout `memory`.
 *
 * `data` is NULL if `memory` has functions. `memory` must be valid until the
 * view has been used. */
VARVE_API varve_tensor varve_view_in(const varve_memory *memory, void *data,
    varve_dtype dtype, varve_shape shape);

/* Returns a view through the pointer `memory->pointer`.
 *
 * `data` and the shape of the view are the current values of the pointer and
 * the extents. A variable that is added with the view, or rebound to it,
 * follows later changes as described at varve_array_at. */
VARVE_API varve_tensor varve_view_at(
    const varve_memory *memory, varve_dtype dtype, uint32_t rank);

/* Returns a view of memory that is accessed through functions. */
#define varve_far(memory, dtype, shape)                                        \
    varve_view_in((memory), NULL, (dtype), (shape))

#ifndef __cplusplus

/* Returns a view through a pointer variable of the program. Use it for memory
 * that is swapped or reallocated.
 *
 *     varve_array_at(&now, &rows, 3)
 *
 * Each extent is a number or the address of an integer; there are 1 to 4
 * extents. The pointer variable and the integers must stay at their addresses.
 * Their values may change at any time: each call that saves or restores values,
 * takes a snapshot or makes a dry run reads them first.
 *
 * The pointer may be NULL. If the extents then describe at least one element, a
 * save, a snapshot or a restore of the variable returns VARVE_MISUSE with its
 * path. If the variable is resizable (resizing.h), a restore calls `make_room`
 * instead, and `settle` must set the pointer and the integers. */
#define varve_array_at(pointer_, ...)                                          \
    varve_view_at(&(const varve_memory){ .pointer = (pointer_),                \
                      .extents = (const varve_extent[]){ VARVE_EXTENTS_AT_(    \
                          __VA_ARGS__) } },                                    \
        VARVE_DTYPE_OF(*(pointer_)),                                           \
        (uint32_t)(sizeof((const varve_extent[]){                              \
                       VARVE_EXTENTS_AT_(__VA_ARGS__) }) /                     \
                   sizeof(varve_extent)))

/* Returns a view of one element through a pointer variable.
 *
 *     varve_scalar_at(&best) */
#define varve_scalar_at(pointer_)                                              \
    varve_view_at(&(const varve_memory){ .pointer = (pointer_) },              \
        VARVE_DTYPE_OF(*(pointer_)), 0)

/* 0 for an integer, the type of the integer for an address. */
#define VARVE_INTEGER_AT_(T, number) T * : (number), const T * : (number)
#define VARVE_EXTENT_AT_(x)                                                    \
    {                                                                          \
        (size_t)(x),                                                           \
            (varve_dtype) _Generic((x), short : 0, unsigned short : 0,         \
                int : 0, unsigned : 0, long : 0, unsigned long : 0,            \
                long long : 0, unsigned long long : 0, signed char : 0,        \
                unsigned char : 0, VARVE_INTEGER_AT_(signed char, VARVE_INT8), \
                VARVE_INTEGER_AT_(unsigned char, VARVE_UINT8),                 \
                VARVE_INTEGER_AT_(short, VARVE_INT16),                         \
                VARVE_INTEGER_AT_(unsigned short, VARVE_UINT16),               \
                VARVE_INTEGER_AT_(int, VARVE_INT32),                           \
                VARVE_INTEGER_AT_(unsigned, VARVE_UINT32),                     \
                VARVE_INTEGER_AT_(                                             \
                    long, sizeof(long) == 8 ? VARVE_INT64 : VARVE_INT32),      \
                VARVE_INTEGER_AT_(unsigned long,                               \
                    sizeof(long) == 8 ? VARVE_UINT64 : VARVE_UINT32),          \
                VARVE_INTEGER_AT_(long long, VARVE_INT64),                     \
                VARVE_INTEGER_AT_(unsigned long long, VARVE_UINT64))           \
    }
#define VARVE_EXTENTS_1_(a) VARVE_EXTENT_AT_(a)
#define VARVE_EXTENTS_2_(a, b) VARVE_EXTENT_AT_(a), VARVE_EXTENT_AT_(b)
#define VARVE_EXTENTS_3_(a, b, c) VARVE_EXTENTS_2_(a, b), VARVE_EXTENT_AT_(c)
#define VARVE_EXTENTS_4_(a, b, c, d)                                           \
    VARVE_EXTENTS_3_(a, b, c), VARVE_EXTENT_AT_(d)
#define VARVE_FIFTH_(a, b, c, d, fifth, ...) fifth
#define VARVE_EXTENTS_AT_(...)                                                 \
    VARVE_FIFTH_(__VA_ARGS__, VARVE_EXTENTS_4_, VARVE_EXTENTS_3_,              \
        VARVE_EXTENTS_2_, VARVE_EXTENTS_1_, 0)                                 \
    (__VA_ARGS__)

/* Returns a layout with these strides in bytes, outermost first. It is valid in
 * the enclosing block. */
#define VARVE_STRIDES(...)                                                     \
    (&(const varve_memory){ .strides = (const int64_t[]){ __VA_ARGS__ } })

/* Returns a view of strided elements.
 *
 *     varve_strided(&p[0].x, VARVE_STRIDES(sizeof *p), count)
 *
 * The pointer is that of the first element and determines the element type. */
#define varve_strided(pointer, strides, ...)                                   \
    varve_view_in((strides), (pointer), VARVE_DTYPE_OF(pointer),               \
        VARVE_SHAPE(__VA_ARGS__))

#endif

VARVE_END_DECLS

#endif
