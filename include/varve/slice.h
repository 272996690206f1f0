/* slice.h - Adds variables that are a part (a shard) of a larger value.
 *
 * This process holds rows 1000 to 1999 of a table of 8000 rows:
 *
 *     uint64_t start[] = { 1000, 0 };
 *     varve_add_slice(root, "table", varve_array(rows, 1000, 64),
 *         VARVE_SHAPE(8000, 64), start);
 *
 * A checkpoint contains the whole value, regardless of the number of processes
 * that wrote it. A restore reads the part. docs/slices.md has examples.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_SLICE_H
#define VARVE_SLICE_H

#include <varve/graph.h>
#include <varve/tensor.h>
#include <varve/variable.h>

VARVE_BEGIN_DECLS

/* The value of which a variable is a part: its shape, and the start of the part
 * in each dimension. varve_value returns the shape of the part. */
typedef struct varve_slice {
    varve_shape shape;
    uint64_t start[VARVE_MAX_RANK];
} varve_slice;

/* Adds a variable over the program's memory that is a part of a value of the
 * given shape.
 *
 * `view` is the memory of the part, row-major unless it has strides (memory.h).
 * `start` has one index for each dimension of `shape`. An extent of the view
 * may be 0 if this process holds no elements.
 *
 * A restore compares the type and shape of the whole value. It reads only the
 * chunks of 1 MiB that contain elements of the part. A value that has a single
 * checksum, as in external formats, is read completely to verify it. The
 * options `reshape` and `resize` do not apply.
 *
 * A save by a single process returns VARVE_MISUSE if the part is smaller than
 * the value, because the file would be incomplete. A collective save writes the
 * parts of all processes, to one file or, with redundancy.h, to one file for
 * each process.
 *
 * - Records VARVE_BAD_SHAPE if the rank of the view differs from that of the
 *   shape, or if the part exceeds the shape.
 * - Records VARVE_MISUSE for strings, or if `start` is NULL and the rank is not
 *   0. */
VARVE_API varve_node *varve_add_slice(varve_node *parent, const char *name,
    varve_tensor view, varve_shape shape, const uint64_t *start);

/* Adds a slice like varve_add_slice, over memory that the library allocates.
 *
 * `box` is the part. The library allocates memory for its elements, and calls
 * the initializer with this memory; see varve_add_allocated_variable. */
VARVE_API varve_node *varve_add_allocated_slice(varve_node *parent,
    const char *name, varve_dtype dtype, varve_shape shape,
    const varve_box *box, varve_initializer *initializer, void *user);

/* Returns the value of which a variable is a part, or NULL for any other node.
 * varve_add_slot_like for a slice adds a slice of the same part. */
VARVE_API const varve_slice *varve_slice_of(const varve_node *node);

VARVE_END_DECLS

#endif
