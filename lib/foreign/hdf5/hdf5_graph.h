/* hdf5_graph.h - the groups and datasets of a file, and the links between them,
 * before they are nodes and edges of a draft: what names mean is found then.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_HDF5_GRAPH_H
#define VV_HDF5_GRAPH_H

#include "draft.h"
#include "hdf5_source.h"
#include "map.h"

struct vv_hdf5_thing {
    /* to read */
    uint64_t object; /* where it lies */
    uint32_t node;
    size_t first, count; /* links of a group */
    const char *path;    /* the first that led there; "" of the root, and where
                            it is longer than a path that is shown */
    const char *label;   /* what its attribute `name` says, or NULL */
    bool is_group;
    bool is_kept; /* by vv_hdf5_keep */
};

struct vv_hdf5_edge {
    /* to read */
    const char *name; /* in the file; in the arena of the source */
    const char *own;  /* what it is called in the graph, where that differs */
    const char *soft; /* the path that it is, or NULL */
    size_t thing;     /* where it leads: a number of the things */
    size_t parent;
    bool is_left_out; /* of the graph */
};

struct vv_hdf5_graph {
    /* to read */
    struct vv_hdf5_source *source;
    struct vv_draft *draft;
    varve_error *error;
    struct vv_buffer things; /* struct vv_hdf5_thing; the first is the root */
    struct vv_buffer edges;  /* struct vv_hdf5_edge, by parent */
    bool has_soft;
    /* own */
    struct vv_map numbers; /* of things, by object */
    struct vv_buffer text; /* free to use between calls */
    uint64_t links;        /* that may still come */
    uint64_t texts;        /* bytes of texts that may */
    uint64_t spare;        /* bytes that values may have over the file's */
    uint64_t stored;       /* and of the file's that none has claimed */
    uint32_t too_long;     /* datasets that may have too many texts */
};

/* Lists all that can be reached by hard links; things have nodes and values. To
 * be cleared, after a failure too. */
varve_status vv_hdf5_graph_read(struct vv_hdf5_graph *graph,
    struct vv_hdf5_source *source, struct vv_draft *draft, varve_error *error);
void vv_hdf5_graph_clear(struct vv_hdf5_graph *graph);

/* Makes edges of the draft of all that there are. */
varve_status vv_hdf5_graph_end(struct vv_hdf5_graph *graph);

/* A further edge, of a thing that is there. */
bool vv_hdf5_add_edge(
    struct vv_hdf5_graph *graph, size_t parent, const char *name, size_t thing);

/* A thing without a value, tagged `hdf5:<tag>`; SIZE_MAX without memory. */
size_t vv_hdf5_add_mark(
    struct vv_hdf5_graph *graph, const char *tag, const char *what);

static inline struct vv_hdf5_thing *vv_hdf5_thing_at(
    const struct vv_hdf5_graph *graph, size_t number)
{
    return (struct vv_hdf5_thing *)(void *)graph->things.data + number;
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

/* The child of a group by its name as it is in the file; SIZE_MAX: none. */
size_t vv_hdf5_child(
    const struct vv_hdf5_graph *graph, size_t group, const char *name);

#endif
