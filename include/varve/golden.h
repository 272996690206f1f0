/* golden.h - a program compared with a golden file: a checkpoint that has the
 * names and values which the program should have. testing.h has assertions.
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

/* Two elements are equal where |a - b| <= absolute + relative * |b|, of complex
 * ones in each part; b is that of the golden file. NaN equals NaN. */
typedef struct varve_tolerance {
    varve_dtype dtype; /* of such elements; 0: of all real and complex types */
    double absolute;
    double relative;
} varve_tolerance;

/* All zero is the safe default: the same values, bit for bit. */
typedef struct varve_golden_options {
    const varve_tolerance *tolerances; /* the first that applies to a type is
                                          used; without one bits are compared */
    size_t tolerance_count;
    const varve_read_options *read; /* of the golden file, such as renames and
                                       `expect`; `map` is VARVE_MISUSE */
    varve_reserved reserved;
} varve_golden_options;

/* Compares the values below `root` with the checkpoint at `path`, in any format
 * that is read. Names are compared too: a value that only one side has, or that
 * has another type or shape there, is VARVE_UNMATCHED or VARVE_MISMATCH.
 * VARVE_MISMATCH for values that differ: the message names each of them, how
 * many elements differ, the first of these on both sides, and the largest
 * difference. The program's values stay as they are. VARVE_NOT_FOUND without
 * the file. Not for several threads that use one graph. */
VARVE_API varve_status varve_compare_golden(varve_node *root, const char *path,
    const varve_golden_options *options, varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
