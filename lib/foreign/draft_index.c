/* draft_index.c - Fills the columns of an index from a draft, encodes them, and
 * parses the result like the index of a Varve file, which validates it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "draft_index.h"

#include <inttypes.h>
#include <stdlib.h>

#include "allocator.h"
#include "data_out.h"
#include "draft_parts.h"
#include "failure.h"
#include "index_out.h"
#include "layout.h"
#include "try.h"

/* --- Numbering ------------------------------------------------------------ */

static size_t node_count(const struct vv_draft *d)
{
    return d->nodes.size / sizeof(struct vv_draft_node);
}

/* --- Numbering ------------------------------------------------------------ */

static int draft_number_compare_edges(const void *left, const void *right)
{
    const struct vv_draft_edge *a = left;
    const struct vv_draft_edge *b = right;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    return vv_draft_compare(&a->name, &b->name);
}

/* Sorts the edges by node, and sets the first edge of each node. */
static varve_status draft_number_sort_edges(
    struct vv_draft_numbers *n, varve_error *error)
{
    size_t count;
    struct vv_draft_edge *edges =
        VV_PARTS(n->draft, edges, struct vv_draft_edge, &count);
    if (count > 0)
        qsort(edges, count, sizeof *edges, draft_number_compare_edges);
    size_t at = 0;
    for (size_t node = 0; node <= node_count(n->draft); node++) {
        while (at < count && edges[at].parent < node)
            at++;
        n->first_edge[node] = at;
    }
    for (size_t i = 1; i < count; i++) {
        if (draft_number_compare_edges(&edges[i - 1], &edges[i]) == 0)
            return vv_fail(error, VARVE_CORRUPT,
                "%s: node %" PRIu32 " has two children named \"%.200s\"",
                n->draft->path, edges[i].parent, edges[i].name.bytes);
    }
    return VARVE_OK;
}

static void draft_number_reach(struct vv_draft_numbers *n, uint32_t node)
{
    if (n->numbers[node] != VV_NONE)
        return;
    n->numbers[node] = n->reached;
    n->order[n->reached++] = node;
}

static void draft_number_nodes(struct vv_draft_numbers *n)
{
    size_t count;
    const struct vv_draft_edge *edges =
        VV_PARTS(n->draft, edges, struct vv_draft_edge, &count);
    memset(n->numbers, 0xff, node_count(n->draft) * sizeof *n->numbers);
    draft_number_reach(n, 0);
    for (uint32_t i = 0; i < n->reached; i++) {
        uint32_t node = n->order[i];
        for (size_t e = n->first_edge[node]; e < n->first_edge[node + 1]; e++)
            draft_number_reach(n, edges[e].child);
    }
}

/* --- Slots ---------------------------------------------------------------- */

static int draft_number_compare_slots(const void *left, const void *right)
{
    const struct vv_draft_slot *a = left;
    const struct vv_draft_slot *b = right;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    if (a->variable != b->variable)
        return a->variable < b->variable ? -1 : 1;
    return vv_draft_compare(&a->name, &b->name);
}

static varve_status draft_number_check_slots(
    const struct vv_draft_numbers *n, size_t count, varve_error *error)
{
    const struct vv_draft_slot *slots =
        (const struct vv_draft_slot *)(void *)n->draft->slots.data;
    for (size_t i = 0; i < count; i++) {
        const struct vv_draft_node *owner =
            vv_draft_node_at(n->draft, n->order[slots[i].owner]);
        const struct vv_draft_node *variable =
            vv_draft_node_at(n->draft, n->order[slots[i].variable]);
        if (owner->kind == VARVE_VARIABLE || owner->kind == VARVE_STATE ||
            variable->kind != VARVE_VARIABLE ||
            vv_draft_node_at(n->draft, slots[i].node)->kind != VARVE_VARIABLE)
            return vv_fail(error, VARVE_CORRUPT,
                "%s: slot \"%.200s\": the owner is not an object, or one of "
                "the other nodes is not a variable",
                n->draft->path, slots[i].name.bytes);
        if (i > 0 && draft_number_compare_slots(&slots[i - 1], &slots[i]) == 0)
            return vv_fail(error, VARVE_CORRUPT,
                "%s: slot \"%.200s\": an object has two of them for the same "
                "variable",
                n->draft->path, slots[i].name.bytes);
    }
    return VARVE_OK;
}

/* Replaces the owner and the variable by their numbers in the index, and drops
 * the slots of unreachable nodes. */
static varve_status number_slots(struct vv_draft_numbers *n, varve_error *error)
{
    size_t count, kept = 0;
    struct vv_draft_slot *slots =
        VV_PARTS(n->draft, slots, struct vv_draft_slot, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t owner = n->numbers[slots[i].owner];
        uint32_t variable = n->numbers[slots[i].variable];
        if (owner == VV_NONE || variable == VV_NONE)
            continue;
        slots[kept] = slots[i];
        slots[kept].owner = owner;
        slots[kept++].variable = variable;
    }
    n->draft->slots.size = kept * sizeof *slots;
    if (kept > 0)
        qsort(slots, kept, sizeof *slots, draft_number_compare_slots);
    VV_TRY(draft_number_check_slots(n, kept, error));
    for (size_t i = 0; i < kept; i++)
        draft_number_reach(n, slots[i].node);
    return VARVE_OK;
}

/* --- Labels --------------------------------------------------------------- */

static int compare_by_name(const void *left, const void *right)
{
    const struct vv_draft_label *a = left;
    const struct vv_draft_label *b = right;
    int order = vv_draft_compare(&a->name, &b->name);
    return order ? order : (a->node > b->node) - (a->node < b->node);
}

static int compare_by_node(const void *left, const void *right)
{
    const struct vv_draft_label *a = left;
    const struct vv_draft_label *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return vv_draft_compare(&a->name, &b->name);
}

static bool draft_number_may_have_global(
    const struct vv_draft_numbers *n, uint32_t number)
{
    uint32_t kind = vv_draft_node_at(n->draft, n->order[number])->kind;
    return kind == VARVE_VARIABLE || kind == VARVE_STATE;
}

/* Replaces the nodes by their numbers in the index. Drops the labels of
 * unreachable nodes, and global names of nodes that cannot have one. Returns
 * the number of labels left. */
static size_t number_labels(
    const struct vv_draft_numbers *n, struct vv_buffer *of, bool globals)
{
    size_t count, kept = 0;
    struct vv_draft_label *labels = vv_draft_items(of, sizeof *labels, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t node = n->numbers[labels[i].node];
        if (node == VV_NONE ||
            (globals && !draft_number_may_have_global(n, node)))
            continue;
        labels[kept] = labels[i];
        labels[kept++].node = node;
    }
    return kept;
}

/* Drops the names that belong to two or more nodes. Returns the number of
 * labels left. */
static size_t drop_shared(struct vv_draft_label *labels, size_t count)
{
    size_t kept = 0;
    if (count > 0)
        qsort(labels, count, sizeof *labels, compare_by_name);
    for (size_t i = 0, next; i < count; i = next) {
        bool is_shared = false;
        for (next = i + 1; next < count && vv_draft_compare(&labels[i].name,
                                               &labels[next].name) == 0;
             next++)
            is_shared |= labels[next].node != labels[i].node;
        if (!is_shared)
            labels[kept++] = labels[i];
    }
    return kept;
}

/* Sorts by node and name. Keeps the first label of each node, or the first of
 * each name of a node if `of_each_name`. Returns the number of labels left. */
static size_t draft_number_keep_first(
    struct vv_draft_label *labels, size_t count, bool of_each_name)
{
    size_t kept = 0;
    if (count > 0)
        qsort(labels, count, sizeof *labels, compare_by_node);
    for (size_t i = 0; i < count; i++) {
        const struct vv_draft_label *last = kept ? &labels[kept - 1] : NULL;
        if (!last || last->node != labels[i].node ||
            (of_each_name && compare_by_node(last, &labels[i]) != 0))
            labels[kept++] = labels[i];
    }
    return kept;
}

static void settle_labels(struct vv_draft_numbers *n)
{
    struct vv_buffer *globals = &n->draft->globals, *tags = &n->draft->tags;
    size_t count = number_labels(n, globals, true);
    struct vv_draft_label *labels = (void *)globals->data;
    count = draft_number_keep_first(labels, drop_shared(labels, count), false);
    globals->size = count * sizeof *labels;
    count = number_labels(n, tags, false);
    labels = (void *)tags->data;
    tags->size = draft_number_keep_first(labels, count, true) * sizeof *labels;
}

/* --- Names ---------------------------------------------------------------- */

static int draft_number_compare_names(const void *left, const void *right)
{
    const struct vv_draft_name *const *a = left;
    const struct vv_draft_name *const *b = right;
    return vv_draft_compare(*a, *b);
}

/* Collects pointers to all names of reachable edges, slots and labels. Returns
 * their number. */
static size_t draft_number_gather(
    const struct vv_draft_numbers *n, struct vv_draft_name **to)
{
    size_t count, found = 0;
    struct vv_draft_edge *edges =
        VV_PARTS(n->draft, edges, struct vv_draft_edge, &count);
    for (size_t i = 0; i < count; i++) {
        /* The edges of unreachable nodes are not written. */
        if (n->numbers[edges[i].parent] != VV_NONE)
            to[found++] = &edges[i].name;
    }
    struct vv_draft_slot *slots =
        VV_PARTS(n->draft, slots, struct vv_draft_slot, &count);
    for (size_t i = 0; i < count; i++)
        to[found++] = &slots[i].name;
    struct vv_buffer *labels[] = { &n->draft->globals, &n->draft->tags };
    for (size_t k = 0; k < 2; k++) {
        struct vv_draft_label *label =
            vv_draft_items(labels[k], sizeof *label, &count);
        for (size_t i = 0; i < count; i++)
            to[found++] = &label[i].name;
    }
    return found;
}

static varve_status number_names(const struct vv_draft_numbers *n,
    struct vv_index_columns *columns, varve_error *error)
{
    const struct vv_draft *d = n->draft;
    size_t most =
        d->edges.size / sizeof(struct vv_draft_edge) +
        d->slots.size / sizeof(struct vv_draft_slot) +
        (d->globals.size + d->tags.size) / sizeof(struct vv_draft_label);
    struct vv_draft_name **all =
        most ? vv_allocate_array(n->allocator, most, sizeof *all) : NULL;
    if (!all && most)
        return vv_fail_memory(error, "the index of a checkpoint");
    size_t count = all ? draft_number_gather(n, all) : 0;
    if (count > 0)
        qsort(all, count, sizeof *all, draft_number_compare_names);
    /* Equal names are adjacent now; the first of each group is added. */
    uint32_t number = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || draft_number_compare_names(&all[i - 1], &all[i]) != 0) {
            vv_index_add_name(columns, all[i]->bytes, all[i]->size);
            number++;
        }
        all[i]->number = number - 1;
    }
    vv_release(n->allocator, all, most * sizeof *all);
    if (columns->names.size > UINT32_MAX)
        return vv_fail(error, VARVE_LIMIT,
            "%s: the total size of the names is 4 GiB or more", d->path);
    return VARVE_OK;
}

/* --- Entry points --------------------------------------------------------- */

static varve_status draft_number_begin(
    struct vv_draft_numbers *n, varve_error *error)
{
    const varve_allocator *a = n->allocator;
    size_t nodes = node_count(n->draft);
    n->numbers = vv_allocate_array(a, nodes, sizeof *n->numbers);
    n->order = vv_allocate_array(a, nodes, sizeof *n->order);
    n->first_edge = vv_allocate_array(a, nodes + 1, sizeof *n->first_edge);
    if (!n->numbers || !n->order || !n->first_edge)
        return vv_fail_memory(error, "the index of a checkpoint");
    return VARVE_OK;
}

varve_status vv_draft_number(struct vv_draft_numbers *n, struct vv_draft *draft,
    struct vv_index_columns *columns, varve_error *error)
{
    *n = (struct vv_draft_numbers){ .draft = draft,
        .allocator = &draft->context->allocator };
    VV_TRY(draft_number_begin(n, error));
    VV_TRY(draft_number_sort_edges(n, error));
    draft_number_nodes(n);
    VV_TRY(number_slots(n, error));
    settle_labels(n);
    return number_names(n, columns, error);
}

void vv_draft_numbers_clear(struct vv_draft_numbers *n)
{
    size_t nodes = node_count(n->draft);
    vv_release(n->allocator, n->numbers, nodes * sizeof *n->numbers);
    vv_release(n->allocator, n->order, nodes * sizeof *n->order);
    vv_release(
        n->allocator, n->first_edge, (nodes + 1) * sizeof *n->first_edge);
}

/* --- Columns -------------------------------------------------------------- */

struct maker {
    struct vv_draft *draft;
    const varve_allocator *allocator;
    struct vv_draft_numbers n;
    struct vv_index_columns columns;
    struct vv_place *places;
    size_t place_count;
    varve_metadata *metadata;
    size_t metadata_count, metadata_room;
};

/* --- Columns -------------------------------------------------------------- */

static void fill_nodes(struct maker *m)
{
    const struct vv_draft *d = m->draft;
    const struct vv_draft_edge *edges =
        (const struct vv_draft_edge *)(void *)d->edges.data;
    for (uint32_t i = 0; i < m->n.reached; i++) {
        uint32_t node = m->n.order[i];
        size_t end = m->n.first_edge[node + 1];
        for (size_t e = m->n.first_edge[node]; e < end; e++)
            vv_index_add_edge(&m->columns, edges[e].name.number,
                m->n.numbers[edges[e].child]);
        vv_index_add_node(
            &m->columns, (uint8_t)vv_draft_node_at(d, node)->kind);
    }
}

static void fill_links(struct maker *m)
{
    size_t count;
    const struct vv_draft_slot *slots =
        VV_PARTS(m->draft, slots, struct vv_draft_slot, &count);
    for (size_t i = 0; i < count; i++)
        vv_index_add_slot(&m->columns, slots[i].owner, slots[i].variable,
            slots[i].name.number, m->n.numbers[slots[i].node]);
    const struct vv_draft_label *labels =
        VV_PARTS(m->draft, tags, struct vv_draft_label, &count);
    for (size_t i = 0; i < count; i++)
        vv_index_add_tag(&m->columns, labels[i].node, labels[i].name.number);
    labels = VV_PARTS(m->draft, globals, struct vv_draft_label, &count);
    for (size_t i = 0; i < count; i++)
        vv_index_add_global(&m->columns, labels[i].node, labels[i].name.number);
}

static varve_status draft_index_fill_value(
    struct maker *m, uint32_t number, varve_error *error)
{
    const struct vv_draft *d = m->draft;
    const struct vv_draft_node *node = vv_draft_node_at(d, m->n.order[number]);
    if (node->value == 0)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: node %" PRIu32 " has no type and shape", d->path,
            m->n.order[number]);
    const struct vv_draft_value *value =
        (const struct vv_draft_value *)(void *)d->values.data +
        (node->value - 1);
    uint64_t offset = vv_data_place(m->columns.total, value->size);
    if (value->is_saved &&
        (offset < m->columns.total || value->size > UINT64_MAX / 2 - offset))
        return vv_fail(error, VARVE_LIMIT,
            "%s: the total size of the values is 2^63 bytes or more", d->path);
    varve_tensor type = { .rank = value->rank };
    type.dtype = (varve_dtype)value->dtype;
    if (type.rank > 0)
        memcpy(type.shape, d->extents.data + 8 * value->extents,
            8 * (size_t)type.rank);
    vv_index_add_value(
        &m->columns, number, &type, value->size, value->is_saved);
    m->places[m->place_count++] = value->place;
    return VARVE_OK;
}

static varve_status fill_values(struct maker *m, varve_error *error)
{
    const struct vv_draft *d = m->draft;
    size_t count = d->values.size / sizeof(struct vv_draft_value);
    m->places = vv_allocate_array(m->allocator, count, sizeof *m->places);
    if (!m->places && count > 0)
        return vv_fail_memory(error, "places of values");
    for (uint32_t i = 0; i < m->n.reached; i++) {
        uint32_t kind = vv_draft_node_at(d, m->n.order[i])->kind;
        if (kind == VARVE_VARIABLE || kind == VARVE_STATE)
            VV_TRY(draft_index_fill_value(m, i, error));
    }
    return VARVE_OK;
}

/* --- Metadata ------------------------------------------------------------- */

static int compare_pairs(const void *left, const void *right)
{
    const struct vv_draft_pair *a = left;
    const struct vv_draft_pair *b = right;
    int order = vv_metadata_compare(&(varve_metadata){ .name = a->name },
        &(varve_metadata){ .name = b->name });
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* Sorts the metadata. If several have the same name, the first is used. */
static varve_status settle_metadata(struct maker *m, varve_error *error)
{
    size_t count;
    struct vv_draft_pair *pairs =
        VV_PARTS(m->draft, metadata, struct vv_draft_pair, &count);
    if (count == 0)
        return VARVE_OK;
    m->metadata_room = count;
    m->metadata = vv_allocate_array(m->allocator, count, sizeof *m->metadata);
    if (!m->metadata)
        return vv_fail_memory(error, "metadata");
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(pairs[i - 1].name, pairs[i].name) == 0)
            continue;
        m->metadata[m->metadata_count++] = (varve_metadata){
            .name = pairs[i].name,
            .kind = VARVE_METADATA_STRING,
            .string = pairs[i].text,
        };
    }
    return VARVE_OK;
}

/* --- The index ------------------------------------------------------------ */

struct room {
    unsigned char *at;
    size_t left;
};

static varve_status draft_index_take_bytes(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    struct room *room = user;
    if (size > room->left)
        return vv_fail_memory(error, "the index of a checkpoint");
    memcpy(room->at, bytes, size);
    room->at += size;
    room->left -= size;
    return VARVE_OK;
}

static varve_status draft_index_encode(
    const struct maker *m, struct vv_opened *opened, varve_error *error)
{
    struct vv_index index = vv_index_of_columns(&m->columns);
    index.counter = m->draft->counter;
    index.metadata = m->metadata;
    index.metadata_count = m->metadata_count;
    VV_TRY(vv_opened_reserve(opened, (size_t)vv_index_size(&index), error));
    opened->data_end = vv_align_up(m->columns.total, VV_ALIGNMENT);
    struct room room = { opened->index_bytes, opened->index_size };
    return vv_index_write(&index, draft_index_take_bytes, &room, error);
}

static varve_status draft_index_fill(struct maker *m, varve_error *error)
{
    VV_TRY(vv_draft_number(&m->n, m->draft, &m->columns, error));
    vv_kept_number(&m->draft->kept, m->n.numbers);
    fill_nodes(m);
    fill_links(m);
    VV_TRY(fill_values(m, error));
    VV_TRY(settle_metadata(m, error));
    return vv_index_columns_failed(&m->columns)
               ? vv_fail_memory(error, "the index of a checkpoint")
               : VARVE_OK;
}

/* The array of places has room for all values of the draft, although some may
 * be unreachable. *place_count is the size of the array, with which it is
 * freed. */
varve_status vv_draft_make_index(struct vv_draft *d, struct vv_opened *opened,
    struct vv_place **places, size_t *place_count, varve_error *error)
{
    struct maker m = { .draft = d, .allocator = &d->context->allocator };
    vv_index_columns_begin(&m.columns, m.allocator);
    varve_status status = draft_index_fill(&m, error);
    if (!status)
        status = draft_index_encode(&m, opened, error);
    vv_index_columns_end(&m.columns);
    vv_draft_numbers_clear(&m.n);
    vv_release(m.allocator, m.metadata, m.metadata_room * sizeof *m.metadata);
    if (!status)
        status = vv_opened_parse_undigested(opened, error);
    opened->parsed.names_are_keys = !d->has_labels;
    *places = m.places;
    *place_count = d->values.size / sizeof(struct vv_draft_value);
    return status;
}
