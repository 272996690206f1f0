/* range_reading.c - Reads a window of a value, verifies it and copies ranges
 * out of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "range_reading.h"

#include <string.h>

#include "allocator.h"
#include "box_reading.h"
#include "dtype.h"
#include "failure.h"
#include "layout.h"
#include "piece_table.h"
#include "try.h"

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
