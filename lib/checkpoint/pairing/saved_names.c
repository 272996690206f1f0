/* saved_names.c - Looks up names of the program in a file, with a table by
 * number of the name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saved_names.h"

#include <string.h>

#include "allocator.h"

void vv_saved_names_init(struct vv_saved_names *names,
    const varve_allocator *allocator, const varve_graph *graph,
    const struct vv_index *index)
{
    *names = (struct vv_saved_names){
        .allocator = allocator,
        .graph = graph,
        .index = index,
    };
}

void vv_saved_names_clear(struct vv_saved_names *names)
{
    vv_release(
        names->allocator, names->ids, names->capacity * sizeof *names->ids);
    names->ids = NULL;
    names->capacity = 0; /* otherwise it would grow with every name that ever
                            existed */
}

uint32_t vv_find_in_file(
    const struct vv_saved_names *names, const struct vv_name *name)
{
    uint32_t id = name->number < names->capacity ? names->ids[name->number] : 0;
    if (id == 0)
        return vv_index_find_name(names->index, name->bytes, name->size);
    return id == VV_NONE ? VV_NONE : id - 1;
}

uint32_t vv_name_in_file(
    struct vv_saved_names *names, const struct vv_name *name)
{
    if (name->number >= names->capacity &&
        !vv_grow_zeroed(names->allocator, &names->ids, &names->capacity,
            names->graph->names.set.count * 3 / 2 + 16, sizeof *names->ids))
        return vv_index_find_name(names->index, name->bytes, name->size);
    uint32_t *id = &names->ids[name->number];
    if (*id == 0) {
        uint32_t found =
            vv_index_find_name(names->index, name->bytes, name->size);
        *id = found == VV_NONE ? VV_NONE : found + 1;
    }
    return *id == VV_NONE ? VV_NONE : *id - 1;
}

/* Returns true if an edge of the file has that name. */
static bool saved_names_has_name(
    const struct vv_index *index, uint32_t edge, const struct vv_name *name)
{
    size_t size;
    const char *bytes =
        vv_index_name(index, vv_at32(index->edge_names, edge), &size);
    return size == name->size && memcmp(bytes, name->bytes, size) == 0;
}

/* Tries the edge after the last one found first. Program and file mostly have
 * the same names in the same order. */
uint32_t vv_child_in_file(
    struct vv_saved_names *names, uint32_t file, const struct vv_name *name)
{
    const struct vv_index *index = names->index;
    uint32_t begin, end;
    vv_index_edges(index, file, &begin, &end);
    uint32_t edge = names->next_edge;
    if (edge < begin || edge >= end)
        edge = begin;
    if (edge == end)
        return VV_NONE;
    if (!saved_names_has_name(index, edge, name))
        edge = vv_index_find_edge_called(index, file, name->bytes, name->size);
    if (edge == VV_NONE)
        return VV_NONE;
    names->next_edge = edge + 1;
    return vv_at32(index->edge_children, edge);
}
