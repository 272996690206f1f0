/* layer_census.h - Compares the data files (layers) of a directory before and
 * after a prune.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LAYER_CENSUS_H
#define TOOL_LAYER_CENSUS_H

#include <stddef.h>
#include <stdint.h>

/* A data file. */
struct layer_row {
    char *path;
    uint64_t size;
};

struct layer_census {
    struct layer_row *rows;
    size_t count;
    size_t room;
};

/* Lists the layers of a directory; none if it has no folder of layers. */
void layer_census_take(struct layer_census *census, const char *directory);

/* Returns the number of these that no longer exist, and sets *bytes to their
 * size. The name of a layer is never reused. */
size_t layer_census_gone(const struct layer_census *census, uint64_t *bytes);

void layer_census_clear(struct layer_census *census);

#endif
