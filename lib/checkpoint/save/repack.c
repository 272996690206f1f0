/* repack.c - values where the index has them, each verified as it passes, and
 * then the same index without layers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "repack.h"

#include <inttypes.h>

#include "allocator.h"
#include "data_in.h"
#include "data_out.h"
#include "default_allocator.h"
#include "failure.h"
#include "layout.h"
#include "piece_table.h"
#include "publish.h"
#include "save.h"
#include "system.h"
#include "try.h"

struct repacking {
    const varve_write_options *options;
    struct vv_opened from;
    struct vv_data_out out;
    unsigned char *chunk;
};

static varve_status copy_chunk(
    struct repacking *r, uint32_t value, uint64_t chunk, varve_error *error)
{
    const varve_write_options *o = r->options;
    uint64_t offset;
    size_t size;
    vv_opened_chunk(&r->from, value, chunk, &offset, &size);
    VV_TRY(vv_data_out_add(&r->out, NULL, offset - r->out.offset, error));
    VV_TRY(vv_opened_read(&r->from, offset, r->chunk, size, error));
    VV_TRY(vv_opened_check(&r->from, value, chunk, r->chunk, NULL, error));
    VV_TRY(vv_data_out_add(&r->out, r->chunk, size, error));
    if (o->progress &&
        o->progress(o->progress_user, offset + size, r->from.data_end, ""))
        return vv_fail(error, VARVE_CANCELLED,
            "%s: cancelled after %" PRIu64 " bytes", r->from.path, offset);
    return VARVE_OK;
}

static varve_status copy_values(struct repacking *r, varve_error *error)
{
    const struct vv_index *index = &r->from.parsed.index;
    for (uint32_t i = 0; i < index->value_count; i++) {
        uint64_t chunks = vv_value_chunks(index, &r->from.parsed.table, i);
        for (uint64_t c = 0; c < chunks; c++)
            VV_TRY(copy_chunk(r, i, c, error));
    }
    return VARVE_OK;
}

static varve_status write_all(
    struct repacking *r, const struct vv_publication *p, varve_error *error)
{
    struct vv_index index = r->from.parsed.index;
    VV_TRY(vv_data_out_begin(
        &r->out, r->from.context, p->file, p->path, r->from.data_end, error));
    r->out.no_write_back = r->options->no_sync;
    VV_TRY(copy_values(r, error));
    /* Values of no bytes may be further on. */
    VV_TRY(vv_data_out_add(
        &r->out, NULL, r->from.data_end - r->out.offset, error));
    index.layer_count = index.place_count = index.packed_count = 0;
    return vv_data_out_end(&r->out, &index, error);
}

static varve_status repack(
    struct repacking *r, const char *to, varve_error *error)
{
    struct vv_publication p;
    const struct vv_context *context = r->from.context;
    int flags = (r->options->no_sync ? VV_PUBLISH_NO_SYNC : 0) |
                (r->options->no_replace ? VV_PUBLISH_NO_REPLACE : 0);
    r->chunk = vv_allocate(&context->allocator, VV_CHUNK_SIZE);
    if (!r->chunk)
        return vv_fail_memory(error, "a chunk");
    VV_TRY(vv_publish_begin(&p, context, to, flags, error));
    varve_status status = write_all(r, &p, error);
    vv_data_out_clear(&r->out);
    return vv_publish_end(&p, status, error);
}

varve_status vv_repack(const struct vv_context *context, const char *path,
    const char *to, const varve_write_options *options, varve_error *error)
{
    static const varve_write_options defaults;
    struct repacking r = { .options = options ? options : &defaults };
    struct vv_buffer found;
    VV_TRY(VV_CHECK_OPTIONS(options, error));
    vv_buffer_init(&found, &context->allocator);
    varve_status status =
        vv_find_checkpoint(context, path, true, &found, error);
    if (!status)
        status =
            vv_data_in_open(&r.from, context, (const char *)found.data, error);
    if (!status)
        status = repack(&r, to ? to : r.from.path, error);
    vv_release(&context->allocator, r.chunk, VV_CHUNK_SIZE);
    vv_opened_close(&r.from);
    vv_buffer_clear(&found);
    return status;
}

varve_status varve_repack(const char *path, const char *to,
    const varve_write_options *options, varve_error *error)
{
    const struct vv_context context = {
        .allocator = vv_allocator_or_default(NULL),
        .system = &vv_posix_system,
    };
    if (!path)
        return vv_fail(error, VARVE_MISUSE, "expected a path, found none");
    return vv_repack(&context, path, to, options, error);
}
