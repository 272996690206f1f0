/* repack.c - Copies the values of a checkpoint in the order of its index,
 * verifies them, and writes them as a full save does.
 *
 * SPDX-License-Identifier: MIT
 */
#include "repack.h"

#include <string.h>

#include "allocator.h"
#include "data_in.h"
#include "data_out.h"
#include "default_allocator.h"
#include "failure.h"
#include "file.h"
#include "layout.h"
#include "publish.h"
#include "range_reading.h"
#include "reader.h"
#include "save.h"
#include "source.h"
#include "store.h"
#include "try.h"
#include "write_options.h"

struct repacking {
    const varve_write_options *options;
    varve_reader *reader;
    struct vv_data_out out;
    struct vv_buffer offsets; /* new offsets of the values, as in an index */
    struct vv_buffer digests;
    struct vv_buffer chunk;
    struct vv_range_reading range;
};

/* The value that is being copied. */
struct passing {
    struct repacking *r;
    uint32_t value;
};

static varve_status repack_read_range(const struct vv_source *source,
    uint64_t at, size_t size, const unsigned char **bytes, varve_error *error)
{
    const struct passing *p = source->from;
    *bytes = source->scratch->data;
    return vv_range_read(
        &p->r->range, p->value, at, source->scratch->data, size, error);
}

static varve_status copy_value(
    struct repacking *r, uint32_t value, varve_error *error)
{
    static const uint8_t none[8];
    const struct vv_index *index = &r->reader->file.parsed.index;
    const struct passing p = { r, value };
    const struct vv_source source = {
        .piece = repack_read_range, .from = &p, .scratch = &r->chunk
    };
    uint64_t offset;
    uint8_t number[8];
    if (vv_at64(index->value_offsets, value) == 0) {
        vv_buffer_add(&r->offsets, none, sizeof none);
        return VARVE_OK;
    }
    VV_TRY(vv_data_out_value(&r->out, &source,
        vv_at64(index->value_sizes, value), "", &offset, &r->digests, error));
    vv_store64(number, offset);
    vv_buffer_add(&r->offsets, number, sizeof number);
    return VARVE_OK;
}

/* Returns the offset where the values will end. */
static uint64_t end_of_values(const struct vv_index *index)
{
    uint64_t offset = VV_HEADER_SIZE;
    for (uint32_t i = 0; i < index->value_count; i++) {
        uint64_t size = vv_at64(index->value_sizes, i);
        if (vv_at64(index->value_offsets, i) != 0)
            offset = vv_data_place(offset, size) + size;
    }
    return offset;
}

static varve_status repack_write_all(
    struct repacking *r, const struct vv_publication *p, varve_error *error)
{
    struct vv_index index = r->reader->file.parsed.index;
    VV_TRY(vv_data_out_begin(&r->out, &r->reader->context, p->file, p->path,
        end_of_values(&index), error));
    r->out.no_write_back = r->options->no_sync;
    r->out.progress = r->options->progress;
    r->out.progress_user = r->options->progress_user;
    for (uint32_t i = 0; i < index.value_count; i++)
        VV_TRY(copy_value(r, i, error));
    if (r->offsets.failed || r->digests.failed)
        return vv_fail_memory(error, "an index");
    index.layer_count = index.place_count = index.packed_count = 0;
    index.pieced_count = 0;
    index.paged_count = index.page_digest_count = 0;
    index.box_number_count = 0;
    index.value_offsets = r->offsets.data;
    index.digests = r->digests.data;
    index.digest_count = r->digests.size / VV_DIGEST_SIZE;
    return vv_data_out_end(&r->out, &index, error);
}

static varve_status repack(
    struct repacking *r, const char *to, varve_error *error)
{
    struct vv_publication p;
    const struct vv_context *context = &r->reader->context;
    int flags = (r->options->no_sync ? VV_PUBLISH_NO_SYNC : 0) |
                (r->options->no_replace ? VV_PUBLISH_NO_REPLACE : 0);
    vv_buffer_init(&r->offsets, &context->allocator);
    vv_buffer_init(&r->digests, &context->allocator);
    vv_buffer_init(&r->chunk, &context->allocator);
    if (!vv_buffer_extend(&r->chunk, VV_CHUNK_SIZE))
        return vv_fail_memory(error, "a chunk");
    varve_status status = vv_publish_begin(
        &p, context, to ? to : r->reader->file.path, flags, error);
    if (!status) {
        status = repack_write_all(r, &p, error);
        vv_data_out_clear(&r->out);
        status = vv_publish_end(&p, status, error);
    }
    vv_buffer_clear(&r->offsets);
    vv_buffer_clear(&r->digests);
    vv_buffer_clear(&r->chunk);
    return status;
}

static varve_status open_ours(void *user, struct vv_opened *opened,
    const struct vv_context *context, varve_error *error)
{
    return vv_open_found(context, user, true, vv_data_in_open, opened, error);
}

/* Refuses options that have no effect in varve_repack. */
static varve_status repack_check_options(
    const varve_write_options *options, varve_error *error)
{
    static const varve_write_options defaults;
    const varve_write_options *o = options ? options : &defaults;
    VV_TRY(vv_write_options_check(o, error));
    const char *name = o->metadata_count     ? "metadata"
                       : o->keep_counter     ? "keep_counter"
                       : o->incremental      ? "incremental"
                       : o->format           ? "format"
                       : o->compress         ? "compress"
                       : o->pending          ? "pending"
                       : o->foreign.loss     ? "foreign.loss"
                       : o->async.zero_copy  ? "async.zero_copy"
                       : o->async.in_flight  ? "async.in_flight"
                       : o->collective.files ? "collective.files"
                                             : NULL;
    return name ? vv_fail(error, VARVE_MISUSE,
                      "varve_repack: `%s` must not be set: only the write "
                      "options `no_replace`, `no_sync` and `progress` apply",
                      name)
                : VARVE_OK;
}

varve_status vv_repack(const struct vv_context *context, const char *path,
    const char *to, const varve_write_options *options, varve_error *error)
{
    static const varve_write_options defaults;
    varve_error reason = { 0 };
    struct repacking r = { .options = options ? options : &defaults };
    VV_TRY(repack_check_options(options, error));
    r.reader = vv_reader_open_by(context, open_ours, (void *)path, &reason);
    if (!r.reader) {
        if (error)
            *error = reason;
        return reason.status;
    }
    vv_range_reading_init(&r.range, r.reader);
    varve_status status = repack(&r, to, error);
    vv_range_reading_clear(&r.range);
    varve_reader_free(r.reader);
    return status;
}

varve_status vv_repack_to(const struct vv_context *context, const char *path,
    const char *to, const varve_write_options *options, uint64_t *size,
    varve_error *error)
{
    struct vv_file_info info;
    VV_TRY(vv_repack(context, path, to, options, error));
    if (!vv_file_look(context, to, &info, NULL))
        *size = info.size;
    return VARVE_OK;
}

varve_status varve_repack(const char *path, const char *to,
    const varve_write_options *options, varve_error *error)
{
    const struct vv_context context = {
        .allocator = vv_allocator_or_default(NULL),
        .system = vv_default_system(),
    };
    if (!path)
        return vv_fail(error, VARVE_MISUSE, "path is NULL");
    VV_TRY(vv_store_refuse(to ? to : path, error));
    return vv_repack(&context, path, to, options, error);
}
