/* index_out.c - Writes the columns one after another, directly from their
 * memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "index_out.h"

#include "bytes.h"
#include "cbor_out.h"
#include "column.h"
#include "failure.h"
#include "layout.h"
#include "try.h"

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
