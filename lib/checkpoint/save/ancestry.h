/* ancestry.h - The runs that a run descends from, as its checkpoints record
 * them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ANCESTRY_H
#define VV_ANCESTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many ancestors are recorded. Older ones are dropped, so that the metadata
 * of a run that was resumed very often stays small. */
enum { VV_MOST_ANCESTORS = 32 };

/* Of all of them as text, with a NUL. */
enum { VV_ANCESTRY_SIZE = VV_MOST_ANCESTORS * (16 + 1 + 20 + 1) + 1 };

/* A run, and the counter of its checkpoint from which the next run was
 * resumed. Its later checkpoints are not ancestors. */
struct vv_ancestor {
    /* to fill in */
    uint64_t run; /* vv_run_hash; 0: unknown */
    uint64_t counter;
};

/* The newest ancestor, which is the parent, first. */
struct vv_ancestry {
    /* to fill in */
    size_t count; /* 0: the run began anew, or its ancestors are unknown */
    struct vv_ancestor all[VV_MOST_ANCESTORS];
};

/* The hash of the identity of a run; 0 for "". */
uint64_t vv_run_hash(const char *run);

/* The place of a run among the ancestors; `count` where it is not there. */
size_t vv_ancestry_find(const struct vv_ancestry *ancestry, uint64_t run);

/* Appends one; drops it where there are as many as are recorded. */
void vv_ancestry_add(
    struct vv_ancestry *ancestry, uint64_t run, uint64_t counter);

/* Prints the first `count` of them at most: 16 hexadecimal digits, a colon and
 * a decimal each, with commas between; "" for none. */
void vv_ancestry_print(const struct vv_ancestry *ancestry, size_t count,
    char text[VV_ANCESTRY_SIZE]);

/* Appends those of such a text. False, and those before it were added, at what
 * is none. */
bool vv_ancestry_parse(
    struct vv_ancestry *ancestry, const char *text, size_t size);

#endif
