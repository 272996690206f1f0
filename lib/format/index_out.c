/* index_out.c - Collects the columns of a new index, and writes them as CBOR.
 *
 * SPDX-License-Identifier: MIT
 */
#include "index_out.h"

#include <cbor.h>

#include "bytes.h"
#include "failure.h"
#include "index.h"
#include "layout.h"
#include "try.h"

/* --- Columns under construction ------------------------------------------- */

/* Appends to a buffer for each column. */

_Static_assert(offsetof(struct vv_index_columns, global_names) ==
                   (VV_COLUMN_COUNT - 1) * sizeof(struct vv_buffer),
    "a buffer for each column of the table");

void vv_index_columns_begin(
    struct vv_index_columns *c, const varve_allocator *allocator)
{
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++)
        vv_buffer_init(&c->each[i], allocator);
    c->total = VV_HEADER_SIZE;
}

void vv_index_columns_end(struct vv_index_columns *c)
{
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++)
        vv_buffer_clear(&c->each[i]);
}

void vv_index_add_name(
    struct vv_index_columns *c, const void *bytes, size_t size)
{
    vv_buffer_add(&c->names, bytes, size);
    vv_buffer_add32(&c->name_ends, (uint32_t)c->names.size);
}

void vv_index_add_node(struct vv_index_columns *c, uint8_t kind)
{
    vv_buffer_add8(&c->node_kinds, kind);
    vv_buffer_add32(&c->node_edge_ends, (uint32_t)(c->edge_names.size / 4));
}

void vv_index_add_edge(
    struct vv_index_columns *c, uint32_t name, uint32_t child)
{
    vv_buffer_add32(&c->edge_names, name);
    vv_buffer_add32(&c->edge_children, child);
}

void vv_index_add_slot(struct vv_index_columns *c, uint32_t owner,
    uint32_t variable, uint32_t name, uint32_t node)
{
    vv_buffer_add32(&c->slot_owners, owner);
    vv_buffer_add32(&c->slot_variables, variable);
    vv_buffer_add32(&c->slot_names, name);
    vv_buffer_add32(&c->slot_nodes, node);
}

void vv_index_add_tag(struct vv_index_columns *c, uint32_t node, uint32_t name)
{
    vv_buffer_add32(&c->tag_nodes, node);
    vv_buffer_add32(&c->tag_names, name);
}

void vv_index_add_global(
    struct vv_index_columns *c, uint32_t node, uint32_t name)
{
    vv_buffer_add32(&c->global_nodes, node);
    vv_buffer_add32(&c->global_names, name);
}

void vv_index_add_value(struct vv_index_columns *c, uint32_t node,
    const varve_tensor *type, uint64_t size, bool is_saved)
{
    const size_t value = c->value_dtypes.size;
    if (vv_index_extend_values(c, 1))
        vv_index_set_value(c, value, node, type, size, is_saved);
}

bool vv_index_extend_values(struct vv_index_columns *c, size_t count)
{
    return vv_buffer_extend(&c->value_nodes, 4 * count) &&
           vv_buffer_extend(&c->value_dtypes, count) &&
           vv_buffer_extend(&c->value_ranks, count) &&
           vv_buffer_extend(&c->value_offsets, 8 * count) &&
           vv_buffer_extend(&c->value_sizes, 8 * count);
}

void vv_index_end_pieces(
    struct vv_index_columns *c, uint32_t value, uint32_t count)
{
    size_t before = c->piece_ends.size / 4;
    uint32_t begin = vv_begin32(c->piece_ends.data, before);
    vv_buffer_add32(&c->pieced_values, value);
    vv_buffer_add32(&c->piece_ends, begin + count);
}

void vv_index_add_pieces(struct vv_index_columns *c, uint32_t value,
    uint32_t rank, const varve_box *boxes, uint32_t count)
{
    vv_index_end_pieces(c, value, count);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < rank; k++)
            vv_buffer_add64(&c->piece_boxes, boxes[i].start[k]);
        for (uint32_t k = 0; k < rank; k++)
            vv_buffer_add64(&c->piece_boxes, boxes[i].extents[k]);
    }
}

void vv_index_add_part(
    struct vv_index_columns *c, const varve_tensor *whole, const varve_box *box)
{
    for (uint32_t i = 0; i < whole->rank; i++) {
        vv_buffer_add64(&c->whole_extents, whole->shape[i]);
        vv_buffer_add64(&c->part_starts, box->start[i]);
    }
}

bool vv_index_columns_failed(const struct vv_index_columns *c)
{
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        if (c->each[i].failed)
            return true;
    }
    return false;
}

struct vv_index vv_index_of_columns(const struct vv_index_columns *c)
{
    struct vv_index index = { 0 };
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++)
        vv_column_set(&vv_columns[i], &index, c->each[i].data,
            c->each[i].size / vv_columns[i].element);
    return index;
}

/* --- CBOR ----------------------------------------------------------------- */

/* Writes heads with libcbor's streaming encoders, which use the shortest form
 * and do not allocate memory. */

enum { MAX_HEAD_SIZE = 9 };

static void cbor_out_put(
    struct vv_cbor_out *out, const void *bytes, size_t size)
{
    if (!out->status && size > 0)
        out->status = out->sink(out->user, bytes, size, out->error);
}

void vv_cbor_put_unsigned(struct vv_cbor_out *out, uint64_t value)
{
    unsigned char head[MAX_HEAD_SIZE];
    cbor_out_put(out, head, cbor_encode_uint(value, head, sizeof head));
}

void vv_cbor_put_integer(struct vv_cbor_out *out, int64_t value)
{
    unsigned char head[MAX_HEAD_SIZE];
    if (value >= 0)
        vv_cbor_put_unsigned(out, (uint64_t)value);
    else /* CBOR stores a negative n as -1 - n */
        cbor_out_put(out, head,
            cbor_encode_negint((uint64_t)(-1 - value), head, sizeof head));
}

void vv_cbor_put_boolean(struct vv_cbor_out *out, bool value)
{
    unsigned char head[MAX_HEAD_SIZE];
    cbor_out_put(out, head, cbor_encode_bool(value, head, sizeof head));
}

void vv_cbor_put_bytes_head(struct vv_cbor_out *out, uint64_t size)
{
    unsigned char head[MAX_HEAD_SIZE];
    cbor_out_put(out, head,
        cbor_encode_bytestring_start((size_t)size, head, sizeof head));
}

void vv_cbor_put_bytes(struct vv_cbor_out *out, const void *bytes, size_t size)
{
    vv_cbor_put_bytes_head(out, size);
    cbor_out_put(out, bytes, size);
}

void vv_cbor_put_text(struct vv_cbor_out *out, const char *text, size_t size)
{
    unsigned char head[MAX_HEAD_SIZE];
    cbor_out_put(out, head, cbor_encode_string_start(size, head, sizeof head));
    cbor_out_put(out, text, size);
}

void vv_cbor_put_tag(struct vv_cbor_out *out, uint64_t number)
{
    unsigned char head[MAX_HEAD_SIZE];
    cbor_out_put(out, head, cbor_encode_tag(number, head, sizeof head));
}

void vv_cbor_put_map(struct vv_cbor_out *out, size_t count)
{
    unsigned char head[MAX_HEAD_SIZE];
    cbor_out_put(out, head, cbor_encode_map_start(count, head, sizeof head));
}

/* --- The index ------------------------------------------------------------ */

/* Writes the columns one after another, directly from their memory. */

static varve_status check_limits(
    const struct vv_index *index, varve_error *error)
{
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        const struct vv_column *column = &vv_columns[i];
        uint64_t count = vv_column_count(column, index);
        if (!column->is_wide && count >= VV_NONE)
            return vv_fail(
                error, VARVE_LIMIT, "index: 2^32 - 1 %s or more", column->name);
    }
    if (index->names_size > UINT32_MAX)
        return vv_fail(
            error, VARVE_LIMIT, "index: the names have 4 GiB or more in total");
    return VARVE_OK;
}

static varve_status index_out_check_metadata(
    const struct vv_index *index, varve_error *error)
{
    const varve_metadata *metadata = index->metadata;
    for (size_t i = 1; i < index->metadata_count; i++) {
        if (vv_metadata_compare(&metadata[i - 1], &metadata[i]) >= 0)
            return vv_fail(error, VARVE_MISUSE,
                "metadata: names must be in order and unique, found \"%.100s\" "
                "before \"%.100s\"",
                metadata[i - 1].name, metadata[i].name);
    }
    return VARVE_OK;
}

static void put_column(struct vv_cbor_out *out, const struct vv_column *column,
    const struct vv_index *index)
{
    uint64_t count = vv_column_count(column, index);
    vv_cbor_put_unsigned(out, column->key);
    if (column->tag)
        vv_cbor_put_tag(out, column->tag);
    const uint8_t *bytes = vv_column_bytes(column, index);
    if (bytes || count == 0 || !index->source) {
        vv_cbor_put_bytes(out, bytes, (size_t)count * column->element);
        return;
    }
    vv_cbor_put_bytes_head(out, count * column->element);
    if (!out->status)
        out->status = index->source->give(
            index->source->user, column->key, out->sink, out->user, out->error);
}

static void index_out_put_real(struct vv_cbor_out *out, double real)
{
    uint8_t bytes[8];
    vv_store64(bytes, vv_bits_of(real));
    vv_cbor_put_tag(out, VV_REAL_TAG);
    vv_cbor_put_bytes(out, bytes, sizeof bytes);
}

static void put_metadata(struct vv_cbor_out *out, const varve_metadata *m)
{
    vv_cbor_put_text(out, m->name, strlen(m->name));
    switch (m->kind) {
    case VARVE_METADATA_INTEGER: vv_cbor_put_integer(out, m->integer); break;
    case VARVE_METADATA_REAL: index_out_put_real(out, m->real); break;
    case VARVE_METADATA_BOOLEAN:
        vv_cbor_put_boolean(out, m->integer != 0);
        break;
    case VARVE_METADATA_STRING:
        vv_cbor_put_text(out, m->string, strlen(m->string));
        break;
    }
}

static void put_columns(struct vv_cbor_out *out, const struct vv_index *index,
    size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        put_column(out, &vv_columns[i], index);
}

static void put_behind(struct vv_cbor_out *out, const struct vv_index *index)
{
    if (index->counter > 0) {
        vv_cbor_put_unsigned(out, VV_KEY_COUNTER);
        vv_cbor_put_unsigned(out, index->counter);
    }
    if (index->metadata_count > 0) {
        vv_cbor_put_unsigned(out, VV_KEY_METADATA);
        vv_cbor_put_map(out, index->metadata_count);
        for (size_t i = 0; i < index->metadata_count; i++)
            put_metadata(out, &index->metadata[i]);
    }
}

varve_status vv_index_write(const struct vv_index *index, vv_index_sink *sink,
    void *user, varve_error *error)
{
    VV_TRY(check_limits(index, error));
    VV_TRY(index_out_check_metadata(index, error));
    size_t required = VV_REQUIRED_COLUMN_COUNT;
    size_t layers = index->packed_count  ? VV_FIRST_PIECE_COLUMN
                    : index->layer_count ? VV_FIRST_PACKED_COLUMN
                                         : required;
    size_t pieces =
        index->pieced_count ? VV_FIRST_PAGE_COLUMN : VV_FIRST_PIECE_COLUMN;
    size_t pages =
        index->paged_count ? VV_FIRST_PART_COLUMN : VV_FIRST_PAGE_COLUMN;
    size_t parts =
        index->whole_count ? VV_FIRST_TAG_COLUMN : VV_FIRST_PART_COLUMN;
    size_t tags =
        index->tag_count ? VV_FIRST_GLOBAL_COLUMN : VV_FIRST_TAG_COLUMN;
    size_t globals =
        index->global_count ? VV_COLUMN_COUNT : VV_FIRST_GLOBAL_COLUMN;
    struct vv_cbor_out out = { .sink = sink, .user = user, .error = error };
    vv_cbor_put_map(&out,
        layers + (pieces - VV_FIRST_PIECE_COLUMN) +
            (pages - VV_FIRST_PAGE_COLUMN) + (parts - VV_FIRST_PART_COLUMN) +
            (tags - VV_FIRST_TAG_COLUMN) + (index->counter > 0) +
            (index->metadata_count > 0) + (globals - VV_FIRST_GLOBAL_COLUMN));
    /* Keys ascend: the counter and metadata are between tags and globals. */
    put_columns(&out, index, 0, layers);
    put_columns(&out, index, VV_FIRST_PIECE_COLUMN, pieces);
    put_columns(&out, index, VV_FIRST_PAGE_COLUMN, pages);
    put_columns(&out, index, VV_FIRST_PART_COLUMN, parts);
    put_columns(&out, index, VV_FIRST_TAG_COLUMN, tags);
    put_behind(&out, index);
    put_columns(&out, index, VV_FIRST_GLOBAL_COLUMN, globals);
    return out.status;
}

static varve_status count_bytes(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    uint64_t *total = user;
    (void)bytes;
    (void)error;
    *total += size;
    return VARVE_OK;
}

uint64_t vv_index_size(const struct vv_index *index)
{
    uint64_t total = 0;
    varve_status status = vv_index_write(index, count_bytes, &total, NULL);
    return status ? 0 : total;
}
