/* slice.h - variables that are a part of a larger value.
 *
 *     Rows 1000 to 1999 of a table, of which this process has no more:
 *     uint64_t start[] = { 1000, 0 };
 *     varve_add_slice(root, "table", varve_array(rows, 1000, 64),
 *         VARVE_SHAPE(8000, 64), start);
 *
 * A checkpoint has the whole value, from whatever process; a read delivers the
 * part. docs/slices.md shows it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_SLICE_H
#define VARVE_SLICE_H

#include <varve/graph.h>
#include <varve/tensor.h>
#include <varve/variable.h>

VARVE_BEGIN_DECLS

/* Of which value a variable is a part: its shape, and where in it the variable
 * starts, in each dimension. How far it goes says varve_value. */
typedef struct varve_slice {
    varve_shape shape;
    uint64_t start[VARVE_MAX_RANK];
} varve_slice;

/* A variable over the program's memory, as by varve_add_variable, that is a
 * part of a value of `shape`: from `start` on, which has as many numbers as the
 * shape has extents, as far as the view goes. Its memory is row-major without
 * gaps, unless the view has strides (varve/memory.h). An extent may be 0: this
 * program has nothing of the value.
 *
 * A read compares type and shape of the whole value, and reads no more than the
 * chunks of 1 MiB that the part meets; a value whose only sum is over all of
 * it, as in other people's formats, is read whole to verify it. Options that
 * reshape or resize do not apply. A save of a part fails with VARVE_MISUSE: the
 * file would lack the rest; but for those of many processes, which have it
 * among them, in one file or (redundancy.h) in one each. A slice that is all of
 * its value is saved as any variable.
 *
 * VARVE_BAD_SHAPE where the view has another rank or leaves the shape,
 * VARVE_MISUSE for strings. */
VARVE_API varve_node *varve_add_slice(varve_node *parent, const char *name,
    varve_tensor view, varve_shape shape, const uint64_t *start);

/* The same over memory that the library allocates for the elements of the box,
 * as by varve_add_allocated_variable; the initializer is given these. */
VARVE_API varve_node *varve_add_allocated_slice(varve_node *parent,
    const char *name, varve_dtype dtype, varve_shape shape,
    const varve_box *box, varve_initializer *initializer, void *user);

/* What a variable is a part of; NULL for any other node. varve_add_slot_like of
 * a slice is a slice of the same part. */
VARVE_API const varve_slice *varve_slice_of(const varve_node *node);

VARVE_END_DECLS

#endif
