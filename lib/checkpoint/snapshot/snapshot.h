/* snapshot.h - The snapshot behind the public handle: copies of values, in the
 * order of a walk.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SNAPSHOT_H
#define VV_SNAPSHOT_H

#include <varve/snapshot.h>

#include "buffer.h"
#include "graph.h"
#include "walk.h"

/* One variable or state. The memory of a variable may move, so its address is
 * read at each use. Its element type and shape must not change. */
struct vv_item {
    varve_node *node;
    void *copy; /* the elements; NULL for a state */
    size_t size;
    varve_dtype dtype;      /* of the copy; 0 for a state */
    uint64_t shape;         /* hash of the shape of the copy */
    struct vv_buffer bytes; /* the bytes of strings or of a state */
    struct vv_buffer spare; /* as large as `bytes`: strings that the variable
                               will own, or the bytes of a state during a
                               retake */
    bool is_random;         /* belongs to a random stream */
    const void *alike;      /* address of the program's value when the two
                               were last equal; NULL: never */
};

struct varve_snapshot {
    struct vv_observer observer;
    struct vv_context context;
    varve_graph *graph; /* NULL after it is freed */
    varve_node *root;
    char *except; /* patterns, or NULL */
    char *tag;    /* only nodes with this tag; NULL: all nodes */
    bool no_random;
    bool is_stale;   /* a node was removed */
    bool is_changed; /* edges or slots have changed since the last check */
    struct vv_item *items;
    size_t count;
    size_t item_capacity;
    bool *item_at; /* by number of node; NULL: not made yet */
    size_t item_limit;
    unsigned char *block;
    size_t block_size;
    struct vv_dirty *dirty; /* pages that the program has written; NULL: not
                               tracked */
    uint64_t moment;        /* when the values were last equal */
    uint64_t counter;       /* the save counter of the root when the snapshot
                               was taken */
};

/* Returns VARVE_MISMATCH unless the program has exactly the values of the
 * snapshot, with the same types. */
varve_status vv_snapshot_check(
    struct varve_snapshot *snapshot, varve_error *error);

/* Makes the copies of strings point to their copied bytes. */
void vv_snapshot_point(struct varve_snapshot *snapshot);

/* Sets *value to a view of the copy of a node's value. Returns false if the
 * snapshot does not have the node. */
bool vv_snapshot_value_of(struct varve_snapshot *snapshot,
    const varve_node *node, varve_tensor *value);

/* Returns true if a variable or state has the tag, or an edge from an object
 * that has it. */
bool vv_is_tagged(const varve_node *node, uint64_t bit);

#endif
