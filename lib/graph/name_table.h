/* name_table.h - each name once, so that names are equal when their addresses
 * are; and the order of all names.
 *
 * Nobody counts who has a name. A sweep lets go of those that nobody has any
 * more: all who have some say so in between vv_names_sweep_begin and its end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NAME_TABLE_H
#define VV_NAME_TABLE_H

#include "pool.h"
#include "set.h"

struct vv_name {
    /* to read */
    uint32_t number; /* below the number of names; a sweep changes it */
    uint32_t rank;   /* in the order of their bytes; see vv_names_rank. In a
                        sweep: not 0 where it is kept */
    uint16_t size;
    char bytes[]; /* and a NUL */
};

enum { VV_NAME_POOLS = 16 };

struct vv_name_table {
    /* to read */
    struct vv_set set;
    struct vv_name **ranked; /* all names in order of bytes */
    /* own */
    struct vv_pool pools[VV_NAME_POOLS]; /* of names up to some size */
    size_t ranked_capacity;
    bool is_ranked;
    size_t enough; /* names, for a sweep to be worth its while */
};

void vv_names_init(struct vv_name_table *names, const varve_allocator *a);
void vv_names_clear(struct vv_name_table *names);

/* The one copy of a name; NULL without memory. The name must be valid. */
const struct vv_name *vv_names_intern(
    struct vv_name_table *names, const char *bytes, size_t size);

/* The one copy if there is one. */
const struct vv_name *vv_names_find(
    const struct vv_name_table *names, const char *bytes, size_t size);

/* Not to be kept longer than the name. */
uint64_t vv_name_hash(const struct vv_name *name);

/* Makes the ranks right: bytewise order, a prefix before what it begins. Does
 * nothing while no name has come since. False without memory. */
bool vv_names_rank(struct vv_name_table *names);

/* Forgets all names but those that vv_name_keep is called for in between, and
 * numbers those anew. `work` is how much was looked at to find them: as many
 * names have to come again before a sweep is due. */
void vv_names_sweep_begin(struct vv_name_table *names);
void vv_names_sweep_end(struct vv_name_table *names, size_t work);

static inline void vv_name_keep(const struct vv_name *name)
{
    ((struct vv_name *)name)->rank = 1;
}

static inline bool vv_names_are_enough(const struct vv_name_table *names)
{
    return names->set.count >= names->enough;
}

#endif
