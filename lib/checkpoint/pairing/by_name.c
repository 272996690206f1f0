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
#include "global_name.h"
#include "match.h"
#include "via.h"

/* --- Which names there are ---------------------------------------------- */

varve_status vv_by_name_begin(struct vv_pairing *p, varve_error *error)
{
    const struct vv_index *index = vv_index_of(p);
    p->is_by_name = index->global_count || vv_global_name_count(p->graph);
    if (index->global_count == 0)
        return VARVE_OK;
    p->global_of = vv_allocate_zeroed(
        &p->context.allocator, index->name_count * sizeof *p->global_of);
    if (!p->global_of)
        return vv_fail_memory(error, "the global names of a checkpoint");
    for (uint32_t i = 0; i < index->global_count; i++)
        p->global_of[vv_at32(index->global_names, i)] =
            vv_at32(index->global_nodes, i) + 1;
    return VARVE_OK;
}

void vv_by_name_end(struct vv_pairing *p)
{
    const varve_allocator *a = &p->context.allocator;
    const struct vv_index *index = vv_index_of(p);
    vv_release(a, p->global_of, index->name_count * sizeof *p->global_of);
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
    const struct vv_pairing *p, const char *name, size_t size)
{
    const struct vv_index *index = vv_index_of(p);
    uint32_t found = VV_NONE;
    uint32_t node = p->file_root;
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
    const struct vv_pairing *p, const char *name, size_t size)
{
    uint32_t id = !p->global_of
                      ? VV_NONE
                      : vv_index_find_name(vv_index_of(p), name, size);
    uint32_t found = id == VV_NONE ? VV_NONE : p->global_of[id] - 1;
    if (found == VV_NONE || p->file_root == 0)
        return found;
    return vv_saved_path_exists(&p->paths, found) ? found : VV_NONE;
}

/* --- Names of the program ----------------------------------------------- */

/* Sets p->path to the path of a node as a name; false where it is none: of a
 * slot, too long, or another one by a rename, which decides. */
static bool set_flat_name(struct vv_pairing *p, uint32_t number)
{
    struct vv_buffer *path = vv_emptied(&p->path);
    if (p->vias[number].is_renamed)
        return false;
    for (size_t steps = 0; steps < p->number_capacity; steps++) {
        const struct vv_via *via = &p->vias[number];
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
        vv_out_of_memory(p);
    return !path->failed;
}

uint32_t vv_by_name_child(
    struct vv_pairing *p, varve_node *parent, const char *name)
{
    if (!p->global_of || !p->vias || parent->number >= p->number_capacity ||
        !p->vias[parent->number].is_visited ||
        !set_flat_name(p, parent->number))
        return VV_NONE;
    if (p->path.size)
        vv_buffer_add8(&p->path, '/');
    vv_buffer_add_string(&p->path, name);
    if (!p->path.failed)
        return find_global(p, (const char *)p->path.data, p->path.size);
    vv_out_of_memory(p);
    return VV_NONE;
}

static uint32_t find_home(struct vv_pairing *p, const varve_node *node)
{
    const struct vv_name *name = vv_global_name(node);
    uint32_t found = VV_NONE;
    if (name)
        found = find_path(p, name->bytes, name->size);
    if (found != VV_NONE && vv_value_of(p, found) == VV_NONE)
        found = VV_NONE; /* an object is not what is named */
    if (found == VV_NONE && name)
        found = find_global(p, name->bytes, name->size);
    if (found == VV_NONE && p->global_of && set_flat_name(p, node->number) &&
        p->path.size)
        found = find_global(p, (const char *)p->path.data, p->path.size);
    return found;
}

/* --- Matching ----------------------------------------------------------- */

void vv_by_name_consider(struct vv_pairing *p, varve_node *node)
{
    bool wants = node->kind == VARVE_VARIABLE || node->kind == VARVE_STATE;
    if (wants && !vv_is_holder(p, node, vv_file_node_of(p, node)))
        vv_add_pair(p, &p->unnamed.pairs, node, VV_NONE);
}

/* Once names matter, all that the program has is visited, and everything that
 * is added to it. Nobody is asked for children again, such as have gone. */
static void begin_visits(struct vv_pairing *p)
{
    p->is_by_name = true;
    for (size_t i = 0; i < p->via_capacity; i++)
        p->vias[i].is_visited = false;
    if (vv_know_numbers(p))
        vv_visit(p, p->root, &(struct vv_via){ 0 });
    else
        vv_out_of_memory(p);
}

void vv_by_name_changed(struct vv_pairing *p, varve_node *node)
{
    if (!vv_global_name(node) || !p->root)
        return;
    if (!p->is_by_name)
        begin_visits(p);
    else if (vv_is_known(p, node))
        vv_by_name_consider(p, node);
}

void vv_by_name_match(struct vv_pairing *p)
{
    size_t count;
    vv_pairs(&p->unnamed, &count);
    if (count && !vv_sweep(p)) /* what is untracked claims nothing */
        vv_out_of_memory(p);
    for (size_t i = 0; i < count; i++) {
        varve_node *node = vv_queued(&p->unnamed.pairs, i).node;
        if (vv_is_holder(p, node, vv_file_node_of(p, node)) ||
            !vv_is_known(p, node))
            continue;
        uint32_t file = find_home(p, node);
        if (file != VV_NONE)
            vv_bind(p, node, file, VV_BY_GLOBAL_NAME);
    }
    vv_empty_pairs(&p->unnamed);
}
