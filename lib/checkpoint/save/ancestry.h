/* ancestry.h - Keeps the list of runs that a run descends from, which each of
 * its checkpoints records.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ANCESTRY_H
#define VV_ANCESTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of ancestors that are recorded. Older ones are dropped, so that
 * the metadata of a run that was resumed very often stays small. */
enum { VV_MOST_ANCESTORS = 32 };

/* The size of the printed list of VV_MOST_ANCESTORS ancestors, with the NUL. */
enum { VV_ANCESTRY_SIZE = VV_MOST_ANCESTORS * (16 + 1 + 20 + 1) + 1 };

/* A run, and the counter of the checkpoint of that run from which the next run
 * was resumed. The later checkpoints of that run are not ancestors. */
struct vv_ancestor {
    /* to fill in */
    uint64_t run; /* from vv_run_hash; 0: unknown */
    uint64_t counter;
};

/* The ancestors of a run. The first one is the parent. */
struct vv_ancestry {
    /* to fill in */
    size_t count; /* 0: the run has no parent, or its ancestors are unknown */
    struct vv_ancestor all[VV_MOST_ANCESTORS];
};

/* Returns the hash of the identity of a run, or 0 if the identity is "". */
uint64_t vv_run_hash(const char *run);

/* Returns the index of the run in the list, or `count` if it is not in the
 * list. */
size_t vv_ancestry_find(const struct vv_ancestry *ancestry, uint64_t run);

/* Appends an ancestor. Does nothing if the list is full. */
void vv_ancestry_add(
    struct vv_ancestry *ancestry, uint64_t run, uint64_t counter);

/* Prints at most the first `count` ancestors. Each one is printed as 16
 * hexadecimal digits, a colon and a decimal number; they are separated by
 * commas. The text is "" if there are none. */
void vv_ancestry_print(const struct vv_ancestry *ancestry, size_t count,
    char text[VV_ANCESTRY_SIZE]);

/* Appends the ancestors that are listed in a text printed by vv_ancestry_print.
 * Returns false at the first invalid one; those before it have been added. */
bool vv_ancestry_parse(
    struct vv_ancestry *ancestry, const char *text, size_t size);

#endif
