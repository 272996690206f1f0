/* listing.h - Reads a text that lists the values of a program:
 *
 *     # a comment
 *     model/kernel float32 [784,10]
 *     step int64 []
 *     adam/m(model/kernel) float32 [784,10]
 *     rng state
 *
 * A line contains the path of a value, its element type and its shape, or a
 * path and `state`, separated by spaces or tabs; a path can contain spaces. The
 * output of `varve ls --tsv` is accepted too. Its first line contains the names
 * of the columns. These begin with `path` and `dtype`; of the others, `kind`,
 * `global_name` and `bytes` are used too. A value with "-" in the column
 * `bytes` is not saved and not expected. After such a line, '#' does not begin
 * a comment.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LISTING_H
#define TOOL_LISTING_H

#include <stdbool.h>

#include <varve/graph.h>

#include "settings.h"

/* Returns true if a file is text. "-" is standard input, and counts as text. */
bool is_listing(const char *file);

/* Adds the listed values below `root`, or prints an error with the number of
 * the line. */
int listing_read(
    const struct settings *settings, const char *file, varve_node *root);

#endif
