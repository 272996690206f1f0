/* carried.h - Includes the pending values of a restoration in a save.
 *
 * A pending value is a value of an open checkpoint for which the program has no
 * node yet. During a save, each pending value gets a temporary node below the
 * nodes of the program, together with the nodes that lead to it. Its bytes are
 * read from the checkpoint when they are written. Observers are not notified of
 * these nodes. The edges to them are removed once the graph was traversed.
 *
 * vv_carry calls the observers of a graph; a restoration that has pending
 * values then adds them.
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

/* An open checkpoint with pending values. Must be the first member of the
 * struct that its owner allocates. */
struct vv_carried_source {
    /* to fill in */
    const char *path;
    /* Reads bytes of a value in the encoding of a Varve file, and verifies
     * them. */
    varve_status (*read)(struct vv_carried_source *self, uint32_t value,
        uint64_t at, void *bytes, size_t size, varve_error *error);
    /* Returns the path of a node, for messages. */
    const char *(*name)(struct vv_carried_source *self, uint32_t node);
    void (*release)(struct vv_carried_source *self);
    /* own */
    struct vv_carried_source *next;
};

/* The location of a pending value. */
struct vv_carried_value {
    /* to fill in */
    struct vv_carried_source *source;
    uint32_t node;
    uint32_t value;
    uint64_t size; /* in the file */
    /* own */
    struct vv_carried *carried;
    varve_dtype dtype;
};

struct vv_carried {
    /* to read */
    varve_graph *graph; /* the graph to which nodes are added */
    /* to fill in */
    /* Returns the node of `graph` that corresponds to a node of the graph whose
     * observers are called. If it returns NULL nothing is added below that
     * node. If the member is NULL both graphs are the same. */
    varve_node *(*twin)(const void *user, varve_node *node);
    const void *twin_user;
    varve_error failure; /* from reading the bytes of a state; VARVE_OK: none */
    /* own */
    struct vv_carried_source *sources;
    struct vv_buffer nodes;     /* varve_node * */
    struct vv_buffer edges;     /* struct vv_edge * */
    struct vv_buffer slots;     /* struct vv_slot * */
    struct vv_buffer held;      /* struct held * */
    struct vv_buffer conflicts; /* struct conflict */
};

/* Returns NULL if out of memory. */
struct vv_carried *vv_carried_new(varve_graph *graph);

/* Removes all nodes that were added, and frees `carried`, which may be NULL. */
void vv_carried_free(struct vv_carried *carried);

/* Calls all observers of a graph, the newest first. */
varve_status vv_carry(
    struct vv_carried *carried, varve_graph *from, varve_error *error);

/* Removes all edges and slots that lead to the added nodes. The nodes stay, as
 * their values are still needed. */
void vv_carried_unlink(struct vv_carried *carried);

/* Returns VARVE_MISUSE in two cases: the walk reached a pending value that
 * `policy` forbids, or it reached a node of the program that is in conflict
 * with a pending value. */
varve_status vv_carried_check(const struct vv_carried *carried,
    const struct vv_walk *walk, varve_pending_policy policy,
    varve_error *error);

/* Returns the value that a node was added for, or NULL for any other node. */
const struct vv_carried_value *vv_carried_value_of(const varve_node *node);

/* Returns the checkpoint that a node was added for, or NULL for a node of the
 * program. */
const struct vv_carried_source *vv_carried_source_of(const varve_node *node);

/* --- For observers that add values ---------------------------------------- */

/* Takes ownership of a source, which is released with the nodes. */
void vv_carried_add_source(
    struct vv_carried *carried, struct vv_carried_source *source);

/* Adds a node like a saved one, without its tags. The node gets the global name
 * only if no other node has it. Returns NULL after an error of the graph or a
 * failure. */
varve_node *vv_carried_add_node(struct vv_carried *carried,
    const varve_saved_node *saved, const struct vv_carried_value *at,
    bool has_value, varve_error *error);

/* Return false after an error of the graph. vv_carried_add_slot must be called
 * for the node that was added last, while no edge leads to it. */
bool vv_carried_add_edge(struct vv_carried *carried, varve_node *parent,
    const char *name, varve_node *child);
bool vv_carried_add_slot(struct vv_carried *carried, varve_node *owner,
    varve_node *variable, const char *name, varve_node *node);

/* Saves a state of the program whose bytes have not been loaded yet with the
 * bytes from the file. Returns false if out of memory. */
bool vv_carried_hold(struct vv_carried *carried, varve_node *state,
    const struct vv_carried_value *value);

/* Records a conflict: `in_the_way`, a node of the program, has the path of a
 * saved node that leads to a pending value. Returns false if out of memory. */
bool vv_carried_conflict(struct vv_carried *carried, varve_node *in_the_way,
    struct vv_carried_source *source, uint32_t node);

#endif
