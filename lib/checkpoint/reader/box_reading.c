/* box_reading.c - Reads a box of a value. Each chunk that intersects the box is
 * read once and verified.
 *
 * SPDX-License-Identifier: MIT
 */
#include "box_reading.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "box.h"
#include "dtype.h"
#include "failure.h"
#include "layout.h"
#include "try.h"

static const struct vv_parsed_index *parsed_of(const struct vv_box_reading *b)
{
    return &b->reader->file.parsed;
}

static varve_status box_reading_make_room(
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
    VV_TRY(box_reading_make_room(b, part->size, error));
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
