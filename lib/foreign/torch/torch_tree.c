/* torch_tree.c - Lists the members of a dict by walking the objects below it
 * down to those that are dicts themselves.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_tree.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "checksum.h"
#include "failure.h"
#include "torch_again.h"
#include "torch_kept.h"
#include "torch_value_out.h"
#include "try.h"

enum flag {
    IS_DICT = 1,  /* written as a dict of its own */
    IS_SPLIT = 2, /* its children are dicts too */
    IS_OPTIMIZER = 4,
    IS_TRAINED = 8,
    IS_SLOT = 16,
};

/* The edges of an object that the walk has not visited yet. */
struct step {
    uint32_t node;
    uint32_t edge, end;
    size_t path; /* size of the path of the object */
};

/* --- Flags ---------------------------------------------------------------- */

static bool torch_tree_is_object(const struct vv_torch_tree *t, uint32_t node)
{
    varve_kind kind = vv_index_kind(t->target->index, node);
    return kind != VARVE_VARIABLE && kind != VARVE_STATE;
}

static bool was_container(const struct vv_target *target, uint32_t node)
{
    enum vv_torch_was was = vv_torch_was_of(target, node);
    return was >= VV_TORCH_WAS_DICT && was <= VV_TORCH_WAS_ONLY;
}

/* Marks the ancestors of a node as split, up to one that is split or a dict. */
static void split_above(struct vv_torch_tree *t, uint32_t node)
{
    const struct vv_saved_paths *paths = t->target->paths;
    while (node != paths->root && paths->parents[node] != VV_NONE &&
           !(paths->ways[node] & VV_WAY_IS_SLOT)) {
        node = paths->parents[node];
        if (t->flags[node] & (IS_SPLIT | IS_DICT))
            return;
        t->flags[node] |= IS_SPLIT;
    }
}

/* Returns true if an object, unless it was a dict in a torch file, has a child
 * with the name of a model in training checkpoints. Then it is not a model
 * itself. */
static bool has_model(const struct vv_torch_tree *t, uint32_t root)
{
    static const char *const names[] = { "model", "model_state_dict",
        "state_dict", "module", "net", "network" };
    const struct vv_index *index = t->target->index;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t child = vv_torch_child(index, root, names[i]);
        if (child != VV_NONE && torch_tree_is_object(t, child))
            return !(t->flags[root] & IS_DICT);
    }
    return false;
}

static void set_flags(struct vv_torch_tree *t)
{
    const struct vv_index *index = t->target->index;
    for (uint32_t i = 0; i < index->node_count; i++) {
        if (torch_tree_is_object(t, i) && was_container(t->target, i))
            t->flags[i] |= IS_DICT;
    }
    for (uint32_t i = 0; i < index->node_count; i++) {
        if (t->flags[i] & IS_DICT && vv_torch_has_parts(index, i))
            split_above(t, i);
    }
    for (uint32_t i = 0; i < index->slot_count; i++) {
        uint32_t owner = vv_at32(index->slot_owners, i);
        t->flags[vv_at32(index->slot_variables, i)] |= IS_TRAINED;
        t->flags[vv_at32(index->slot_nodes, i)] |= IS_SLOT;
        if (t->flags[owner] & (IS_DICT | IS_OPTIMIZER))
            continue;
        t->flags[owner] |= IS_OPTIMIZER;
        split_above(t, owner);
    }
    if (has_model(t, t->target->paths->root))
        t->flags[t->target->paths->root] |= IS_SPLIT;
}

varve_status vv_torch_tree_init(
    struct vv_torch_tree *t, const struct vv_target *target, varve_error *error)
{
    const varve_allocator *a = &target->context->allocator;
    *t = (struct vv_torch_tree){ .target = target };
    vv_buffer_init(&t->members, a);
    vv_buffer_init(&t->names, a);
    vv_buffer_init(&t->steps, a);
    vv_buffer_init(&t->path, a);
    vv_buffer_init(&t->sorted, a);
    t->flags = vv_allocate_zeroed(a, target->index->node_count);
    t->positions =
        vv_allocate_zeroed(a, target->index->node_count * sizeof *t->positions);
    if (!t->flags || !t->positions)
        return vv_fail_memory(error, "the flags of nodes");
    set_flags(t);
    return vv_torch_order(target, t->positions, error);
}

void vv_torch_tree_clear(struct vv_torch_tree *t)
{
    vv_release(
        &t->target->context->allocator, t->flags, t->target->index->node_count);
    vv_release(&t->target->context->allocator, t->positions,
        t->target->index->node_count * sizeof *t->positions);
    vv_buffer_clear(&t->members);
    vv_buffer_clear(&t->names);
    vv_buffer_clear(&t->steps);
    vv_buffer_clear(&t->path);
    vv_buffer_clear(&t->sorted);
}

bool vv_torch_is_optimizer(const struct vv_torch_tree *t, uint32_t node)
{
    return t->flags[node] & IS_OPTIMIZER;
}

bool vv_torch_is_trained(const struct vv_torch_tree *t, uint32_t node)
{
    return t->flags[node] & IS_TRAINED;
}

bool vv_torch_is_slot(const struct vv_torch_tree *t, uint32_t node)
{
    return t->flags[node] & IS_SLOT;
}

bool vv_torch_is_split(const struct vv_torch_tree *t, uint32_t node)
{
    return t->flags[node] & IS_SPLIT;
}

/* --- Members -------------------------------------------------------------- */

static void torch_tree_add_member(struct vv_torch_tree *t,
    struct vv_torch_member m, const void *name, size_t size)
{
    m.name = t->names.size;
    m.size = size;
    if (size > 0)
        vv_buffer_add(&t->names, name, size);
    vv_buffer_add(&t->members, &m, sizeof m);
}

static void torch_tree_push(struct vv_torch_tree *t, uint32_t node)
{
    struct step step = { .node = node, .path = t->path.size };
    vv_index_edges(t->target->index, node, &step.edge, &step.end);
    vv_buffer_add(&t->steps, &step, sizeof step);
}

/* Walks into an object by one of its paths only, so that it is part of one
 * dict. */
static void torch_tree_enter(
    struct vv_torch_tree *t, uint32_t child, uint32_t parent, uint32_t edge)
{
    const struct vv_saved_paths *paths = t->target->paths;
    if (child != paths->root && paths->parents[child] == parent &&
        paths->ways[child] == edge)
        torch_tree_push(t, child);
    else
        vv_target_report_lost(t->target, child, "another path to an object");
}

static void torch_tree_take_edge(
    struct vv_torch_tree *t, uint32_t parent, size_t path, uint32_t edge)
{
    const struct vv_index *index = t->target->index;
    uint32_t child = vv_at32(index->edge_children, edge);
    size_t size;
    const char *name =
        vv_index_name(index, vv_at32(index->edge_names, edge), &size);
    t->path.size = path;
    if (path > 0)
        vv_buffer_add8(&t->path, '.');
    vv_buffer_add(&t->path, name, size);
    bool is_part = torch_tree_is_object(t, child) &&
                   !(t->flags[child] & (IS_DICT | IS_OPTIMIZER | IS_SPLIT)) &&
                   !(t->flags[parent] & IS_SPLIT) && child != 0;
    if (is_part)
        torch_tree_enter(t, child, parent, edge);
    else
        torch_tree_add_member(t,
            (struct vv_torch_member){ .node = child, .key = VV_PICKLE_TEXT },
            t->path.data, t->path.size);
}

static void torch_tree_walk(struct vv_torch_tree *t, uint32_t node)
{
    t->path.size = t->steps.size = 0;
    torch_tree_push(t, node);
    while (t->steps.size > 0 && !t->steps.failed) {
        struct step *top =
            (struct step *)(void *)(t->steps.data + t->steps.size) - 1;
        if (top->edge == top->end)
            t->steps.size -= sizeof *top;
        else
            torch_tree_take_edge(t, top->node, top->path, top->edge++);
    }
}

/* --- Order ---------------------------------------------------------------- */

struct hashed {
    uint64_t hash;
    size_t number; /* index of the member */
};

static int torch_tree_compare_hashes(const void *left, const void *right)
{
    const struct hashed *a = left, *b = right;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

static int compare_orders(const void *left, const void *right)
{
    const struct vv_torch_member *a = left, *b = right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->name > b->name) -
           (a->name < b->name); /* equal orders: keep the sequence */
}

static struct vv_torch_member *member_at(struct vv_torch_tree *t, size_t number)
{
    return (struct vv_torch_member *)(void *)t->members.data + number;
}

static bool hash_members(struct vv_torch_tree *t, size_t begin, size_t count)
{
    t->sorted.size = 0;
    for (size_t i = 0; i < count; i++) {
        const struct vv_torch_member *m = member_at(t, begin + i);
        struct hashed h = { .number = begin + i,
            .hash = vv_hash_of(t->names.data + m->name, m->size) };
        vv_buffer_add(&t->sorted, &h, sizeof h);
    }
    if (!t->sorted.failed && count > 0)
        qsort(t->sorted.data, count, sizeof(struct hashed),
            torch_tree_compare_hashes);
    return !t->sorted.failed;
}

static bool torch_tree_is_same(
    struct vv_torch_tree *t, const struct hashed *a, const struct hashed *b)
{
    const struct vv_torch_member *m = member_at(t, a->number);
    const struct vv_torch_member *n = member_at(t, b->number);
    return a->hash == b->hash && m->size == n->size &&
           memcmp(t->names.data + m->name, t->names.data + n->name, m->size) ==
               0;
}

/* Fails if two members have the same name. The name of an edge may contain dots
 * and equal the path of another value. */
static varve_status refuse_same(
    struct vv_torch_tree *t, size_t count, varve_error *error)
{
    const struct hashed *all = (const struct hashed *)(void *)t->sorted.data;
    for (size_t i = 1; i < count; i++) {
        if (!torch_tree_is_same(t, &all[i - 1], &all[i]))
            continue;
        const struct vv_torch_member *m = member_at(t, all[i].number);
        return vv_fail(error, VARVE_DUPLICATE,
            "%s: two values have the name \"%.*s\"", t->target->path,
            (int)m->size, (const char *)t->names.data + m->name);
    }
    return VARVE_OK;
}

/* Puts members whose keys were kept first, in their old order. */
static void order_members(struct vv_torch_tree *t, uint32_t node, size_t count)
{
    size_t size = 0, at = 1;
    uint32_t order = 0;
    struct vv_torch_kept_key key;
    const unsigned char *kept =
        t->target->kept ? t->target->kept(t->target->user, node, &size) : NULL;
    while (kept && vv_torch_kept_next(kept, size, &at, &key)) {
        struct hashed h = { .hash = key.is_none ? vv_hash_of(key.name, key.size)
                                                : key.hash };
        const struct hashed *found =
            count ? bsearch(&h, t->sorted.data, count, sizeof h,
                        torch_tree_compare_hashes)
                  : NULL;
        if (found) {
            member_at(t, found->number)->order = order++;
            member_at(t, found->number)->key = key.kind;
        } else if (key.is_none) {
            torch_tree_add_member(t,
                (struct vv_torch_member){
                    .node = VV_NONE, .order = order++, .key = key.kind },
                key.name, key.size);
        }
    }
}

/* Orders members without kept keys: variables with a position in an optimizer
 * come first, optimizers last. */
static void set_orders(struct vv_torch_tree *t, size_t begin, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct vv_torch_member *m = member_at(t, begin + i);
        bool is_last = t->flags[m->node] & IS_OPTIMIZER;
        uint32_t position = t->positions[m->node];
        m->order = position ? UINT32_C(0x40000000) + position
                            : UINT32_C(0x80000000) +
                                  (uint32_t)(is_last ? count + i : i);
    }
}

varve_status vv_torch_add_members(
    struct vv_torch_tree *t, uint32_t node, varve_error *error)
{
    size_t begin = t->members.size / sizeof(struct vv_torch_member);
    torch_tree_walk(t, node);
    size_t count = t->members.size / sizeof(struct vv_torch_member) - begin;
    if (t->members.failed || t->names.failed || t->path.failed ||
        t->steps.failed || !hash_members(t, begin, count))
        return vv_fail_memory(error, "the members of a dict");
    VV_TRY(refuse_same(t, count, error));
    set_orders(t, begin, count);
    if (t->flags[node] & IS_DICT)
        order_members(t, node, count);
    if (t->members.failed || t->names.failed)
        return vv_fail_memory(error, "the members of a dict");
    count = t->members.size / sizeof(struct vv_torch_member) - begin;
    if (count > 0)
        qsort(member_at(t, begin), count, sizeof(struct vv_torch_member),
            compare_orders);
    return VARVE_OK;
}
