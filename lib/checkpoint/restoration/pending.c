/* pending.c - Finds and drops pending values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pending.h"

#include <string.h>

#include "allocator.h"
#include "arrival.h"
#include "binding.h"
#include "box.h"
#include "child_names.h"
#include "delivery_state.h"
#include "failure.h"
#include "match.h"
#include "name.h"
#include "saved_spread.h"
#include "try.h"
#include "variable.h"

bool vv_is_waiting(const struct varve_restoration *r, uint32_t value)
{
    return vv_is_pending(&r->delivery.delivery_states, value);
}

static bool pending_always(const void *item, const void *key)
{
    (void)item;
    (void)key;
    return true;
}

/* Returns the tensor of a value, or NULL if out of memory. It lives as long as
 * the restoration, and each call returns the same one. The hash in the map is
 * the number of the value. */
static const varve_tensor *tensor_of(
    struct varve_restoration *r, uint32_t value)
{
    varve_tensor *tensor =
        vv_map_find(&r->pending, value, pending_always, NULL);
    if (tensor)
        return tensor;
    tensor = vv_allocate(&r->pairing.context.allocator, sizeof *tensor);
    if (!tensor)
        return NULL;
    *tensor = vv_saved(&r->pairing, value);
    if (!vv_map_add(&r->pending, value, tensor)) {
        vv_release(&r->pairing.context.allocator, tensor, sizeof *tensor);
        return NULL;
    }
    return tensor;
}

/* Returns the value of a node of the file if it is pending, otherwise VV_NONE.
 */
static uint32_t waiting_value(struct varve_restoration *r, uint32_t file)
{
    if (file == VV_NONE || r->pairing.matches.node_of[file] ||
        vv_value_of(&r->pairing, file) == VV_NONE ||
        !vv_is_waiting(r, vv_value_of(&r->pairing, file)))
        return VV_NONE;
    return vv_value_of(&r->pairing, file);
}

static const varve_tensor *waiting_at(
    struct varve_restoration *r, uint32_t file)
{
    uint32_t value = waiting_value(r, file);
    return value == VV_NONE ? NULL : tensor_of(r, value);
}

/* Returns the next restoration. Every observer with a `check` callback is one.
 */
static struct varve_restoration *next_open(struct vv_observer *observer)
{
    while (observer && !observer->check)
        observer = observer->older;
    return (struct varve_restoration *)observer;
}

/* Returns the newest open restoration that has a pending value for this edge,
 * and sets *value. Returns NULL if there is none. */
static struct varve_restoration *pending_find_waiting(
    varve_node *parent, const char *name, uint32_t *value)
{
    struct varve_restoration *found = NULL;
    char next[24];
    if (name == VARVE_APPEND && parent->kind == VARVE_LIST) {
        next[vv_decimal(parent->edge_count, next)] = '\0';
        name = next;
    }
    struct varve_restoration *r = next_open(parent->graph->newest);
    if (vv_is_nil(parent) || !name)
        return NULL;
    for (; r && !found; r = next_open(r->observer.older)) {
        uint32_t here = VV_NONE;
        if (!r->pairing.is_dry)
            here = waiting_value(r, vv_match_child(&r->matching, parent, name));
        if (here == VV_NONE)
            continue;
        *value = here;
        found = r;
    }
    return found;
}

const varve_tensor *varve_pending(varve_node *parent, const char *name)
{
    uint32_t value;
    struct varve_restoration *r =
        pending_find_waiting(vv_or_nil(parent), name, &value);
    return r ? tensor_of(r, value) : NULL;
}

varve_node *varve_add_variable_as_saved(varve_node *parent, const char *name,
    varve_dtype dtype, varve_shape shape, varve_initializer *initializer,
    void *user)
{
    uint32_t value;
    struct varve_restoration *r =
        pending_find_waiting(vv_or_nil(parent), name, &value);
    if (r) {
        varve_slice part;
        varve_tensor saved = vv_saved(&r->pairing, value);
        if (vv_saved_part(&r->pairing, value, &part)) {
            varve_box box = vv_box_whole(&saved);
            memcpy(box.start, part.start, sizeof box.start);
            return varve_add_allocated_slice(
                parent, name, dtype, part.shape, &box, initializer, user);
        }
        shape = varve_shape_of(saved.rank, saved.shape);
    }
    return varve_add_allocated_variable(
        parent, name, dtype, shape, initializer, user);
}

const varve_tensor *varve_pending_slot(
    varve_node *owner, varve_node *variable, const char *name)
{
    owner = vv_or_nil(owner);
    variable = vv_or_nil(variable);
    const varve_tensor *found = NULL;
    struct varve_restoration *r = next_open(owner->graph->newest);
    if (vv_is_nil(owner) || vv_is_nil(variable) || !name)
        return NULL;
    for (; r && !found; r = next_open(r->observer.older)) {
        if (!r->pairing.is_dry)
            found = waiting_at(
                r, vv_match_slot_of(&r->matching, owner, variable, name));
    }
    return found;
}

size_t varve_pending_count(const varve_restoration *r)
{
    return r && !r->pairing.is_dry ? r->delivery.delivery_states.pending : 0;
}

/* --- Dropping ----------------------------------------------------------- */

/* Closes the offers of nodes that lead only to values that are given up. Called
 * when a value of this node was given up. */
static void pending_close_from(struct varve_restoration *r, uint32_t file)
{
    const uint32_t *parents = r->pairing.saved.paths.parents;
    for (; file != VV_NONE && --r->live[file] == 0; file = parents[file])
        r->pairing.matches.is_past[file] = true;
}

/* Allocates the table of live nodes. Returns false if out of memory. */
static bool pending_make_live(struct varve_restoration *r)
{
    size_t count = vv_index_of(&r->pairing)->node_count;
    if (r->live)
        return true;
    r->live = vv_allocate_zeroed(
        &r->pairing.context.allocator, count * sizeof *r->live);
    r->live_moment = UINT64_MAX;
    return r->live;
}

static void pending_free_tables(struct varve_restoration *r)
{
    const varve_allocator *a = &r->pairing.context.allocator;
    const struct vv_index *index =
        r->live || r->ends ? vv_index_of(&r->pairing) : NULL;
    if (r->live)
        vv_release(a, r->live, index->node_count * sizeof *r->live);
    if (r->ends)
        vv_release(a, r->ends, index->edge_count * sizeof *r->ends);
    r->live = NULL;
    r->ends = NULL;
}

/* Returns true if the table is correct. */
static bool pending_is_live(const struct varve_restoration *r)
{
    return r->live_moment == r->delivery.delivery_states.given_up_changes;
}

/* Counts anew what is live, unless the table is correct. Stops offering nodes
 * that lead only to dropped values to nodes that make children on demand. */
static void pending_close_offers(struct varve_restoration *r)
{
    const struct vv_index *index = vv_index_of(&r->pairing);
    const uint32_t *parents = r->pairing.saved.paths.parents;
    if (pending_is_live(r))
        return;
    memset(r->live, 0, index->node_count * sizeof *r->live);
    for (uint32_t v = 0; v < index->value_count; v++) {
        uint32_t file = vv_at32(index->value_nodes, v);
        if (vv_is_given_up(&r->delivery.delivery_states, v))
            continue;
        while (file != VV_NONE && r->live[file]++ == 0)
            file = parents[file];
    }
    for (uint32_t v = 0; v < index->value_count; v++) {
        uint32_t file = vv_at32(index->value_nodes, v);
        for (; file != VV_NONE && !r->live[file]; file = parents[file])
            r->pairing.matches.is_past[file] = true;
    }
    r->live_moment = r->delivery.delivery_states.given_up_changes;
}

static void pending_drop(struct varve_restoration *r, uint32_t value)
{
    uint32_t file = vv_at32(vv_index_of(&r->pairing)->value_nodes, value);
    varve_node *node = r->pairing.matches.node_of[file];
    bool is_live = pending_is_live(r);
    vv_change_delivery_state(
        &r->delivery.delivery_states, value, VV_DELIVERY_STATE_DROPPED);
    if (is_live) {
        pending_close_from(r, file);
        r->live_moment = r->delivery.delivery_states.given_up_changes;
    }
    if (!node)
        return;
    vv_drop_pairs(&r->delivery.jobs, node);
    vv_drop_pairs(&r->delivery.held, node);
    vv_drop_pairs(&r->delivery.stuck, node);
    vv_drop_pairs(&r->delivery.mismatched, node);
    vv_variable_give_up(node);
}

/* Nodes of the file that are to be dropped: those in a list or, without one,
 * those that a pattern selects, or all. */
struct dropping {
    const uint32_t *list; /* sorted; or NULL */
    size_t count;         /* of the list */
    const struct vv_spread *spread;
};

static bool pending_is_listed(const struct dropping *d, uint32_t file)
{
    size_t low = 0, high = d->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->list[middle] < file)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->count && d->list[low] == file;
}

static bool pending_is_chosen(const struct dropping *d, uint32_t file)
{
    if (d->list)
        return pending_is_listed(d, file);
    return !d->spread || vv_spread_has_any(d->spread, file);
}

/* Drops a node of the file without a value, which can also be a mismatch. */
static void drop_object(struct varve_restoration *r, uint32_t file)
{
    if (vv_value_of(&r->pairing, file) == VV_NONE)
        vv_set_dropped(&r->delivery.delivery_states, file, true);
}

static void drop_objects(
    struct varve_restoration *r, const struct dropping *dropping)
{
    struct vv_delivery *d = &r->delivery;
    uint32_t nodes = dropping->list ? 0 : vv_index_of(&r->pairing)->node_count;
    for (size_t i = 0; i < dropping->count; i++)
        drop_object(r, dropping->list[i]);
    for (uint32_t f = 0; f < nodes; f++) {
        if (pending_is_chosen(dropping, f))
            drop_object(r, f);
    }
    size_t count, kept = 0;
    struct vv_pair *pairs = vv_pairs(&d->mismatched, &count);
    for (size_t i = 0; i < count; i++) {
        if (!vv_is_dropped(&d->delivery_states, pairs[i].file))
            pairs[kept++] = pairs[i];
    }
    d->mismatched.pairs.size = kept * sizeof *pairs;
}

/* Drops the copies in a list whose value has another holder. */
static void drop_copies(struct varve_restoration *r, struct vv_pair_list *list,
    const struct dropping *dropping)
{
    size_t count, kept = 0;
    struct vv_pair *pairs = vv_pairs(list, &count);
    for (size_t i = 0; i < count; i++) {
        varve_node *node = pairs[i].node;
        uint32_t file = vv_file_node_of(&r->pairing.matches, node);
        if (file == VV_NONE || vv_is_holder(&r->pairing.matches, node, file) ||
            !pending_is_chosen(dropping, file)) {
            pairs[kept++] = pairs[i];
            continue;
        }
        vv_note_served(&r->delivery, node);
        vv_variable_give_up(node);
    }
    list->pairs.size = kept * sizeof *pairs;
}

/* Returns the node of the file at a path without wildcards, if it is the first
 * path of the node and nothing is below it; otherwise VV_NONE. */
static uint32_t pending_leaf_at(
    const struct varve_restoration *r, const char *path)
{
    const struct vv_saved_paths *paths = &r->pairing.saved.paths;
    uint32_t at = VV_NONE, begin = 0, end = 0;
    if (*path)
        at = vv_child_names_walk(paths, path, strlen(path));
    if (at != VV_NONE)
        vv_index_edges(vv_index_of(&r->pairing), at, &begin, &end);
    return begin == end ? at : VV_NONE;
}

/* Finds the nodes that a pattern with wildcards selects, by an index of names
 * that the second such call makes. Returns false if they must be found by a
 * spread. */
static bool pending_find_by_ends(
    struct varve_restoration *r, const char *pattern, struct vv_buffer *found)
{
    const varve_allocator *a = &r->pairing.context.allocator;
    if (!strchr(pattern, '*') || vv_index_of(&r->pairing)->slot_count)
        return false;
    if (!r->ends && r->has_dropped_by_pattern)
        r->ends = vv_child_names_new(a, vv_index_of(&r->pairing));
    r->has_dropped_by_pattern = true;
    return r->ends && vv_child_names_find(
                          r->ends, &r->pairing.saved.paths, pattern, found);
}

/* Drops a value of a node that is to be dropped. */
static void pending_drop_value(
    struct varve_restoration *r, uint32_t v, uint32_t file)
{
    if ((vv_is_waiting(r, v) || r->delivery.delivery_states.of[v] ==
                                    VV_DELIVERY_STATE_MISMATCHED) &&
        vv_saved_path_exists(&r->pairing.saved.paths, file))
        pending_drop(r, v);
}

static void pending_drop_values(
    struct varve_restoration *r, const struct dropping *dropping)
{
    const struct vv_index *index = vv_index_of(&r->pairing);
    uint32_t count = dropping->list ? 0 : index->value_count;
    for (size_t i = 0; i < dropping->count; i++) {
        uint32_t v = vv_value_of(&r->pairing, dropping->list[i]);
        if (v != VV_NONE)
            pending_drop_value(r, v, dropping->list[i]);
    }
    for (uint32_t v = 0; v < count; v++) {
        uint32_t file = vv_at32(index->value_nodes, v);
        if (pending_is_chosen(dropping, file))
            pending_drop_value(r, v, file);
    }
}

static void pending_drop_all(
    struct varve_restoration *r, const struct dropping *dropping)
{
    pending_drop_values(r, dropping);
    pending_close_offers(r);
    drop_objects(r, dropping);
    drop_copies(r, &r->delivery.stuck, dropping);
    drop_copies(r, &r->delivery.mismatched, dropping);
}

/* Drops what a pattern selects; NULL: everything. */
static varve_status pending_drop_selected(
    struct varve_restoration *r, const char *pattern, varve_error *error)
{
    struct dropping dropping = { .list = NULL };
    struct vv_spread spread = { .count = 0 };
    struct vv_buffer found;
    varve_status status = VARVE_OK;
    uint32_t leaf = pattern ? pending_leaf_at(r, pattern) : VV_NONE;
    vv_buffer_init(&found, &r->pairing.context.allocator);
    if (leaf != VV_NONE) {
        dropping.list = &leaf;
        dropping.count = 1;
    } else if (pattern && pending_find_by_ends(r, pattern, &found)) {
        static const uint32_t none;
        dropping.list = found.size ? (const uint32_t *)found.data : &none;
        dropping.count = found.size / sizeof(uint32_t);
    } else if (pattern) {
        status = vv_saved_spread_begin(
            &spread, &r->pairing.saved.paths, pattern, error);
        dropping.spread = &spread;
    }
    if (!status)
        pending_drop_all(r, &dropping);
    if (!status && dropping.spread)
        vv_spread_end(&spread);
    vv_buffer_clear(&found);
    return status;
}

varve_status varve_drop_pending(
    varve_restoration *r, const char *pattern, varve_error *error)
{
    if (!r)
        return vv_fail_none(error, "restoration", "a read");
    VV_TRY(vv_need_paths(&r->pairing.saved, error));
    if (!vv_sweep(&r->matching) ||
        !vv_reserve_dropped(&r->delivery.delivery_states) ||
        !pending_make_live(r))
        return vv_fail_memory(error, "a restoration");
    VV_TRY(pending_drop_selected(r, pattern, error));
    if (!pattern)
        pending_free_tables(r); /* nothing is left to drop */
    vv_clear_if_mended(r);
    if (!r->is_busy)
        vv_delivery_check(&r->delivery);
    if (!r->pairing.graph || r->pairing.is_dry || r->is_busy)
        return VARVE_OK;
    /* A state may have waited for a variable that is dropped now. */
    return r->delivery.held.pairs.size ? vv_arrive(r, error) : VARVE_OK;
}

void vv_pending_free(struct varve_restoration *r)
{
    for (size_t i = 0; i < r->pending.capacity; i++)
        vv_release(&r->pairing.context.allocator, r->pending.slots[i].item,
            sizeof(varve_tensor));
    vv_map_clear(&r->pending);
    pending_free_tables(r);
}
