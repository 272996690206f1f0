/* snapshot.h - a snapshot behind its handle: copies, in the order of a walk.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SNAPSHOT_H
#define VV_SNAPSHOT_H

#include <varve/snapshot.h>

#include "buffer.h"
#include "graph.h"
#include "walk.h"

/* One variable or state. A variable may have other memory, which is asked for
 * each time, but neither another element type nor another shape. */
struct vv_item {
    varve_node *node;
    void *copy; /* of elements; NULL for a state */
    size_t size;
    varve_dtype dtype;      /* of the copy; 0 for a state */
    uint64_t shape;         /* of the copy: a digest */
    struct vv_buffer bytes; /* of strings, or of a state */
    struct vv_buffer spare; /* as large: strings for the variable to keep, or
                               the bytes of a state while it is retaken */
    bool is_random;         /* of a stream of random numbers */
    const void *alike;      /* where the program's value lay when the two were
                               so; NULL: they were not */
};

struct varve_snapshot {
    struct vv_observer observer;
    struct vv_context context;
    varve_graph *graph; /* NULL once it is freed */
    varve_node *root;
    char *except; /* patterns, or NULL */
    char *tag;    /* of what is taken; NULL: all is */
    bool no_random;
    bool is_stale;   /* a node is gone */
    bool is_changed; /* edges or slots came or went since the last check */
    struct vv_item *items;
    size_t count;
    size_t item_capacity;
    unsigned char *block;
    size_t block_size;
    struct vv_dirty *dirty; /* what the program has written; NULL: unknown */
    uint64_t moment;        /* since when, for values that were alike */
    uint64_t counter;       /* the root's save counter when it was taken */
};

/* Whether the program still has the values that the snapshot has, of the same
 * types, and no others: else VARVE_MISMATCH. */
varve_status vv_snapshot_check(
    struct varve_snapshot *snapshot, varve_error *error);

/* Lets the copies of strings point at their copied bytes. */
void vv_snapshot_point(struct varve_snapshot *snapshot);

/* A view of the value that the snapshot has of a node; false if it has none. */
bool vv_snapshot_value_of(struct varve_snapshot *snapshot,
    const varve_node *node, varve_tensor *value);

/* A variable or state has a tag, or an edge from an object that has it. */
bool vv_is_tagged(const varve_node *node, uint64_t bit);

#endif
