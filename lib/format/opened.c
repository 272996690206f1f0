/* opened.c - the index, and calls that are the backing's.
 *
 * SPDX-License-Identifier: MIT
 */
#include "opened.h"

#include "allocator.h"
#include "failure.h"
#include "far_columns.h"
#include "layout.h"
#include "piece_table.h"
#include "try.h"

/* --- Life ----------------------------------------------------------------- */

varve_status vv_opened_begin(struct vv_opened *o,
    const struct vv_context *context, const char *path, varve_error *error)
{
    *o = (struct vv_opened){ .context = context };
    o->path = vv_copy_string(&context->allocator, path);
    return o->path ? VARVE_OK : vv_fail_memory(error, "a path");
}

static void forget_index(struct vv_opened *o)
{
    vv_parsed_index_clear(o->context, &o->parsed);
    vv_release_aligned(
        &o->context->allocator, o->index_bytes, o->index_size, VV_ALIGNMENT);
    o->index_bytes = NULL;
    o->index_size = 0;
}

varve_status vv_opened_make_room(
    struct vv_opened *o, size_t size, varve_error *error)
{
    forget_index(o);
    o->index_bytes =
        vv_allocate_aligned(&o->context->allocator, size, VV_ALIGNMENT);
    if (!o->index_bytes && size > 0)
        return vv_fail_memory(error, "the index of a checkpoint");
    o->index_size = size;
    return VARVE_OK;
}

void vv_opened_take_index(struct vv_opened *o, void *bytes, size_t size)
{
    forget_index(o);
    o->index_bytes = bytes;
    o->index_size = size;
}

varve_status vv_opened_parse(struct vv_opened *o, varve_error *error)
{
    return vv_index_parse(o->context, o->path, o->index_bytes, o->index_size,
        o->data_end, &o->parsed, error);
}

void vv_opened_close(struct vv_opened *o)
{
    if (!o->context)
        return;
    if (o->backing)
        o->backing->close(o);
    forget_index(o);
    vv_release_string(&o->context->allocator, o->path);
    *o = (struct vv_opened){ 0 };
}

/* --- Values --------------------------------------------------------------- */

static bool is_in_pieces(const struct vv_opened *o, uint32_t value)
{
    return vv_index_find_pieces(&o->parsed.index, value) != VV_NONE;
}

void vv_opened_chunk(const struct vv_opened *o, uint32_t value, uint64_t chunk,
    uint64_t *offset, size_t *size)
{
    const struct vv_index *index = &o->parsed.index;
    uint64_t begin;
    vv_chunk_range(index, &o->parsed.table, value, chunk, &begin, size);
    *offset = vv_at64(index->value_offsets, value) + begin;
}

varve_status vv_opened_read(const struct vv_opened *o, uint64_t offset,
    void *bytes, size_t size, varve_error *error)
{
    VV_TRY(vv_index_failure(&o->parsed.index, error));
    return o->backing->read(o, offset, bytes, size, error);
}

void vv_opened_rest(const struct vv_opened *o)
{
    if (o->backing->rest)
        o->backing->rest(o);
}

varve_status vv_opened_check(const struct vv_opened *o, uint32_t value,
    uint64_t chunk, const void *bytes, const char *what, varve_error *error)
{
    VV_TRY(vv_index_failure(&o->parsed.index, error));
    VV_TRY(o->backing->check(o, value, chunk, bytes, what, error));
    return vv_index_failure(&o->parsed.index, error);
}

bool vv_opened_locate(
    const struct vv_opened *o, uint32_t value, int *file, uint64_t *offset)
{
    return !is_in_pieces(o, value) &&
           o->backing->locate(o, value, file, offset);
}

const char *vv_opened_place(
    const struct vv_opened *o, uint32_t value, uint64_t *offset)
{
    return is_in_pieces(o, value) ? NULL : o->backing->place(o, value, offset);
}

bool vv_opened_has_digests(const struct vv_opened *o)
{
    return o->backing->digest != NULL;
}

bool vv_opened_sums_whole(const struct vv_opened *o, uint32_t value)
{
    return o->backing->sums_whole && o->backing->sums_whole(o, value);
}

struct vv_digest vv_opened_digest(const struct vv_opened *o, uint32_t value)
{
    bool is_known = o->backing->digest && !is_in_pieces(o, value);
    return is_known ? o->backing->digest(o, value) : (struct vv_digest){ 0 };
}
