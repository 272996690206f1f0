/* repack.c - Copies a checkpoint to another place: as one file, or together
 * with its data files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "repack.h"

#include <string.h>

#include "allocator.h"
#include "data_in.h"
#include "data_out.h"
#include "default_allocator.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "layer_out.h"
#include "layers_in.h"
#include "layout.h"
#include "piece_table.h"
#include "publish.h"
#include "range_reading.h"
#include "reader.h"
#include "save.h"
#include "source.h"
#include "store.h"
#include "try.h"
#include "write_options.h"

/* --- One file ------------------------------------------------------------- */

/* Copies the values of a checkpoint in the order of its index, verifies them,
 * and writes them as a full save does. */

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

/* --- With data files ------------------------------------------------------ */

/* Copies the data files of an incremental checkpoint. They are copied
 * unchanged, because data files never change and their names are unique. */

struct copying {
    const struct vv_context *context;
    const varve_write_options *options;
    const char *from;
    const char *to;
    varve_reader *reader;   /* the original */
    struct vv_buffer there; /* path of the folder of its data files, then of
                               one file in it */
    struct vv_buffer here;  /* the same for the copy */
    size_t there_size, here_size; /* lengths of the paths of the folders */
    int folder;                   /* the folder of the copy, with a shared
                                     lock */
    struct vv_buffer sizes;       /* by data file: 8 bytes, the number of
                                     bytes to copy */
    struct vv_buffer chunk;
    uint64_t done, total;
};

static const struct vv_index *copy_layers_index_of(const struct copying *c)
{
    return &c->reader->file.parsed.index;
}

static uint64_t size_to_copy(const struct copying *c, uint32_t layer)
{
    return vv_at64(c->sizes.data, layer);
}

/* --- Which are missing ---------------------------------------------------- */

static varve_status copy_layers_name_layer(
    struct copying *c, uint32_t layer, varve_error *error)
{
    char name[VV_LAYER_NAME_SIZE];
    vv_layer_name(
        copy_layers_index_of(c)->layer_nonces + (size_t)layer * VV_NONCE_SIZE,
        name);
    c->there.size = c->there_size;
    c->here.size = c->here_size;
    vv_buffer_add_string(&c->there, name);
    vv_buffer_add_string(&c->here, name);
    vv_buffer_string(&c->there);
    vv_buffer_string(&c->here);
    return c->there.failed || c->here.failed
               ? vv_fail_memory(error, "the path of a layer")
               : VARVE_OK;
}

/* Finds the data files to copy. A file with the same name but another size is
 * damaged, or was not made by this function. */
static varve_status copy_layers_find_missing(
    struct copying *c, varve_error *error)
{
    struct vv_file_info original, copy;
    for (uint32_t i = 0; i < copy_layers_index_of(c)->layer_count; i++) {
        uint8_t number[8];
        VV_TRY(copy_layers_name_layer(c, i, error));
        VV_TRY(vv_file_look(
            c->context, (const char *)c->there.data, &original, error));
        varve_status status =
            vv_file_look(c->context, (const char *)c->here.data, &copy, NULL);
        uint64_t size =
            !status && copy.size == original.size ? 0 : original.size;
        vv_store64(number, size);
        vv_buffer_add(&c->sizes, number, sizeof number);
        c->total += size;
    }
    return c->sizes.failed ? vv_fail_memory(error, "layers") : VARVE_OK;
}

/* --- Verifying ------------------------------------------------------------ */

/* Returns true if a part of a range of the data is in a missing data file. */
static bool copy_layers_is_missing(
    const struct copying *c, uint64_t offset, uint64_t size)
{
    const struct vv_index *index = copy_layers_index_of(c);
    for (uint32_t i = vv_place_of(index, offset); i < index->place_count; i++) {
        if (vv_at64(index->place_begins, i) >= offset + size)
            break;
        uint32_t layer = vv_at32(index->place_layers, i);
        if (layer != VV_NONE && size_to_copy(c, layer) > 0)
            return true;
    }
    return false;
}

static varve_status verify_value(
    struct copying *c, uint32_t value, varve_error *error)
{
    const struct vv_opened *file = &c->reader->file;
    const struct vv_index *index = copy_layers_index_of(c);
    uint64_t count = vv_value_chunks(index, &file->parsed.table, value);
    uint32_t node = vv_at32(index->value_nodes, value);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t offset;
        size_t size;
        vv_opened_chunk(file, value, i, &offset, &size);
        if (copy_layers_is_missing(c, offset, size))
            VV_TRY(vv_reader_read_chunk(
                c->reader, node, value, i, c->chunk.data, error));
    }
    return VARVE_OK;
}

static varve_status verify_missing(struct copying *c, varve_error *error)
{
    for (uint32_t i = 0; i < copy_layers_index_of(c)->value_count; i++) {
        if (vv_index_is_saved(copy_layers_index_of(c), i))
            VV_TRY(verify_value(c, i, error));
    }
    return VARVE_OK;
}

/* --- Copying -------------------------------------------------------------- */

static varve_status copy_layers_keep_pace(struct copying *c, varve_error *error)
{
    const varve_write_options *o = c->options;
    if (o->progress && o->progress(o->progress_user, c->done, c->total, ""))
        return vv_fail(error, VARVE_CANCELLED, "%s: cancelled", c->to);
    return VARVE_OK;
}

static varve_status copy_bytes(struct copying *c, const char *from, int file,
    uint64_t size, const struct vv_publication *p, varve_error *error)
{
    for (uint64_t at = 0; at < size;) {
        size_t part =
            size - at < VV_CHUNK_SIZE ? (size_t)(size - at) : VV_CHUNK_SIZE;
        VV_TRY(copy_layers_keep_pace(c, error));
        VV_TRY(vv_file_read(
            c->context, file, from, c->chunk.data, part, at, error));
        VV_TRY(vv_file_write(
            c->context, p->file, p->path, c->chunk.data, part, at, error));
        at += part;
        c->done += part;
    }
    return VARVE_OK;
}

static varve_status copy_layer(
    struct copying *c, const struct vv_access *like, varve_error *error)
{
    struct vv_publication p;
    const char *from = (const char *)c->there.data;
    const char *to = (const char *)c->here.data;
    uint64_t size;
    int file;
    VV_TRY(vv_file_open(c->context, from, &file, &size, error));
    varve_status status =
        vv_publish_begin_like(&p, c->context, to, 0, like, error);
    if (!status)
        status = vv_publish_end(
            &p, copy_bytes(c, from, file, size, &p, error), error);
    vv_file_close(c->context, file);
    return status;
}

static varve_status copy_missing(
    struct copying *c, const struct vv_access *like, varve_error *error)
{
    for (uint32_t i = 0; i < copy_layers_index_of(c)->layer_count; i++) {
        if (size_to_copy(c, i) == 0)
            continue;
        VV_TRY(copy_layers_name_layer(c, i, error));
        VV_TRY(copy_layer(c, like, error));
    }
    return VARVE_OK;
}

/* --- All ------------------------------------------------------------------ */

/* Opens both folders. The folder of the copy is locked before its files are
 * listed. */
static varve_status open_folders(struct copying *c, varve_error *error)
{
    vv_layer_folder(&c->there, c->from);
    vv_buffer_add8(&c->there, '/');
    VV_TRY(vv_layer_folder_open(
        c->context, c->to, 0, &c->here, &c->folder, error));
    if (c->there.failed)
        return vv_fail_memory(error, "the path of layers");
    c->there_size = c->there.size;
    c->here_size = c->here.size;
    return VARVE_OK;
}

static varve_status copy_both(struct copying *c, int file, uint64_t size,
    const struct vv_publication *p, varve_error *error)
{
    VV_TRY(open_folders(c, error));
    VV_TRY(copy_layers_find_missing(c, error));
    VV_TRY(verify_missing(c, error));
    VV_TRY(copy_missing(c, vv_publish_access(p), error));
    return copy_bytes(c, c->from, file, size, p, error);
}

/* Copies everything. Checks the name of the copy first and publishes it last.
 */
static varve_status copy_all(struct copying *c, varve_error *error)
{
    struct vv_publication p;
    int flags = (c->options->no_replace ? VV_PUBLISH_NO_REPLACE : 0) |
                VV_PUBLISH_NO_LINK;
    uint64_t size;
    int file;
    if (!vv_buffer_extend(&c->chunk, VV_CHUNK_SIZE))
        return vv_fail_memory(error, "a chunk");
    VV_TRY(vv_file_open(c->context, c->from, &file, &size, error));
    varve_status status = vv_publish_begin(&p, c->context, c->to, flags, error);
    if (!status)
        status = vv_publish_end(&p, copy_both(c, file, size, &p, error), error);
    vv_file_close(c->context, file);
    return status;
}

static varve_status open_as_it_is(void *user, struct vv_opened *opened,
    const struct vv_context *context, varve_error *error)
{
    return vv_data_in_open(opened, context, user, error);
}

varve_status vv_copy_layers(const struct vv_context *context, const char *from,
    const char *to, const varve_write_options *options, uint64_t *size,
    varve_error *error)
{
    struct copying c = { .context = context,
        .options = options,
        .from = from,
        .to = to,
        .folder = -1 };
    *size = 0;
    c.reader = vv_reader_open_by(context, open_as_it_is, (void *)from, error);
    if (!c.reader)
        return error->status;
    if (copy_layers_index_of(&c)->layer_count == 0 ||
        vv_layer_is_inside(copy_layers_index_of(&c))) {
        varve_reader_free(c.reader);
        return vv_repack_to(context, from, to, options, size, error);
    }
    vv_buffer_init(&c.there, &context->allocator);
    vv_buffer_init(&c.here, &context->allocator);
    vv_buffer_init(&c.sizes, &context->allocator);
    vv_buffer_init(&c.chunk, &context->allocator);
    varve_status status = copy_all(&c, error);
    *size = c.done;
    vv_file_close(context, c.folder);
    vv_buffer_clear(&c.there);
    vv_buffer_clear(&c.here);
    vv_buffer_clear(&c.sizes);
    vv_buffer_clear(&c.chunk);
    varve_reader_free(c.reader);
    return status;
}
