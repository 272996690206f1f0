/* by_name.c - names of the program and names of the file, each looked for on
 * the other side.
 *
 * SPDX-License-Identifier: MIT
 */
#include "by_name.h"

#include <string.h>

#include "allocator.h"
#include "binding.h"
#include "failure.h"
#include "match.h"

/* --- Which names there are ---------------------------------------------- */

varve_status vv_by_name_begin(struct varve_restoration *r, varve_error *error)
{
    const struct vv_index *index = vv_index_of(r);
    r->is_by_name = index->global_count || r->graph->global_map.count;
    if (index->global_count == 0)
        return VARVE_OK;
    r->global_of = vv_allocate_zeroed(
        &r->context.allocator, index->name_count * sizeof *r->global_of);
    if (!r->global_of)
        return vv_fail_memory(error, "the global names of a checkpoint");
    for (uint32_t i = 0; i < index->global_count; i++)
        r->global_of[vv_at32(index->global_names, i)] =
            vv_at32(index->global_nodes, i) + 1;
    return VARVE_OK;
}

void vv_by_name_end(struct varve_restoration *r)
{
    const varve_allocator *a = &r->context.allocator;
    const struct vv_index *index = vv_index_of(r);
    vv_release(a, r->global_of, index->name_count * sizeof *r->global_of);
}

/* --- Names in the file -------------------------------------------------- */

static uint32_t child_of(
    const struct vv_index *index, uint32_t node, const char *name, size_t size)
{
    uint32_t id = vv_index_find_name(index, name, size);
    return id == VV_NONE ? VV_NONE : vv_index_find_child(index, node, id);
}

/* The node at a name whose parts are edges; the last edge may have several of
 * them, and the deepest such node is meant. */
static uint32_t find_path(
    const struct varve_restoration *r, const char *name, size_t size)
{
    const struct vv_index *index = vv_index_of(r);
    uint32_t found = VV_NONE;
    uint32_t node = r->file_root;
    while (node != VV_NONE && size) {
        uint32_t rest = child_of(index, node, name, size);
        if (rest != VV_NONE)
            found = rest;
        const char *slash = memchr(name, '/', size);
        if (!slash)
            break;
        size_t part = (size_t)(slash - name);
        node = child_of(index, node, name, part);
        name += part + 1;
        size -= part + 1;
    }
    return found;
}

/* The node of that global name, if it is below the root of the file. */
static uint32_t find_global(
    const struct varve_restoration *r, const char *name, size_t size)
{
    uint32_t id = !r->global_of
                      ? VV_NONE
                      : vv_index_find_name(vv_index_of(r), name, size);
    uint32_t found = id == VV_NONE ? VV_NONE : r->global_of[id] - 1;
    if (found == VV_NONE || r->file_root == 0)
        return found;
    return vv_saved_path_exists(&r->paths, found) ? found : VV_NONE;
}

/* --- Names of the program ----------------------------------------------- */

/* Sets r->path to the path of a node as a name; false where it is none: of a
 * slot, too long, or another one by a rename, which decides. */
static bool set_flat_name(struct varve_restoration *r, uint32_t number)
{
    struct vv_buffer *path = vv_emptied(&r->path);
    if (r->vias[number].is_renamed)
        return false;
    for (size_t steps = 0; steps < r->number_capacity; steps++) {
        const struct vv_via *via = &r->vias[number];
        if (!via->parent)
            break;
        if (via->variable || path->size > VARVE_MAX_NAME_SIZE)
            return false;
        if (path->size)
            vv_buffer_add8(path, '/');
        size_t at = path->size;
        vv_buffer_add(path, via->name->bytes, via->name->size);
        vv_buffer_reverse(path, at);
        number = via->parent - 1;
    }
    vv_buffer_reverse(path, 0);
    if (path->failed)
        vv_out_of_memory(r);
    return !path->failed;
}

uint32_t vv_by_name_child(
    struct varve_restoration *r, varve_node *parent, const char *name)
{
    if (!r->global_of || !r->vias || parent->number >= r->number_capacity ||
        !r->vias[parent->number].is_visited ||
        !set_flat_name(r, parent->number))
        return VV_NONE;
    if (r->path.size)
        vv_buffer_add8(&r->path, '/');
    vv_buffer_add_string(&r->path, name);
    if (!r->path.failed)
        return find_global(r, (const char *)r->path.data, r->path.size);
    vv_out_of_memory(r);
    return VV_NONE;
}

static uint32_t find_home(struct varve_restoration *r, const varve_node *node)
{
    const struct vv_name *name = node->extra ? node->extra->global_name : NULL;
    uint32_t found = VV_NONE;
    if (name)
        found = find_path(r, name->bytes, name->size);
    if (found != VV_NONE && r->value_of[found] == VV_NONE)
        found = VV_NONE; /* an object is not what is named */
    if (found == VV_NONE && name)
        found = find_global(r, name->bytes, name->size);
    if (found == VV_NONE && r->global_of && set_flat_name(r, node->number) &&
        r->path.size)
        found = find_global(r, (const char *)r->path.data, r->path.size);
    return found;
}

/* --- Matching ----------------------------------------------------------- */

void vv_by_name_consider(struct varve_restoration *r, varve_node *node)
{
    bool wants = node->kind == VARVE_VARIABLE || node->kind == VARVE_STATE;
    if (wants && !vv_is_holder(r, node, vv_file_node_of(r, node)))
        vv_add_pair(r, &r->unnamed, node, VV_NONE);
}

/* Once names matter, all that the program has is visited, and everything that
 * is added to it. */
static void begin_visits(struct varve_restoration *r)
{
    r->is_by_name = true;
    for (size_t i = 0; i < r->via_capacity; i++)
        r->vias[i].is_visited = false;
    vv_match_roots(r);
}

void vv_by_name_changed(struct varve_restoration *r, varve_node *node)
{
    if (!node->extra || !node->extra->global_name || !r->root)
        return;
    if (!r->is_by_name)
        begin_visits(r);
    else if (vv_is_known(r, node))
        vv_by_name_consider(r, node);
}

void vv_by_name_match(struct varve_restoration *r)
{
    size_t count = r->unnamed.size / sizeof(struct vv_pair);
    if (count && !vv_sweep(r)) /* what is untracked claims nothing */
        vv_out_of_memory(r);
    for (size_t i = 0; i < count; i++) {
        varve_node *node = vv_queued(&r->unnamed, i).node;
        if (vv_is_holder(r, node, vv_file_node_of(r, node)) ||
            !vv_is_known(r, node))
            continue;
        uint32_t file = find_home(r, node);
        if (file != VV_NONE)
            vv_bind(r, node, file, VV_BY_GLOBAL_NAME);
    }
    r->unnamed.size = 0;
}
