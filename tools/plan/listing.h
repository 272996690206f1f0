/* listing.h - a text that lists the values of a program:
 *
 *     # a comment
 *     model/kernel float32 [784,10]
 *     step int64 []
 *     adam/m(model/kernel) float32 [784,10]
 *     rng state
 *
 * A line is the path of a value, its element type and its shape, or a path and
 * `state`. Between them are spaces, or tabs: a path may have spaces in it. So
 * `varve ls --tsv` prints them, whose first line names the columns: `path`,
 * `dtype`, `shape`, and among further ones `kind`, `global_name` and `bytes`
 * are taken notice of: what has "-" for bytes is not saved, and not missed.
 * Below such a line '#' begins no comment.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LISTING_H
#define TOOL_LISTING_H

#include <stdbool.h>

#include <varve/graph.h>

#include "settings.h"

/* Whether a file is text; "-" is standard input, and is. */
bool is_listing(const char *file);

/* Adds what it lists below `root`, or complains with the number of a line. */
int listing_read(
    const struct settings *settings, const char *file, varve_node *root);

#endif
