/* hdf5_soft.c - Resolves soft links in rounds, because a path can contain links
 * that were resolved in an earlier round.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_soft.h"

#include <string.h>

#include "failure.h"
#include "try.h"

enum { MOST_ROUNDS = 8, MOST_STEPS = 256 };

/* Sets `name` to the next name of a path. Returns the rest of the path, or NULL
 * if there is no name. */
static const char *next_name(const char *path, struct vv_buffer *name)
{
    while (*path == '/')
        path++;
    size_t size = strcspn(path, "/");
    name->size = 0;
    if (size == 0)
        return NULL;
    vv_buffer_add(name, path, size);
    return path + size;
}

/* Returns the thing to which a path leads, or SIZE_MAX if it cannot be resolved
 * yet. */
static size_t hdf5_soft_follow(
    struct vv_hdf5_graph *g, const struct vv_hdf5_edge *edge)
{
    size_t at = edge->soft[0] == '/' ? 0 : edge->parent;
    const char *path = edge->soft;
    for (int i = 0; (path = next_name(path, &g->text)); i++) {
        const char *name = vv_buffer_string(&g->text);
        if (strcmp(name, ".") != 0)
            at = vv_hdf5_child(g, at, name);
        if (at == SIZE_MAX || i == MOST_STEPS || g->text.failed)
            return SIZE_MAX;
    }
    return *edge->soft ? at : SIZE_MAX;
}

static bool hdf5_soft_follow_all(struct vv_hdf5_graph *g)
{
    bool has_more = false;
    for (size_t i = 0; i < vv_hdf5_edge_count(g); i++) {
        struct vv_hdf5_edge *e = vv_hdf5_edge_at(g, i);
        if (!e->soft || e->thing != SIZE_MAX)
            continue;
        e->thing = hdf5_soft_follow(g, e);
        has_more |= e->thing != SIZE_MAX;
    }
    return has_more;
}

varve_status vv_hdf5_follow_soft(struct vv_hdf5_graph *g)
{
    if (!g->has_soft || g->draft->failed)
        return VARVE_OK;
    for (int i = 0; i < MOST_ROUNDS && hdf5_soft_follow_all(g); i++)
        continue;
    for (size_t i = 0; i < vv_hdf5_edge_count(g); i++) {
        struct vv_hdf5_edge *e = vv_hdf5_edge_at(g, i);
        if (!e->soft || e->thing != SIZE_MAX)
            continue;
        size_t mark = vv_hdf5_add_mark(g, "soft", e->soft);
        vv_hdf5_edge_at(g, i)->thing = mark;
        if (mark == SIZE_MAX)
            return vv_fail_memory(g->error, "links of an HDF5 file");
    }
    return g->text.failed ? vv_fail_memory(g->error, "links of an HDF5 file")
                          : VARVE_OK;
}
