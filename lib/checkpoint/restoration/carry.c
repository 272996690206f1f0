/* carry.c - Finds the nodes of the file that lead to pending values, and the
 * places in the program where they belong.
 *
 * The first pass goes backward from the values and marks the nodes that lead to
 * them. The second pass goes forward from the nodes of the program and adds
 * each marked node below the first parent that leads to it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "carry.h"

#include <string.h>

#include "allocator.h"
#include "binding.h"
#include "failure.h"
#include "node_names.h"
#include "pending.h"
#include "range_reading.h"
#include "reader_names.h"
#include "tag.h"
#include "try.h"

/* --- The file as a source ------------------------------------------------- */

struct file_source {
    struct vv_carried_source base;
    varve_allocator allocator;
    varve_reader *reader;
    struct vv_range_reading range;
};

static varve_status carry_read_file(struct vv_carried_source *self,
    uint32_t value, uint64_t at, void *bytes, size_t size, varve_error *error)
{
    struct file_source *source = (struct file_source *)self;
    return vv_range_read(&source->range, value, at, bytes, size, error);
}

static const char *carry_name_in_file(
    struct vv_carried_source *self, uint32_t node)
{
    return vv_reader_node_path(((struct file_source *)self)->reader, node);
}

static void release_file(struct vv_carried_source *self)
{
    struct file_source *source = (struct file_source *)self;
    const varve_allocator a = source->allocator;
    vv_range_reading_clear(&source->range);
    varve_reader_free(source->reader);
    vv_release(&a, source, sizeof *source);
}

static struct file_source *carry_open_source(
    const struct varve_restoration *r, varve_error *error)
{
    const varve_allocator *a = &r->pairing.context.allocator;
    struct file_source *source = vv_allocate_zeroed(a, sizeof *source);
    if (!source) {
        vv_fail_memory(error, "pending values");
        return NULL;
    }
    source->reader = vv_reader_over(&r->pairing.context, &r->file, error);
    if (!source->reader) {
        vv_release(a, source, sizeof *source);
        return NULL;
    }
    vv_range_reading_init(&source->range, source->reader);
    source->allocator = *a;
    source->base = (struct vv_carried_source){
        .path = r->file.path,
        .read = carry_read_file,
        .name = carry_name_in_file,
        .release = release_file,
    };
    return source;
}

/* --- What is needed ------------------------------------------------------- */

/* The reason why a node of the file that is not bound is needed. */
enum need {
    NOT_NEEDED,
    IN_A_LIST, /* a later position of the list is needed */
    ON_THE_WAY,
    HAS_VALUE /* the node has a pending value */
};

struct carrying {
    struct varve_restoration *r;
    struct vv_carried *carried;
    struct file_source *source;
    varve_node **here; /* by node of the file: its place in the graph */
    uint8_t *needs;    /* by node of the file: enum need */
    uint32_t *queue;   /* nodes of the file */
    size_t queued;
    uint32_t *in_ends; /* by node of the file: ends of their ranges */
    uint32_t *in_from; /* in this list of nodes that lead to it */
    size_t in_count;
    size_t node_count;
};

static const struct vv_index *index_in(const struct carrying *c)
{
    return vv_index_of(&c->r->pairing);
}

static bool carry_is_bound(const struct carrying *c, uint32_t file)
{
    return c->r->pairing.matches.node_of[file] != NULL;
}

/* Calls `visit` for each pair of nodes of the file where one leads to the
 * other, by an edge or as the owner or variable of a slot. */
static void each_way(struct carrying *c,
    void (*visit)(struct carrying *c, uint32_t from, uint32_t to))
{
    const struct vv_index *index = index_in(c);
    for (uint32_t f = 0; f < index->node_count; f++) {
        uint32_t begin, end;
        vv_index_edges(index, f, &begin, &end);
        for (uint32_t e = begin; e < end; e++)
            visit(c, f, vv_at32(index->edge_children, e));
    }
    for (uint32_t i = 0; i < index->slot_count; i++) {
        uint32_t slot = vv_at32(index->slot_nodes, i);
        visit(c, vv_at32(index->slot_owners, i), slot);
        visit(c, vv_at32(index->slot_variables, i), slot);
    }
}

static void count_way(struct carrying *c, uint32_t from, uint32_t to)
{
    (void)from;
    c->in_ends[to]++;
}

/* Fills the range of each node from its end. */
static void add_way(struct carrying *c, uint32_t from, uint32_t to)
{
    c->in_from[--c->in_ends[to]] = from;
}

static void carry_find_ways(struct carrying *c)
{
    uint32_t sum = 0;
    each_way(c, count_way);
    for (size_t f = 0; f < c->node_count; f++)
        c->in_ends[f] = sum += c->in_ends[f];
    c->in_ends[c->node_count] = sum;
    each_way(c, add_way); /* after this, each entry is the start of its range */
}

static void carry_need(struct carrying *c, uint32_t file, enum need why)
{
    if (c->needs[file] != NOT_NEEDED || carry_is_bound(c, file))
        return;
    c->needs[file] = (uint8_t)why;
    c->queue[c->queued++] = file;
}

/* Returns the last edge of a list in the file whose child is needed, or whose
 * child is in the graph while the list is not. Returns `begin` if there is
 * none. */
static uint32_t last_needed(
    const struct carrying *c, uint32_t list, uint32_t begin, uint32_t end)
{
    const struct vv_index *index = index_in(c);
    while (end > begin) {
        uint32_t child = vv_at32(index->edge_children, end - 1);
        if (c->needs[child] > IN_A_LIST ||
            (!carry_is_bound(c, list) && carry_is_bound(c, child)))
            return end - 1;
        end--;
    }
    return begin;
}

/* Marks the elements before a needed one. Lists have no gaps, so these elements
 * are added without values. */
static void fill_list(struct carrying *c, uint32_t list)
{
    const struct vv_index *index = index_in(c);
    uint32_t begin, end;
    vv_index_edges(index, list, &begin, &end);
    end = last_needed(c, list, begin, end);
    for (uint32_t e = begin; e < end; e++) {
        uint32_t child = vv_at32(index->edge_children, e);
        if (!c->needs[child] && !carry_is_bound(c, child))
            c->needs[child] = IN_A_LIST;
    }
}

static void find_needs(struct carrying *c)
{
    const struct vv_index *index = index_in(c);
    for (uint32_t v = 0; v < index->value_count; v++)
        if (vv_is_waiting(c->r, v))
            carry_need(c, vv_at32(index->value_nodes, v), HAS_VALUE);
    carry_find_ways(c);
    for (size_t i = 0; i < c->queued; i++) {
        uint32_t file = c->queue[i];
        for (uint32_t k = c->in_ends[file]; k < c->in_ends[file + 1]; k++)
            carry_need(c, c->in_from[k], ON_THE_WAY);
    }
    for (uint32_t f = 0; f < index->node_count; f++)
        if (vv_index_kind(index, f) == VARVE_LIST &&
            (carry_is_bound(c, f) || c->needs[f]))
            fill_list(c, f);
}

/* --- Where it belongs ----------------------------------------------------- */

static struct vv_carried_value value_at(const struct carrying *c, uint32_t file)
{
    const struct vv_pairing *p = &c->r->pairing;
    uint32_t value = vv_value_of(p, file);
    return (struct vv_carried_value){
        .source = &c->source->base,
        .node = file,
        .value = value,
        .size =
            value == VV_NONE ? 0 : vv_at64(vv_index_of(p)->value_sizes, value),
    };
}

static bool is_bound(struct carrying *c, uint32_t file, varve_node *node)
{
    c->here[file] = node;
    if (node)
        c->queue[c->queued++] = file;
    return node != NULL;
}

static bool carry_add_node(
    struct carrying *c, uint32_t file, varve_error *error)
{
    const struct vv_carried_value at = value_at(c, file);
    varve_saved_node saved;
    varve_node *node = NULL;
    if (varve_reader_node_at(c->source->reader, file, &saved))
        node = vv_carried_add_node(
            c->carried, &saved, &at, c->needs[file] == HAS_VALUE, error);
    const char *tag;
    for (size_t i = 0;
         node && (tag = varve_reader_tag_at(c->source->reader, file, i)); i++)
        vv_tag(node, tag);
    return is_bound(c, file, node);
}

/* Handles a node that already exists at the place of a node of the file. If a
 * newer restoration has added it, that node and its value are used. */
static bool carry_onto_existing(
    struct carrying *c, varve_node *parent, varve_node *found, uint32_t file)
{
    const struct vv_carried_source *source = vv_carried_source_of(found);
    bool is_newer = source && source != &c->source->base;
    if (c->here[file] || c->needs[file] < ON_THE_WAY)
        return true;
    if (!is_newer ||
        (c->needs[file] == HAS_VALUE && !vv_carried_value_of(found)))
        return vv_carried_conflict(c->carried, parent, &c->source->base, file);
    if (found->kind == vv_index_kind(index_in(c), file))
        is_bound(c, file, found);
    return true;
}

/* Returns true if an edge of the file is added below the node that is bound to
 * its parent. */
static bool belongs(const struct carrying *c, uint32_t parent, uint32_t child,
    bool is_before_last)
{
    bool is_program = carry_is_bound(c, parent);
    return c->needs[child] > IN_A_LIST || is_before_last ||
           (!is_program && c->here[child]);
}

static bool link_children(struct carrying *c, uint32_t file, varve_error *error)
{
    const struct vv_index *index = index_in(c);
    varve_node *parent = c->here[file];
    bool is_list = vv_index_kind(index, file) == VARVE_LIST;
    uint32_t begin, end, child;
    const char *name;
    if (parent->kind == VARVE_VARIABLE ||
        parent->kind != vv_index_kind(index, file))
        return true;
    vv_index_edges(index, file, &begin, &end);
    uint32_t last = is_list ? last_needed(c, file, begin, end) : begin;
    for (size_t i = 0;
         varve_reader_edge_at(c->source->reader, file, i, &name, &child); i++) {
        bool is_retired = carry_is_bound(c, file) &&
                          vv_is_retired(parent, name, strlen(name));
        if (is_retired || !belongs(c, file, child, begin + i < last))
            continue;
        const struct vv_edge *edge = vv_edge_called(parent, name);
        if (edge ? !carry_onto_existing(c, parent, edge->public.node, child)
                 : (!c->here[child] && !carry_add_node(c, child, error)) ||
                       !vv_carried_add_edge(
                           c->carried, parent, name, c->here[child]))
            return false;
    }
    return true;
}

static bool carry_link_slot(struct carrying *c, uint32_t i, varve_error *error)
{
    const struct vv_index *index = index_in(c);
    uint32_t slot = vv_at32(index->slot_nodes, i);
    varve_node *owner = c->here[vv_at32(index->slot_owners, i)];
    varve_node *variable = c->here[vv_at32(index->slot_variables, i)];
    const char *name;
    uint32_t begin, end, other, node;
    if (c->needs[slot] < ON_THE_WAY || c->here[slot] || !owner || !variable ||
        owner->kind == VARVE_VARIABLE || variable->kind != VARVE_VARIABLE)
        return true;
    vv_index_slots(index, vv_at32(index->slot_owners, i), &begin, &end);
    if (!varve_reader_slot_at(c->source->reader, vv_at32(index->slot_owners, i),
            i - begin, &name, &other, &node))
        return true;
    varve_node *found = varve_find_slot(owner, variable, name);
    if (found)
        return carry_onto_existing(c, owner, found, slot);
    return carry_add_node(c, slot, error) &&
           vv_carried_add_slot(
               c->carried, owner, variable, name, c->here[slot]);
}

/* Returns false after an error of the graph, or after a failure that is set in
 * *error. */
static bool link_all(struct carrying *c, varve_error *error)
{
    const struct vv_matches *m = &c->r->pairing.matches;
    const struct vv_carried *to = c->carried;
    c->queued = 0;
    for (uint32_t f = 0; f < c->node_count; f++)
        if (m->node_of[f])
            is_bound(c, f,
                to->twin ? to->twin(to->twin_user, m->node_of[f])
                         : m->node_of[f]);
    for (size_t i = 0; i < c->queued; i++)
        if (!link_children(c, c->queue[i], error))
            return false;
    for (uint32_t i = 0; i < index_in(c)->slot_count; i++)
        if (!carry_link_slot(c, i, error))
            return false;
    return true;
}

/* Holds the pending states whose nodes exist but whose variables do not. */
static bool hold_states(struct carrying *c)
{
    size_t count;
    const struct vv_pair *held = vv_pairs(&c->r->delivery.held, &count);
    for (size_t i = 0; i < count; i++) {
        const struct vv_carried *to = c->carried;
        varve_node *node =
            to->twin ? to->twin(to->twin_user, held[i].node) : held[i].node;
        const struct vv_carried_value value =
            value_at(c, vv_at32(index_in(c)->value_nodes, held[i].file));
        if (node && node->kind == VARVE_STATE &&
            !vv_carried_hold(c->carried, node, &value))
            return false;
    }
    return true;
}

/* --- All ------------------------------------------------------------------ */

static bool carry_make_tables(struct carrying *c)
{
    const struct vv_index *index = index_in(c);
    const varve_allocator *a = &c->r->pairing.context.allocator;
    size_t nodes = c->node_count = index->node_count;
    c->in_count = (size_t)index->edge_count + 2 * (size_t)index->slot_count;
    c->here = vv_allocate_zeroed(a, nodes * sizeof *c->here);
    c->needs = vv_allocate_zeroed(a, nodes);
    c->queue = vv_allocate_array(a, nodes, sizeof *c->queue);
    c->in_ends = vv_allocate_zeroed(a, (nodes + 1) * sizeof *c->in_ends);
    c->in_from = vv_allocate_array(a, c->in_count, sizeof *c->in_from);
    return c->here && c->needs && c->queue && c->in_ends &&
           (c->in_from || !c->in_count);
}

static void carry_free_tables(struct carrying *c)
{
    const varve_allocator *a = &c->r->pairing.context.allocator;
    size_t nodes = c->node_count;
    vv_release(a, c->here, nodes * sizeof *c->here);
    vv_release(a, c->needs, nodes);
    vv_release(a, c->queue, nodes * sizeof *c->queue);
    vv_release(a, c->in_ends, (nodes + 1) * sizeof *c->in_ends);
    vv_release(a, c->in_from, c->in_count * sizeof *c->in_from);
}

static varve_status carry_carry(struct carrying *c, varve_error *error)
{
    varve_error reason = { .status = VARVE_OK };
    if (!carry_make_tables(c))
        return vv_fail_memory(error, "pending values");
    find_needs(c);
    if (link_all(c, &reason) && hold_states(c))
        return VARVE_OK;
    if (reason.status && error)
        *error = reason;
    return reason.status; /* VARVE_OK may also mean that the graph has an
                             error */
}

varve_status vv_restoration_carry(
    struct varve_restoration *r, struct vv_carried *carried, varve_error *error)
{
    varve_error reason = { .status = VARVE_OK };
    if (r->is_settled || !r->matching.is_open || !r->pairing.graph ||
        !r->pairing.root || varve_pending_count(r) == 0)
        return VARVE_OK;
    if (!vv_sweep(&r->matching))
        return vv_fail_memory(error, "pending values");
    struct carrying c = { .r = r, .carried = carried };
    c.source = carry_open_source(r, &reason);
    if (!c.source) {
        if (error)
            *error = reason;
        return reason.status;
    }
    vv_carried_add_source(carried, &c.source->base);
    varve_status status = carry_carry(&c, error);
    carry_free_tables(&c);
    return status;
}
