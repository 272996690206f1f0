/* hdf5_graph.h - Represents the groups and datasets of a file and the links
 * between them. They become nodes and edges of a draft after Keras names have
 * been resolved.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_GRAPH_H
#define VV_HDF5_GRAPH_H

#include "buffer.h"
#include "draft.h"
#include "hash_table.h"
#include "hdf5_source.h"

/* --- Names ---------------------------------------------------------------- */

/* Converts between names of a graph and names in an HDF5 file.
 *
 * HDF5 separates paths by '/', "." refers to the current group, and Varve
 * reserves two names. So '/' is escaped as `%2F`, and the whole names as `%2E`,
 * `%40slots` and `%40state`. A name that already contains such a code gets an
 * additional `25` after its '%', so that unescaping restores it. All other
 * names are not changed. */

/* The group that contains the slots of an object. */
#define VV_HDF5_SLOTS "@slots"

/* The dataset of a state in a group that represents a state with children. */
#define VV_HDF5_STATE "@state"

/* Returns true if the bytes are equal to `name`. */
bool vv_hdf5_is_name(const char *bytes, size_t size, const char *name);

/* Appends the escaped form of a name. */
void vv_hdf5_escape(struct vv_buffer *to, const char *bytes, size_t size);

/* Returns the unescaped form of a name: `name` itself, or a string in `text`,
 * whose contents are replaced. Returns NULL if memory runs out. */
const char *vv_hdf5_unescape(struct vv_buffer *text, const char *name);

/* --- Groups and links ----------------------------------------------------- */

struct vv_hdf5_item {
    /* to read */
    uint64_t object; /* address in the file */
    uint32_t node;
    size_t first, count; /* range of edges of a group */
    const char *path;    /* the first path found; "" for the root, or if it is
                            longer than VV_LONGEST_PATH */
    const char *label;   /* value of its attribute `name`, or NULL */
    bool is_group;
    bool is_kept; /* by vv_hdf5_keep */
};

struct vv_hdf5_edge {
    /* to read */
    const char *name; /* in the file; allocated in the arena of the source */
    const char *own;  /* name in the graph if it differs, or NULL */
    const char *soft; /* target of a soft link, or NULL */
    size_t item;      /* number of the item to which it leads */
    size_t parent;
    bool is_left_out; /* not added to the draft */
};

struct vv_hdf5_graph {
    /* to read */
    struct vv_hdf5_source *source;
    struct vv_draft *draft;
    varve_error *error;
    struct vv_buffer items; /* struct vv_hdf5_item; the first is the root */
    struct vv_buffer edges; /* struct vv_hdf5_edge, sorted by parent */
    bool has_soft;
    /* own */
    struct vv_map numbers; /* number of each item, by object */
    struct vv_buffer text; /* temporary; may be changed between calls */
    uint64_t links;        /* how many more are allowed */
    uint64_t texts;        /* bytes of texts still allowed */
    uint64_t spare;        /* bytes by which values may exceed the size of the
                              file */
    uint64_t stored;       /* bytes of the file not yet used by a value */
    uint32_t too_long;     /* how many more datasets may have too many texts */
};

/* Lists everything that hard links lead to, and adds the nodes and values to
 * the draft. Call vv_hdf5_graph_clear afterwards, also after a failure. */
varve_status vv_hdf5_graph_read(struct vv_hdf5_graph *graph,
    struct vv_hdf5_source *source, struct vv_draft *draft, varve_error *error);
void vv_hdf5_graph_clear(struct vv_hdf5_graph *graph);

/* Adds all edges to the draft. */
varve_status vv_hdf5_graph_end(struct vv_hdf5_graph *graph);

/* Adds an edge to an existing item. */
bool vv_hdf5_add_edge(
    struct vv_hdf5_graph *graph, size_t parent, const char *name, size_t item);

/* Adds an item without a value, tagged `hdf5:<tag>`. Returns SIZE_MAX if memory
 * runs out. */
size_t vv_hdf5_add_mark(
    struct vv_hdf5_graph *graph, const char *tag, const char *what);

static inline struct vv_hdf5_item *vv_hdf5_item_at(
    const struct vv_hdf5_graph *graph, size_t number)
{
    return (struct vv_hdf5_item *)(void *)graph->items.data + number;
}

static inline struct vv_hdf5_edge *vv_hdf5_edge_at(
    const struct vv_hdf5_graph *graph, size_t number)
{
    return (struct vv_hdf5_edge *)(void *)graph->edges.data + number;
}

static inline size_t vv_hdf5_edge_count(const struct vv_hdf5_graph *graph)
{
    return graph->edges.size / sizeof(struct vv_hdf5_edge);
}

/* Returns the child of a group by its name in the file, or SIZE_MAX. */
size_t vv_hdf5_child(
    const struct vv_hdf5_graph *graph, size_t group, const char *name);

#endif
