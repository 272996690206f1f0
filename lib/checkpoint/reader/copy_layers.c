/* copy_layers.c - Copies the data files of an incremental checkpoint. They are
 * copied unchanged, because data files never change and their names are unique.
 *
 * SPDX-License-Identifier: MIT
 */
#include "copy_layers.h"

#include <string.h>

#include "data_in.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "layer_folder.h"
#include "layers_in.h"
#include "layout.h"
#include "piece_table.h"
#include "publish.h"
#include "reader.h"
#include "repack.h"
#include "try.h"

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
