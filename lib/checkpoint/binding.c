/* binding.c - who is bound to whom, what that means for a value, and letting
 * go of what the program no longer holds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "binding.h"

#include <string.h>

#include "allocator.h"
#include "by_name.h"
#include "convert.h"
#include "name.h"
#include "scope.h"
#include "shape.h"
#include "slot.h"
#include "variable.h"
#include "walk.h"
#include "wrong.h"

/* --- Memory that grows with the program --------------------------------- */

void vv_out_of_memory(struct varve_restoration *r)
{
    r->needs_rematch = true;
    if (!r->failure.status)
        vv_fail_memory(&r->failure, "matching a checkpoint");
}

static bool grow_zeroed(const varve_allocator *a, void *array, size_t old,
    size_t wanted, size_t unit)
{
    char *block;
    memcpy(&block, array, sizeof block);
    block = vv_reallocate(a, block, old * unit, wanted * unit);
    if (!block)
        return false;
    memset(block + old * unit, 0, (wanted - old) * unit);
    memcpy(array, &block, sizeof block);
    return true;
}

/* Room in the arrays by number for every node there is. */
bool vv_know_numbers(struct varve_restoration *r)
{
    const varve_allocator *a = &r->context.allocator;
    size_t limit = r->graph->number_limit;
    bool needs_vias = r->is_by_name || r->selection.rename_count;
    if (limit <= r->number_capacity &&
        (!needs_vias || r->number_capacity <= r->via_capacity))
        return true;
    size_t wanted = r->number_capacity;
    if (limit > wanted)
        wanted = wanted ? limit + limit / 2 : limit;
    if (needs_vias && wanted > r->via_capacity) {
        if (!grow_zeroed(a, &r->vias, r->via_capacity, wanted, sizeof *r->vias))
            return false;
        r->via_capacity = wanted;
    }
    if (wanted > r->number_capacity &&
        !grow_zeroed(
            a, &r->file_of, r->number_capacity, wanted, sizeof *r->file_of))
        return false;
    r->number_capacity = wanted;
    return true;
}

/* The file's number of a name of the program, or VV_NONE. */
uint32_t vv_name_in_file(
    struct varve_restoration *r, const struct vv_name *name)
{
    if (name->number >= r->name_capacity) {
        size_t wanted = r->graph->names.map.count * 3 / 2 + 16;
        if (!grow_zeroed(&r->context.allocator, &r->name_ids, r->name_capacity,
                wanted, sizeof *r->name_ids))
            return vv_index_find_name(vv_index_of(r), name->bytes, name->size);
        r->name_capacity = wanted;
    }
    uint32_t *id = &r->name_ids[name->number];
    if (*id == 0) {
        uint32_t found =
            vv_index_find_name(vv_index_of(r), name->bytes, name->size);
        *id = found == VV_NONE ? VV_NONE : found + 1;
    }
    return *id == VV_NONE ? VV_NONE : *id - 1;
}

void vv_add_pair(struct varve_restoration *r, struct vv_buffer *buffer,
    varve_node *node, uint32_t file)
{
    struct vv_pair pair = { node, file };
    vv_buffer_add(buffer, &pair, sizeof pair);
    if (buffer->failed) {
        buffer->failed = false;
        vv_out_of_memory(r);
    }
}

void vv_drop_pairs(struct vv_buffer *buffer, const varve_node *node)
{
    size_t count;
    struct vv_pair *pairs = vv_pairs(buffer, &count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].node != node)
            pairs[kept++] = pairs[i];
    }
    buffer->size = kept * sizeof *pairs;
}

/* --- Who is bound to whom ----------------------------------------------- */

uint32_t vv_file_node_of(
    const struct varve_restoration *r, const varve_node *node)
{
    if (node->number >= r->number_capacity)
        return VV_NONE;
    return r->file_of[node->number] - 1; /* 0 becomes VV_NONE */
}

/* Whether matching has come to the node at all. */
bool vv_is_known(const struct varve_restoration *r, const varve_node *node)
{
    if (vv_file_node_of(r, node) != VV_NONE)
        return true;
    return r->vias && node->number < r->number_capacity &&
           r->vias[node->number].is_visited;
}

uint32_t vv_next_partner(const struct varve_restoration *r, uint32_t file)
{
    return r->links ? r->links[file].next - 1 : VV_NONE; /* as above */
}

/* Adds to what an object stands for; `first` is what it was bound to first. */
static bool add_partner(
    struct varve_restoration *r, uint32_t first, uint32_t file)
{
    if (!r->links)
        r->links = vv_allocate_zeroed(&r->context.allocator,
            vv_index_of(r)->node_count * sizeof *r->links);
    if (!r->links) {
        vv_out_of_memory(r);
        return false;
    }
    uint32_t last = r->links[first].last ? r->links[first].last - 1 : first;
    r->links[last].next = file + 1;
    r->links[first].last = file + 1;
    return true;
}

/* --- Paths, where the options ask for them ------------------------------ */

void vv_add_via_path(
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
            vv_add_via_path(r, via->variable - 1, path);
            vv_buffer_add8(path, ')');
        }
        vv_buffer_reverse(path, at);
        number = via->parent - 1;
    }
    vv_buffer_reverse(path, begin);
}

/* Notes how a node was come to; queues it when that is new. */
void vv_visit(struct varve_restoration *r, varve_node *node, struct vv_via via)
{
    if (!r->vias)
        return;
    struct vv_via *known = &r->vias[node->number];
    if (known->is_visited)
        return;
    *known = via;
    known->is_visited = true;
    if (r->selection.rename_count || r->is_by_name)
        vv_add_pair(r, &r->queue, node, VV_NONE);
    if (r->is_by_name)
        vv_by_name_consider(r, node);
}

/* --- Values ------------------------------------------------------------- */

bool vv_is_resized(const struct varve_restoration *r, const varve_node *node,
    const varve_tensor *saved)
{
    const varve_tensor *wanted = &node->variable->tensor;
    return r->selection.resize && wanted->rank == saved->rank &&
           wanted->dtype != VARVE_STRING && saved->dtype != VARVE_STRING &&
           !vv_shape_equal(wanted, saved) &&
           vv_scope_resizes(r, node);
}

static bool type_fits(
    const struct varve_restoration *r, varve_dtype saved, varve_dtype wanted)
{
    if (saved == wanted || VV_WRONG(any_type_fits))
        return true;
    switch (r->selection.options.cast) {
    case VARVE_CAST_WIDEN: return vv_convert_is_widening(saved, wanted);
    case VARVE_CAST_ANY: return vv_convert_is_possible(saved, wanted);
    default: return false;
    }
}

bool vv_value_fits(struct varve_restoration *r, const varve_node *node,
    const varve_tensor *saved)
{
    if (node->kind == VARVE_STATE)
        return true;
    const varve_tensor *wanted = &node->variable->tensor;
    if (!type_fits(r, saved->dtype, wanted->dtype))
        return false;
    if (vv_shape_equal(saved, wanted) || VV_WRONG(any_shape_fits))
        return true;
    if (r->selection.options.reshape &&
        varve_tensor_count(saved) == varve_tensor_count(wanted))
        return true;
    return vv_is_resized(r, node, saved);
}

/* A library-owned variable without a value waits for this one and does not run
 * its initializer; unless only a part of it will be filled. */
static void claim(struct varve_restoration *r, varve_node *node, uint32_t value)
{
    struct vv_variable *variable = node->variable;
    if (!variable || !variable->is_owned || node->value_state != VARVE_DECLARED)
        return;
    varve_tensor saved = vv_saved(r, value);
    if (vv_is_resized(r, node, &saved) || VV_WRONG(initialized_all_the_same))
        vv_variable_settle(node);
    else
        node->value_state = VARVE_PENDING;
}

/* Whether no node that comes to the place of a value is given it any more. */
static bool is_final(const struct varve_restoration *r, uint32_t value)
{
    return (vv_is_delivered(r, value) && !VV_WRONG(delivered_twice)) ||
           r->fates[value] == VV_FATE_DROPPED;
}

/* What becomes of a value that the options take. */
static enum vv_fate fate_of(
    const struct varve_restoration *r, const varve_node *node, uint32_t file)
{
    if (r->value_of[file] == VV_NONE ||
        vv_index_kind(vv_index_of(r), file) != node->kind)
        return VV_FATE_MISFIT;
    if (node->restored_by > r->observer.number &&
        !VV_WRONG(older_restoration_wins))
        return VV_FATE_SUPERSEDED;
    return VV_FATE_DUE;
}

void vv_decide(struct varve_restoration *r, varve_node *node, uint32_t file)
{
    uint32_t value = r->value_of[file];
    bool wants = node->kind == VARVE_VARIABLE || node->kind == VARVE_STATE;
    bool is_saved =
        value != VV_NONE && vv_index_is_saved(vv_index_of(r), value);
    if ((value == VV_NONE && !wants) || (value != VV_NONE && !is_saved) ||
        (value != VV_NONE && is_final(r, value)))
        return;
    if (!wants && vv_index_has_tag(vv_index_of(r), file, VARVE_TAG_OPTIONAL) &&
        !VV_WRONG(optional_decides))
        return; /* what it is in the file does not matter */
    enum vv_fate fate = fate_of(r, node, file);
    if (!vv_scope_takes(r, node))
        fate = VV_FATE_EXCLUDED;
    if (value != VV_NONE)
        r->fates[value] = (uint8_t)fate;
    if (fate == VV_FATE_MISFIT) {
        vv_add_pair(r, &r->misfits, node, file);
        r->has_new_misfit = true;
    }
    if (fate != VV_FATE_DUE)
        return;
    vv_add_pair(r, &r->jobs, node, value);
    if (!r->is_dry)
        claim(r, node, value);
}

/* --- Binding ------------------------------------------------------------ */

/* An object lets go of everything that it stands for at once. */
static void let_go(struct varve_restoration *r, const varve_node *node)
{
    uint32_t file = vv_file_node_of(r, node);
    if (file == VV_NONE)
        return;
    r->file_of[node->number] = 0;
    while (file != VV_NONE) {
        uint32_t next = vv_next_partner(r, file);
        r->node_of[file] = NULL;
        if (r->by_name)
            r->by_name[file] = 0;
        if (r->links)
            r->links[file] = (struct vv_link){ 0 };
        file = next;
    }
}

static void release(struct varve_restoration *r, uint32_t file)
{
    varve_node *node = r->node_of[file];
    uint32_t value = r->value_of[file];
    let_go(r, node);
    if (r->vias)
        r->vias[node->number].is_visited = false;
    if (value != VV_NONE && !is_final(r, value))
        r->fates[value] = VV_FATE_WAITING;
    vv_drop_pairs(&r->jobs, node);
    vv_drop_pairs(&r->held, node);
    vv_drop_pairs(&r->stuck, node);
    vv_drop_pairs(&r->misfits, node);
    if (node->variable && node->value_state == VARVE_PENDING)
        node->value_state = VARVE_DECLARED;
}

/* What was come to without being bound is not held by anything. */
static void forget_visits(
    struct varve_restoration *r, const struct vv_walk *walk)
{
    for (const varve_node *n = r->graph->all; n && r->vias;
         n = n->next_of_all) {
        if (n->number < r->number_capacity && !vv_walk_has(walk, n))
            r->vias[n->number].is_visited = false;
    }
}

bool vv_sweep(struct varve_restoration *r)
{
    struct vv_walk walk;
    if (!r->needs_sweep || !r->graph || !r->root)
        return true;
    if (vv_walk_begin(&walk, r->root, NULL))
        return false;
    if (vv_scope_renew(r, NULL)) {
        vv_walk_end(&walk);
        return false;
    }
    r->needs_sweep = false;
    for (uint32_t f = 0; f < vv_index_of(r)->node_count; f++) {
        if (r->node_of[f] && !vv_walk_has(&walk, r->node_of[f]))
            release(r, f);
    }
    forget_visits(r, &walk);
    vv_walk_end(&walk);
    return true;
}

/* Whether the node still holds a place in the program. What no edge leads to
 * any more is let go at once, and with it, in turn, what only it led to. Only
 * cycles need the whole graph to be swept. */
static bool still_holds(struct varve_restoration *r, uint32_t file)
{
    const varve_node *node = r->node_of[file];
    if (!r->needs_sweep || VV_WRONG(replaced_child_keeps_its_place))
        return true;
    bool led_to =
        node == r->root || (node->variable && node->variable->as_slot);
    for (const struct vv_edge *e = node->first_in; e && !led_to; e = e->next_in)
        led_to = vv_is_known(r, e->parent);
    if (!led_to)
        release(r, file);
    else if (!vv_sweep(r))
        vv_out_of_memory(r);
    return r->node_of[file] != NULL;
}

/* A second file node for an object: it takes the children of both. */
static bool may_combine(
    const struct varve_restoration *r, const varve_node *node, uint32_t file)
{
    return !node->variable && node->kind != VARVE_STATE &&
           r->value_of[file] == VV_NONE;
}

/* What was restored from one place of the file and has come to another keeps
 * what it has become. */
static bool has_another_value(const struct varve_restoration *r,
    const varve_node *node, uint32_t file)
{
    uint32_t value = r->value_of[file];
    return node->restored_by == r->observer.number && value != VV_NONE &&
           !is_final(r, value);
}

/* Whether matching goes on from a node. What is added to it later is matched
 * then. */
static bool leads_on(const varve_node *node)
{
    const struct vv_extra *extra = node->extra;
    return node->first_edge || (extra && (extra->first_slot ||
                                             extra->on_demand)) ||
           (node->variable && node->variable->first_slot);
}

void vv_bind(struct varve_restoration *r, varve_node *node, uint32_t file)
{
    if (r->node_of[file] == node)
        return;
    if (!vv_know_numbers(r)) {
        vv_out_of_memory(r);
        return;
    }
    uint32_t known = vv_file_node_of(r, node);
    if (r->node_of[file] && still_holds(r, file) &&
        !VV_WRONG(later_claim_takes_over)) {
        vv_add_pair(r, &r->conflicts, node, file);
        return;
    }
    if (known != VV_NONE && !vv_sweep(r))
        vv_out_of_memory(r);
    known = vv_file_node_of(r, node);
    if (known != VV_NONE ? !may_combine(r, node, file)
                         : has_another_value(r, node, file)) {
        vv_add_pair(r, &r->conflicts, node, file);
        return;
    }
    if (known != VV_NONE &&
        (VV_WRONG(one_partner_only) || !add_partner(r, known, file)))
        return;
    r->node_of[file] = node;
    if (known == VV_NONE)
        r->file_of[node->number] = file + 1;
    vv_decide(r, node, file);
    if (leads_on(node))
        vv_add_pair(r, &r->queue, node, file);
}

/* --- Queues ------------------------------------------------------------- */

struct vv_pair vv_queued(const struct vv_buffer *queue, size_t i)
{
    size_t count;
    return vv_pairs(queue, &count)[i];
}

static void forget_in_queue(struct vv_buffer *queue, const varve_node *node)
{
    size_t count;
    struct vv_pair *pairs = vv_pairs(queue, &count);
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].node == node)
            pairs[i].node = NULL;
    }
}

void vv_forget_node(struct varve_restoration *r, varve_node *node)
{
    uint32_t file = vv_file_node_of(r, node);
    if (file != VV_NONE)
        release(r, file);
    if (r->vias && node->number < r->number_capacity)
        r->vias[node->number] = (struct vv_via){ 0 };
    vv_drop_pairs(&r->conflicts, node);
    vv_drop_pairs(&r->misfits, node);
    forget_in_queue(&r->queue, node);
    forget_in_queue(&r->demand, node);
    vv_drop_pairs(&r->unnamed, node);
    vv_scope_forget(r, node);
}
