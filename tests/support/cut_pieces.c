/* cut_pieces.c - Writes the same data with the elements of one value reordered,
 * and the same index with three additional columns.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/cut_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "box.h"
#include "bytes.h"
#include "data_in.h"
#include "data_out.h"
#include "default_allocator.h"
#include "failure.h"
#include "index_out.h"
#include "layout.h"
#include "piece_table.h"
#include "saved_path.h"
#include "system.h"
#include "try.h"

struct cut {
    struct vv_context context;
    struct vv_opened from;
    uint32_t value;
    varve_tensor type;
    const varve_box *boxes;
    uint32_t count;
    unsigned char *data; /* from offset 0 on */
    /* offsets of values do not change, nor the order of elements */
    bool keeps_places;
    struct vv_buffer own;            /* the original file up to its index */
    struct vv_index_columns columns; /* only those that change */
};

static uint64_t size_of(const struct cut *c, uint32_t box)
{
    return vv_box_count(&c->type, &c->boxes[box]) *
        varve_dtype_size(c->type.dtype);
}

/* Reorders the elements according to the boxes. */
static bool reorder(struct cut *c)
{
    const struct vv_index *index = &c->from.parsed.index;
    size_t element = varve_dtype_size(c->type.dtype);
    size_t size = (size_t)vv_at64(index->value_sizes, c->value);
    unsigned char *to = c->data + vv_at64(index->value_offsets, c->value);
    unsigned char *end = to + size;
    unsigned char *whole = malloc(size);
    if (!whole)
        return false;
    memcpy(whole, to, size);
    for (uint32_t i = 0; i < c->count; i++) {
        const varve_box all = vv_box_whole(&c->type);
        struct vv_rows rows;
        vv_rows_begin(
            &rows, c->type.rank, &all, &c->boxes[i], 0, UINT64_MAX);
        while (vv_rows_next(&rows)) {
            size_t length = (size_t)rows.count * element;
            if (length > (size_t)(end - to))
                break;
            memcpy(to, whole + rows.from * element, length);
            to += length;
        }
    }
    to = c->data + vv_at64(index->value_offsets, c->value);
    c->keeps_places = index->layer_count + index->place_count > 0 &&
        memcmp(to, whole, size) == 0;
    free(whole);
    return true;
}

/* Reads the raw file up to its index. */
static varve_status read_own(struct cut *c, const char *path,
    varve_error *error)
{
    const struct vv_system *system = c->context.system;
    int file = system->open_file(system->state, VV_WORKING_DIRECTORY, path);
    struct vv_file_info info = { 0 };
    if (file < 0)
        return vv_fail_system(error, -file, "open", path);
    system->info(system->state, file, &info);
    unsigned char *bytes = vv_buffer_extend(&c->own, (size_t)info.size);
    int64_t size = bytes ? system->read_at(system->state, file, bytes,
                               (size_t)info.size, 0)
                         : 0;
    system->close(system->state, file);
    if (size < VV_HEADER_SIZE + VV_FOOTER_SIZE)
        return vv_fail(error, VARVE_IO, "%s: cannot be read", path);
    c->own.size = (size_t)vv_load64(bytes + size - VV_FOOTER_SIZE);
    return VARVE_OK;
}

static void add_digests(struct cut *c)
{
    const struct vv_index *index = &c->from.parsed.index;
    uint64_t begin = vv_at64(index->value_offsets, c->value);
    for (uint32_t i = 0; i < c->count; i++) {
        uint64_t left = size_of(c, i);
        while (left > 0) {
            size_t part = left < VV_CHUNK_SIZE ? (size_t)left : VV_CHUNK_SIZE;
            struct vv_digest digest = vv_digest_of(c->data + begin, part);
            vv_buffer_add(&c->columns.digests, &digest, sizeof digest);
            begin += part;
            left -= part;
        }
    }
}

static void add_older_pieces(struct cut *c, uint32_t value)
{
    const struct vv_index *index = &c->from.parsed.index;
    uint32_t count = vv_piece_count(index, value);
    varve_box *boxes = calloc(count, sizeof *boxes);
    for (uint32_t i = 0; boxes && i < count; i++) {
        struct vv_value_piece piece;
        vv_piece_at(index, &c->from.parsed.table, value, i, &piece);
        boxes[i] = piece.box;
    }
    if (boxes)
        vv_index_add_pieces(
            &c->columns, value, index->value_ranks[value], boxes, count);
    free(boxes);
}

static void fill_columns(struct cut *c)
{
    const struct vv_index *index = &c->from.parsed.index;
    const struct vv_value_table *table = &c->from.parsed.table;
    for (uint32_t i = 0; i < index->value_count; i++) {
        uint64_t digest = vv_first_digest(index, table, i);
        if (i == c->value) {
            vv_index_add_pieces(
                &c->columns, i, c->type.rank, c->boxes, c->count);
            add_digests(c);
            continue;
        }
        vv_buffer_add(&c->columns.digests,
            index->digests + VV_DIGEST_SIZE * digest,
            VV_DIGEST_SIZE * (size_t)vv_value_chunks(index, table, i));
        if (vv_index_find_pieces(index, i) != VV_NONE)
            add_older_pieces(c, i);
    }
}

static varve_status write_to(
    const struct cut *c, int file, const char *path, varve_error *error)
{
    struct vv_index index = c->from.parsed.index;
    struct vv_index more = vv_index_of_columns(&c->columns);
    struct vv_data_out out = { 0 };
    const unsigned char *data = c->keeps_places ? c->own.data : c->data;
    uint64_t end = c->keeps_places ? c->own.size : c->from.data_end;
    index.digests = more.digests;
    index.digest_count = more.digest_count;
    index.pieced_count = more.pieced_count;
    index.pieced_values = more.pieced_values;
    index.piece_ends = more.piece_ends;
    index.box_number_count = more.box_number_count;
    index.piece_boxes = more.piece_boxes;
    if (!c->keeps_places)
        index.layer_count = index.place_count = index.packed_count = 0;
    varve_status status =
        vv_data_out_begin(&out, &c->context, file, path, end, error);
    if (!status)
        status = vv_data_out_add(&out, data + VV_HEADER_SIZE,
            end - VV_HEADER_SIZE, error);
    if (!status)
        status = vv_data_out_end(&out, &index, error);
    vv_data_out_clear(&out);
    return status;
}

static varve_status write_anew(struct cut *c, const char *path,
    varve_error *error)
{
    const struct vv_system *system = c->context.system;
    system->remove(system->state, VV_WORKING_DIRECTORY, path);
    int file = system->create_file(system->state, VV_WORKING_DIRECTORY, path);
    if (file < 0)
        return vv_fail_system(error, -file, "create", path);
    varve_status status = write_to(c, file, path, error);
    system->close(system->state, file);
    return status;
}

static varve_status find_value(
    struct cut *c, const char *path, varve_error *error)
{
    const struct vv_index *index = &c->from.parsed.index;
    struct vv_buffer scratch;
    vv_buffer_init(&scratch, &c->context.allocator);
    uint32_t node = vv_saved_find(index, 0, path, &scratch);
    vv_buffer_clear(&scratch);
    c->value = node == VV_NONE ? VV_NONE : vv_index_find_value(index, node);
    if (c->value == VV_NONE)
        return vv_fail(error, VARVE_NOT_FOUND, "%s: no such value", path);
    c->type = vv_index_tensor(index, &c->from.parsed.table, c->value);
    return VARVE_OK;
}

static varve_status cut(
    struct cut *c, const char *path, const char *node, varve_error *error)
{
    VV_TRY(vv_data_in_open(&c->from, &c->context, path, error));
    VV_TRY(find_value(c, node, error));
    c->data = malloc((size_t)c->from.data_end);
    if (!c->data)
        return vv_fail_memory(error, "the data");
    VV_TRY(vv_opened_read(&c->from, VV_HEADER_SIZE, c->data + VV_HEADER_SIZE,
        (size_t)c->from.data_end - VV_HEADER_SIZE, error));
    if (!reorder(c))
        return vv_fail_memory(error, "a value");
    fill_columns(c);
    if (c->keeps_places)
        VV_TRY(read_own(c, path, error));
    return vv_index_columns_failed(&c->columns)
        ? vv_fail_memory(error, "columns") : write_anew(c, path, error);
}

varve_status cut_into_pieces(const struct vv_context *context,
    const char *path, const char *node, const varve_box *boxes,
    uint32_t count, varve_error *error)
{
    struct cut c = { .boxes = boxes, .count = count,
        .context = { .allocator = vv_allocator_or_default(NULL),
            .system = &vv_posix_system } };
    if (context)
        c.context = *context;
    vv_index_columns_begin(&c.columns, &c.context.allocator);
    vv_buffer_init(&c.own, &c.context.allocator);
    varve_status status = cut(&c, path, node, error);
    vv_opened_close(&c.from);
    vv_index_columns_end(&c.columns);
    vv_buffer_clear(&c.own);
    free(c.data);
    return status;
}
