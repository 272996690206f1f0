/* abreast.h - two values of one shape, read side by side a few MiB at a time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_ABREAST_H
#define TOOL_ABREAST_H

#include "side.h"

struct abreast {
    const struct side *const *sides;
    const varve_saved_node *const *nodes;
    varve_tensor shape; /* of what both have */
    varve_box box;
    uint32_t cut;   /* the dimension that is cut: those before it one by
                       one, those behind it whole */
    uint64_t step;  /* so much of it at a time */
    uint64_t inner; /* elements of one of it */
    uint64_t done;  /* elements that were given */
    uint64_t count; /* in all */
    unsigned char *room[2];
    size_t room_size[2];
    varve_error error; /* what failed, */
    int failed;        /* and at which of the two */
};

struct stretch {
    uint64_t start; /* the first element, row-major */
    uint64_t count;
    const unsigned char *bytes[2];
};

/* `shorter`: of two runs of bytes as much as both have. */
void abreast_begin(struct abreast *pieces, const struct side *const sides[2],
    const varve_saved_node *const nodes[2], bool shorter);

/* False past the end, and where one cannot be read. */
bool abreast_next(struct abreast *pieces, struct stretch *piece);
void abreast_end(struct abreast *pieces);

#endif
