/* saved_graph.c - Builds lookup tables for the nodes and names of a file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saved_graph.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "try.h"

void vv_saved_graph_init(struct vv_saved_graph *saved,
    const varve_allocator *allocator, const struct vv_parsed_index *parsed)
{
    *saved =
        (struct vv_saved_graph){ .allocator = allocator, .parsed = parsed };
}

/* --- Tables --------------------------------------------------------------- */

static size_t groups_of(const struct vv_saved_graph *saved)
{
    return (size_t)saved->parsed->index.node_count / 64 + 1;
}

static varve_status saved_graph_find_values(
    struct vv_saved_graph *saved, varve_error *error)
{
    const struct vv_index *index = &saved->parsed->index;
    saved->values_in = vv_allocate_zeroed(
        saved->allocator, groups_of(saved) * sizeof *saved->values_in);
    if (!saved->values_in)
        return vv_fail_memory(error, "a restoration");
    for (uint32_t v = index->value_count; v-- > 0;) {
        uint32_t node = vv_at32(index->value_nodes, v);
        struct vv_values_in *group = &saved->values_in[node / 64];
        group->first = v;
        group->has |= UINT64_C(1) << node % 64;
    }
    return VARVE_OK;
}

static varve_status find_root(struct vv_saved_graph *saved, const char *subtree,
    const char *where, varve_error *error)
{
    struct vv_buffer scratch;
    if (!subtree)
        return VARVE_OK;
    vv_buffer_init(&scratch, saved->allocator);
    saved->root = vv_saved_find(&saved->parsed->index, 0,
        *subtree == '/' ? subtree + 1 : subtree, &scratch);
    bool failed = scratch.failed;
    vv_buffer_clear(&scratch);
    if (failed)
        return vv_fail_memory(error, "a path");
    if (saved->root == VV_NONE)
        return vv_fail(error, VARVE_NOT_FOUND, "%s: no subtree \"%.500s\"",
            where, subtree);
    return VARVE_OK;
}

/* Finds out if nodes are shared. If they are, or if the root is a subtree, the
 * paths are computed. */
static varve_status look_at_shared(
    struct vv_saved_graph *saved, varve_error *error)
{
    const struct vv_index *index = &saved->parsed->index;
    saved->has_shared =
        (uint64_t)index->edge_count + index->slot_count >= index->node_count;
    return saved->has_shared || saved->root != 0 ? vv_need_paths(saved, error)
                                                 : VARVE_OK;
}

static varve_status find_globals(
    struct vv_saved_graph *saved, varve_error *error)
{
    const struct vv_index *index = &saved->parsed->index;
    if (index->global_count == 0)
        return VARVE_OK;
    saved->global_of = vv_allocate_zeroed(
        saved->allocator, index->name_count * sizeof *saved->global_of);
    if (!saved->global_of)
        return vv_fail_memory(error, "the global names of a checkpoint");
    for (uint32_t i = 0; i < index->global_count; i++)
        saved->global_of[vv_at32(index->global_names, i)] =
            vv_at32(index->global_nodes, i) + 1;
    return VARVE_OK;
}

varve_status vv_saved_graph_begin(struct vv_saved_graph *saved,
    const char *subtree, const char *where, varve_error *error)
{
    VV_TRY(saved_graph_find_values(saved, error));
    VV_TRY(find_root(saved, subtree, where, error));
    VV_TRY(look_at_shared(saved, error));
    return find_globals(saved, error);
}

void vv_saved_graph_end(struct vv_saved_graph *saved)
{
    const struct vv_index *index = &saved->parsed->index;
    vv_release(saved->allocator, saved->values_in,
        groups_of(saved) * sizeof *saved->values_in);
    vv_release(saved->allocator, saved->global_of,
        index->name_count * sizeof *saved->global_of);
    if (saved->has_paths)
        vv_saved_paths_end(&saved->paths);
}

varve_status vv_need_paths(struct vv_saved_graph *saved, varve_error *error)
{
    if (saved->has_paths)
        return VARVE_OK;
    varve_status status = vv_saved_paths_begin(&saved->paths, saved->allocator,
        &saved->parsed->index, saved->root, error);
    saved->has_paths = status == VARVE_OK;
    return status;
}

/* Without an instruction for it, the function of the compiler's library is
 * slower than this. */
uint32_t vv_count_bits(uint64_t bits)
{
#ifdef __POPCNT__
    return (uint32_t)__builtin_popcountll(bits);
#else
    const uint64_t twos = UINT64_C(0x3333333333333333);
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & twos) + (bits >> 2 & twos);
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
#endif
}

/* --- Names in the file ---------------------------------------------------- */

static uint32_t child_of(
    const struct vv_index *index, uint32_t node, const char *name, size_t size)
{
    uint32_t id = vv_index_find_name(index, name, size);
    return id == VV_NONE ? VV_NONE : vv_index_find_child(index, node, id);
}

uint32_t vv_saved_at_parts(
    const struct vv_saved_graph *saved, const char *name, size_t size)
{
    const struct vv_index *index = &saved->parsed->index;
    uint32_t found = VV_NONE;
    uint32_t node = saved->root;
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

uint32_t vv_saved_global(
    const struct vv_saved_graph *saved, const char *name, size_t size)
{
    const struct vv_index *index = &saved->parsed->index;
    uint32_t id =
        !saved->global_of ? VV_NONE : vv_index_find_name(index, name, size);
    uint32_t found = id == VV_NONE ? VV_NONE : saved->global_of[id] - 1;
    if (found == VV_NONE || saved->root == 0)
        return found;
    return vv_saved_path_exists(&saved->paths, found) ? found : VV_NONE;
}
