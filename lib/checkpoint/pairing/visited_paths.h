/* visited_paths.h - how nodes of the program were come to, where paths matter,
 * and what renames say of that.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VISITED_PATHS_H
#define VV_VISITED_PATHS_H

#include "graph.h"
#include "name.h"
#include "saved_graph.h"
#include "selection.h"

/* How a node of the program was come to, for its path. */
struct vv_path_step {
    /* own */
    uint64_t place; /* a number for the path */
    bool is_visited;
    bool is_renamed; /* a rename decides about it, or about what is above */
    /* to fill in */
    uint32_t parent;   /* number of the parent or owner, plus 1; 0: the root */
    uint32_t variable; /* a slot: number of its variable, plus 1 */
    const struct vv_name *name;
};

struct vv_visited_paths {
    /* own */
    bool failed; /* memory ran out, for what is then as if it were not there */
    const varve_allocator *allocator;
    struct vv_selection *selection; /* its renames */
    const struct vv_saved_graph *saved;
    uint32_t root; /* the number of the program's */
    struct vv_path_step
        *vias; /* by number of a node; NULL: paths do not matter */
    size_t capacity;
    struct vv_stand *stands; /* likewise, one for each rename with `**` */
    size_t stand_capacity;
    struct vv_buffer path;      /* scratch */
    struct vv_buffer file_path; /* scratch */
};

/* Whether memory has run out since this was asked last. */
bool vv_visited_paths_have_failed(struct vv_visited_paths *ways);

/* What it is given stays where it is, and may still be empty. */
void vv_visited_paths_init(struct vv_visited_paths *ways,
    const varve_node *root, struct vv_selection *selection,
    const struct vv_saved_graph *saved);
void vv_visited_paths_end(struct vv_visited_paths *ways);

/* Room for nodes with numbers below that; false without memory. Without room
 * for any, paths do not matter. */
bool vv_visited_paths_grow(struct vv_visited_paths *ways, size_t wanted);

static inline bool vv_visited_paths_matter(const struct vv_visited_paths *ways)
{
    return ways->vias;
}

static inline size_t vv_visited_paths_capacity(
    const struct vv_visited_paths *ways)
{
    return ways->capacity;
}

/* Keeps the names on the ways; how many ways there are. */
size_t vv_visited_paths_keep_names(const struct vv_visited_paths *ways);

/* --- Coming to nodes --------------------------------------------------------
 */

enum vv_coming {
    VV_COMES_AGAIN, /* nothing is new */
    VV_COMES_ANEW,  /* what is above it has another path as well */
    VV_COMES_FIRST
};

/* Notes how a node was come to, of which there is room, where paths matter. */
enum vv_coming vv_visited_paths_visit(struct vv_visited_paths *ways,
    const varve_node *node, const struct vv_path_step *via);

/* Whether a node was come to and has not been left since. */
bool vv_visited_paths_is_visited(
    const struct vv_visited_paths *ways, const varve_node *node);
void vv_visited_paths_unvisit(
    struct vv_visited_paths *ways, const varve_node *node);
void vv_visited_paths_unvisit_all(struct vv_visited_paths *ways);

/* Forgets the way to a node that is about to be freed. */
void vv_visited_paths_forget(
    struct vv_visited_paths *ways, const varve_node *node);

/* Sets `place` to a number for the path by which a node was come to; false
 * where that does not matter to anything. */
bool vv_find_place(const struct vv_visited_paths *ways, const varve_node *node,
    uint64_t *place);

/* Sets `path` to that by which a node was come to, as a global name; false
 * where it is none: of a slot, too long, or another one by a rename, which
 * decides. */
bool vv_visited_paths_name(struct vv_visited_paths *ways,
    const varve_node *node, struct vv_buffer *path);

/* --- Renames ----------------------------------------------------------------
 */

/* True if a rename decides where the edge of this name leads: `file` is set to
 * the node of the file, or to VV_NONE where that has none. */
bool vv_find_renamed(struct vv_visited_paths *ways, const varve_node *parent,
    struct vv_text name, uint32_t *file);

/* The same of a slot of nodes that were come to. */
bool vv_find_renamed_slot(struct vv_visited_paths *ways,
    const varve_node *owner, const varve_node *variable, const char *name,
    uint32_t *file);

/* Notes whether a rename decides about a node that was come to by this edge. */
void vv_note_renamed(struct vv_visited_paths *ways, const varve_node *node,
    const varve_node *parent, const struct vv_name *name, bool is_renamed);
bool vv_is_renamed(const struct vv_visited_paths *ways, const varve_node *node);

#endif
