/* via.c - a tree of the ways by which nodes were come to first, and the renames
 * of their paths.
 *
 * SPDX-License-Identifier: MIT
 */
#include "via.h"

#include <string.h>

#include "binding.h"
#include "by_name.h"
#include "name.h"
#include "wrong.h"

void vv_visit(struct varve_restoration *r, varve_node *node, struct vv_via via)
{
    if (!r->vias)
        return;
    struct vv_via *known = &r->vias[node->number];
    if (known->is_visited)
        return;
    uint64_t place = via.parent ? r->vias[via.parent - 1].place : 0;
    if (via.variable)
        place += vv_map_mix(r->vias[via.variable - 1].place + 1);
    *known = via;
    known->place = vv_map_mix(place + (via.name ? via.name->hash : 1));
    known->is_visited = true;
    if (r->selection.rename_count || r->is_by_name)
        vv_add_pair(r, &r->queue, node, VV_NONE);
    if (r->is_by_name)
        vv_by_name_consider(r, node);
}

/* --- Renames ------------------------------------------------------------ */

static void add_path(
    const struct varve_restoration *r, uint32_t number, struct vv_buffer *path)
{
    size_t begin = path->size;
    for (size_t steps = 0; steps < r->number_capacity; steps++) {
        const struct vv_via *via = &r->vias[number];
        if (!via->parent)
            break;
        if (path->size > begin)
            vv_buffer_add8(path, '/');
        size_t at = path->size;
        vv_path_add_name(path, via->name->bytes, via->name->size);
        if (via->variable) {
            vv_buffer_add8(path, '(');
            add_path(r, via->variable - 1, path);
            vv_buffer_add8(path, ')');
        }
        vv_buffer_reverse(path, at);
        number = via->parent - 1;
    }
    vv_buffer_reverse(path, begin);
}

/* What renames say of the path in r->path; true if one of them decides. */
static bool follow_rename(struct varve_restoration *r, uint32_t *file)
{
    vv_emptied(&r->file_path);
    struct vv_rename *rename = vv_selection_rename(
        &r->selection, vv_buffer_string(&r->path), &r->file_path);
    *file = VV_NONE;
    if (r->path.failed || r->file_path.failed) {
        vv_out_of_memory(r);
        return true; /* nothing, until all is matched again */
    }
    if (!rename || VV_WRONG(renames_not_followed))
        return false;
    const char *leads_to = vv_buffer_string(&r->file_path);
    if (!r->file_path.failed)
        *file =
            vv_saved_find(vv_index_of(r), r->file_root, leads_to, &r->path);
    if (r->path.failed || r->file_path.failed)
        vv_out_of_memory(r);
    if (*file != VV_NONE)
        rename->was_used = true;
    if (*file == VV_NONE && VV_WRONG(rename_falls_back))
        return false;
    return true;
}

bool vv_find_renamed(struct varve_restoration *r, const varve_node *parent,
    const char *name, size_t size, uint32_t *file)
{
    if (!r->selection.rename_count)
        return false;
    add_path(r, parent->number, vv_emptied(&r->path));
    if (r->path.size)
        vv_buffer_add8(&r->path, '/');
    vv_path_add_name(&r->path, name, size);
    return follow_rename(r, file);
}

bool vv_find_renamed_slot(struct varve_restoration *r,
    const varve_node *owner, const varve_node *variable, const char *name,
    uint32_t *file)
{
    if (!r->selection.has_slots || !vv_is_known(r, owner) ||
        !vv_is_known(r, variable))
        return false;
    add_path(r, owner->number, vv_emptied(&r->path));
    if (r->path.size)
        vv_buffer_add8(&r->path, '/');
    vv_path_add_name(&r->path, name, strlen(name));
    vv_buffer_add8(&r->path, '(');
    add_path(r, variable->number, &r->path);
    vv_buffer_add8(&r->path, ')');
    return follow_rename(r, file);
}
