/* name_table.h - Stores each name once, so that names can be compared by
 * address, and the order of all names.
 *
 * Names have no reference counts. A sweep frees unused names: between
 * vv_names_sweep_begin and vv_names_sweep_end, all holders of names call
 * vv_name_keep.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NAME_TABLE_H
#define VV_NAME_TABLE_H

#include "allocator.h"
#include "hash_table.h"

struct vv_name {
    /* to read */
    uint32_t number; /* below the number of names; a sweep changes it */
    uint32_t rank;   /* position in the order of their bytes (vv_names_rank);
                        during a sweep: not 0 if the name is kept */
    uint16_t size;
    char bytes[]; /* followed by a NUL */
};

enum { VV_NAME_POOLS = 16 };

struct vv_name_table {
    /* to read */
    struct vv_set set;
    struct vv_name **ranked; /* all names in the order of their bytes */
    /* own */
    struct vv_pool pools[VV_NAME_POOLS]; /* by size of the names */
    size_t ranked_capacity;
    bool is_ranked;
    size_t enough; /* number of names that makes a sweep worthwhile */
};

void vv_names_init(struct vv_name_table *names, const varve_allocator *a);
void vv_names_clear(struct vv_name_table *names);

/* Returns the only copy of a name, or NULL if out of memory. The name must be
 * valid. */
const struct vv_name *vv_names_intern(
    struct vv_name_table *names, const char *bytes, size_t size);

/* Returns the only copy of a name, or NULL if there is none. */
const struct vv_name *vv_names_find(
    const struct vv_name_table *names, const char *bytes, size_t size);

/* The hash must not be stored longer than the name. */
uint64_t vv_name_hash(const struct vv_name *name);

/* Computes the ranks: bytewise order, a prefix before longer names. Does
 * nothing if no name was added since. Returns false if out of memory. */
bool vv_names_rank(struct vv_name_table *names);

/* Free all names for which vv_name_keep is not called in between, and renumber
 * the others. `work` is how much was examined to find them. As many names must
 * be added before the next sweep. */
void vv_names_sweep_begin(struct vv_name_table *names);
void vv_names_sweep_end(struct vv_name_table *names, size_t work);

/* Marks a name as used during a sweep. */
static inline void vv_name_keep(const struct vv_name *name)
{
    ((struct vv_name *)name)->rank = 1;
}

/* Returns true if a sweep is worthwhile. */
static inline bool vv_names_are_enough(const struct vv_name_table *names)
{
    return names->set.count >= names->enough;
}

#endif
