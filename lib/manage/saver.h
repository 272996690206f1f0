/* saver.h - Defines the struct behind the handle of a saver: a map from names
 * to nodes, its tree of objects, and the list of its files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVER_H
#define VV_SAVER_H

#include <varve/job.h>
#include <varve/saver.h>

#include "graph.h"
#include "saver_find.h"

/* --- Savers --------------------------------------------------------------- */

/* The map is also a tree of objects in the program's graph, to which no edge of
 * the program leads. Saves and restores use the root of this tree. Names are
 * split at '/'. If one name is a prefix of another, the rest of the longer name
 * is a single edge, so that the tree depends on the names only. */

struct vv_saver_entry {
    size_t place;               /* index among all entries */
    const struct vv_name *name; /* the graph's */
    varve_node *node;
    varve_node *parent; /* in the tree; NULL: not placed */
    const char *edge;   /* its edge name, the end of `name` */
};

struct varve_saver {
    struct vv_observer observer;
    struct vv_context context;
    varve_saver_options options;
    varve_graph *graph; /* NULL once it is freed */
    varve_node *root;   /* of the tree; a node of the program if `is_whole` */
    bool is_whole;
    bool is_dirty;  /* the tree must be made again */
    bool is_adding; /* names are used that are not in the map yet */
    struct vv_saver_entry **entries; /* in any order */
    size_t count, capacity;
    struct vv_map by_name;
    struct vv_map by_node;
    size_t object_count; /* entries that are not variables */

    struct vv_saver_files files;  /* oldest first */
    struct vv_saver_files doomed; /* still to be deleted */
    varve_job *job;               /* the asynchronous save; NULL: none */
    char *pending_path;           /* its path when it is complete */
    bool is_durable;              /* will be, when the file is in place */
    int64_t begun;                /* when it began, by the clock of rank 0 */
    varve_error failure;          /* an error that was not returned yet */
    varve_error warning;          /* of the deletions after the last save */
    int64_t last_kept;            /* when the last permanent file was made */
};

/* Returns VARVE_OK if the saver and its graph exist and have no error. Updates
 * the tree. */
varve_status vv_saver_check(varve_saver *saver, varve_error *error);

/* Returns the entry of a node, or NULL. */
struct vv_saver_entry *vv_saver_find(
    const varve_saver *saver, const varve_node *node);

/* vv_saver_link adds an entry to the map, but not to the tree. vv_saver_drop
 * removes one. */
varve_status vv_saver_link(varve_saver *saver, const struct vv_name *name,
    varve_node *node, varve_error *error);
void vv_saver_drop(varve_saver *saver, struct vv_saver_entry *entry);

/* Waits for an asynchronous save, if there is one, and performs the steps that
 * follow a save. */
void vv_saver_land(varve_saver *saver);

/* Checks that there is something to save. Sets *is_empty if the map can be
 * empty and is. */
varve_status vv_saver_check_map(
    varve_saver *saver, bool *is_empty, varve_error *error);

/* --- Trees ---------------------------------------------------------------- */

/* Represents the map of a saver as objects in the graph. */

/* Adds an entry of the map to the tree, or marks the tree to be made again. An
 * error is recorded in the graph. */
void vv_saver_place(varve_saver *saver, struct vv_saver_entry *entry);

/* Removes an entry from the tree. Objects that only led to it stay until the
 * next vv_saver_settle. */
void vv_saver_take_out(varve_saver *saver, struct vv_saver_entry *entry);

/* Makes the tree again if it is dirty. */
void vv_saver_settle(varve_saver *saver);

/* Removes all entries, and all objects that the saver made except the root. */
void vv_saver_clear_tree(varve_saver *saver);

#endif
