/* range_reading.c - Reads a window of a value, verifies it and copies ranges or
 * a box out of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "range_reading.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "box.h"
#include "failure.h"
#include "layout.h"
#include "piece_table.h"
#include "reader_names.h"
#include "try.h"
#include "typed_memory.h"

/* --- Boxes ---------------------------------------------------------------- */

static const struct vv_parsed_index *parsed_of(const struct vv_box_reading *b)
{
    return &b->reader->file.parsed;
}

static varve_status box_reading_reserve(
    struct vv_box_reading *b, size_t size, varve_error *error)
{
    if (size <= b->chunk_size)
        return VARVE_OK;
    vv_box_reading_clear(b);
    b->chunk = vv_allocate(&b->reader->context.allocator, size);
    if (!b->chunk)
        return vv_fail_memory(error, "a part of a value");
    b->chunk_size = size;
    return VARVE_OK;
}

/* A chunk that is needed completely is read directly into its destination. */
varve_status vv_box_read_part(struct vv_box_reading *b,
    const struct vv_chunk_part *part, varve_error *error)
{
    const struct vv_index *index = &parsed_of(b)->index;
    size_t unit =
        vv_dtype_file_size((varve_dtype)index->value_dtypes[b->value]);
    struct vv_rows rows;
    vv_rows_begin(&rows, index->value_ranks[b->value], &part->box, &b->box,
        part->first, part->end);
    if (!vv_rows_next(&rows))
        return VARVE_OK;
    if (rows.count == part->end - part->first)
        return vv_reader_read_chunk(b->reader, b->node, b->value, part->chunk,
            b->to + rows.to * unit, error);
    VV_TRY(box_reading_reserve(b, part->size, error));
    VV_TRY(vv_reader_read_chunk(
        b->reader, b->node, b->value, part->chunk, b->chunk, error));
    do
        memcpy(b->to + rows.to * unit,
            b->chunk + (rows.from - part->first) * unit,
            (size_t)rows.count * unit);
    while (vv_rows_next(&rows));
    return VARVE_OK;
}

varve_status vv_box_read(struct vv_box_reading *b, varve_error *error)
{
    struct vv_chunk_part part;
    for (uint64_t c = 0;
         vv_part_from(parsed_of(b), b->value, &b->box, c, &part);
         c = part.chunk + 1)
        VV_TRY(vv_box_read_part(b, &part, error));
    return VARVE_OK;
}

void vv_box_reading_clear(struct vv_box_reading *b)
{
    vv_release(&b->reader->context.allocator, b->chunk, b->chunk_size);
    b->chunk = NULL;
    b->chunk_size = 0;
}

static varve_status box_reading_check_box(const struct vv_box_reading *b,
    const varve_tensor *saved, const varve_box *box, size_t size,
    varve_error *error)
{
    const char *file = b->reader->file.path;
    const char *path = vv_reader_node_path(b->reader, b->node);
    char text[VARVE_TENSOR_TEXT_SIZE];
    uint32_t d = vv_box_leaves(saved, box);
    if (saved->dtype == VARVE_STRING)
        return vv_fail(error, VARVE_MISUSE,
            "%s: %s: only elements of a fixed size can be read in part, found "
            "%s",
            file, path, varve_tensor_text(saved, text));
    if (d < saved->rank)
        return vv_fail(error, VARVE_MISUSE,
            "%s: %s: the part is not inside %s: %" PRIu64 " from %" PRIu64
            " in dimension %" PRIu32,
            file, path, varve_tensor_text(saved, text), box->extents[d],
            box->start[d], d);
    uint64_t wanted = vv_box_count(saved, box) * varve_dtype_size(saved->dtype);
    if (size < wanted)
        return vv_fail(error, VARVE_MISUSE,
            "%s: %s: the buffer is too small: %" PRIu64
            " bytes are needed, found %zu",
            file, path, wanted, size);
    return VARVE_OK;
}

varve_status varve_reader_read_box(varve_reader *reader, size_t id,
    const varve_box *box, void *buffer, size_t size, varve_error *error)
{
    if (!reader)
        return vv_fail_none(error, "reader", "an open");
    struct vv_box_reading b = {
        .reader = reader, .node = (uint32_t)id, .box = *box, .to = buffer
    };
    VV_TRY(vv_reader_find_value(reader, id, &b.value, error));
    varve_tensor saved =
        vv_index_tensor(&parsed_of(&b)->index, &parsed_of(&b)->table, b.value);
    VV_TRY(box_reading_check_box(&b, &saved, box, size, error));
    varve_status status = vv_box_read(&b, error);
    vv_box_reading_clear(&b);
    return status;
}

/* --- Ranges --------------------------------------------------------------- */

/* The size of the window for values that are stored in pieces. If the pieces
 * are columns, the chunks of all pieces intersect each window, so it must not
 * be small. */
enum { WINDOW_SIZE = 16 << 20 };

void vv_range_reading_init(
    struct vv_range_reading *r, const varve_reader *reader)
{
    *r = (struct vv_range_reading){ .reader = reader, .value = VV_NONE };
}

void vv_range_reading_clear(struct vv_range_reading *r)
{
    vv_release(&r->reader->context.allocator, r->window, r->room);
    vv_range_reading_init(r, r->reader);
}

/* --- Values in pieces ----------------------------------------------------- */

static void choose_steps(struct vv_range_reading *r)
{
    const varve_tensor *type = &r->type;
    uint64_t size = varve_dtype_size(type->dtype);
    r->dimension = type->rank - 1;
    while (r->dimension > 0 && type->shape[r->dimension] <= WINDOW_SIZE / size)
        size *= type->shape[r->dimension--];
    r->step = size;
    r->steps = size < WINDOW_SIZE ? WINDOW_SIZE / size : 1;
    if (r->steps > type->shape[r->dimension])
        r->steps = type->shape[r->dimension];
}

/* Reads the window that contains the byte at `at`. */
static varve_status range_reading_move_window(
    struct vv_range_reading *r, uint64_t at, varve_error *error)
{
    varve_box box;
    uint64_t index = at / r->step, extent = r->type.shape[r->dimension];
    uint64_t first = index % extent / r->steps * r->steps;
    uint64_t count = extent - first < r->steps ? extent - first : r->steps;
    memset(&box, 0, sizeof box);
    memcpy(box.extents, r->type.shape, r->type.rank * sizeof *box.extents);
    box.start[r->dimension] = first;
    box.extents[r->dimension] = count;
    uint64_t begin = (index - index % extent + first) * r->step;
    index /= extent;
    for (uint32_t d = r->dimension; d-- > 0; index /= r->type.shape[d]) {
        box.start[d] = index % r->type.shape[d];
        box.extents[d] = 1;
    }
    struct vv_box_reading reading = { .reader = r->reader,
        .node = r->node,
        .value = r->value,
        .box = box,
        .to = r->window };
    varve_status status = vv_box_read(&reading, error);
    vv_box_reading_clear(&reading);
    if (!status) {
        r->begin = begin;
        r->end = begin + count * r->step;
    }
    return status;
}

/* --- Values in one piece -------------------------------------------------- */

static uint64_t range_reading_size_of(const struct vv_range_reading *r)
{
    return vv_at64(r->reader->file.parsed.index.value_sizes, r->value);
}

static uint64_t chunk_end(const struct vv_range_reading *r, uint64_t chunk)
{
    uint64_t size = range_reading_size_of(r), end = (chunk + 1) * VV_CHUNK_SIZE;
    return end < size ? end : size;
}

static varve_status range_reading_read_chunk(
    struct vv_range_reading *r, uint64_t chunk, void *bytes, varve_error *error)
{
    return vv_reader_read_chunk(
        r->reader, r->node, r->value, chunk, bytes, error);
}

static varve_status move_to_chunk(
    struct vv_range_reading *r, uint64_t at, varve_error *error)
{
    uint64_t chunk = at / VV_CHUNK_SIZE;
    VV_TRY(range_reading_read_chunk(r, chunk, r->window, error));
    r->begin = chunk * VV_CHUNK_SIZE;
    r->end = chunk_end(r, chunk);
    return VARVE_OK;
}

/* --- All ------------------------------------------------------------------ */

static void choose_value(struct vv_range_reading *r, uint32_t value)
{
    const struct vv_parsed_index *parsed = &r->reader->file.parsed;
    if (r->value == value)
        return;
    vv_range_reading_clear(r);
    r->node = vv_at32(parsed->index.value_nodes, value);
    r->is_pieced = vv_piece_count(&parsed->index, value) > 1;
    r->type = vv_index_tensor(&parsed->index, &parsed->table, value);
    if (r->is_pieced)
        choose_steps(r);
    r->value = value;
}

static varve_status make_window(struct vv_range_reading *r, varve_error *error)
{
    size_t room = r->is_pieced ? (size_t)(r->steps * r->step) : VV_CHUNK_SIZE;
    if (r->window)
        return VARVE_OK;
    r->window = vv_allocate(&r->reader->context.allocator, room);
    if (!r->window)
        return vv_fail_memory(error, "a part of a value");
    r->room = room;
    return VARVE_OK;
}

/* Returns true if a complete chunk is needed, which is then read directly into
 * the destination. */
static bool is_chunk(const struct vv_range_reading *r, uint64_t at, size_t size)
{
    return !r->is_pieced && at % VV_CHUNK_SIZE == 0 &&
           size >= chunk_end(r, at / VV_CHUNK_SIZE) - at;
}

static varve_status range_reading_read_some(struct vv_range_reading *r,
    uint64_t at, unsigned char *bytes, size_t *size, varve_error *error)
{
    if (is_chunk(r, at, *size)) {
        *size = (size_t)(chunk_end(r, at / VV_CHUNK_SIZE) - at);
        return range_reading_read_chunk(r, at / VV_CHUNK_SIZE, bytes, error);
    }
    if (at < r->begin || at >= r->end) {
        VV_TRY(make_window(r, error));
        r->begin = r->end = 0; /* a failure may overwrite a part of it */
        VV_TRY(r->is_pieced ? range_reading_move_window(r, at, error)
                            : move_to_chunk(r, at, error));
    }
    if (*size > r->end - at)
        *size = (size_t)(r->end - at);
    memcpy(bytes, r->window + (at - r->begin), *size);
    return VARVE_OK;
}

varve_status vv_range_read(struct vv_range_reading *r, uint32_t value,
    uint64_t at, void *bytes, size_t size, varve_error *error)
{
    if (size == 0)
        return VARVE_OK;
    choose_value(r, value);
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done;
        VV_TRY(range_reading_read_some(
            r, at + done, (unsigned char *)bytes + done, &part, error));
    }
    return VARVE_OK;
}
