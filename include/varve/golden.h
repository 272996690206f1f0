/* golden.h - Compares a program with a golden file, a checkpoint with the
 * expected names and values. For assertions see testing.h.
 *
 *     varve_tolerance tolerance = { .absolute = 1e-6, .relative = 1e-5 };
 *     varve_golden_options options = {
 *         .tolerances = &tolerance, .tolerance_count = 1,
 *     };
 *     status = varve_compare_golden(root, "golden.varve", &options, &error);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_GOLDEN_H
#define VARVE_GOLDEN_H

#include <stddef.h>

#include <varve/error.h>
#include <varve/options.h>
#include <varve/tensor.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* The tolerance of a comparison.
 *
 * Two elements a and b are equal if |a - b| <= absolute + relative * |b|, where
 * b is the element of the golden file. For complex numbers this applies to each
 * part. NaN equals NaN. */
typedef struct varve_tolerance {
    varve_dtype dtype; /* element type to which it applies; 0: all real and
                          complex types */
    double absolute;
    double relative;
} varve_tolerance;

/* Options of varve_compare_golden. All zero is the safe default: values must be
 * equal bit for bit. */
typedef struct varve_golden_options {
    const varve_tolerance *tolerances; /* the first that applies to an element
                                          type is used; other types are compared
                                          bit for bit */
    size_t tolerance_count;
    const varve_read_options *read; /* options for reading the golden file, such
                                       as renames and `expect`; `map` is
                                       VARVE_MISUSE */
    varve_reserved reserved;
} varve_golden_options;

/* Compares the names and values below `root` with a checkpoint.
 *
 * The checkpoint can have any format that Varve reads. The values of the
 * program do not change. `options` may be NULL.
 *
 * - Returns VARVE_OK if all names and values are equal.
 * - Returns VARVE_UNMATCHED if only one side has a value, or if its type or
 *   shape differs.
 * - Returns VARVE_MISMATCH if elements of a value differ. The message contains
 *   the path of each value, the number of elements that differ, the first of
 *   them on both sides, and the largest difference. Returns it also for a type
 *   or shape that differs if a pattern of `read->expect` permits the value.
 * - Returns VARVE_NOT_FOUND if there is no such file.
 *
 * Threads: only one thread at a time may use the graph. */
VARVE_API varve_status varve_compare_golden(varve_node *root, const char *path,
    const varve_golden_options *options, varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
