/* abreast.h - Reads two values of the same shape in parallel, a few MiB at a
 * time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_ABREAST_H
#define TOOL_ABREAST_H

#include "side.h"

struct abreast {
    const struct side *const *sides;
    const varve_saved_node *const *nodes;
    varve_tensor shape; /* the common shape */
    varve_box box;
    /* the dimension that is divided: earlier ones are iterated, later ones read
     * completely */
    uint32_t cut;
    uint64_t step;  /* extent of a piece in this dimension */
    uint64_t inner; /* number of elements for one position in it */
    uint64_t done;  /* number of elements returned so far */
    uint64_t count; /* number of all elements */
    unsigned char *room[2];
    size_t room_size[2];
    varve_error error; /* the failure */
    int failed;        /* and the side on which it occurred */
};

struct stretch {
    uint64_t start; /* index of its first element, row-major */
    uint64_t count;
    const unsigned char *bytes[2];
};

/* With `shorter`, reads only the common length of two byte sequences. */
void abreast_begin(struct abreast *pieces, const struct side *const sides[2],
    const varve_saved_node *const nodes[2], bool shorter);

/* Returns false at the end, and if a value cannot be read. */
bool abreast_next(struct abreast *pieces, struct stretch *piece);
void abreast_end(struct abreast *pieces);

#endif
