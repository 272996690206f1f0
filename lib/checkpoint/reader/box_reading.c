/* box_reading.c - a part of a value: the chunks that it meets, each read once
 * and checked whole.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/reader.h>

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "box.h"
#include "failure.h"
#include "layout.h"
#include "reader.h"
#include "try.h"

struct box_reading {
    const varve_reader *reader;
    uint32_t node;
    uint32_t value;
    unsigned char *chunk; /* NULL: none was needed yet */
    size_t chunk_size;
    uint64_t held; /* the number of the chunk in it */
};

static varve_status hold_chunk(
    struct box_reading *b, uint64_t chunk, varve_error *error)
{
    uint64_t size = vv_at64(b->reader->file.parsed.index.value_sizes, b->value);
    if (b->held == chunk)
        return VARVE_OK;
    if (!b->chunk) {
        b->chunk_size = size < VV_CHUNK_SIZE ? (size_t)size : VV_CHUNK_SIZE;
        b->chunk = vv_allocate(&b->reader->context.allocator, b->chunk_size);
        if (!b->chunk)
            return vv_fail_memory(error, "a part of a value");
    }
    b->held = UINT64_MAX;
    VV_TRY(vv_reader_read_chunk(
        b->reader, b->node, b->value, chunk, b->chunk, error));
    b->held = chunk;
    return VARVE_OK;
}

/* Bytes of the value from `from` on. A chunk that is wanted whole comes where
 * it is wanted at once. */
static varve_status read_run(struct box_reading *b, uint64_t from,
    unsigned char *to, uint64_t size, varve_error *error)
{
    while (size > 0) {
        uint64_t chunk = from / VV_CHUNK_SIZE, offset;
        size_t skipped = (size_t)(from % VV_CHUNK_SIZE), part;
        vv_opened_chunk(&b->reader->file, b->value, chunk, &offset, &part);
        size_t taken = part - skipped < size ? part - skipped : (size_t)size;
        if (taken == part) {
            VV_TRY(vv_reader_read_chunk(
                b->reader, b->node, b->value, chunk, to, error));
        } else {
            VV_TRY(hold_chunk(b, chunk, error));
            memcpy(to, b->chunk + skipped, taken);
        }
        from += taken;
        to += taken;
        size -= taken;
    }
    return VARVE_OK;
}

static varve_status read_runs(struct box_reading *b, const varve_tensor *saved,
    const varve_box *box, unsigned char *to, varve_error *error)
{
    size_t element = varve_dtype_size(saved->dtype);
    const varve_box whole = vv_box_whole(saved);
    struct vv_rows rows;
    vv_rows_begin(&rows, saved->rank, &whole, box, 0, UINT64_MAX);
    while (vv_rows_next(&rows))
        VV_TRY(read_run(b, rows.from * element, to + rows.to * element,
            rows.count * element, error));
    return VARVE_OK;
}

static varve_status check_box(const struct box_reading *b,
    const varve_tensor *saved, const varve_box *box, size_t size,
    varve_error *error)
{
    const char *file = b->reader->file.path;
    const char *path = vv_reader_node_path(b->reader, b->node);
    char text[VARVE_TENSOR_TEXT_SIZE];
    uint32_t d = vv_box_leaves(saved, box);
    if (saved->dtype == VARVE_STRING)
        return vv_fail(error, VARVE_MISUSE,
            "%s: %s: expected elements of one size, found %s", file, path,
            varve_tensor_text(saved, text));
    if (d < saved->rank)
        return vv_fail(error, VARVE_MISUSE,
            "%s: %s: expected a part of %s, found %" PRIu64 " from %" PRIu64
            " on in dimension %" PRIu32,
            file, path, varve_tensor_text(saved, text), box->extents[d],
            box->start[d], d);
    uint64_t wanted = vv_box_count(saved, box) * varve_dtype_size(saved->dtype);
    if (size < wanted)
        return vv_fail(error, VARVE_MISUSE,
            "%s: %s: expected room for %" PRIu64 " bytes, found %zu", file,
            path, wanted, size);
    return VARVE_OK;
}

varve_status varve_reader_read_box(varve_reader *reader, size_t id,
    const varve_box *box, void *buffer, size_t size, varve_error *error)
{
    struct box_reading b = {
        .reader = reader, .node = (uint32_t)id, .held = UINT64_MAX
    };
    VV_TRY(vv_reader_find_value(reader, id, &b.value, error));
    varve_tensor saved = vv_index_tensor(
        &reader->file.parsed.index, &reader->file.parsed.table, b.value);
    VV_TRY(check_box(&b, &saved, box, size, error));
    VV_TRY(vv_opened_whole(
        &reader->file, b.value, vv_reader_node_path(reader, b.node), error));
    varve_status status = read_runs(&b, &saved, box, buffer, error);
    vv_release(&reader->context.allocator, b.chunk, b.chunk_size);
    return status;
}
