/* visited_paths.h - Stores the path by which each node of the program was
 * reached, if paths matter, and applies renames to it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VISITED_PATHS_H
#define VV_VISITED_PATHS_H

#include "graph.h"
#include "name.h"
#include "rename_index.h"
#include "saved_graph.h"
#include "selection.h"

/* The edge or slot by which a node of the program was reached. */
struct vv_path_step {
    /* own */
    uint64_t place; /* hash of the path */
    bool is_visited;
    bool is_renamed; /* a rename applies to it, or to a node above it */
    uint32_t rename; /* number of that rename plus 1; 0: none */
    /* to fill in */
    uint32_t parent;   /* number of the parent or owner, plus 1; 0: the root */
    uint32_t variable; /* for a slot: number of its variable, plus 1 */
    const struct vv_name *name;
};

struct vv_visited_paths {
    /* to read */
    const struct vv_rename *decided; /* the last one that led to a node */
    /* own */
    uint32_t applied; /* number of the rename that the last search for an edge
                         found, plus 1; 0: none */
    bool failed;      /* memory ran out: everything must be matched again */
    const varve_allocator *allocator;
    struct vv_selection *selection; /* its renames */
    const struct vv_saved_graph *saved;
    uint32_t root; /* number of the root of the program */
    struct vv_path_step
        *vias; /* by number of a node; NULL: paths do not matter */
    size_t capacity;
    struct vv_rename_states states; /* of renames with `**` */
    struct vv_buffer path;          /* scratch */
    struct vv_buffer file_path;     /* scratch */
    struct vv_buffer found;         /* scratch: numbers of renames or stages */
    struct vv_buffer list;          /* scratch: the states of one node */
};

/* Returns true if memory has run out since the last call. */
bool vv_visited_paths_have_failed(struct vv_visited_paths *ways);

/* The arguments may still be empty, and must not move. */
void vv_visited_paths_init(struct vv_visited_paths *ways,
    const varve_node *root, struct vv_selection *selection,
    const struct vv_saved_graph *saved);
void vv_visited_paths_end(struct vv_visited_paths *ways);

/* Makes room for nodes with numbers below `wanted`. Returns false if out of
 * memory. Before the first call paths do not matter. */
bool vv_visited_paths_grow(struct vv_visited_paths *ways, size_t wanted);

/* Returns true if paths matter, because of renames, copies or global names. */
static inline bool vv_visited_paths_matter(const struct vv_visited_paths *ways)
{
    return ways->vias;
}

static inline size_t vv_visited_paths_capacity(
    const struct vv_visited_paths *ways)
{
    return ways->capacity;
}

/* Marks the names in use. Returns the number of steps. */
size_t vv_visited_paths_keep_names(const struct vv_visited_paths *ways);

/* --- Visits ------------------------------------------------------------- */

enum vv_coming {
    VV_COMES_AGAIN, /* nothing is new */
    VV_COMES_ANEW,  /* a node above it has a further path */
    VV_COMES_FIRST
};

/* Records the step by which a node was reached, if paths matter. There must be
 * room for the node. */
enum vv_coming vv_visited_paths_visit(struct vv_visited_paths *ways,
    const varve_node *node, const struct vv_path_step *via);

/* Returns true if a node is visited. */
bool vv_visited_paths_is_visited(
    const struct vv_visited_paths *ways, const varve_node *node);

/* Mark a node, or all nodes, as not visited. Their steps are kept. */
void vv_visited_paths_unvisit(
    struct vv_visited_paths *ways, const varve_node *node);
void vv_visited_paths_unvisit_all(struct vv_visited_paths *ways);

/* Removes a node that is about to be freed. */
void vv_visited_paths_forget(
    struct vv_visited_paths *ways, const varve_node *node);

/* Sets *place to the hash of the path of a node. Returns false if paths do not
 * matter. */
bool vv_find_place(const struct vv_visited_paths *ways, const varve_node *node,
    uint64_t *place);

/* Sets `path` to the path of a node as a global name. Returns false if it is
 * not a valid name: the node is a slot, the path is too long, or a rename
 * applies. */
bool vv_visited_paths_name(struct vv_visited_paths *ways,
    const varve_node *node, struct vv_buffer *path);

/* --- Renames -------------------------------------------------------------- */

/* Returns true if a rename applies to the edge with this name. Sets *file to
 * the node of the file, or to VV_NONE if the file has none. */
bool vv_find_renamed(struct vv_visited_paths *ways, const varve_node *parent,
    struct vv_text name, uint32_t *file);

/* Does the same for a slot of visited nodes. */
bool vv_find_renamed_slot(struct vv_visited_paths *ways,
    const varve_node *owner, const varve_node *variable, const char *name,
    uint32_t *file);

/* Records whether the rename that vv_find_renamed has just found applies to a
 * node that was reached by this edge. */
void vv_note_renamed(struct vv_visited_paths *ways, const varve_node *node,
    const varve_node *parent, const struct vv_name *name, bool is_renamed);

/* Returns true if a rename applies to a visited node, or to a node above it. */
bool vv_is_renamed(const struct vv_visited_paths *ways, const varve_node *node);

/* Returns the rename that applies to the path that ends with an edge, or to a
 * node above it, or NULL. Returns NULL also if the node was first reached by
 * another edge. */
const struct vv_rename *vv_rename_of_edge(
    const struct vv_visited_paths *ways, const struct vv_edge *edge);

#endif
