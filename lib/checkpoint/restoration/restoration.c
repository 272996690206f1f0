/* restoration.c - the life of a restoration: opened by a read, fed by every new
 * edge, ended by its owner.
 *
 * SPDX-License-Identifier: MIT
 */
#include "restoration.h"

#include <string.h>

#include "allocator.h"
#include "arrival.h"
#include "assertion.h"
#include "binding.h"
#include "by_name.h"
#include "checkpoint_in.h"
#include "failure.h"
#include "fate.h"
#include "match.h"
#include "save.h"
#include "scope.h"
#include "slot.h"
#include "transfer.h"
#include "try.h"
#include "variable.h"

/* --- What the graph tells ----------------------------------------------- */

static struct varve_restoration *restoration_of(struct vv_observer *observer)
{
    return (struct varve_restoration *)observer;
}

/* The first failure stays until it is mended. */
static void remember(
    struct varve_restoration *r, varve_status status, const varve_error *error)
{
    if (status && r->failure.status == VARVE_OK)
        r->failure = *error;
}

static void take_in(struct varve_restoration *r)
{
    varve_error error;
    if (r->is_busy || (!r->queue.size && !r->jobs.size && !r->held.size &&
                          !r->deferred.size && !r->has_new_mismatch))
        return;
    varve_status status = vv_arrive(r, &error);
    if (status)
        remember(r, status, &error);
    else
        vv_clear_if_mended(r);
}

static void edge_added(struct vv_observer *self, struct vv_edge *edge)
{
    struct varve_restoration *r = restoration_of(self);
    if (r->is_dry || r->is_settled)
        return;
    vv_scope_edge(r, edge);
    if (vv_is_held(r, edge->parent))
        vv_match_edge(r, edge);
    take_in(r);
}

static void children_moved(struct vv_observer *self, varve_node *list)
{
    struct varve_restoration *r = restoration_of(self);
    if (r->is_dry || r->is_settled)
        return;
    bool is_held = vv_is_held(r, list);
    for (struct vv_edge *e = list->first_edge; e; e = e->next) {
        vv_scope_edge(r, e);
        if (is_held)
            vv_match_moved(r, e);
    }
    take_in(r);
}

static void slot_added(struct vv_observer *self, struct vv_slot *slot)
{
    struct varve_restoration *r = restoration_of(self);
    if (r->is_dry || r->is_settled)
        return;
    vv_scope_slot(r, slot);
    if (vv_is_held(r, slot->owner) && vv_is_held(r, slot->public.variable))
        vv_match_slot(r, slot);
    take_in(r);
}

static void node_changed(struct vv_observer *self, varve_node *node)
{
    struct varve_restoration *r = restoration_of(self);
    if (r->is_dry || r->is_settled)
        return;
    vv_by_name_changed(r, node);
    vv_match_again(r, node);
    take_in(r);
}

static void edge_removed(struct vv_observer *self, varve_node *child)
{
    (void)child;
    restoration_of(self)->needs_sweep = true;
}

/* What is known of names by their numbers is looked up again. */
static size_t names_swept(struct vv_observer *self)
{
    struct varve_restoration *r = restoration_of(self);
    size_t vias = r->vias ? r->via_capacity : 0;
    for (size_t i = 0; i < vias; i++) {
        if (r->vias[i].name)
            vv_name_keep(r->vias[i].name);
    }
    if (r->name_ids) {
        vv_release(&r->context.allocator, r->name_ids,
            r->name_capacity * sizeof *r->name_ids);
        r->name_ids = NULL;
        r->name_capacity = 0; /* else it would grow with all that ever were */
    }
    return vias;
}

static bool is_busy(const struct vv_observer *self)
{
    return ((const struct varve_restoration *)self)->is_busy;
}

void vv_clear_if_mended(struct varve_restoration *r)
{
    if (!r->stuck.size && !r->mismatched.size && !r->needs_rematch)
        r->failure.status = VARVE_OK;
}

static void node_removed(struct vv_observer *self, varve_node *node)
{
    struct varve_restoration *r = restoration_of(self);
    if (node == r->root)
        r->root = NULL;
    vv_forget_node(r, node);
    vv_clear_if_mended(r);
}

static void graph_freed(struct vv_observer *self)
{
    struct varve_restoration *r = restoration_of(self);
    r->graph = NULL;
    r->root = NULL;
    size_t nodes = vv_index_of(r)->node_count;
    memset(r->node_of, 0, nodes * sizeof *r->node_of);
    if (r->links)
        memset(r->links, 0, nodes * sizeof *r->links);
    r->unnamed.size = 0;
    r->deferred.size = 0;
    struct vv_buffer *pairs[] = { &r->jobs, &r->held, &r->stuck, &r->mismatched,
        &r->conflicts };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        pairs[i]->size = 0;
    vv_clear_if_mended(r);
}

static varve_status check(const struct vv_observer *self, varve_error *error)
{
    const struct varve_restoration *r = (const struct varve_restoration *)self;
    if (r->failure.status && error)
        *error = r->failure;
    return r->failure.status;
}

/* --- Birth -------------------------------------------------------------- */

static struct varve_restoration *allocate(varve_node *root)
{
    const struct vv_context *context = &root->graph->context;
    struct varve_restoration *r =
        vv_allocate_zeroed(&context->allocator, sizeof *r);
    if (!r)
        return NULL;
    r->context = *context;
    r->graph = root->graph;
    r->root = root;
    r->values = &vv_delivery;
    const varve_allocator *a = &r->context.allocator;
    struct vv_buffer *buffers[] = { &r->queue, &r->deferred, &r->sorted,
        &r->demand, &r->unnamed, &r->jobs, &r->held, &r->stuck, &r->mismatched,
        &r->conflicts, &r->cast_misfits, &r->path, &r->file_path };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        vv_buffer_init(buffers[i], a);
    vv_map_init(&r->pending, a);
    vv_map_init(&r->served, a);
    r->selection.allocator = a;
    r->observer = (struct vv_observer){
        .edge_added = edge_added,
        .names_swept = names_swept,
        .is_busy = is_busy,
        .edge_removed = edge_removed,
        .children_moved = children_moved,
        .slot_added = slot_added,
        .node_changed = node_changed,
        .node_removed = node_removed,
        .graph_freed = graph_freed,
        .check = check,
    };
    return r;
}

static varve_status make_tables(struct varve_restoration *r, varve_error *error)
{
    const varve_allocator *a = &r->context.allocator;
    const struct vv_index *index = vv_index_of(r);
    size_t nodes = index->node_count;
    r->node_of = vv_allocate_zeroed(a, nodes * sizeof *r->node_of);
    r->value_of = vv_allocate_array(a, nodes, sizeof *r->value_of);
    r->fates = vv_allocate_zeroed(a, index->value_count);
    if (!r->node_of || !r->value_of || (index->value_count && !r->fates))
        return vv_fail_memory(error, "a restoration");
    memset(r->value_of, 0xff, nodes * sizeof *r->value_of);
    for (uint32_t v = 0; v < index->value_count; v++)
        r->value_of[vv_at32(index->value_nodes, v)] = v;
    return VARVE_OK;
}

/* What is not below the root of the file waits for nobody. */
static varve_status leave_out_the_rest(
    struct varve_restoration *r, varve_error *error)
{
    const struct vv_index *index = vv_index_of(r);
    VV_TRY(vv_need_paths(r, error));
    for (uint32_t v = 0; v < index->value_count; v++) {
        if (!vv_saved_path_exists(&r->paths, vv_at32(index->value_nodes, v)))
            vv_change_fate(r, v, VV_FATE_EXCLUDED);
    }
    return VARVE_OK;
}

/* Which path of what is shared comes first. */
static varve_status look_at_shared(
    struct varve_restoration *r, varve_error *error)
{
    const struct vv_index *index = vv_index_of(r);
    r->has_shared =
        (uint64_t)index->edge_count + index->slot_count >= index->node_count;
    return r->has_shared ? vv_need_paths(r, error) : VARVE_OK;
}

/* Most files are for the whole of the program that reads them. */
static void reserve_lists(struct varve_restoration *r)
{
    const struct vv_index *index = vv_index_of(r);
    size_t nodes = r->graph->number_limit;
    size_t values = nodes;
    if (nodes > index->node_count)
        nodes = index->node_count;
    if (values > index->value_count)
        values = index->value_count;
    vv_buffer_reserve(&r->queue, nodes * sizeof(struct vv_pair));
    vv_buffer_reserve(&r->jobs, values * sizeof(struct vv_pair));
}

static varve_status find_file_root(
    struct varve_restoration *r, varve_error *error)
{
    const char *subtree = r->selection.options.subtree;
    if (!subtree)
        return VARVE_OK;
    r->file_root = vv_saved_find(
        vv_index_of(r), 0, *subtree == '/' ? subtree + 1 : subtree, &r->path);
    if (r->path.failed)
        return vv_fail_memory(error, "a path");
    if (r->file_root == VV_NONE)
        return vv_fail(error, VARVE_NOT_FOUND,
            "%s: expected a subtree \"%.500s\", found none", r->file.path,
            subtree);
    return leave_out_the_rest(r, error);
}

static varve_status open_file(struct varve_restoration *r,
    const struct vv_opening *opening, varve_error *error)
{
    VV_TRY(vv_selection_begin(
        &r->selection, &r->context, opening->options, error));
    VV_TRY(vv_find_checkpoint(&r->context, opening->path, opening->is_numbered,
        &r->file_path, error));
    VV_TRY(vv_checkpoint_open(
        &r->file, &r->context, (const char *)r->file_path.data, error));
    VV_TRY(make_tables(r, error));
    VV_TRY(find_file_root(r, error));
    VV_TRY(look_at_shared(r, error));
    VV_TRY(vv_by_name_begin(r, error));
    /* What the caller lent for the call is not kept beyond it. */
    r->selection.options.renames = NULL;
    r->selection.options.rename_file = NULL;
    r->selection.options.subtree = NULL;
    return VARVE_OK;
}

/* Whether the file has everything that the program has, before anything is
 * delivered. Lack of memory is told by the arrival. */
static varve_status demand_homes(
    struct varve_restoration *r, varve_error *error)
{
    r->is_busy = true;
    enum vv_hold older = vv_graph_hold(r->graph, VV_HOLDS_NODES);
    vv_match_queue(r);
    vv_graph_let_go(r->graph, older);
    r->is_busy = false;
    return r->needs_rematch ? VARVE_OK : vv_assert_found(r, error);
}

static varve_status begin(struct varve_restoration *r,
    const struct vv_opening *opening, varve_error *error)
{
    VV_TRY(open_file(r, opening, error));
    if (opening->is_save && !vv_node_extra(r->root))
        return vv_fail_memory(error, "the save counter");
    vv_graph_observe(r->graph, &r->observer);
    r->is_dry = opening->is_dry;
    reserve_lists(r);
    VV_TRY(vv_scope_begin(r, error));
    vv_match_roots(r);
    if (opening->is_whole)
        VV_TRY(demand_homes(r, error));
    VV_TRY(vv_arrive(r, error));
    if (opening->is_save)
        vv_set_save_counter(r->root, vv_index_of(r)->counter);
    r->failure.status = VARVE_OK;
    r->is_open = true;
    r->selection.options.progress = NULL;
    return VARVE_OK;
}

varve_restoration *vv_restoration_open(
    varve_node *root, const struct vv_opening *opening, varve_error *error)
{
    if (root && varve_graph_check(root->graph, error))
        return NULL;
    if (!root || vv_is_nil(root) || !opening->path) {
        vv_fail(error, VARVE_MISUSE, "expected a node and a path, found none");
        return NULL;
    }
    struct varve_restoration *r = allocate(root);
    if (!r) {
        vv_fail_memory(error, "a restoration");
        return NULL;
    }
    if (begin(r, opening, error)) {
        vv_restoration_free(r);
        return NULL;
    }
    return r;
}

/* --- Death -------------------------------------------------------------- */

/* Also those that wait for a copy of what another has. */
static void give_up_all(struct varve_restoration *r)
{
    for (varve_node *n = r->graph->all; n && !r->is_dry; n = n->next_of_all) {
        if (vv_file_node_of(r, n) != VV_NONE)
            vv_variable_give_up(n);
    }
}

static void free_pending(struct varve_restoration *r)
{
    for (size_t i = 0; i < r->pending.capacity; i++)
        vv_release(&r->context.allocator, r->pending.slots[i].item,
            sizeof(varve_tensor));
    vv_map_clear(&r->pending);
    vv_map_clear(&r->served);
}

static void free_tables(struct varve_restoration *r)
{
    const varve_allocator *a = &r->context.allocator;
    const struct vv_index *index = vv_index_of(r);
    size_t nodes = index->node_count;
    vv_release(a, r->node_of, nodes * sizeof *r->node_of);
    vv_release(a, r->value_of, nodes * sizeof *r->value_of);
    vv_release(a, r->links, nodes * sizeof *r->links);
    vv_release(a, r->fates, index->value_count);
    vv_release(a, r->file_of, r->number_capacity * sizeof *r->file_of);
    vv_by_name_end(r);
    vv_release(a, r->hows, r->how_capacity * sizeof *r->hows);
    vv_release(a, r->vias, r->via_capacity * sizeof *r->vias);
    vv_release(a, r->stands,
        r->stand_capacity * r->selection.deep_count * sizeof *r->stands);
    vv_release(a, r->name_ids, r->name_capacity * sizeof *r->name_ids);
}

varve_status vv_restoration_settle(
    struct varve_restoration *r, varve_error *error)
{
    VV_TRY(varve_drop_pending(r, NULL, error));
    r->is_settled = true;
    return VARVE_OK;
}

void varve_restoration_free(varve_restoration *r)
{
    if (r && !r->is_lent)
        vv_restoration_free(r);
}

void vv_restoration_free(struct varve_restoration *r)
{
    if (!r)
        return;
    if (r->graph && r->observer.number) {
        vv_graph_forget(r->graph, &r->observer);
        give_up_all(r);
    }
    free_tables(r);
    free_pending(r);
    struct vv_buffer *buffers[] = { &r->queue, &r->deferred, &r->sorted,
        &r->demand, &r->unnamed, &r->jobs, &r->held, &r->stuck, &r->mismatched,
        &r->conflicts, &r->cast_misfits, &r->path, &r->file_path };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        vv_buffer_clear(buffers[i]);
    if (r->has_paths)
        vv_saved_paths_end(&r->paths);
    vv_scope_end(r);
    vv_selection_end(&r->selection);
    vv_opened_close(&r->file);
    const varve_allocator a = r->context.allocator;
    vv_release(&a, r, sizeof *r);
}

/* --- Accessors ---------------------------------------------------------- */

const char *varve_restoration_path(const varve_restoration *r)
{
    return r->file.path;
}

uint64_t varve_restoration_counter(const varve_restoration *r)
{
    return vv_index_of(r)->counter;
}

const varve_metadata *varve_restoration_metadata(
    const varve_restoration *r, const char *name)
{
    const struct vv_index *index = vv_index_of(r);
    for (size_t i = 0; i < index->metadata_count; i++) {
        if (strcmp(index->metadata[i].name, name) == 0)
            return &index->metadata[i];
    }
    return NULL;
}

/* --- Mending ------------------------------------------------------------ */

/* After memory ran out the lists may lack pairs, and what did not fit may have
 * been given another type; the tables by node and value know them all. */
static void list_again(struct varve_restoration *r)
{
    const struct vv_index *index = vv_index_of(r);
    r->mismatched.size = 0;
    r->jobs.size = 0;
    r->held.size = 0;
    vv_forget_claims(r);
    for (uint32_t f = 0; f < index->node_count; f++) {
        uint32_t value = r->value_of[f];
        bool is_done = value != VV_NONE && vv_is_delivered(r, value);
        if (r->node_of[f] && !is_done)
            vv_decide(r, r->node_of[f], f);
    }
}

varve_status varve_restoration_retry(varve_restoration *r, varve_error *error)
{
    if (!r->graph || r->is_dry)
        return VARVE_OK;
    if (!vv_sweep(r)) /* what is untracked may have lost its memory */
        return vv_fail_memory(error, "a restoration");
    bool rematches = (r->needs_rematch || r->conflicts.size) && r->root;
    if (rematches) {
        VV_TRY(vv_scope_begin(r, error));
        r->needs_rematch = false;
    }
    r->stuck.size = 0;
    list_again(r);
    if (rematches)
        vv_match_everything(r);
    r->has_new_mismatch = false; /* told below */
    varve_error reason = { 0 };
    varve_status status = vv_arrive(r, &reason);
    if (!status && r->mismatched.size)
        status = vv_fail_mismatched(r, &reason);
    if (status) {
        r->failure = reason;
        if (error)
            *error = reason;
        return status;
    }
    vv_clear_if_mended(r);
    return VARVE_OK;
}

varve_status varve_restoration_verify(varve_restoration *r, varve_error *error)
{
    const struct vv_index *index = vv_index_of(r);
    struct vv_buffer applied;
    vv_buffer_init(&applied, &r->context.allocator);
    for (uint32_t v = 0; v < index->value_count; v++) {
        struct vv_pair pair = { r->node_of[vv_at32(index->value_nodes, v)], v };
        if (r->fates[v] == VV_FATE_APPLIED || r->fates[v] == VV_FATE_LENT)
            vv_buffer_add(&applied, &pair, sizeof pair);
    }
    size_t count;
    const struct vv_pair *pairs = vv_pairs(&applied, &count);
    varve_status status = applied.failed
                              ? vv_fail_memory(error, "a restoration")
                              : vv_transfer_verify(r, pairs, count, error);
    vv_buffer_clear(&applied);
    return status;
}
