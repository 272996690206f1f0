/* binding.c - who is bound to whom, and letting go of what the program no
 * longer holds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "binding.h"

#include <string.h>

#include "edge.h"
#include "allocator.h"
#include "by_name.h"
#include "on_demand.h"
#include "scope.h"
#include "slot.h"
#include "variable.h"
#include "walk.h"

enum { FEW_STEPS = 64 }; /* up to the root, before the whole graph is swept */

/* --- Memory that grows with the program --------------------------------- */

void vv_out_of_memory(struct vv_pairing *p)
{
    if (!p->failure.status)
        vv_fail_memory(&p->failure, "matching a checkpoint");
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
bool vv_know_numbers(struct vv_pairing *p)
{
    const varve_allocator *a = &p->context.allocator;
    size_t limit = p->graph->number_limit;
    bool needs_vias = p->is_by_name || p->selection.rename_count ||
                      p->selection.options.copy_shared;
    if (limit <= p->number_capacity &&
        (!needs_vias || p->number_capacity <= p->via_capacity))
        return true;
    size_t wanted = p->number_capacity;
    if (limit > wanted)
        wanted = wanted ? limit + limit / 2 : limit;
    if (needs_vias && wanted > p->via_capacity) {
        size_t renames = p->selection.deep_count;
        if (renames && !grow_zeroed(a, &p->stands, p->stand_capacity, wanted,
                           renames * sizeof *p->stands))
            return false;
        p->stand_capacity = wanted;
        if (!grow_zeroed(a, &p->vias, p->via_capacity, wanted, sizeof *p->vias))
            return false;
        p->via_capacity = wanted;
    }
    if (wanted > p->number_capacity &&
        !grow_zeroed(
            a, &p->file_of, p->number_capacity, wanted, sizeof *p->file_of))
        return false;
    p->number_capacity = wanted;
    return true;
}

uint32_t vv_find_in_file(const struct vv_pairing *p, const struct vv_name *name)
{
    uint32_t id =
        name->number < p->name_capacity ? p->name_ids[name->number] : 0;
    if (id == 0)
        return vv_index_find_name(vv_index_of(p), name->bytes, name->size);
    return id == VV_NONE ? VV_NONE : id - 1;
}

/* The file's number of a name of the program, or VV_NONE. */
uint32_t vv_name_in_file(struct vv_pairing *p, const struct vv_name *name)
{
    if (name->number >= p->name_capacity) {
        size_t wanted = p->graph->names.set.count * 3 / 2 + 16;
        if (!grow_zeroed(&p->context.allocator, &p->name_ids, p->name_capacity,
                wanted, sizeof *p->name_ids))
            return vv_index_find_name(vv_index_of(p), name->bytes, name->size);
        p->name_capacity = wanted;
    }
    uint32_t *id = &p->name_ids[name->number];
    if (*id == 0) {
        uint32_t found =
            vv_index_find_name(vv_index_of(p), name->bytes, name->size);
        *id = found == VV_NONE ? VV_NONE : found + 1;
    }
    return *id == VV_NONE ? VV_NONE : *id - 1;
}

void vv_add_pair(struct vv_pairing *p, struct vv_buffer *buffer,
    varve_node *node, uint32_t file)
{
    struct vv_pair *pair = vv_buffer_extend(buffer, sizeof *pair);
    if (!pair) {
        buffer->failed = false;
        vv_out_of_memory(p);
        return;
    }
    pair->node = node;
    pair->file = file;
}

/* --- Who is bound to whom ----------------------------------------------- */

uint32_t vv_file_node_of(const struct vv_pairing *p, const varve_node *node)
{
    if (node->number >= p->number_capacity)
        return VV_NONE;
    return p->file_of[node->number] - 1; /* 0 becomes VV_NONE */
}

/* Whether matching has come to the node at all. */
bool vv_is_known(const struct vv_pairing *p, const varve_node *node)
{
    if (vv_file_node_of(p, node) != VV_NONE)
        return true;
    return p->vias && node->number < p->number_capacity &&
           p->vias[node->number].is_visited;
}

bool vv_stands_for(
    const struct vv_pairing *p, const varve_node *node, uint32_t file)
{
    return vv_is_holder(p, node, file) || vv_file_node_of(p, node) == file;
}

uint32_t vv_next_partner(
    const struct vv_pairing *p, const varve_node *node, uint32_t file)
{
    bool may_have = p->links && vv_is_holder(p, node, file);
    return may_have ? p->links[file].next - 1 : VV_NONE; /* as above */
}

enum vv_how vv_how_of(const struct vv_pairing *p, const varve_node *node)
{
    return node->number < p->how_capacity ? (enum vv_how)p->hows[node->number]
                                          : VV_BY_PATH;
}

/* Most restorations know paths only, and need no table. */
static void set_how(
    struct vv_pairing *p, const varve_node *node, enum vv_how how)
{
    if (how != VV_BY_PATH && node->number >= p->how_capacity) {
        if (!grow_zeroed(&p->context.allocator, &p->hows, p->how_capacity,
                p->number_capacity, sizeof *p->hows)) {
            vv_out_of_memory(p);
            return;
        }
        p->how_capacity = p->number_capacity;
    }
    if (node->number < p->how_capacity)
        p->hows[node->number] = (uint8_t)how;
}

/* Adds to what an object stands for; `first` is what it was bound to first. */
static bool add_partner(struct vv_pairing *p, uint32_t first, uint32_t file)
{
    if (!p->links)
        p->links = vv_allocate_zeroed(&p->context.allocator,
            vv_index_of(p)->node_count * sizeof *p->links);
    if (!p->links) {
        vv_out_of_memory(p);
        return false;
    }
    uint32_t last = p->links[first].last ? p->links[first].last - 1 : first;
    p->links[last].next = file + 1;
    p->links[first].last = file + 1;
    return true;
}

/* --- Binding ------------------------------------------------------------ */

/* An object lets go of everything that it stands for at once. */
static void let_go(struct vv_pairing *p, const varve_node *node)
{
    uint32_t file = vv_file_node_of(p, node);
    if (file == VV_NONE)
        return;
    p->file_of[node->number] = 0;
    set_how(p, node, VV_BY_PATH);
    while (vv_is_holder(p, node, file)) {
        uint32_t next = vv_next_partner(p, node, file);
        p->node_of[file] = NULL;
        if (p->links)
            p->links[file] = (struct vv_link){ 0 };
        file = next;
    }
}

/* Those that claim what nobody holds any more are next. */
static void pass_on(struct vv_pairing *p, uint32_t file)
{
    size_t count, at = 0;
    const struct vv_pair *pairs = vv_pairs_in(&p->conflicts.pairs, &count);
    while ((at = vv_find_pair(&p->conflicts, NULL, file, at)) != 0) {
        varve_node *node = pairs[at - 1].node;
        if (vv_file_node_of(p, node) == file)
            vv_defer(p, node, file, vv_how_of(p, node));
    }
}

static void release(struct vv_pairing *p, uint32_t file)
{
    varve_node *node = p->node_of[file];
    uint32_t value = vv_value_of(p, file);
    bool waits = value != VV_NONE && !p->values->is_final(p->delivery, value);
    let_go(p, node);
    if (p->vias)
        p->vias[node->number].is_visited = false;
    p->values->parted(p->delivery, node, value);
    if (waits)
        pass_on(p, file);
}

/* The same for a node that claims what another holds. */
static void unclaim(struct vv_pairing *p, varve_node *node)
{
    let_go(p, node);
    p->values->parted(p->delivery, node, VV_NONE);
}

static bool is_claimant(const struct vv_pairing *p, const varve_node *node)
{
    uint32_t file = vv_file_node_of(p, node);
    return file != VV_NONE && p->node_of[file] != node;
}

void vv_forget_claims(struct vv_pairing *p)
{
    for (varve_node *n = vv_newest_node(p->graph); n; n = vv_older_node(n)) {
        if (is_claimant(p, n))
            let_go(p, n);
    }
    vv_empty_pairs(&p->conflicts);
}

/* Claims of what cannot be reached. */
static void sweep_claims(struct vv_pairing *p, const struct vv_walk *walk)
{
    size_t count;
    struct vv_pair *pairs = vv_pairs(&p->conflicts, &count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (vv_walk_has(walk, pairs[i].node))
            pairs[kept++] = pairs[i];
        else if (is_claimant(p, pairs[i].node))
            unclaim(p, pairs[i].node);
    }
    p->conflicts.pairs.size = kept * sizeof *pairs;
}

/* What was come to without being bound is not held by anything. */
static void forget_visits(struct vv_pairing *p, const struct vv_walk *walk)
{
    for (const varve_node *n = vv_newest_node(p->graph); n && p->vias;
         n = vv_older_node(n)) {
        if (n->number < p->number_capacity && !vv_walk_has(walk, n))
            p->vias[n->number].is_visited = false;
    }
}

bool vv_sweep(struct vv_pairing *p)
{
    struct vv_walk walk;
    if (!p->needs_sweep || !p->graph || !p->root)
        return true;
    /* All that needs memory comes before anything is let go. */
    if (vv_walk_begin(&walk, p->root, NULL))
        return false;
    if (vv_scope_begin(p, NULL)) {
        vv_walk_end(&walk);
        return false;
    }
    p->needs_sweep = false;
    p->sweeps++;
    sweep_claims(p, &walk);
    for (uint32_t f = 0; f < vv_index_of(p)->node_count; f++) {
        if (p->node_of[f] && !vv_walk_has(&walk, p->node_of[f]))
            release(p, f);
    }
    forget_visits(p, &walk);
    vv_walk_end(&walk);
    vv_pairing_check(p);
    return true;
}

/* Whether the first edges lead up to the root, as they nearly always do. */
static bool leads_up(const struct vv_pairing *p, const varve_node *node)
{
    const struct vv_edge *e = vv_first_in(node);
    for (int i = 0; e && i < FEW_STEPS && node != p->root; i++) {
        if (vv_is_known(p, e->parent)) {
            node = e->parent;
            e = vv_first_in(node);
        } else {
            e = vv_next_in(e);
        }
    }
    return node == p->root;
}

bool vv_is_held(struct vv_pairing *p, const varve_node *node)
{
    if (!vv_is_known(p, node))
        return false;
    if (p->needs_sweep && !leads_up(p, node) && !vv_sweep(p))
        vv_out_of_memory(p);
    return vv_is_known(p, node);
}

/* Whether the node still holds a place in the program. What no edge leads to
 * any more is let go at once, and with it, in turn, what only it led to. Only
 * cycles need the whole graph to be swept. */
static bool still_holds(struct vv_pairing *p, uint32_t file)
{
    const varve_node *node = p->node_of[file];
    if (!p->needs_sweep)
        return true;
    bool led_to = node == p->root || vv_as_slot(node);
    for (const struct vv_edge *e = vv_first_in(node); e && !led_to;
         e = vv_next_in(e))
        led_to = vv_is_known(p, e->parent);
    if (!led_to)
        release(p, file);
    else if (!vv_sweep(p))
        vv_out_of_memory(p);
    return p->node_of[file] != NULL;
}

/* A second file node for an object: it takes the children of both. */
static bool may_combine(
    const struct vv_pairing *p, const varve_node *node, uint32_t file)
{
    return !node->variable && node->kind != VARVE_STATE &&
           vv_value_of(p, file) == VV_NONE;
}

/* What was restored from one place of the file and has come to another keeps
 * what it has become. */
static bool has_another_value(
    const struct vv_pairing *p, const varve_node *node, uint32_t file)
{
    uint32_t value = vv_value_of(p, file);
    return node->restored_by == p->number &&
           (value == VV_NONE || !p->values->is_final(p->delivery, value));
}

/* Whether matching goes on from a node. What is added to it later is matched
 * then. */
static bool leads_on(const varve_node *node)
{
    return node->first_edge || vv_slot_first_of(node) ||
           vv_on_demand_of(node) || vv_first_slot_for(node);
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
static bool is_better(struct vv_pairing *p, const varve_node *node,
    uint32_t file, enum vv_how how)
{
    uint32_t value = vv_value_of(p, file);
    if (value == VV_NONE || vv_index_kind(vv_index_of(p), file) != node->kind)
        return false;
    if (p->values->is_left_out(p->delivery, value))
        return vv_scope_takes(p, node);
    return goes_before(how, vv_how_of(p, p->node_of[file])) &&
           vv_scope_takes(p, node);
}

/* The holder of a value becomes one that claims it, and keeps what it was
 * given. */
static void take_from_holder(struct vv_pairing *p, uint32_t file)
{
    varve_node *holder = p->node_of[file];
    vv_add_pair(p, &p->conflicts.pairs, holder, file);
    p->node_of[file] = NULL;
    p->values->outdone(p->delivery, holder, file);
}

/* A node that has come to its place by a better way than before. So has what is
 * below it. */
static void improve(
    struct vv_pairing *p, varve_node *node, uint32_t file, enum vv_how how)
{
    if (vv_file_node_of(p, node) != file ||
        !goes_before(how, vv_how_of(p, node)))
        return;
    set_how(p, node, how);
    if (how < VV_BY_OTHER_PATH && vv_is_holder(p, node, file))
        p->values->confirmed(p->delivery, node, file);
    if (leads_on(node))
        vv_add_pair(p, &p->queue, node, file);
}

/* A second node for a node of the file. */
static void claim_too(
    struct vv_pairing *p, varve_node *node, uint32_t file, enum vv_how how)
{
    bool is_new = vv_file_node_of(p, node) == VV_NONE;
    vv_add_pair(p, &p->conflicts.pairs, node, file);
    if (!is_new)
        return;
    p->file_of[node->number] = file + 1;
    set_how(p, node, how);
    p->values->claimed(p->delivery, node, file);
    if (leads_on(node))
        vv_add_pair(p, &p->queue, node, file);
}

/* Makes room for a node at a node of the file; false where another one keeps
 * it, or the node itself has another. */
static bool take_place(
    struct vv_pairing *p, varve_node *node, uint32_t file, enum vv_how how)
{
    if (p->node_of[file] && still_holds(p, file)) {
        if (!is_better(p, node, file, how)) {
            if (vv_file_node_of(p, node) != file)
                claim_too(p, node, file, how);
            else
                improve(p, node, file, how);
            return false;
        }
        take_from_holder(p, file);
    }
    if (is_claimant(p, node)) {
        unclaim(p, node);
        vv_drop_pairs(&p->conflicts, node);
    }
    uint32_t known = vv_file_node_of(p, node);
    if (known != VV_NONE && !vv_sweep(p))
        vv_out_of_memory(p);
    known = vv_file_node_of(p, node);
    if (known != VV_NONE ? !may_combine(p, node, file)
                         : has_another_value(p, node, file)) {
        vv_add_pair(p, &p->conflicts.pairs, node, file);
        return false;
    }
    return known == VV_NONE || add_partner(p, known, file);
}

void vv_bind(
    struct vv_pairing *p, varve_node *node, uint32_t file, enum vv_how how)
{
    if (p->node_of[file] == node) {
        improve(p, node, file, how);
        return;
    }
    if (!vv_know_numbers(p)) {
        vv_out_of_memory(p);
        return;
    }
    if (!take_place(p, node, file, how))
        return;
    p->node_of[file] = node;
    if (vv_file_node_of(p, node) == VV_NONE) {
        p->file_of[node->number] = file + 1;
        set_how(p, node, how);
    }
    p->values->paired(p->delivery, node, file);
    if (leads_on(node))
        vv_add_pair(p, &p->queue, node, file);
}

/* --- Later claims ------------------------------------------------------- */

void vv_defer(
    struct vv_pairing *p, varve_node *node, uint32_t file, enum vv_how how)
{
    size_t place = p->deferred.pairs.size / sizeof(struct vv_pair);
    uint8_t *known = vv_buffer_extend(&p->deferred_hows, 1);
    p->deferred_hows.failed = false;
    if (!known) {
        vv_out_of_memory(p);
        return;
    }
    *known = (uint8_t)how;
    vv_add_pair(p, &p->deferred.pairs, node, file);
    if (p->deferred.pairs.size == place * sizeof(struct vv_pair))
        p->deferred_hows.size = place;
}

void vv_bind_deferred(struct vv_pairing *p, size_t i)
{
    size_t count;
    struct vv_pair claim = vv_pairs_in(&p->deferred.pairs, &count)[i];
    if (claim.node)
        vv_bind(
            p, claim.node, claim.file, (enum vv_how)p->deferred_hows.data[i]);
}

/* --- Queues ------------------------------------------------------------- */

struct vv_pair vv_queued(const struct vv_buffer *queue, size_t i)
{
    size_t count;
    return vv_pairs_in(queue, &count)[i];
}

static void forget_in_queue(struct vv_buffer *queue, const varve_node *node)
{
    size_t count;
    struct vv_pair *pairs = vv_pairs_in(queue, &count);
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].node == node)
            pairs[i].node = NULL;
    }
}

void vv_forget_node(struct vv_pairing *p, varve_node *node)
{
    uint32_t file = vv_file_node_of(p, node);
    if (vv_is_holder(p, node, file))
        release(p, file);
    else if (file != VV_NONE)
        unclaim(p, node);
    if (p->vias && node->number < p->number_capacity)
        p->vias[node->number] = (struct vv_via){ 0 };
    vv_drop_pairs(&p->conflicts, node);
    p->values->parted(p->delivery, node, VV_NONE);
    forget_in_queue(&p->queue, node);
    forget_in_queue(&p->demand, node);
    vv_drop_pairs(&p->deferred, node);
    vv_drop_pairs(&p->unnamed, node);
    vv_scope_forget(p, node);
    vv_pairing_check(p);
}
