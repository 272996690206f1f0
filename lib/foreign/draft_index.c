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
#include "draft_number.h"
#include "draft_parts.h"
#include "failure.h"
#include "index_out.h"
#include "layout.h"
#include "try.h"

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
    VV_TRY(vv_opened_make_room(opened, (size_t)vv_index_size(&index), error));
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
