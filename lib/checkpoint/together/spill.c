/* spill.c - Writes columns in extents of at most 1 MiB, each with a checksum.
 *
 * SPDX-License-Identifier: MIT
 */
#include "spill.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "checksum.h"
#include "failure.h"
#include "file.h"
#include "try.h"

enum { BLOCK_SIZE = 1 << 20 };

struct extent {
    uint64_t key;
    uint64_t offset;
    uint64_t size;
    uint64_t sum;
};

varve_status vv_spill_begin(struct vv_spill *s,
    const struct vv_context *context, int directory, const char *name,
    const char *path, bool is_private, varve_error *error)
{
    const varve_allocator *a = &context->allocator;
    *s = (struct vv_spill){ .context = context, .path = path };
    s->block = vv_allocate(a, BLOCK_SIZE);
    if (!s->block)
        return vv_fail_memory(error, "the index of all ranks");
    varve_status status = vv_temporary_make(
        &s->temporary, context, directory, name, path, is_private, error);
    if (status)
        vv_release(a, s->block, BLOCK_SIZE);
    vv_buffer_init(&s->extents, &s->context->allocator);
    return status;
}

static varve_status spill_add_extent(struct vv_spill *s, enum vv_index_key key,
    const unsigned char *bytes, size_t size, varve_error *error)
{
    const struct extent extent = { (uint64_t)key, s->end, size,
        vv_hash_of(bytes, size) };
    VV_TRY(vv_file_write(
        s->context, s->temporary.file, s->path, bytes, size, s->end, error));
    vv_buffer_add(&s->extents, &extent, sizeof extent);
    s->end += size;
    s->sizes[key] += size;
    return s->extents.failed ? vv_fail_memory(error, "the index of all ranks")
                             : VARVE_OK;
}

varve_status vv_spill_add(struct vv_spill *s, enum vv_index_key key,
    struct vv_buffer *column, varve_error *error)
{
    for (size_t at = 0; at < column->size; at += BLOCK_SIZE) {
        size_t left = column->size - at;
        VV_TRY(spill_add_extent(s, key, column->data + at,
            left < BLOCK_SIZE ? left : BLOCK_SIZE, error));
    }
    column->size = 0;
    return VARVE_OK;
}

static varve_status spill_read_extent(
    const struct vv_spill *s, const struct extent *e, varve_error *error)
{
    VV_TRY(vv_file_read(s->context, s->temporary.file, s->path, s->block,
        (size_t)e->size, e->offset, error));
    uint64_t found = vv_hash_of(s->block, (size_t)e->size);
    if (found != e->sum)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: temporary file: bytes %" PRIu64 " to %" PRIu64
            ": expected XXH3-64 %016" PRIx64 ", found %016" PRIx64,
            s->path, e->offset, e->offset + e->size, e->sum, found);
    return VARVE_OK;
}

varve_status vv_spill_give(void *spill, uint64_t key, vv_index_sink *sink,
    void *sink_user, varve_error *error)
{
    const struct vv_spill *s = spill;
    const struct extent *all =
        (const struct extent *)(const void *)s->extents.data;
    size_t count = s->extents.size / sizeof *all;
    for (size_t i = 0; i < count; i++) {
        if (all[i].key != key)
            continue;
        VV_TRY(spill_read_extent(s, &all[i], error));
        VV_TRY(sink(sink_user, s->block, (size_t)all[i].size, error));
    }
    return VARVE_OK;
}

void vv_spill_end(struct vv_spill *s)
{
    const struct vv_context *context = s->context;
    vv_file_close(context, s->temporary.file);
    vv_temporary_remove(&s->temporary);
    vv_release(&context->allocator, s->block, BLOCK_SIZE);
    vv_buffer_clear(&s->extents);
}
