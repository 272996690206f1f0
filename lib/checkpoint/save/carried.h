/* carried.h - values that wait in a file that a restoration has open, and are
 * carried over by a save: nodes for them stand in the graph while it is walked.
 *
 * A value that waits has no node of the program. For the time of a save each
 * such value gets one, with the nodes that lead to it, below the program's own.
 * Its bytes are read from the file when they are written. Observers are not
 * told of these nodes, and no edge leads to them once the graph was walked.
 *
 * Who has values that wait (a restoration) adds them, when vv_carry asks the
 * observers of a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CARRIED_H
#define VV_CARRIED_H

#include <varve/options.h>
#include <varve/reader.h>

#include "buffer.h"
#include "edge.h"
#include "slot.h"
#include "walk.h"

struct vv_carried_value;

/* A file that has values; the first member of what its owner allocates. */
struct vv_carried_source {
    /* to fill in */
    const char *path;
    /* Reads some bytes of a value as they lie in a file of ours, verified. */
    varve_status (*read)(struct vv_carried_source *self, uint32_t value,
        uint64_t at, void *bytes, size_t size, varve_error *error);
    /* The path of a node of it, for messages. */
    const char *(*name)(struct vv_carried_source *self, uint32_t node);
    void (*release)(struct vv_carried_source *self);
    /* own */
    struct vv_carried_source *next;
};

/* Where the bytes of a value are. */
struct vv_carried_value {
    /* to fill in */
    struct vv_carried_source *source;
    uint32_t node;
    uint32_t value;
    uint64_t size; /* as it lies in the file */
    /* own */
    struct vv_carried *carried;
    varve_dtype dtype;
};

struct vv_carried {
    /* to read */
    varve_graph *graph; /* to which nodes are added */
    /* to fill in */
    /* The node of `graph` for one of the graph that is asked, or NULL, and then
     * nothing is added below it. As a member NULL: the two are the same. */
    varve_node *(*twin)(const void *user, varve_node *node);
    const void *twin_user;
    varve_error failure; /* of reading the bytes of a state; VARVE_OK: none */
    /* own */
    struct vv_carried_source *sources;
    struct vv_buffer nodes;     /* varve_node * */
    struct vv_buffer edges;     /* struct vv_edge * */
    struct vv_buffer slots;     /* struct vv_slot * */
    struct vv_buffer held;      /* struct held * */
    struct vv_buffer conflicts; /* struct conflict */
};

/* NULL without memory. */
struct vv_carried *vv_carried_new(varve_graph *graph);

/* Takes all nodes away again. Takes NULL. */
void vv_carried_free(struct vv_carried *carried);

/* Asks all observers of a graph, the newest first. */
varve_status vv_carry(
    struct vv_carried *carried, varve_graph *from, varve_error *error);

/* Takes all edges and slots away that lead to the nodes, which stay for their
 * values. */
void vv_carried_unlink(struct vv_carried *carried);

/* With the walk of a save: VARVE_MISUSE where the options refuse a value that
 * waits and the walk came to one, or where something of the program that it
 * came to stands in the place of one. */
varve_status vv_carried_check(const struct vv_carried *carried,
    const struct vv_walk *walk, varve_pending_policy policy,
    varve_error *error);

/* The value that a node was added for; NULL for any other. */
const struct vv_carried_value *vv_carried_value_of(const varve_node *node);

/* Whether a node was added by a save, and of which file it is. */
const struct vv_carried_source *vv_carried_source_of(const varve_node *node);

/* --- For who adds --------------------------------------------------------- */

/* Takes over a source, which is released with the nodes. */
void vv_carried_add_source(
    struct vv_carried *carried, struct vv_carried_source *source);

/* A node like a saved one, with its global name if no other node has it, and
 * without its tags. NULL after a mistake of the graph or a failure. */
varve_node *vv_carried_add_node(struct vv_carried *carried,
    const varve_saved_node *saved, const struct vv_carried_value *at,
    bool has_value, varve_error *error);

/* False after a mistake of the graph. A slot is for the node that was added
 * last, to which no edge leads. */
bool vv_carried_add_edge(struct vv_carried *carried, varve_node *parent,
    const char *name, varve_node *child);
bool vv_carried_add_slot(struct vv_carried *carried, varve_node *owner,
    varve_node *variable, const char *name, varve_node *node);

/* A state of the program whose bytes have not been loaded yet is saved with
 * those of the file. False without memory. */
bool vv_carried_hold(struct vv_carried *carried, varve_node *state,
    const struct vv_carried_value *value);

/* Something of the program, `in_the_way`, stands in the place of a node that
 * leads to a value. False without memory. */
bool vv_carried_conflict(struct vv_carried *carried, varve_node *in_the_way,
    struct vv_carried_source *source, uint32_t node);

#endif
