/* bundle_roles.c - Determines roles from the parents of each node and from what
 * was kept of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_roles.h"

#include <string.h>

#include "allocator.h"
#include "bundle.h"
#include "failure.h"
#include "moments.h"
#include "try.h"

/* --- Parents ------------------------------------------------------------- */

/* The parents of node i are parents[first[i]] to parents[first[i + 1] - 1]. */
struct parents {
    uint32_t *first; /* node_count + 2 elements: one more during construction */
    uint32_t *parents; /* edge_count elements */
    uint32_t *queue;   /* node_count elements: nodes to visit */
};

static void clear_parents(struct parents *p, const struct vv_target *target)
{
    const varve_allocator *a = &target->context->allocator;
    size_t nodes = target->index->node_count;
    size_t edges = target->index->edge_count;
    vv_release(a, p->first, (nodes + 2) * sizeof *p->first);
    vv_release(a, p->parents, edges * sizeof *p->parents);
    vv_release(a, p->queue, nodes * sizeof *p->queue);
}

static varve_status make_parents(
    struct parents *p, const struct vv_target *target, varve_error *error)
{
    const varve_allocator *a = &target->context->allocator;
    const struct vv_index *index = target->index;
    size_t nodes = index->node_count, edges = index->edge_count;
    p->first = vv_allocate_zeroed(a, (nodes + 2) * sizeof *p->first);
    p->parents = vv_allocate_array(a, edges, sizeof *p->parents);
    p->queue = vv_allocate_array(a, nodes, sizeof *p->queue);
    if (!p->first || (edges && !p->parents) || !p->queue)
        return vv_fail_memory(error, "the objects of a checkpoint");
    /* Counts are stored two places further on. Filling then moves first[child +
     * 1] from the beginning of the child's parents to their end, which is the
     * beginning of the next node's parents. */
    for (size_t e = 0; e < edges; e++)
        p->first[vv_at32(index->edge_children, e) + 2]++;
    for (size_t i = 2; i < nodes + 2; i++)
        p->first[i] += p->first[i - 1];
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t begin, end;
        vv_index_edges(index, node, &begin, &end);
        for (uint32_t e = begin; e < end; e++) {
            uint32_t child = vv_at32(index->edge_children, e);
            p->parents[p->first[child + 1]++] = node;
        }
    }
    return VARVE_OK;
}

/* --- Slots --------------------------------------------------------------- */

static bool bundle_roles_is_saved(const struct vv_index *index, uint32_t node)
{
    uint32_t value = vv_index_find_value(index, node);
    return value != VV_NONE && vv_index_is_saved(index, value);
}

bool vv_bundle_slot_is_kept(const struct vv_bundle_roles *r, uint32_t slot)
{
    const struct vv_index *index = r->target->index;
    return !r->omits_slots &&
           bundle_roles_is_saved(index, vv_at32(index->slot_variables, slot)) &&
           bundle_roles_is_saved(index, vv_at32(index->slot_nodes, slot));
}

bool vv_bundle_has_value(const struct vv_bundle_roles *r, uint32_t node)
{
    return bundle_roles_is_saved(r->target->index, node) &&
           !r->is_left_out[node];
}

static void find_left_out(struct vv_bundle_roles *r)
{
    const struct vv_index *index = r->target->index;
    const struct vv_saved_paths *paths = r->target->paths;
    for (uint32_t node = 0; node < index->node_count; node++)
        r->is_left_out[node] =
            node != paths->root && paths->ways[node] & VV_WAY_IS_SLOT;
    for (uint32_t slot = 0; slot < index->slot_count; slot++) {
        if (vv_bundle_slot_is_kept(r, slot))
            r->is_left_out[vv_at32(index->slot_nodes, slot)] = false;
    }
}

/* --- Attributes ---------------------------------------------------------- */

enum { UNDECIDED = VV_ROLE_ENTRY + 1 };

/* Returns true if the name of the edge to a node is that of the attribute or
 * entry that it was. */
static bool is_named_so(const struct vv_bundle_roles *r, uint32_t node,
    const struct vv_bundle_kept *kept)
{
    static const char before[] = VV_BUNDLE_ATTRIBUTES "/";
    const struct vv_index *index = r->target->index;
    size_t size, more = 0, begin = sizeof before - 1;
    uint32_t edge = r->target->paths->ways[node];
    const char *name =
        vv_index_name(index, vv_at32(index->edge_names, edge), &size);
    if (kept->role == VV_ROLE_ENTRY)
        return size == kept->entry_size && memcmp(name, kept->entry, size) == 0;
    if (kept->role == VV_ROLE_MEMBER)
        more = kept->entry_size - kept->key_size;
    if (size == begin + kept->name_size + more &&
        memcmp(name, before, begin) == 0)
        name += begin;
    else if (size != kept->name_size + more)
        return false;
    return memcmp(name, kept->name, kept->name_size) == 0 &&
           (!more || memcmp(name + kept->name_size,
                         kept->entry + kept->key_size, more) == 0);
}

/* Returns the role of a node. A node whose edge has not changed keeps its role
 * in the file that was read; others are objects. */
static enum vv_bundle_role role_of(
    const struct vv_bundle_roles *r, const struct parents *p, uint32_t node)
{
    struct vv_bundle_kept kept;
    bool has_one_parent = p->first[node + 1] - p->first[node] == 1;
    if (node == 0 || !has_one_parent ||
        !vv_bundle_kept_of(r->target, node, &kept))
        return VV_ROLE_OBJECT;
    uint32_t parent = p->parents[p->first[node]];
    bool may_be = bundle_roles_is_saved(r->target->index, node)
                      ? kept.role != VV_ROLE_ENTRY || parent == 0
                      : kept.role == VV_ROLE_ATTRIBUTE &&
                            vv_index_has_tag(
                                r->target->index, node, VV_BUNDLE_UNTYPED_TAG);
    return may_be && is_named_so(r, node, &kept) ? kept.role : VV_ROLE_OBJECT;
}

/* Sets the roles of all nodes. Nodes of slots are always objects. */
static void find_roles(struct vv_bundle_roles *r, const struct parents *p)
{
    const struct vv_index *index = r->target->index;
    memset(r->roles, UNDECIDED, index->node_count);
    for (uint32_t slot = 0; slot < index->slot_count; slot++) {
        r->roles[vv_at32(index->slot_owners, slot)] = VV_ROLE_OBJECT;
        r->roles[vv_at32(index->slot_variables, slot)] = VV_ROLE_OBJECT;
        r->roles[vv_at32(index->slot_nodes, slot)] = VV_ROLE_OBJECT;
    }
    for (uint32_t node = 0; node < index->node_count; node++) {
        if (r->roles[node] == UNDECIDED)
            r->roles[node] = (uint8_t)role_of(r, p, node);
    }
}

/* Returns the number of edges from `begin` that lead to tensors of the same
 * attribute. */
static uint32_t family_size(const struct vv_bundle_roles *r, uint32_t begin,
    uint32_t end, struct vv_bundle_kept *first)
{
    const struct vv_index *index = r->target->index;
    uint32_t count = 0;
    for (uint32_t e = begin; e < end; e++, count++) {
        struct vv_bundle_kept kept;
        uint32_t node = vv_at32(index->edge_children, e);
        if (r->roles[node] != VV_ROLE_MEMBER)
            break;
        vv_bundle_kept_of(r->target, node, count ? &kept : first);
        if (count &&
            (kept.record_size != first->record_size ||
                memcmp(kept.record, first->record, kept.record_size) != 0))
            break;
    }
    return count;
}

/* Makes objects of the tensors of an attribute, unless all of its tensors are
 * there. */
static void break_families(struct vv_bundle_roles *r, uint32_t object)
{
    const struct vv_index *index = r->target->index;
    uint32_t e, end, size;
    vv_index_edges(index, object, &e, &end);
    for (; e < end; e += size ? size : 1) {
        struct vv_bundle_kept first = { .members = 0 };
        size = family_size(r, e, end, &first);
        for (uint32_t i = 0; i < size && size != first.members; i++)
            r->roles[vv_at32(index->edge_children, e + i)] = VV_ROLE_OBJECT;
    }
}

/* --- Nodes with values ---------------------------------------------------- */

static bool has_own(const struct vv_bundle_roles *r, uint32_t node)
{
    const struct vv_index *index = r->target->index;
    struct vv_bundle_kept kept;
    uint32_t begin, end;
    vv_index_slots(index, node, &begin, &end);
    while (begin < end && !vv_bundle_slot_is_kept(r, begin))
        begin++;
    return (vv_bundle_has_value(r, node) && r->roles[node] != VV_ROLE_ENTRY) ||
           begin < end || (node == 0 && r->counter != VV_NONE) ||
           (vv_bundle_kept_of(r->target, node, &kept) &&
               (kept.rest_size || kept.record_size));
}

/* Marks all ancestors of nodes with values. */
static void bundle_roles_mark_all(struct vv_bundle_roles *r, struct parents *p)
{
    size_t count = 0;
    for (uint32_t node = 0; node < r->target->index->node_count; node++) {
        if (!has_own(r, node))
            continue;
        r->has_values[node] = true;
        p->queue[count++] = node;
    }
    for (size_t at = 0; at < count; at++) {
        uint32_t node = p->queue[at];
        for (uint32_t i = p->first[node]; i < p->first[node + 1]; i++) {
            uint32_t parent = p->parents[i];
            if (!r->has_values[parent])
                p->queue[count++] = parent;
            r->has_values[parent] = true;
        }
    }
}

/* --- Numbers ------------------------------------------------------------- */

/* Returns the node after the last child of the root, before which the save
 * counter is numbered. */
static uint32_t counter_place(const struct vv_index *index)
{
    uint32_t begin, end, last = 0;
    vv_index_edges(index, 0, &begin, &end);
    for (uint32_t e = begin; e < end; e++) {
        uint32_t child = vv_at32(index->edge_children, e);
        last = child > last ? child : last;
    }
    return last + 1;
}

static bool has_counter(const struct vv_index *index)
{
    if (index->counter == 0 || vv_index_kind(index, 0) == VARVE_VARIABLE)
        return false;
    uint32_t name =
        vv_index_find_name(index, VV_BUNDLE_COUNTER, strlen(VV_BUNDLE_COUNTER));
    return name == VV_NONE || vv_index_find_child(index, 0, name) == VV_NONE;
}

static void bundle_roles_number(struct vv_bundle_roles *r)
{
    uint32_t next = 0, node = 0;
    for (; node < r->target->index->node_count; node++) {
        if (node == r->counter)
            r->counter_number = next++;
        r->numbers[node] = next;
        next += vv_bundle_is_object(r, node);
    }
    if (node == r->counter)
        r->counter_number = next;
}

/* --- All ----------------------------------------------------------------- */

static varve_status bundle_roles_find_all(
    struct vv_bundle_roles *r, varve_error *error)
{
    const struct vv_index *index = r->target->index;
    struct parents p = { 0 };
    varve_status status = make_parents(&p, r->target, error);
    if (!status) {
        find_left_out(r);
        find_roles(r, &p);
        for (uint32_t node = 0; node < index->node_count; node++)
            break_families(r, node);
        bundle_roles_mark_all(r, &p);
        bundle_roles_number(r);
    }
    clear_parents(&p, r->target);
    return status;
}

varve_status vv_bundle_roles_begin(struct vv_bundle_roles *r,
    const struct vv_target *target, varve_error *error)
{
    const varve_allocator *a = &target->context->allocator;
    size_t nodes = target->index->node_count;
    *r = (struct vv_bundle_roles){ .target = target, .counter = VV_NONE };
    if (nodes >= INT32_MAX)
        return vv_fail(error, VARVE_LIMIT,
            "%.300s: there must be fewer than 2^31 nodes, not %zu",
            target->path, nodes);
    r->roles = vv_allocate_zeroed(a, nodes);
    r->numbers = vv_allocate_zeroed(a, nodes * sizeof *r->numbers);
    r->has_values = vv_allocate_zeroed(a, nodes);
    r->is_left_out = vv_allocate_zeroed(a, nodes);
    if (!r->roles || !r->numbers || !r->has_values || !r->is_left_out ||
        !vv_moments_are_all(target->index, a, &r->omits_slots))
        return vv_fail_memory(error, "the objects of a checkpoint");
    if (has_counter(target->index))
        r->counter = counter_place(target->index);
    return bundle_roles_find_all(r, error);
}

void vv_bundle_roles_end(struct vv_bundle_roles *r)
{
    const varve_allocator *a = &r->target->context->allocator;
    size_t nodes = r->target->index->node_count;
    vv_release(a, r->roles, nodes);
    vv_release(a, r->numbers, nodes * sizeof *r->numbers);
    vv_release(a, r->has_values, nodes);
    vv_release(a, r->is_left_out, nodes);
}
