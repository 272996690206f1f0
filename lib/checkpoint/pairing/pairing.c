/* pairing.c - the tables, from the first to the last.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pairing.h"

#include <assert.h>
#include <string.h>

#include "allocator.h"
#include "binding.h"
#include "by_name.h"
#include "failure.h"
#include "name.h"
#include "scope.h"
#include "try.h"

enum { BUFFERS = 6 };

static void list_buffers(struct vv_pairing *p, struct vv_buffer **list)
{
    struct vv_buffer *all[BUFFERS] = { &p->queue, &p->deferred_hows, &p->sorted,
        &p->demand, &p->path, &p->file_path };
    memcpy(list, all, sizeof all);
}

void vv_pairing_init(struct vv_pairing *p, varve_node *root,
    const struct vv_parsed_index *parsed)
{
    struct vv_buffer *buffers[BUFFERS];
    p->context = root->graph->context;
    p->graph = root->graph;
    p->root = root;
    p->parsed = parsed;
    list_buffers(p, buffers);
    for (size_t i = 0; i < BUFFERS; i++)
        vv_buffer_init(buffers[i], &p->context.allocator);
    vv_pair_list_init(&p->conflicts, &p->context.allocator);
    vv_pair_list_init(&p->unnamed, &p->context.allocator);
    vv_pair_list_init(&p->deferred, &p->context.allocator);
    p->deferred.keeps_places = true;
    p->selection.allocator = &p->context.allocator;
}

varve_status vv_pairing_select(
    struct vv_pairing *p, const varve_read_options *options, varve_error *error)
{
    VV_TRY(vv_selection_begin(&p->selection, &p->context, options, error));
    p->context.dots = p->selection.options.foreign.dots;
    p->context.no_hdf5 = p->selection.options.foreign.no_hdf5;
    p->context.salvages = p->selection.options.salvage.on;
    return VARVE_OK;
}

static size_t groups_of(const struct vv_pairing *p)
{
    return (size_t)vv_index_of(p)->node_count / 64 + 1;
}

static varve_status make_tables(struct vv_pairing *p, varve_error *error)
{
    const varve_allocator *a = &p->context.allocator;
    const struct vv_index *index = vv_index_of(p);
    size_t nodes = index->node_count;
    p->node_of = vv_allocate_zeroed(a, nodes * sizeof *p->node_of);
    p->values_in = vv_allocate_zeroed(a, groups_of(p) * sizeof *p->values_in);
    if (!p->node_of || !p->values_in)
        return vv_fail_memory(error, "a restoration");
    for (uint32_t v = index->value_count; v-- > 0;) {
        uint32_t node = vv_at32(index->value_nodes, v);
        struct vv_values_in *group = &p->values_in[node / 64];
        group->first = v;
        group->has |= UINT64_C(1) << node % 64;
    }
    return VARVE_OK;
}

/* Most files are for the whole of the program that reads them. */
static void reserve_queue(struct vv_pairing *p)
{
    size_t nodes = p->graph->number_limit;
    if (nodes > vv_index_of(p)->node_count)
        nodes = vv_index_of(p)->node_count;
    vv_buffer_reserve(&p->queue, nodes * sizeof(struct vv_pair));
}

static varve_status find_root(
    struct vv_pairing *p, const char *where, varve_error *error)
{
    const char *subtree = p->selection.options.subtree;
    if (!subtree)
        return VARVE_OK;
    p->file_root = vv_saved_find(
        vv_index_of(p), 0, *subtree == '/' ? subtree + 1 : subtree, &p->path);
    if (p->path.failed)
        return vv_fail_memory(error, "a path");
    if (p->file_root == VV_NONE)
        return vv_fail(error, VARVE_NOT_FOUND,
            "%s: expected a subtree \"%.500s\", found none", where, subtree);
    return VARVE_OK;
}

/* Which path of what is shared comes first. */
static varve_status look_at_shared(struct vv_pairing *p, varve_error *error)
{
    const struct vv_index *index = vv_index_of(p);
    p->has_shared =
        (uint64_t)index->edge_count + index->slot_count >= index->node_count;
    return p->has_shared ? vv_need_paths(p, error) : VARVE_OK;
}

varve_status vv_pairing_begin(
    struct vv_pairing *p, const char *where, varve_error *error)
{
    VV_TRY(make_tables(p, error));
    VV_TRY(find_root(p, where, error));
    VV_TRY(look_at_shared(p, error));
    VV_TRY(vv_by_name_begin(p, error));
    reserve_queue(p);
    return VARVE_OK;
}

static void free_tables(struct vv_pairing *p)
{
    const varve_allocator *a = &p->context.allocator;
    size_t nodes = vv_index_of(p)->node_count;
    vv_release(a, p->node_of, nodes * sizeof *p->node_of);
    vv_release(a, p->values_in, groups_of(p) * sizeof *p->values_in);
    vv_release(a, p->links, nodes * sizeof *p->links);
    vv_release(a, p->file_of, p->number_capacity * sizeof *p->file_of);
    vv_by_name_end(p);
    vv_release(a, p->hows, p->how_capacity * sizeof *p->hows);
    vv_release(a, p->vias, p->via_capacity * sizeof *p->vias);
    vv_release(a, p->stands,
        p->stand_capacity * p->selection.deep_count * sizeof *p->stands);
    vv_release(a, p->name_ids, p->name_capacity * sizeof *p->name_ids);
}

uint32_t vv_value_of(const struct vv_pairing *p, uint32_t file)
{
    const struct vv_values_in *group = &p->values_in[file / 64];
    uint64_t bit = UINT64_C(1) << file % 64;
    if (!(group->has & bit))
        return VV_NONE;
    return group->first +
           (uint32_t)__builtin_popcountll(group->has & (bit - 1));
}

void vv_pairing_end(struct vv_pairing *p)
{
    struct vv_buffer *buffers[BUFFERS];
    free_tables(p);
    list_buffers(p, buffers);
    for (size_t i = 0; i < BUFFERS; i++)
        vv_buffer_clear(buffers[i]);
    vv_pair_list_clear(&p->conflicts);
    vv_pair_list_clear(&p->unnamed);
    vv_pair_list_clear(&p->deferred);
    if (p->has_paths)
        vv_saved_paths_end(&p->paths);
    vv_scope_end(p);
    vv_selection_end(&p->selection);
}

size_t vv_pairing_keep_names(struct vv_pairing *p)
{
    size_t vias = p->vias ? p->via_capacity : 0;
    for (size_t i = 0; i < vias; i++) {
        if (p->vias[i].name)
            vv_name_keep(p->vias[i].name);
    }
    if (p->name_ids) {
        vv_release(&p->context.allocator, p->name_ids,
            p->name_capacity * sizeof *p->name_ids);
        p->name_ids = NULL;
        p->name_capacity = 0; /* else it would grow with all that ever were */
    }
    return vias;
}

void vv_pairing_forget_graph(struct vv_pairing *p)
{
    size_t nodes = vv_index_of(p)->node_count;
    p->graph = NULL;
    p->root = NULL;
    memset(p->node_of, 0, nodes * sizeof *p->node_of);
    if (p->links)
        memset(p->links, 0, nodes * sizeof *p->links);
    vv_empty_pairs(&p->unnamed);
    vv_empty_pairs(&p->deferred);
    p->deferred_hows.size = 0;
    vv_empty_pairs(&p->conflicts);
}

/* --- What always holds -------------------------------------------------- */

#ifndef NDEBUG
enum { MOST_CHECKED = 256 }; /* nodes of file and program, else it takes long */

/* Whether whoever holds a node of the file leads to it. */
static bool leads_back(const struct vv_pairing *p, uint32_t file)
{
    const varve_node *holder = p->node_of[file];
    uint32_t at = vv_file_node_of(p, holder);
    while (at != VV_NONE && at != file)
        at = vv_next_partner(p, holder, at);
    return at == file && holder->graph == p->graph;
}

/* Whether an object, and nothing else, stands for several nodes of the file;
 * for a value only if that came first, which it does not fit. */
static bool may_go_on(const struct vv_pairing *p, uint32_t file)
{
    const varve_node *holder = p->node_of[file];
    uint32_t next = p->links ? p->links[file].next : 0;
    return !next ||
           (holder && !holder->variable && holder->kind != VARVE_STATE &&
               vv_value_of(p, next - 1) == VV_NONE);
}

/* Whether what a node of the program stands for knows of it: as its holder, or
 * as one of those that claim it. */
static bool is_told_of(const struct vv_pairing *p, varve_node *node)
{
    uint32_t file = vv_file_node_of(p, node);
    if (file == VV_NONE)
        return vv_how_of(p, node) == VV_BY_PATH;
    return p->node_of[file] == node || p->failure.status ||
           vv_has_pair(&p->conflicts, node, file);
}

void vv_pairing_check(const struct vv_pairing *p)
{
    uint32_t nodes = vv_index_of(p)->node_count;
    if (!p->graph || nodes > MOST_CHECKED ||
        p->graph->number_limit > MOST_CHECKED)
        return;
    for (uint32_t f = 0; f < nodes; f++)
        assert((!p->node_of[f] || leads_back(p, f)) && may_go_on(p, f));
    for (varve_node *n = vv_newest_node(p->graph); n; n = vv_older_node(n))
        assert(is_told_of(p, n));
}
#else
void vv_pairing_check(const struct vv_pairing *p)
{
    (void)p;
}
#endif
