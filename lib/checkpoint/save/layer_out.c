/* layer_out.c - Writes the new layer of an incremental checkpoint into its
 * folder, and the places of the data.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layer_out.h"

#include <errno.h>
#include <string.h>

#include "allocator.h"
#include "data_in.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "layers_in.h"
#include "layout.h"
#include "publish.h"
#include "retry.h"
#include "system.h"
#include "try.h"

/* --- The folder of layers ------------------------------------------------- */

/* Opens the folder of layers with its lock, syncs it, and chooses random names
 * for layers. */

#define A_MILLISECOND ((int64_t)1000000)
#define LONGEST_WAIT (10000 * A_MILLISECOND) /* for pruning to end */

static varve_status layer_folder_share(const struct vv_context *context,
    int folder, const char *path, varve_error *error)
{
    const struct vv_system *system = context->system;
    int64_t deadline = system->uptime(system->state) + LONGEST_WAIT;
    for (;;) {
        int result = system->share_lock(system->state, folder);
        if (result != -EWOULDBLOCK)
            return VARVE_OK; /* or locks are not supported, and layers are
                                not deleted */
        if (system->uptime(system->state) >= deadline)
            return vv_fail(error, VARVE_TIMEOUT,
                "%s: its data files are locked by a process that deletes "
                "unreferenced ones",
                path);
        system->sleep(system->state, A_MILLISECOND);
    }
}

/* Returns whether the folder `path` is a symbolic link; false where it is
 * missing. */
static bool folder_is_link(const struct vv_context *context, const char *path)
{
    const struct vv_system *system = context->system;
    int opened =
        system->open_real_directory(system->state, VV_WORKING_DIRECTORY, path);
    vv_file_close(context, opened);
    return opened == -ENOTDIR;
}

/* Creates the file that prevents the deletion of layers in the folder. A
 * process that prunes the directory to which the link leads cannot see the
 * checkpoints of this directory. */
static varve_status mark_shared(const struct vv_context *context, int folder,
    const char *path, varve_error *error)
{
    const struct vv_system *system = context->system;
    unsigned tries = 0;
    int file;
    do
        file = system->create_file(system->state, folder, VV_LAYER_SHARED);
    while (vv_try_again(file, &tries));
    if (file < 0 && file != -EEXIST)
        return vv_fail_system(error, -file,
            "creating the file \"" VV_LAYER_SHARED
            "\" in the directory of data "
            "files",
            path);
    vv_file_close(context, file);
    return VARVE_OK;
}

varve_status vv_layer_folder_open(const struct vv_context *context,
    const char *path, int flags, struct vv_buffer *inside, int *folder,
    varve_error *error)
{
    struct vv_context other = *context;
    other.durable = context->durable_layers;
    size_t begin = inside->size;
    vv_layer_folder(inside, path);
    const char *link = vv_buffer_string(inside);
    bool is_link = !inside->failed && folder_is_link(context, link + begin);
    vv_buffer_add8(inside, '/');
    const char *text = vv_buffer_string(inside);
    if (inside->failed)
        return vv_fail_memory(error, "the path of a layer");
    int opened;
    VV_TRY(vv_directory_make_parent(
        &other, text, (flags & VV_PUBLISH_NO_SYNC) != 0, &opened, error));
    varve_status status = layer_folder_share(context, opened, path, error);
    if (!status && is_link)
        status = mark_shared(context, opened, path, error);
    if (status)
        vv_file_close(context, opened);
    else
        *folder = opened;
    return status;
}

varve_status vv_layer_folder_sync(const struct vv_context *context, int folder,
    const char *path, varve_error *error)
{
    const struct vv_system *system = context->system;
    int result = system->sync(system->state, folder);
    return result < 0 ? vv_fail_system(error, -result,
                            "sync of the directory of data files", path)
                      : VARVE_OK;
}

varve_status vv_layer_choose(const struct vv_context *context, const char *path,
    uint8_t *nonce, struct vv_buffer *inside, varve_error *error)
{
    char name[VV_LAYER_NAME_SIZE];
    VV_TRY(vv_file_random(context, nonce, VV_NONCE_SIZE, path, error));
    vv_layer_name(nonce, name);
    vv_buffer_add_string(inside, name);
    vv_buffer_string(inside);
    return inside->failed ? vv_fail_memory(error, "the path of a layer")
                          : VARVE_OK;
}

/* --- Places --------------------------------------------------------------- */

/* Adds a place for each range that does not continue the previous one. */

void vv_place_out_begin(
    struct vv_place_out *out, struct vv_index_columns *columns, bool is_inside)
{
    *out = (struct vv_place_out){
        .columns = columns, .written = VV_HEADER_SIZE, .is_packed = is_inside
    };
}

bool vv_place_continues(
    const struct vv_place_out *out, const struct vv_layer_place *place)
{
    const struct vv_layer_place *last = &out->last;
    uint64_t passed = out->written - out->begin;
    if (out->written == VV_HEADER_SIZE || last->layer != place->layer ||
        last->pack.size != place->pack.size)
        return false;
    if (place->layer == VV_NONE)
        return true;
    if (place->pack.size == 0)
        return last->offset + passed == place->offset;
    return last->offset == place->offset && last->skip + passed == place->skip;
}

static void place_out_add_zeros(struct vv_buffer *column, size_t size)
{
    void *at = size ? vv_buffer_extend(column, size) : NULL;
    if (at)
        memset(at, 0, size);
}

/* Adds the columns of compression. They are created with the first compressed
 * place, with zeros for the places before it. */
static void add_pack(
    struct vv_place_out *out, const struct vv_layer_place *place)
{
    struct vv_index_columns *c = out->columns;
    size_t before = c->place_begins.size / 8 - 1;
    if (!out->is_packed && place->pack.size == 0)
        return;
    if (!out->is_packed) {
        place_out_add_zeros(&c->place_packed, 4 * before);
        place_out_add_zeros(&c->place_plain, 4 * before);
        place_out_add_zeros(&c->place_skips, 4 * before);
        place_out_add_zeros(&c->place_planes, before);
    }
    out->is_packed = true;
    vv_buffer_add32(&c->place_packed, place->pack.size);
    vv_buffer_add32(&c->place_plain, place->pack.plain);
    vv_buffer_add32(&c->place_skips, place->skip);
    vv_buffer_add8(&c->place_planes, place->pack.planes);
}

void vv_place_out_add(
    struct vv_place_out *out, const struct vv_layer_place *place, uint64_t size)
{
    struct vv_index_columns *c = out->columns;
    if (!vv_place_continues(out, place)) {
        vv_buffer_add64(&c->place_begins, out->written);
        vv_buffer_add32(&c->place_layers, place->layer);
        vv_buffer_add64(&c->place_offsets, place->offset);
        add_pack(out, place);
        out->begin = out->written;
        out->last = *place;
    }
    out->written += size;
}

/* --- Layers --------------------------------------------------------------- */

/* Writes the places of an incremental checkpoint and its new layer. */

/* --- Beginning ------------------------------------------------------------ */

static void layer_out_begin(struct vv_layer_out *out,
    const struct vv_context *context, const char *path, int level,
    struct vv_index_columns *columns)
{
    struct vv_buffer *own[] = { &columns->layer_nonces, &columns->layer_sizes,
        &columns->place_begins, &columns->place_layers, &columns->place_offsets,
        &columns->place_packed, &columns->place_plain, &columns->place_skips,
        &columns->place_planes };
    *out = (struct vv_layer_out){ .context = context,
        .columns = columns,
        .path = path,
        .folder = -1,
        .level = level,
        .at = VV_HEADER_SIZE,
        .own = VV_NONE };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        own[i]->size = 0;
    vv_place_out_begin(&out->places, columns, false);
    vv_buffer_init(&out->own_path, &context->allocator);
}

varve_status vv_layer_out_begin(struct vv_layer_out *out,
    const struct vv_context *context, const char *path, int flags, int level,
    struct vv_index_columns *columns, varve_error *error)
{
    layer_out_begin(out, context, path, level, columns);
    out->flags = flags;
    return vv_layer_folder_open(
        context, path, flags, &out->own_path, &out->folder, error);
}

varve_status vv_layer_out_set_base(struct vv_layer_out *out,
    const struct vv_layer_base *base, varve_error *error)
{
    uint32_t count = base->file.parsed.index.layer_count;
    out->base = base;
    if (!base->is_there)
        return VARVE_OK;
    out->numbers = vv_allocate_array(
        &out->context->allocator, count, sizeof *out->numbers);
    if (!out->numbers)
        return vv_fail_memory(error, "the data files of a checkpoint");
    memset(out->numbers, 0xff, count * sizeof *out->numbers);
    return VARVE_OK;
}

/* --- Places --------------------------------------------------------------- */

static uint32_t layer_out_add_layer(
    struct vv_layer_out *out, const uint8_t *nonce, uint64_t size)
{
    uint32_t number = (uint32_t)(out->columns->layer_sizes.size / 8);
    vv_buffer_add(&out->columns->layer_nonces, nonce, VV_NONCE_SIZE);
    vv_buffer_add64(&out->columns->layer_sizes, size);
    return number;
}

/* --- New data ------------------------------------------------------------- */

/* Appends a range to the new layer. */
static varve_status write_new(struct vv_layer_out *out,
    const struct vv_chunk_job *job, varve_error *error)
{
    struct vv_layer_place place = job->place;
    const void *frame = job->frame;
    place.offset = out->data.offset;
    if (!frame && !vv_place_continues(&out->places, &place))
        VV_TRY(vv_data_out_place(
            &out->data, out->places.written, &place.offset, error));
    vv_place_out_add(&out->places, &place, job->size);
    return vv_data_out_add(&out->data, frame ? frame : job->bytes,
        frame ? place.pack.size : job->size, error);
}

/* Writes a job. Zeros are written to the new layer if they directly follow
 * other new data, so that they need no place of their own. */
static varve_status layer_out_write_job(
    void *user, const struct vv_chunk_job *job, varve_error *error)
{
    struct vv_layer_out *out = user;
    struct vv_chunk_job behind = { .size = job->size,
        .place = { .layer = out->own, .offset = out->data.offset } };
    if (job->place.layer == VV_NONE && out->own != VV_NONE &&
        vv_place_continues(&out->places, &behind.place))
        job = &behind;
    if (out->own != VV_NONE && job->place.layer == out->own)
        return write_new(out, job, error);
    vv_place_out_add(&out->places, &job->place, job->size);
    return VARVE_OK;
}

static varve_status layer_out_put(struct vv_layer_out *out,
    const struct vv_chunk_job *job, varve_error *error)
{
    out->at += job->size;
    return out->line ? vv_pack_line_add(out->line, job, error)
                     : layer_out_write_job(out, job, error);
}

static varve_status begin_packing(struct vv_layer_out *out, varve_error *error)
{
    if (out->level == 0)
        return VARVE_OK;
    out->line =
        vv_pack_line_new(out->context, out->level, layer_out_write_job, out);
    return out->line ? VARVE_OK : vv_fail_memory(error, "compressing values");
}

varve_status vv_layer_out_begin_inside(struct vv_layer_out *out,
    const struct vv_context *context, const char *path, int file, int flags,
    int level, struct vv_index_columns *columns, varve_error *error)
{
    layer_out_begin(out, context, path, level, columns);
    out->is_inside = true;
    vv_place_out_begin(&out->places, columns, true);
    out->own = layer_out_add_layer(out, out->nonce, 0);
    VV_TRY(begin_packing(out, error));
    VV_TRY(vv_data_out_begin(&out->data, context, file, path, 0, error));
    out->data.no_write_back = flags & VV_PUBLISH_NO_SYNC;
    return VARVE_OK;
}

static varve_status layer_out_begin_layer(
    struct vv_layer_out *out, varve_error *error)
{
    if (out->own != VV_NONE)
        return VARVE_OK;
    VV_TRY(vv_layer_choose(
        out->context, out->path, out->nonce, &out->own_path, error));
    const char *path = vv_buffer_string(&out->own_path);
    VV_TRY(vv_publish_begin_in(&out->publication, out->context, out->folder,
        vv_path_name(path), path, out->flags, out->like, error));
    out->own = layer_out_add_layer(out, out->nonce, 0);
    VV_TRY(begin_packing(out, error));
    VV_TRY(vv_data_out_begin(
        &out->data, out->context, out->publication.file, path, 0, error));
    out->data.no_write_back = out->flags & VV_PUBLISH_NO_SYNC;
    return VARVE_OK;
}

varve_status vv_layer_out_new(struct vv_layer_out *out, const void *bytes,
    uint64_t size, unsigned planes, varve_error *error)
{
    VV_TRY(layer_out_begin_layer(out, error));
    const struct vv_chunk_job job = { .bytes = bytes,
        .stays = out->bytes_stay,
        .size = size,
        .planes = planes,
        .place = { .layer = out->own } };
    return layer_out_put(out, &job, error);
}

varve_status vv_layer_out_zeros(
    struct vv_layer_out *out, uint64_t size, varve_error *error)
{
    const struct vv_chunk_job job = { .size = size,
        .place = { .layer = VV_NONE } };
    return size > 0 ? layer_out_put(out, &job, error) : VARVE_OK;
}

/* --- Data of the base ----------------------------------------------------- */

static varve_status layer_out_take_part(struct vv_layer_out *out,
    struct vv_layer_place place, const uint8_t *bytes, uint64_t size,
    unsigned planes, varve_error *error)
{
    const struct vv_index *older = &out->base->file.parsed.index;
    uint32_t layer = place.layer;
    if (layer == VV_NONE || (layer == out->base->dropped && !bytes))
        return vv_layer_out_zeros(out, size, error);
    if (layer == out->base->dropped)
        return vv_layer_out_new(out, bytes, size, planes, error);
    if (out->numbers[layer] == VV_NONE)
        out->numbers[layer] = layer_out_add_layer(out,
            older->layer_nonces + (size_t)layer * VV_NONCE_SIZE,
            vv_at64(older->layer_sizes, layer));
    place.layer = out->numbers[layer];
    return layer_out_put(
        out, &(struct vv_chunk_job){ .size = size, .place = place }, error);
}

varve_status vv_layer_out_old(struct vv_layer_out *out, uint64_t offset,
    const void *bytes, uint64_t size, unsigned planes, varve_error *error)
{
    const struct vv_index *older = &out->base->file.parsed.index;
    const uint8_t *from = bytes;
    for (uint32_t i = vv_place_of(older, offset); size > 0; i++) {
        uint64_t left = vv_place_end(older, i, offset + size) - offset;
        uint64_t part = left < size ? left : size;
        VV_TRY(layer_out_take_part(out, vv_layer_place_at(older, i, offset),
            from, part, planes, error));
        from = from ? from + part : NULL;
        offset += part;
        size -= part;
    }
    return VARVE_OK;
}

/* --- Ending --------------------------------------------------------------- */

varve_status vv_layer_sync(const struct vv_context *context,
    const struct vv_layer *layer, varve_error *error)
{
    const struct vv_system *system = context->system;
    int result = system->sync(system->state, layer->file);
    return result < 0 ? vv_fail_system(
                            error, -result, "sync of a data file", layer->path)
                      : VARVE_OK;
}

/* Syncs layers that are shared with a checkpoint that was saved without a sync,
 * so that they are as durable as the new one. */
static varve_status sync_shared(
    const struct vv_layer_out *out, bool *is_any, varve_error *error)
{
    if (!out->numbers)
        return VARVE_OK;
    const struct vv_layers *shared = vv_data_in_layers(&out->base->file);
    for (uint32_t i = 0; i < shared->count; i++) {
        const struct vv_layer *layer = &shared->all[i];
        if (out->numbers[i] == VV_NONE || !layer->is_unsynced)
            continue;
        VV_TRY(vv_layer_sync(out->context, layer, error));
        *is_any = true;
    }
    return VARVE_OK;
}

static varve_status end_layer(struct vv_layer_out *out, varve_error *error)
{
    uint64_t size = 0;
    VV_TRY(vv_data_out_end_layer(&out->data, out->nonce,
        !(out->flags & VV_PUBLISH_NO_SYNC), &size, error));
    vv_store64(out->columns->layer_sizes.data + 8 * (size_t)out->own, size);
    if (!(out->flags & VV_PUBLISH_NO_SYNC))
        vv_file_start_write_back(out->context, out->publication.file);
    return VARVE_OK;
}

/* Gives the layer its name. This may happen before it is on disk, as no index
 * refers to it yet. A file system with a journal then commits both at once. */
static varve_status place_layer(struct vv_layer_out *out, varve_error *error)
{
    struct vv_publication *p = &out->publication;
    VV_TRY(vv_publish_place(p, p->path, error));
    return vv_publish_close(p, VARVE_OK, error);
}

varve_status vv_layer_out_end(struct vv_layer_out *out, varve_error *error)
{
    if (out->line)
        VV_TRY(vv_pack_line_end(out->line, error));
    if (vv_index_columns_failed(out->columns))
        return vv_fail_memory(error, "the index of a checkpoint");
    if (out->is_inside) {
        vv_store64(out->columns->layer_sizes.data,
            vv_align_up(out->data.offset, VV_ALIGNMENT));
        return VARVE_OK;
    }
    return out->own != VV_NONE ? end_layer(out, error) : VARVE_OK;
}

varve_status vv_layer_out_publish(
    struct vv_layer_out *out, struct vv_publication *index, varve_error *error)
{
    if (out->is_inside)
        return VARVE_OK;
    bool is_new = out->own != VV_NONE;
    if (!(out->flags & VV_PUBLISH_NO_SYNC))
        vv_file_start_write_back(out->context, index->file);
    if (is_new)
        VV_TRY(place_layer(out, error));
    if (out->flags & VV_PUBLISH_NO_SYNC)
        return VARVE_OK;
    VV_TRY(sync_shared(out, &is_new, error));
    VV_TRY(vv_publish_close(index, VARVE_OK, error));
    return is_new ? vv_layer_folder_sync(
                        out->context, out->folder, out->path, error)
                  : VARVE_OK;
}

void vv_layer_out_clear(struct vv_layer_out *out, bool is_named)
{
    const struct vv_index *older =
        out->base ? &out->base->file.parsed.index : NULL;
    if (out->own != VV_NONE && !is_named && !out->is_inside)
        vv_publish_give_up(&out->publication);
    vv_pack_line_free(out->line);
    vv_data_out_clear(&out->data);
    if (out->numbers)
        vv_release(&out->context->allocator, out->numbers,
            older->layer_count * sizeof *out->numbers);
    vv_buffer_clear(&out->own_path);
    vv_file_close(out->context, out->folder);
}
