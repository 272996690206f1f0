/* binding.c - who is bound to whom, and letting go of what the program no
 * longer holds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "binding.h"

#include <string.h>

#include "allocator.h"
#include "by_name.h"
#include "scope.h"
#include "slot.h"
#include "variable.h"
#include "walk.h"

enum { FEW_STEPS = 64 }; /* up to the root, before the whole graph is swept */

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
    bool needs_vias = r->is_by_name || r->selection.rename_count ||
                      r->selection.options.copy_shared;
    if (limit <= r->number_capacity &&
        (!needs_vias || r->number_capacity <= r->via_capacity))
        return true;
    size_t wanted = r->number_capacity;
    if (limit > wanted)
        wanted = wanted ? limit + limit / 2 : limit;
    if (needs_vias && wanted > r->via_capacity) {
        size_t renames = r->selection.deep_count;
        if (renames && !grow_zeroed(a, &r->stands, r->stand_capacity, wanted,
                           renames * sizeof *r->stands))
            return false;
        r->stand_capacity = wanted;
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

bool vv_stands_for(
    const struct varve_restoration *r, const varve_node *node, uint32_t file)
{
    return vv_is_holder(r, node, file) || vv_file_node_of(r, node) == file;
}

uint32_t vv_next_partner(
    const struct varve_restoration *r, const varve_node *node, uint32_t file)
{
    bool may_have = r->links && vv_is_holder(r, node, file);
    return may_have ? r->links[file].next - 1 : VV_NONE; /* as above */
}

enum vv_how vv_how_of(const struct varve_restoration *r, const varve_node *node)
{
    return node->number < r->how_capacity ? (enum vv_how)r->hows[node->number]
                                          : VV_BY_PATH;
}

/* Most restorations know paths only, and need no table. */
static void set_how(
    struct varve_restoration *r, const varve_node *node, enum vv_how how)
{
    if (how != VV_BY_PATH && node->number >= r->how_capacity) {
        if (!grow_zeroed(&r->context.allocator, &r->hows, r->how_capacity,
                r->number_capacity, sizeof *r->hows)) {
            vv_out_of_memory(r);
            return;
        }
        r->how_capacity = r->number_capacity;
    }
    if (node->number < r->how_capacity)
        r->hows[node->number] = (uint8_t)how;
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

/* --- Binding ------------------------------------------------------------ */

/* An object lets go of everything that it stands for at once. */
static void let_go(struct varve_restoration *r, const varve_node *node)
{
    uint32_t file = vv_file_node_of(r, node);
    if (file == VV_NONE)
        return;
    r->file_of[node->number] = 0;
    set_how(r, node, VV_BY_PATH);
    while (vv_is_holder(r, node, file)) {
        uint32_t next = vv_next_partner(r, node, file);
        r->node_of[file] = NULL;
        if (r->links)
            r->links[file] = (struct vv_link){ 0 };
        file = next;
    }
}

/* Those that claim what nobody holds any more are next. */
static void pass_on(struct varve_restoration *r, uint32_t file)
{
    size_t count;
    const struct vv_pair *pairs = vv_pairs(&r->conflicts, &count);
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].file == file && vv_file_node_of(r, pairs[i].node) == file)
            vv_defer(r, pairs[i].node, file, vv_how_of(r, pairs[i].node));
    }
}

static void release(struct varve_restoration *r, uint32_t file)
{
    varve_node *node = r->node_of[file];
    uint32_t value = r->value_of[file];
    bool waits = value != VV_NONE && !r->values->is_final(r, value);
    let_go(r, node);
    if (r->vias)
        r->vias[node->number].is_visited = false;
    r->values->parted(r, node, value);
    if (waits)
        pass_on(r, file);
}

/* The same for a node that claims what another holds. */
static void unclaim(struct varve_restoration *r, varve_node *node)
{
    let_go(r, node);
    r->values->parted(r, node, VV_NONE);
}

static bool is_claimant(
    const struct varve_restoration *r, const varve_node *node)
{
    uint32_t file = vv_file_node_of(r, node);
    return file != VV_NONE && r->node_of[file] != node;
}

void vv_forget_claims(struct varve_restoration *r)
{
    for (varve_node *n = r->graph->all; n; n = n->next_of_all) {
        if (is_claimant(r, n))
            let_go(r, n);
    }
    r->conflicts.size = 0;
}

/* Claims of what cannot be reached. */
static void sweep_claims(
    struct varve_restoration *r, const struct vv_walk *walk)
{
    size_t count;
    struct vv_pair *pairs = vv_pairs(&r->conflicts, &count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (vv_walk_has(walk, pairs[i].node))
            pairs[kept++] = pairs[i];
        else if (is_claimant(r, pairs[i].node))
            unclaim(r, pairs[i].node);
    }
    r->conflicts.size = kept * sizeof *pairs;
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
    if (vv_scope_begin(r, NULL)) {
        vv_walk_end(&walk);
        return false;
    }
    r->needs_sweep = false;
    sweep_claims(r, &walk);
    for (uint32_t f = 0; f < vv_index_of(r)->node_count; f++) {
        if (r->node_of[f] && !vv_walk_has(&walk, r->node_of[f]))
            release(r, f);
    }
    forget_visits(r, &walk);
    vv_walk_end(&walk);
    return true;
}

/* Whether the first edges lead up to the root, as they nearly always do. */
static bool leads_up(const struct varve_restoration *r, const varve_node *node)
{
    const struct vv_edge *e = node->first_in;
    for (int i = 0; e && i < FEW_STEPS && node != r->root; i++) {
        if (vv_is_known(r, e->parent)) {
            node = e->parent;
            e = node->first_in;
        } else {
            e = e->next_in;
        }
    }
    return node == r->root;
}

bool vv_is_held(struct varve_restoration *r, const varve_node *node)
{
    if (!vv_is_known(r, node))
        return false;
    if (r->needs_sweep && !leads_up(r, node) && !vv_sweep(r))
        vv_out_of_memory(r);
    return vv_is_known(r, node);
}

/* Whether the node still holds a place in the program. What no edge leads to
 * any more is let go at once, and with it, in turn, what only it led to. Only
 * cycles need the whole graph to be swept. */
static bool still_holds(struct varve_restoration *r, uint32_t file)
{
    const varve_node *node = r->node_of[file];
    if (!r->needs_sweep)
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
static bool has_another_value(
    const struct varve_restoration *r, const varve_node *node, uint32_t file)
{
    uint32_t value = r->value_of[file];
    return node->restored_by == r->observer.number &&
           (value == VV_NONE || !r->values->is_final(r, value));
}

/* Whether matching goes on from a node. What is added to it later is matched
 * then. */
static bool leads_on(const varve_node *node)
{
    const struct vv_extra *extra = node->extra;
    return node->first_edge ||
           (extra && (extra->first_slot || extra->on_demand)) ||
           (node->variable && node->variable->first_slot);
}

/* A path before an alias; the first of several paths before the others. Who
 * renames takes nothing from a path, for it is given a copy. */
static bool goes_before(enum vv_how how, enum vv_how other)
{
    return (how == VV_BY_PATH && other >= VV_BY_OTHER_PATH) ||
           (how < VV_BY_ALIAS && other >= VV_BY_ALIAS);
}

/* Whether a claim goes before that of the holder of a value: by its name, and
 * what is taken before what the options leave out. */
static bool is_better(struct varve_restoration *r, const varve_node *node,
    uint32_t file, enum vv_how how)
{
    uint32_t value = r->value_of[file];
    if (value == VV_NONE || vv_index_kind(vv_index_of(r), file) != node->kind)
        return false;
    if (r->values->is_left_out(r, value))
        return vv_scope_takes(r, node);
    return goes_before(how, vv_how_of(r, r->node_of[file])) &&
           vv_scope_takes(r, node);
}

/* The holder of a value becomes one that claims it, and keeps what it was
 * given. */
static void take_from_holder(struct varve_restoration *r, uint32_t file)
{
    varve_node *holder = r->node_of[file];
    vv_add_pair(r, &r->conflicts, holder, file);
    r->node_of[file] = NULL;
    r->values->outdone(r, holder, file);
}

/* A node that has come to its place by a better way than before. So has what is
 * below it. */
static void improve(struct varve_restoration *r, varve_node *node,
    uint32_t file, enum vv_how how)
{
    if (vv_file_node_of(r, node) != file ||
        !goes_before(how, vv_how_of(r, node)))
        return;
    set_how(r, node, how);
    if (how < VV_BY_OTHER_PATH && vv_is_holder(r, node, file))
        r->values->confirmed(r, node, file);
    if (leads_on(node))
        vv_add_pair(r, &r->queue, node, file);
}

/* A second node for a node of the file. */
static void claim_too(struct varve_restoration *r, varve_node *node,
    uint32_t file, enum vv_how how)
{
    bool is_new = vv_file_node_of(r, node) == VV_NONE;
    vv_add_pair(r, &r->conflicts, node, file);
    if (!is_new)
        return;
    r->file_of[node->number] = file + 1;
    set_how(r, node, how);
    r->values->claimed(r, node, file);
    if (leads_on(node))
        vv_add_pair(r, &r->queue, node, file);
}

/* Makes room for a node at a node of the file; false where another one keeps
 * it, or the node itself has another. */
static bool take_place(struct varve_restoration *r, varve_node *node,
    uint32_t file, enum vv_how how)
{
    if (r->node_of[file] && still_holds(r, file)) {
        if (!is_better(r, node, file, how)) {
            if (vv_file_node_of(r, node) != file)
                claim_too(r, node, file, how);
            else
                improve(r, node, file, how);
            return false;
        }
        take_from_holder(r, file);
    }
    if (is_claimant(r, node)) {
        unclaim(r, node);
        vv_drop_pairs(&r->conflicts, node);
    }
    uint32_t known = vv_file_node_of(r, node);
    if (known != VV_NONE && !vv_sweep(r))
        vv_out_of_memory(r);
    known = vv_file_node_of(r, node);
    if (known != VV_NONE ? !may_combine(r, node, file)
                         : has_another_value(r, node, file)) {
        vv_add_pair(r, &r->conflicts, node, file);
        return false;
    }
    return known == VV_NONE || add_partner(r, known, file);
}

void vv_bind(struct varve_restoration *r, varve_node *node, uint32_t file,
    enum vv_how how)
{
    if (r->node_of[file] == node) {
        improve(r, node, file, how);
        return;
    }
    if (!vv_know_numbers(r)) {
        vv_out_of_memory(r);
        return;
    }
    if (!take_place(r, node, file, how))
        return;
    r->node_of[file] = node;
    if (vv_file_node_of(r, node) == VV_NONE) {
        r->file_of[node->number] = file + 1;
        set_how(r, node, how);
    }
    r->values->paired(r, node, file);
    if (leads_on(node))
        vv_add_pair(r, &r->queue, node, file);
}

/* --- Later claims ------------------------------------------------------- */

void vv_defer(struct varve_restoration *r, varve_node *node, uint32_t file,
    enum vv_how how)
{
    struct vv_deferred claim = { node, file, how };
    vv_buffer_add(&r->deferred, &claim, sizeof claim);
    if (r->deferred.failed) {
        r->deferred.failed = false;
        vv_out_of_memory(r);
    }
}

static struct vv_deferred *all_deferred(
    const struct varve_restoration *r, size_t *count)
{
    *count = r->deferred.size / sizeof(struct vv_deferred);
    return (struct vv_deferred *)(void *)r->deferred.data;
}

void vv_bind_deferred(struct varve_restoration *r, size_t i)
{
    size_t count;
    struct vv_deferred claim = all_deferred(r, &count)[i];
    if (claim.node)
        vv_bind(r, claim.node, claim.file, (enum vv_how)claim.how);
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

static void forget_deferred(struct varve_restoration *r, const varve_node *node)
{
    size_t count;
    struct vv_deferred *claims = all_deferred(r, &count);
    for (size_t i = 0; i < count; i++) {
        if (claims[i].node == node)
            claims[i].node = NULL;
    }
}

void vv_forget_node(struct varve_restoration *r, varve_node *node)
{
    uint32_t file = vv_file_node_of(r, node);
    if (vv_is_holder(r, node, file))
        release(r, file);
    else if (file != VV_NONE)
        unclaim(r, node);
    if (r->vias && node->number < r->number_capacity)
        r->vias[node->number] = (struct vv_via){ 0 };
    vv_drop_pairs(&r->conflicts, node);
    r->values->parted(r, node, VV_NONE);
    forget_in_queue(&r->queue, node);
    forget_in_queue(&r->demand, node);
    forget_deferred(r, node);
    vv_drop_pairs(&r->unnamed, node);
    vv_scope_forget(r, node);
}
