/* migrating.h - Packs structs of the program that can move between processes,
 * so that they can be saved.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MIGRATING_H
#define VV_MIGRATING_H

#include <varve/migrating.h>

#include "private.h"

/* The packed structs of this process. */
struct vv_migrating {
    /* to read */
    varve_migrating of;
    uint32_t rank, size; /* of this process and of the communicator */
    /* own */
    void *structs;
    size_t room; /* in bytes */
    size_t count;
};

/* Adds the fields of such structs as children of a node. There are no structs
 * yet. Records an error that contains `name` if something is wrong. */
bool vv_migrating_begin(varve_node *node, const char *name,
    const varve_migrating *migrating, const struct vv_private *private);

/* Packs the current structs of the program into the memory of the variables. */
varve_status vv_migrating_pack(
    varve_node *node, struct vv_migrating *m, varve_error *error);

/* Checks that each packed struct has an owner that is a valid rank. Returns
 * VARVE_MISUSE and names the first that has not, because no restoration could
 * deliver it. */
varve_status vv_migrating_check(const varve_node *node, varve_error *error);

/* Returns the packed structs of a node, or NULL. */
struct vv_migrating *vv_migrating_of(const varve_node *node);

/* Frees the packed structs. Accepts NULL. */
void vv_migrating_free(const varve_allocator *a, struct vv_migrating *m);

#endif
