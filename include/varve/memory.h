/* memory.h - views of memory that is not row-major, or not the processor's.
 *
 *     The x of an array of particles:
 *     varve_add_variable(root, "x",
 *         varve_strided(&p[0].x, VARVE_STRIDES(sizeof *p), count));
 *
 *     The inside of a field with a border of one cell:
 *     varve_add_variable(root, "field", varve_strided(&f[1][1],
 *         VARVE_STRIDES(sizeof f[0], sizeof f[0][0]), rows, columns));
 *
 *     Two buffers that the program swaps:
 *     varve_add_variable(root, "now", varve_array_at(&now, rows, columns));
 *
 *     Memory of a device:
 *     const varve_memory device = { .copy_out = from_device,
 *         .copy_in = to_device, .self = &buffer };
 *     varve_add_variable(root, "weights",
 *         varve_far(&device, VARVE_FLOAT32, VARVE_SHAPE(784, 10)));
 *
 * Any call that makes a variable over the program's memory takes such views:
 * variables, slices, slots, varve_rebind. What is saved is the value, the same
 * as if it lay row-major. docs/views.md shows it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_MEMORY_H
#define VARVE_MEMORY_H

#include <varve/error.h>
#include <varve/tensor.h>

VARVE_BEGIN_DECLS

/* An extent, or the integer that has it. */
typedef struct varve_extent {
    size_t at;         /* the extent; or where that integer is: of a field its
                          offset in the struct, else its address, */
    varve_dtype dtype; /* and its type; 0: it is the extent */
} varve_extent;

/* Either strides, or both functions. A call that makes a variable copies it,
 * strides and all; of a variable (varve_value) it is the graph's, until
 * varve_rebind or the end of the variable. Not for strings (VARVE_MISUSE). */
struct varve_memory {
    /* Bytes from an element to the next, for each dimension of the view, from
     * `data` on, where element 0 is; may be negative. Elements may have any
     * alignment. VARVE_BAD_SHAPE where a dimension does not go past all that
     * the narrower ones span: elements would lie on each other, and a read
     * could not fill them. The rest is not looked at then. */
    const int64_t *strides;

    /* Copies `size` bytes of the value, from `offset` on, out of that memory or
     * into it: whole elements, row-major, in the host's byte order, 1 MiB at
     * most. Called by one thread at a time, which need not be the caller's.
     * Anything but VARVE_OK fails what is being done: VARVE_NO_MEMORY as that,
     * all else as VARVE_CALLBACK. */
    varve_status (*copy_out)(
        void *self, uint64_t offset, void *bytes, size_t size);
    varve_status (*copy_in)(
        void *self, uint64_t offset, const void *bytes, size_t size);
    void *self;

    /* Of a view through a pointer, as varve_array_at makes it: the address of
     * the pointer, or NULL, and as many extents as the view has dimensions.
     * There may be strides too, and no functions. */
    const void *pointer;
    const varve_extent *extents;

    void *reserved[6];
};

/* A view whose elements are reached by `memory`; `data` is NULL for functions.
 * `memory` is looked at once the view is. */
VARVE_API varve_tensor varve_view_in(const varve_memory *memory, void *data,
    varve_dtype dtype, varve_shape shape);

/* A view through a pointer of the program, `memory->pointer`: its `data` and
 * shape are what the pointer and the extents say at this moment. A variable
 * that is made of it (or rebound to it) follows them, where varve_array_at
 * tells it. */
VARVE_API varve_tensor varve_view_at(
    const varve_memory *memory, varve_dtype dtype, uint32_t rank);

/* A view of what functions reach. */
#define varve_far(memory, dtype, shape)                                        \
    varve_view_in((memory), NULL, (dtype), (shape))

#ifndef __cplusplus

/* varve_array_at(&now, &rows, 3): a view through the pointer `now`, which is a
 * variable of the program, for memory that is swapped or allocated again. Each
 * extent is a number, or the address of an integer; there are 1 to 4 of them.
 * The pointer and these integers stay where they are as memory does otherwise,
 * and may change at any time: each call that saves, plans or restores values,
 * or takes a snapshot, reads them first. Any call that makes a variable takes
 * such a view.
 *
 * The pointer may be NULL. A save or snapshot of elements behind NULL, and a
 * restoration of them, is VARVE_MISUSE with the path of the variable; but where
 * the variable is resizable (varve/resizing.h) a restoration asks for room. Its
 * `settle` then sets the pointer and the integers. */
#define varve_array_at(pointer_, ...)                                          \
    varve_view_at(&(const varve_memory){ .pointer = (pointer_),                \
                      .extents = (const varve_extent[]){ VARVE_EXTENTS_AT_(    \
                          __VA_ARGS__) } },                                    \
        VARVE_DTYPE_OF(*(pointer_)),                                           \
        (uint32_t)(sizeof((const varve_extent[]){                              \
                       VARVE_EXTENTS_AT_(__VA_ARGS__) }) /                     \
                   sizeof(varve_extent)))

/* varve_scalar_at(&best): a view of the one element that `best` points to. */
#define varve_scalar_at(pointer_)                                              \
    varve_view_at(&(const varve_memory){ .pointer = (pointer_) },              \
        VARVE_DTYPE_OF(*(pointer_)), 0)

/* 0 for an integer, the type of an integer behind an address. */
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

/* Strides, the outermost first, that last as long as the block. */
#define VARVE_STRIDES(...)                                                     \
    (&(const varve_memory){ .strides = (const int64_t[]){ __VA_ARGS__ } })

/* varve_strided(&p[0].x, VARVE_STRIDES(sizeof *p), count): a view of elements
 * that lie apart; the pointer, which says their type, is that of the first. */
#define varve_strided(pointer, strides, ...)                                   \
    varve_view_in((strides), (pointer), VARVE_DTYPE_OF(pointer),               \
        VARVE_SHAPE(__VA_ARGS__))

#endif

VARVE_END_DECLS

#endif
