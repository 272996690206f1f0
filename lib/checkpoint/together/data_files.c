/* data_files.c - Creates the data files of a collective save, writes them, and
 * completes them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "data_files.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "comm_collectives.h"
#include "data_in.h"
#include "data_out.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "layer_out.h"
#include "layers_in.h"
#include "layout.h"
#include "merge_places.h"
#include "name.h"
#include "retry.h"
#include "save_plan_digests.h"
#include "try.h"

/* --- Verifying reused digests --------------------------------------------- */

/* Verifies data of this rank that was assumed to be unchanged but must be
 * written. */

static struct vv_known_chunk recalled_of(const struct vv_share_chunk *c)
{
    const uint8_t *digests = c->part->save_plan->columns.index.digests.data;
    return (struct vv_known_chunk){ .value = c->part->value,
        .chunk = (c->part->begin + c->begin) / VV_CHUNK_SIZE,
        .number = (uint64_t)(c->digest - digests) / VV_DIGEST_SIZE };
}

static varve_status verify_recalled_chunk(const struct vv_share_chunk *c,
    const struct vv_known_chunk *recalled, struct vv_buffer *scratch,
    varve_error *error)
{
    struct vv_source source;
    const unsigned char *bytes;
    const struct vv_part *part = c->part;
    VV_TRY(vv_save_plan_source(
        part->save_plan, part->value, scratch, &source, error));
    VV_TRY(vv_source_piece(
        &source, part->begin + c->begin, c->size, &bytes, error));
    return vv_recall_check(part->save_plan, recalled, bytes, c->size, error);
}

/* Reads the chunks whose bit is set and whose digests were reused
 * (save_plan_digests.h), and compares the digests. So data is never written
 * under the digest of other data. Returns VARVE_MISUSE, with the path of the
 * value, if a digest differs. */
static varve_status data_files_verify_recalled(
    const struct vv_share *share, const uint8_t *bits, varve_error *error)
{
    struct vv_buffer scratch;
    struct vv_share_chunk chunk;
    struct vv_share_walk walk = vv_share_begin(share);
    varve_status status = VARVE_OK;
    vv_buffer_init(&scratch, share->parts.allocator);
    for (size_t i = 0; !status && vv_share_next(&walk, &chunk); i++) {
        const struct vv_known_chunk recalled = recalled_of(&chunk);
        if (vv_is_ordered(bits, i) &&
            vv_is_recalled(chunk.part->save_plan, &recalled))
            status = verify_recalled_chunk(&chunk, &recalled, &scratch, error);
    }
    vv_buffer_clear(&scratch);
    return status;
}

/* A layer that is being written. */
struct vv_new_file {
    struct vv_publication publication;
    struct vv_buffer path;
    uint8_t nonce[VV_NONCE_SIZE];
    bool is_made;
};

enum { REGION_SIZE = 12 }; /* bytes for each rank in `orders` */

/* --- Creating files ------------------------------------------------------- */

static varve_status make_file(
    struct vv_data_files *files, uint32_t number, int flags, varve_error *error)
{
    struct vv_merge *merge = files->merge;
    const struct vv_context *context = &merge->save_plan->context;
    struct vv_new_file *file = &files->all[number];
    vv_buffer_add(&file->path, files->inside.data, files->inside.size);
    VV_TRY(
        vv_layer_choose(context, merge->path, file->nonce, &file->path, error));
    const char *path = vv_buffer_string(&file->path);
    VV_TRY(vv_publish_begin_in(&file->publication, context, files->folder,
        vv_path_name(path), path, flags, files->like, error));
    file->is_made = true;
    return VARVE_OK;
}

static int look_for_left(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    size_t size = strlen(name);
    bool is_temporary = name[0] == '.' && vv_text_ends_in(name, size, ".tmp");
    *(bool *)user |= is_temporary;
    return is_temporary;
}

/* Sets has_left if there are temporary files. They may belong to other
 * processes that are saving now; then pruning is attempted needlessly. */
static void find_left(struct vv_data_files *files)
{
    vv_directory_each(&files->merge->save_plan->context,
        vv_buffer_string(&files->inside), look_for_left, &files->has_left,
        NULL);
}

static varve_status data_files_make_files(
    struct vv_data_files *files, int flags, varve_error *error)
{
    struct vv_merge *merge = files->merge;
    const varve_allocator *a = &merge->save_plan->context.allocator;
    files->all = vv_allocate_zeroed(a, merge->file_count * sizeof *files->all);
    if (!files->all)
        return vv_fail_memory(error, "the files of all ranks");
    for (uint32_t i = 0; i < merge->file_count; i++)
        vv_buffer_init(&files->all[i].path, a);
    for (uint32_t i = 0; i < merge->file_count; i++) {
        if (merge->files[i].is_needed)
            VV_TRY(make_file(files, i, flags, error));
    }
    return VARVE_OK;
}

/* Locks the folder before anything is read in it. */
static varve_status data_files_make_all(struct vv_data_files *files, int flags,
    struct vv_buffer *bits, varve_error *error)
{
    struct vv_merge *merge = files->merge;
    VV_TRY(vv_layer_folder_open(&merge->save_plan->context, merge->path, flags,
        &files->inside, &files->folder, error));
    find_left(files);
    if (merge->save_plan->options.incremental)
        VV_TRY(vv_layer_match_make(&files->match, merge, error));
    if (merge->firsts)
        vv_merge_order_chunks(merge, bits);
    return data_files_make_files(files, flags, error);
}

/* Appends the orders: for each rank, the number of its file and the offset of
 * its region, or the offset of its bits in the orders; then the temporary name
 * of each file, and the bits. */
static void add_orders(const struct vv_data_files *files,
    const struct vv_buffer *bits, struct vv_buffer *orders)
{
    const struct vv_merge *merge = files->merge;
    static const struct vv_temporary none;
    size_t begin = (size_t)merge->comm->size * REGION_SIZE +
                   (size_t)merge->file_count * sizeof none.name;
    for (uint32_t i = 0; i < merge->comm->size; i++) {
        const struct vv_region *region = &merge->regions[i];
        vv_buffer_add32(orders, region->file);
        vv_buffer_add64(orders, region->offset + (merge->firsts ? begin : 0));
    }
    for (uint32_t i = 0; i < merge->file_count; i++)
        vv_buffer_add(orders,
            files->all ? files->all[i].publication.temporary.name : none.name,
            sizeof none.name);
    if (bits->size > 0)
        vv_buffer_add(orders, bits->data, bits->size);
    orders->failed |= bits->failed;
}

varve_status vv_data_files_begin(struct vv_data_files *files,
    struct vv_merge *merge, int flags, const struct vv_access *like,
    struct vv_buffer *orders, varve_error *error)
{
    struct vv_buffer bits;
    varve_status status = VARVE_OK;
    bool has_data = merge->firsts ? merge->firsts[merge->comm->size] > 0
                                  : merge->layer_count > 0;
    *files =
        (struct vv_data_files){ .merge = merge, .folder = -1, .like = like };
    vv_buffer_init(&files->inside, &merge->save_plan->context.allocator);
    vv_buffer_init(&bits, &merge->save_plan->context.allocator);
    if (has_data)
        status = data_files_make_all(files, flags, &bits, error);
    if (!status)
        add_orders(files, &bits, orders);
    else
        vv_data_files_clear(files, false);
    vv_buffer_clear(&bits);
    return status;
}

/* --- Writing data --------------------------------------------------------- */

struct order {
    const char *name; /* name of the file */
    uint64_t offset;
};

static struct order data_files_order_of(const struct vv_filling *f)
{
    const uint8_t *region =
        f->orders->data + (size_t)f->comm->rank * REGION_SIZE;
    const char *names =
        (const char *)f->orders->data + (size_t)f->comm->size * REGION_SIZE;
    const size_t room = sizeof((struct vv_temporary *)NULL)->name;
    return (struct order){
        .name = names + vv_load32(region) * room,
        .offset = vv_load64(region + 4),
    };
}

static varve_status data_files_add_part(struct vv_data_out *out,
    const struct vv_save_plan *save_plan, const struct vv_part *part,
    uint64_t begin, struct vv_buffer *scratch, varve_error *error)
{
    struct vv_source source;
    VV_TRY(vv_save_plan_source(
        part->save_plan, part->value, scratch, &source, error));
    VV_TRY(
        vv_data_out_add(out, NULL, begin + part->offset - out->offset, error));
    for (uint64_t at = 0, size; at < part->size; at += size) {
        const unsigned char *bytes;
        size = part->size - at;
        size = size < VV_CHUNK_SIZE ? size : VV_CHUNK_SIZE;
        VV_TRY(vv_source_piece(
            &source, part->begin + at, (size_t)size, &bytes, error));
        VV_TRY(vv_data_out_add(out, bytes, size, error));
        if (save_plan->options.progress &&
            save_plan->options.progress(save_plan->options.progress_user,
                out->offset - begin, out->total, ""))
            return vv_fail(error, VARVE_CANCELLED, "%s: cancelled", out->path);
    }
    return VARVE_OK;
}

static varve_status write_parts(struct vv_data_out *out,
    const struct vv_save_plan *save_plan, const struct vv_share *share,
    uint64_t begin, varve_error *error)
{
    struct vv_buffer scratch;
    size_t count;
    const struct vv_part *parts = vv_parts(share, &count);
    varve_status status = VARVE_OK;
    vv_buffer_init(&scratch, &save_plan->context.allocator);
    for (size_t i = 0; i < count && !status; i++) {
        if (parts[i].size > 0)
            status = data_files_add_part(
                out, save_plan, &parts[i], begin, &scratch, error);
    }
    vv_buffer_clear(&scratch);
    return status ? status : vv_data_out_flush(out, error);
}

static varve_status write_region(const struct vv_save_plan *save_plan,
    const struct vv_share *share, int file, const char *path, uint64_t begin,
    varve_error *error)
{
    struct vv_data_out out;
    varve_status status = vv_data_out_begin_at(
        &out, &save_plan->context, file, path, begin, error);
    out.total = share->size;
    out.no_write_back = save_plan->options.no_sync;
    if (!status)
        status = write_parts(&out, save_plan, share, begin, error);
    vv_data_out_clear(&out);
    return status;
}

static varve_status open_path(const struct vv_context *context,
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
            "%s: this rank does not see the file that rank 0 created: do all "
            "ranks share this directory?",
            path);
    return *file < 0
               ? vv_fail_system(error, -*file, "opening it to write", path)
               : VARVE_OK;
}

/* Opens the file of this rank, and sets `name` to its path. */
static varve_status data_files_open_file(const struct vv_filling *f,
    struct vv_buffer *name, int *file, varve_error *error)
{
    vv_layer_folder(name, f->path);
    vv_buffer_add8(name, '/');
    vv_buffer_add_string(name, data_files_order_of(f).name);
    const char *where = vv_buffer_string(name);
    return name->failed ? vv_fail_memory(error, "the path of a layer")
                        : open_path(&f->save_plan->context, where, file, error);
}

static varve_status data_files_close_file(const struct vv_filling *f,
    const char *path, int file, varve_status status, varve_error *error)
{
    struct vv_publication region = { .context = &f->save_plan->context,
        .path = path,
        .file = file,
        .flags = f->save_plan->options.no_sync ? VV_PUBLISH_NO_SYNC : 0 };
    return vv_publish_close(&region, status, error);
}

static varve_status fill_region(
    const struct vv_filling *f, struct vv_buffer *name, varve_error *error)
{
    int file = -1;
    if (f->share->size == 0)
        return VARVE_OK;
    VV_TRY(data_files_open_file(f, name, &file, error));
    const char *path = vv_buffer_string(name);
    varve_status status = write_region(f->save_plan, f->share, file, path,
        data_files_order_of(f).offset, error);
    return data_files_close_file(f, path, file, status, error);
}

static bool has_orders(const struct vv_filling *f, const uint8_t *bits)
{
    struct vv_share_chunk chunk;
    struct vv_share_walk walk = vv_share_begin(f->share);
    for (size_t i = 0; vv_share_next(&walk, &chunk); i++)
        if (vv_is_ordered(bits, i))
            return true;
    return false;
}

static varve_status data_files_write_chunks(const struct vv_filling *f,
    struct vv_chunks_out *out, struct vv_buffer *name, varve_error *error)
{
    varve_status status =
        data_files_verify_recalled(f->share, out->bits, error);
    if (!status && has_orders(f, out->bits))
        status = data_files_open_file(f, name, &out->file, error);
    out->path = vv_buffer_string(name);
    status = vv_chunks_write(out, status, error);
    return out->file < 0
               ? status
               : data_files_close_file(f, out->path, out->file, status, error);
}

static varve_status gather_locations(const struct vv_filling *f,
    const struct vv_buffer *locations, varve_status status, varve_error *error)
{
    struct vv_gathered all;
    VV_TRY(vv_comm_gatherv(f->comm, status, locations, &all, error));
    if (f->comm->rank == 0)
        vv_merge_take_written(f->merge, &all);
    vv_gathered_clear(&all);
    return VARVE_OK;
}

/* Writes the chunks of this rank, and sends their locations to rank 0. */
static varve_status fill_chunks(
    const struct vv_filling *f, struct vv_buffer *name, varve_error *error)
{
    struct vv_buffer locations;
    struct vv_chunks_out out = { .save_plan = f->save_plan,
        .share = f->share,
        .comm = f->comm,
        .merge = f->merge,
        .file = -1,
        .bits = f->orders->data + data_files_order_of(f).offset,
        .locations = &locations };
    vv_buffer_init(&locations, &f->save_plan->context.allocator);
    varve_status status = data_files_write_chunks(f, &out, name, error);
    if (!out.is_agreed)
        status = gather_locations(f, &locations, status, error);
    vv_buffer_clear(&locations);
    return status;
}

varve_status vv_data_files_fill(const struct vv_filling *f, varve_error *error)
{
    struct vv_buffer name;
    vv_buffer_init(&name, &f->save_plan->context.allocator);
    varve_status status =
        vv_writes_by_chunks(f->save_plan)
            ? fill_chunks(f, &name, error)
            : vv_agree(f->comm, fill_region(f, &name, error), error);
    vv_buffer_clear(&name);
    return status;
}

/* --- Completing files ----------------------------------------------------- */

static varve_status data_files_end_file(
    struct vv_data_files *files, uint32_t number, int flags, varve_error *error)
{
    struct vv_new_file *file = &files->all[number];
    struct vv_index_columns *columns = &files->merge->added;
    const char *path = file->publication.path;
    struct vv_data_out out;
    uint64_t size = 0;
    varve_status status = vv_data_out_begin_at(&out,
        &files->merge->save_plan->context, file->publication.file, path,
        files->merge->files[number].end, error);
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

/* Adds a layer of the base to the index. */
static varve_status add_older(
    struct vv_data_files *files, uint32_t number, int flags, varve_error *error)
{
    const struct vv_opened *base = &files->match.base.file;
    const struct vv_index *index = &base->parsed.index;
    const struct vv_layer *layer = &vv_data_in_layers(base)->all[number];
    struct vv_index_columns *columns = &files->merge->added;
    vv_buffer_add(&columns->layer_nonces,
        index->layer_nonces + (size_t)number * VV_NONCE_SIZE, VV_NONCE_SIZE);
    vv_buffer_add64(&columns->layer_sizes, vv_at64(index->layer_sizes, number));
    return layer->is_unsynced && !(flags & VV_PUBLISH_NO_SYNC)
               ? vv_layer_sync(&files->merge->save_plan->context, layer, error)
               : VARVE_OK;
}

static varve_status end_layers(
    struct vv_data_files *files, int flags, varve_error *error)
{
    const struct vv_merge *merge = files->merge;
    for (uint32_t i = 0; i < merge->layer_count; i++) {
        const struct vv_merged_layer *layer = &merge->layers[i];
        if (layer->file != VV_NONE)
            VV_TRY(data_files_end_file(files, layer->file, flags, error));
        else
            VV_TRY(add_older(files, layer->older, flags, error));
    }
    return vv_index_columns_failed(&merge->added)
               ? vv_fail_memory(error, "the index of all ranks")
               : VARVE_OK;
}

varve_status vv_data_files_end(
    struct vv_data_files *files, int flags, varve_error *error)
{
    struct vv_merge *merge = files->merge;
    if (merge->firsts)
        VV_TRY(vv_merge_places(merge, &files->match.base, error));
    VV_TRY(end_layers(files, flags, error));
    if (merge->layer_count == 0 || flags & VV_PUBLISH_NO_SYNC)
        return VARVE_OK;
    return vv_layer_folder_sync(
        &merge->save_plan->context, files->folder, merge->path, error);
}

void vv_data_files_clear(struct vv_data_files *files, bool are_named)
{
    const struct vv_merge *merge = files->merge;
    for (uint32_t i = 0; files->all && i < merge->file_count; i++) {
        if (files->all[i].is_made && !are_named)
            vv_publish_give_up(&files->all[i].publication);
        vv_buffer_clear(&files->all[i].path);
    }
    if (files->all)
        vv_release(&merge->save_plan->context.allocator, files->all,
            merge->file_count * sizeof *files->all);
    files->all = NULL;
    vv_layer_match_end(&files->match, merge);
    vv_buffer_clear(&files->inside);
    vv_file_close(&merge->save_plan->context, files->folder);
}
