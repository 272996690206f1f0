/* migrating.h - structs of the program's that move between processes, packed to
 * be saved.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MIGRATING_H
#define VV_MIGRATING_H

#include <varve/migrating.h>

#include "private.h"

/* Their packed form, at the node of this process's. */
struct vv_migrating {
    /* to read */
    varve_migrating of;
    uint32_t rank, size; /* of the processes */
    /* own */
    void *structs;
    size_t room; /* bytes */
    size_t count;
};

/* Lets the children of a node be the fields of such structs, of which there are
 * none yet; what is wrong is a mistake of its graph, and about `name`. */
bool vv_migrating_begin(varve_node *node, const char *name,
    const varve_migrating *migrating, const struct vv_private *private);

/* Packs what the program has now, for the variables of the fields. */
varve_status vv_migrating_pack(
    varve_node *node, struct vv_migrating *m, varve_error *error);

/* Whether each that is packed has an owner that is a rank; VARVE_MISUSE names
 * the first that has not, which no restoration could put anywhere. */
varve_status vv_migrating_check(const varve_node *node, varve_error *error);

/* That of a node; NULL: it has none. */
struct vv_migrating *vv_migrating_of(const varve_node *node);

/* Frees the packed ones; NULL is none. */
void vv_migrating_free(const varve_allocator *a, struct vv_migrating *m);

#endif
