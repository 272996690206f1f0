/* draft_index.c - columns filled, encoded, and read again as if they came from
 * a file of ours: then every rule of an index has been checked.
 *
 * SPDX-License-Identifier: MIT
 */
#include "draft_index.h"

#include <inttypes.h>
#include <stdlib.h>

#include "allocator.h"
#include "data_out.h"
#include "draft_number.h"
#include "draft_parts.h"
#include "failure.h"
#include "index_out.h"
#include "layout.h"
#include "try.h"

enum { COLUMNS = 19 };

struct maker {
    struct vv_draft *draft;
    const varve_allocator *allocator;
    struct vv_draft_numbers n;
    struct vv_place *places;
    size_t place_count;
    varve_metadata *metadata;
    size_t metadata_count, metadata_room;
    uint64_t total; /* where the values end */
    union {
        struct {
            struct vv_buffer node_kinds, node_edge_ends, edge_names,
                edge_children, value_nodes, value_dtypes, value_ranks,
                value_extents, value_offsets, value_sizes, digests, slot_owners,
                slot_variables, slot_names, slot_nodes, tag_nodes, tag_names,
                global_nodes, global_names;
        };
        struct vv_buffer columns[COLUMNS]; /* the same, as one */
    };
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
        for (size_t e = m->n.first_edge[node]; e < end; e++) {
            vv_buffer_add32(&m->edge_names, edges[e].number);
            vv_buffer_add32(&m->edge_children, m->n.numbers[edges[e].child]);
        }
        vv_buffer_add8(
            &m->node_kinds, (uint8_t)vv_draft_node_at(d, node)->kind);
        vv_buffer_add32(&m->node_edge_ends, (uint32_t)(m->edge_names.size / 4));
    }
}

static void fill_links(struct maker *m)
{
    size_t count;
    const struct vv_draft_slot *slots =
        VV_PARTS(m->draft, slots, struct vv_draft_slot, &count);
    for (size_t i = 0; i < count; i++) {
        vv_buffer_add32(&m->slot_owners, slots[i].owner);
        vv_buffer_add32(&m->slot_variables, slots[i].variable);
        vv_buffer_add32(&m->slot_names, slots[i].number);
        vv_buffer_add32(&m->slot_nodes, m->n.numbers[slots[i].node]);
    }
    const struct vv_draft_label *labels =
        VV_PARTS(m->draft, tags, struct vv_draft_label, &count);
    for (size_t i = 0; i < count; i++) {
        vv_buffer_add32(&m->tag_nodes, labels[i].node);
        vv_buffer_add32(&m->tag_names, labels[i].number);
    }
    labels = VV_PARTS(m->draft, globals, struct vv_draft_label, &count);
    for (size_t i = 0; i < count; i++) {
        vv_buffer_add32(&m->global_nodes, labels[i].node);
        vv_buffer_add32(&m->global_names, labels[i].number);
    }
}

static varve_status fill_value(
    struct maker *m, uint32_t number, varve_error *error)
{
    const struct vv_draft *d = m->draft;
    const struct vv_draft_node *node = vv_draft_node_at(d, m->n.order[number]);
    if (node->value == 0)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: node %" PRIu32 ": expected a type and a shape, found none",
            d->path, m->n.order[number]);
    const struct vv_draft_value *value =
        (const struct vv_draft_value *)(void *)d->values.data +
        (node->value - 1);
    uint64_t offset = 0;
    if (value->is_saved) {
        offset = vv_data_place(m->total, value->size);
        if (offset < m->total || value->size > UINT64_MAX / 2 - offset)
            return vv_fail(error, VARVE_LIMIT,
                "%s: expected values of less than 2^63 bytes in all, found "
                "more",
                d->path);
        m->total = offset + value->size;
    }
    vv_buffer_add32(&m->value_nodes, number);
    vv_buffer_add8(&m->value_dtypes, (uint8_t)value->dtype);
    vv_buffer_add8(&m->value_ranks, (uint8_t)value->rank);
    for (uint32_t i = 0; i < value->rank; i++) {
        uint64_t extent;
        memcpy(&extent, d->extents.data + 8 * (value->extents + i), 8);
        vv_buffer_add64(&m->value_extents, extent);
    }
    vv_buffer_add64(&m->value_offsets, offset);
    vv_buffer_add64(&m->value_sizes, value->size);
    size_t digests = (size_t)vv_chunk_count(value->size) * VV_DIGEST_SIZE;
    void *room = digests ? vv_buffer_extend(&m->digests, digests) : NULL;
    if (room)
        memset(room, 0, digests);
    m->places[m->place_count++] = value->place;
    return VARVE_OK;
}

static varve_status fill_values(struct maker *m, varve_error *error)
{
    const struct vv_draft *d = m->draft;
    size_t count = d->values.size / sizeof(struct vv_draft_value);
    m->total = VV_HEADER_SIZE;
    m->places = vv_allocate_array(m->allocator, count, sizeof *m->places);
    if (!m->places && count > 0)
        return vv_fail_memory(error, "places of values");
    for (uint32_t i = 0; i < m->n.reached; i++) {
        uint32_t kind = vv_draft_node_at(d, m->n.order[i])->kind;
        if (kind == VARVE_VARIABLE || kind == VARVE_STATE)
            VV_TRY(fill_value(m, i, error));
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

/* Of several that have one name the first counts. */
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

static struct vv_index index_of(const struct maker *m)
{
    const struct vv_draft *d = m->draft;
    return (struct vv_index){
        .name_count = (uint32_t)(m->n.name_ends.size / 4),
        .node_count = m->n.reached,
        .edge_count = (uint32_t)(m->edge_names.size / 4),
        .value_count = (uint32_t)(m->value_nodes.size / 4),
        .slot_count = (uint32_t)(m->slot_owners.size / 4),
        .tag_count = (uint32_t)(m->tag_nodes.size / 4),
        .global_count = (uint32_t)(m->global_nodes.size / 4),
        .names_size = m->n.names.size,
        .extent_count = m->value_extents.size / 8,
        .digest_count = m->digests.size / VV_DIGEST_SIZE,
        .counter = d->counter,
        .names = m->n.names.data,
        .name_ends = m->n.name_ends.data,
        .node_kinds = m->node_kinds.data,
        .node_edge_ends = m->node_edge_ends.data,
        .edge_names = m->edge_names.data,
        .edge_children = m->edge_children.data,
        .value_nodes = m->value_nodes.data,
        .value_dtypes = m->value_dtypes.data,
        .value_ranks = m->value_ranks.data,
        .value_extents = m->value_extents.data,
        .value_offsets = m->value_offsets.data,
        .value_sizes = m->value_sizes.data,
        .digests = m->digests.data,
        .slot_owners = m->slot_owners.data,
        .slot_variables = m->slot_variables.data,
        .slot_names = m->slot_names.data,
        .slot_nodes = m->slot_nodes.data,
        .tag_nodes = m->tag_nodes.data,
        .tag_names = m->tag_names.data,
        .global_nodes = m->global_nodes.data,
        .global_names = m->global_names.data,
        .metadata = m->metadata,
        .metadata_count = m->metadata_count,
    };
}

struct room {
    unsigned char *at;
    size_t left;
};

static varve_status take_bytes(
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

static varve_status encode(
    const struct maker *m, struct vv_opened *opened, varve_error *error)
{
    struct vv_index index = index_of(m);
    VV_TRY(vv_opened_make_room(opened, (size_t)vv_index_size(&index), error));
    opened->data_end = vv_align_up(m->total, VV_ALIGNMENT);
    struct room room = { opened->index_bytes, opened->index_size };
    return vv_index_write(&index, take_bytes, &room, error);
}

static varve_status fill(struct maker *m, varve_error *error)
{
    VV_TRY(vv_draft_number(&m->n, m->draft, error));
    vv_kept_number(&m->draft->kept, m->n.numbers);
    fill_nodes(m);
    fill_links(m);
    VV_TRY(fill_values(m, error));
    VV_TRY(settle_metadata(m, error));
    for (size_t i = 0; i < COLUMNS; i++) {
        if (m->columns[i].failed)
            return vv_fail_memory(error, "the index of a checkpoint");
    }
    return VARVE_OK;
}

/* The array of places has room for all values that were added, of which some
 * may not be reached; it is freed with that count. */
varve_status vv_draft_make_index(struct vv_draft *d, struct vv_opened *opened,
    struct vv_place **places, size_t *place_count, varve_error *error)
{
    struct maker m = { .draft = d, .allocator = &d->context->allocator };
    for (size_t i = 0; i < COLUMNS; i++)
        vv_buffer_init(&m.columns[i], m.allocator);
    varve_status status = fill(&m, error);
    if (!status)
        status = encode(&m, opened, error);
    for (size_t i = 0; i < COLUMNS; i++)
        vv_buffer_clear(&m.columns[i]);
    vv_draft_numbers_clear(&m.n);
    vv_release(m.allocator, m.metadata, m.metadata_room * sizeof *m.metadata);
    if (!status)
        status = vv_opened_parse(opened, error);
    *places = m.places;
    *place_count = d->values.size / sizeof(struct vv_draft_value);
    return status;
}
