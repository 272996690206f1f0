/* name_table.h - each name once, so that names are equal when their addresses
 * are; and the order of all names.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NAME_TABLE_H
#define VV_NAME_TABLE_H

#include "map.h"

struct vv_name {
    uint64_t hash;
    uint32_t number; /* in the order they came, from 0 */
    uint32_t rank;   /* in the order of their bytes; see vv_names_rank */
    uint32_t size;
    char bytes[]; /* and a NUL */
};

struct vv_name_table {
    struct vv_map map;
    struct vv_name **ranked; /* all names in order of bytes */
    size_t ranked_capacity;
    bool is_ranked;
};

void vv_names_init(struct vv_name_table *names, const varve_allocator *a);
void vv_names_clear(struct vv_name_table *names);

/* The one copy of a name; NULL without memory. The name must be valid. */
const struct vv_name *vv_names_intern(
    struct vv_name_table *names, const char *bytes, size_t size);

/* The one copy if there is one. */
const struct vv_name *vv_names_find(
    const struct vv_name_table *names, const char *bytes, size_t size);

/* Makes the ranks right: bytewise order, a prefix before what it begins. Does
 * nothing while no name has come since. False without memory. */
bool vv_names_rank(struct vv_name_table *names);

#endif
