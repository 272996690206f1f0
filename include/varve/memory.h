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

    varve_reserved reserved;
};

/* A view whose elements are reached by `memory`; `data` is NULL for functions.
 * `memory` is looked at once the view is. */
VARVE_API varve_tensor varve_view_in(const varve_memory *memory, void *data,
    varve_dtype dtype, varve_shape shape);

/* A view of what functions reach. */
#define varve_far(memory, dtype, shape)                                        \
    varve_view_in((memory), NULL, (dtype), (shape))

#ifndef __cplusplus

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
