/* data_files.c - made, filled, ended.
 *
 * SPDX-License-Identifier: MIT
 */
#include "data_files.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "data_out.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "layer_folder.h"
#include "layers_in.h"
#include "name.h"
#include "retry.h"
#include "try.h"

/* A layer on its way. */
struct vv_new_file {
    struct vv_publication publication;
    struct vv_buffer path;
    uint8_t nonce[VV_NONCE_SIZE];
    uint64_t end; /* of the data */
    bool is_made;
};

/* --- Making --------------------------------------------------------------- */

static varve_status make_file(struct vv_data_files *files,
    const struct vv_data_file *data, int flags, varve_error *error)
{
    struct vv_merge *merge = files->merge;
    const struct vv_context *context = &merge->cargo->context;
    struct vv_new_file *file = &files->all[data->layer];
    file->end = data->end;
    vv_buffer_add(&file->path, files->inside.data, files->inside.size);
    VV_TRY(
        vv_layer_choose(context, merge->path, file->nonce, &file->path, error));
    const char *path = vv_buffer_string(&file->path);
    VV_TRY(vv_publish_begin_in(&file->publication, context, files->folder,
        vv_path_name(path), path, flags, error));
    file->is_made = true;
    return VARVE_OK;
}

static int look_for_left(void *user, const char *name)
{
    size_t size = strlen(name);
    bool is_temporary = name[0] == '.' && vv_text_ends_in(name, size, ".tmp");
    *(bool *)user |= is_temporary;
    return is_temporary;
}

/* Who else writes here now has temporary files too: then a collection more. */
static void find_left(struct vv_data_files *files)
{
    vv_directory_each(&files->merge->cargo->context,
        vv_buffer_string(&files->inside), look_for_left, &files->has_left,
        NULL);
}

static varve_status make_files(
    struct vv_data_files *files, int flags, varve_error *error)
{
    struct vv_merge *merge = files->merge;
    const varve_allocator *a = &merge->cargo->context.allocator;
    files->all = vv_allocate_zeroed(a, merge->layer_count * sizeof *files->all);
    if (!files->all)
        return vv_fail_memory(error, "the files of all ranks");
    for (uint32_t i = 0; i < merge->layer_count; i++)
        vv_buffer_init(&files->all[i].path, a);
    VV_TRY(vv_layer_folder_open(&merge->cargo->context, merge->path, flags,
        &files->inside, &files->folder, error));
    find_left(files);
    for (uint32_t i = 0; i < merge->file_count; i++) {
        if (merge->files[i].layer != VV_NONE)
            VV_TRY(make_file(files, &merge->files[i], flags, error));
    }
    return VARVE_OK;
}

/* By rank the number of its layer and the offset of its region; then the name
 * of each layer for now. */
static void add_orders(
    const struct vv_data_files *files, struct vv_buffer *orders)
{
    const struct vv_merge *merge = files->merge;
    for (uint32_t i = 0; i < merge->comm->size; i++) {
        const struct vv_region *region = &merge->regions[i];
        vv_buffer_add32(orders, merge->files[region->file].layer);
        vv_buffer_add64(orders, region->offset);
    }
    for (uint32_t i = 0; i < merge->layer_count; i++)
        vv_buffer_add(orders, files->all[i].publication.temporary.name,
            sizeof files->all[i].publication.temporary.name);
}

varve_status vv_data_files_begin(struct vv_data_files *files,
    struct vv_merge *merge, int flags, struct vv_buffer *orders,
    varve_error *error)
{
    varve_status status = VARVE_OK;
    *files = (struct vv_data_files){ .merge = merge, .folder = -1 };
    vv_buffer_init(&files->inside, &merge->cargo->context.allocator);
    if (merge->layer_count > 0)
        status = make_files(files, flags, error);
    if (!status)
        add_orders(files, orders);
    else
        vv_data_files_clear(files, false);
    return status;
}

/* --- Filling -------------------------------------------------------------- */

enum { REGION_SIZE = 12 };

struct order {
    const char *name; /* of the file */
    uint64_t offset;
};

static struct order order_of(
    const struct vv_buffer *orders, const varve_comm *comm)
{
    const uint8_t *region = orders->data + (size_t)comm->rank * REGION_SIZE;
    const char *names =
        (const char *)orders->data + (size_t)comm->size * REGION_SIZE;
    const size_t room = sizeof((struct vv_temporary *)NULL)->name;
    return (struct order){
        .name = names + vv_load32(region) * room,
        .offset = vv_load64(region + 4),
    };
}

static varve_status add_part(struct vv_data_out *out,
    const struct vv_cargo *cargo, const struct vv_part *part, uint64_t begin,
    struct vv_buffer *scratch, varve_error *error)
{
    struct vv_source source;
    VV_TRY(vv_cargo_source(part->cargo, part->value, scratch, &source, error));
    VV_TRY(
        vv_data_out_add(out, NULL, begin + part->offset - out->offset, error));
    for (uint64_t at = 0, size; at < part->size; at += size) {
        const unsigned char *bytes;
        size = part->size - at;
        size = size < VV_CHUNK_SIZE ? size : VV_CHUNK_SIZE;
        VV_TRY(vv_source_piece(
            &source, part->begin + at, (size_t)size, &bytes, error));
        VV_TRY(vv_data_out_add(out, bytes, size, error));
        if (cargo->options.progress &&
            cargo->options.progress(cargo->options.progress_user,
                out->offset - begin, out->total, ""))
            return vv_fail(error, VARVE_CANCELLED, "%s: cancelled", out->path);
    }
    return VARVE_OK;
}

static varve_status write_parts(struct vv_data_out *out,
    const struct vv_cargo *cargo, const struct vv_share *share, uint64_t begin,
    varve_error *error)
{
    struct vv_buffer scratch;
    size_t count;
    const struct vv_part *parts = vv_parts(share, &count);
    varve_status status = VARVE_OK;
    vv_buffer_init(&scratch, &cargo->context.allocator);
    for (size_t i = 0; i < count && !status; i++) {
        if (parts[i].size > 0)
            status = add_part(out, cargo, &parts[i], begin, &scratch, error);
    }
    vv_buffer_clear(&scratch);
    return status ? status : vv_data_out_flush(out, error);
}

static varve_status write_region(const struct vv_cargo *cargo,
    const struct vv_share *share, int file, const char *path, uint64_t begin,
    varve_error *error)
{
    struct vv_data_out out;
    varve_status status =
        vv_data_out_begin_at(&out, &cargo->context, file, path, begin, error);
    out.total = share->size;
    out.no_write_back = cargo->options.no_sync;
    if (!status)
        status = write_parts(&out, cargo, share, begin, error);
    vv_data_out_clear(&out);
    return status;
}

static varve_status open_file(const struct vv_context *context,
    const char *path, int *file, varve_error *error)
{
    const struct vv_system *system = context->system;
    unsigned tries = 0;
    do
        *file =
            system->open_to_write(system->state, VV_WORKING_DIRECTORY, path);
    while (vv_try_again(*file, &tries));
    if (*file == -ENOENT)
        return vv_fail(error, VARVE_NOT_FOUND,
            "%s: expected the file that rank 0 has made, found none: do all "
            "ranks see the same directory?",
            path);
    return *file < 0
               ? vv_fail_system(error, -*file, "opening it to write", path)
               : VARVE_OK;
}

varve_status vv_data_files_fill(const struct vv_cargo *cargo,
    const struct vv_share *share, const varve_comm *comm, const char *path,
    const struct vv_buffer *orders, varve_error *error)
{
    struct vv_buffer name;
    int file = -1;
    if (share->size == 0)
        return VARVE_OK;
    const struct order order = order_of(orders, comm);
    vv_buffer_init(&name, &cargo->context.allocator);
    vv_layer_folder(&name, path);
    vv_buffer_add8(&name, '/');
    vv_buffer_add_string(&name, order.name);
    const char *where = vv_buffer_string(&name);
    varve_status status = name.failed
                              ? vv_fail_memory(error, "the path of a layer")
                              : open_file(&cargo->context, where, &file, error);
    if (!status) {
        struct vv_publication region = { .context = &cargo->context,
            .path = where,
            .file = file,
            .flags = cargo->options.no_sync ? VV_PUBLISH_NO_SYNC : 0 };
        status = write_region(cargo, share, file, where, order.offset, error);
        status = vv_publish_close(&region, status, error);
    }
    vv_buffer_clear(&name);
    return status;
}

/* --- Ending --------------------------------------------------------------- */

static varve_status end_file(
    struct vv_data_files *files, uint32_t layer, int flags, varve_error *error)
{
    struct vv_new_file *file = &files->all[layer];
    struct vv_index_columns *columns = &files->merge->added;
    const char *path = file->publication.path;
    struct vv_data_out out;
    uint64_t size = 0;
    varve_status status =
        vv_data_out_begin_at(&out, &files->merge->cargo->context,
            file->publication.file, path, file->end, error);
    out.no_write_back = flags & VV_PUBLISH_NO_SYNC;
    if (!status)
        status = vv_data_out_end_layer(
            &out, file->nonce, !(flags & VV_PUBLISH_NO_SYNC), &size, error);
    vv_data_out_clear(&out);
    VV_TRY(vv_publish_close(&file->publication, status, error));
    VV_TRY(vv_publish_place(&file->publication, path, error));
    vv_buffer_add(&columns->layer_nonces, file->nonce, VV_NONCE_SIZE);
    vv_buffer_add64(&columns->layer_sizes, size);
    return VARVE_OK;
}

varve_status vv_data_files_end(
    struct vv_data_files *files, int flags, varve_error *error)
{
    uint32_t count = files->merge->layer_count;
    for (uint32_t i = 0; i < count; i++)
        VV_TRY(end_file(files, i, flags, error));
    if (vv_index_columns_failed(&files->merge->added))
        return vv_fail_memory(error, "the index of all ranks");
    if (count == 0 || flags & VV_PUBLISH_NO_SYNC)
        return VARVE_OK;
    return vv_layer_folder_sync(&files->merge->cargo->context, files->folder,
        files->merge->path, error);
}

void vv_data_files_clear(struct vv_data_files *files, bool are_named)
{
    const struct vv_merge *merge = files->merge;
    for (uint32_t i = 0; files->all && i < merge->layer_count; i++) {
        if (files->all[i].is_made && !are_named)
            vv_publish_give_up(&files->all[i].publication);
        vv_buffer_clear(&files->all[i].path);
    }
    if (files->all)
        vv_release(&merge->cargo->context.allocator, files->all,
            merge->layer_count * sizeof *files->all);
    files->all = NULL;
    vv_buffer_clear(&files->inside);
    vv_file_close(&merge->cargo->context, files->folder);
}
