/* saver_list.c - Implements the retention of a saver's files.
 *
 * A file to delete is moved from the list to `doomed`, until it is deleted or
 * written again. No other files are deleted.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saver_list.h"

#include <string.h>

#include "allocator.h"
#include "formats.h"
#include "checksum.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "layer_prune.h"
#include "prune.h"
#include "save.h"
#include "saver_find.h"
#include "saver_together.h"
#include "system.h"
#include "try.h"

int64_t vv_saver_now(const varve_saver *saver)
{
    const struct vv_system *system = saver->context.system;
    return system->now(system->state);
}

/* --- One file more, some files less ------------------------------------- */

static void saver_list_forget(
    const varve_allocator *a, struct vv_saver_files *files, const char *path)
{
    uint64_t hash = vv_saver_path_hash(path);
    for (size_t i = files->count; i-- > 0;) {
        if (files->items[i].hash == hash &&
            vv_saver_is_same_path(files->items[i].path, path))
            vv_release_string(a, vv_saver_files_take(files, i).path);
    }
}

varve_status vv_saver_reserve(varve_saver *saver, varve_error *error)
{
    const varve_allocator *a = &saver->context.allocator;
    size_t count = saver->files.count + 1;
    if (!vv_saver_files_reserve(a, &saver->files, count) ||
        !vv_saver_files_reserve(a, &saver->doomed, saver->doomed.count + count))
        return vv_fail_memory(error, "the list of a saver's files");
    return VARVE_OK;
}

void vv_saver_note(varve_saver *saver, char *path, int64_t when)
{
    const varve_allocator *a = &saver->context.allocator;
    saver_list_forget(a, &saver->files, path);
    saver_list_forget(a, &saver->doomed, path);
    saver->files.items[saver->files.count++] = (struct vv_saver_file){
        .path = path, .when = when, .hash = vv_saver_path_hash(path)
    };
}

/* Returns true if a file beyond `keep` is kept permanently. If the clock jumped
 * back, the interval starts again. */
static bool saver_list_stays(
    varve_saver *saver, const struct vv_saver_file *file)
{
    double hours = saver->options.keep_every_hours;
    if (file->when < saver->last_kept)
        saver->last_kept = file->when;
    double passed = (double)file->when - (double)saver->last_kept;
    if (hours == 0 || passed < hours * 3600e9)
        return false;
    saver->last_kept = file->when;
    return true;
}

/* Makes the name of the pin of a file: PREFIX-N.pin for PREFIX-N.varve, or ""
 * if it can have none. */
static bool saver_pin_name(struct vv_buffer *pin, const char *name)
{
    pin->size = 0;
    if (vv_has_our_ending(name)) {
        vv_buffer_add(pin, name, strlen(name) - (sizeof VARVE_SUFFIX - 1));
        vv_buffer_add_string(pin, ".pin");
    }
    vv_buffer_string(pin);
    return !pin->failed;
}

/* The first of a save stays. */
static void saver_warn(varve_saver *saver, const varve_error *error)
{
    if (!saver->warning.status)
        saver->warning = *error;
}

/* Deletes the file from an open directory, and syncs the directory. If the sync
 * fails, *is_gone is true and the deletion is not repeated. */
static varve_status delete_durably(struct vv_deletion *deletion,
    const char *path, bool *is_gone, varve_error *error)
{
    enum vv_deletion_result left = VV_DELETED;
    struct vv_buffer pin;
    const char *name = vv_path_name(path);
    varve_status status;
    vv_buffer_init(&pin, &deletion->context->allocator);
    if (!saver_pin_name(&pin, name))
        status = vv_fail_memory(error, "the name of a pin");
    else
        status = vv_delete_file(deletion, name,
            pin.size ? (const char *)pin.data : NULL, path, &left, error);
    vv_buffer_clear(&pin);
    *is_gone = !status && left == VV_DELETED;
    varve_status ended = vv_deletion_end(deletion, path, status ? NULL : error);
    return status ? status : ended;
}

/* Returns true if the file was deleted or did not exist. A file that is leased
 * or pinned is tried again after the next save, without a warning. */
static bool delete_file(varve_saver *saver, const char *path)
{
    struct vv_deletion deletion = { .context = &saver->context,
        .is_direct = true };
    varve_error error = { 0 };
    bool is_gone = false;
    varve_status status = vv_directory_open_parent(
        &saver->context, path, &deletion.directory, &error);
    if (status == VARVE_NOT_FOUND)
        return true;
    if (!status) {
        status = delete_durably(&deletion, path, &is_gone, &error);
        vv_file_close(&saver->context, deletion.directory);
    }
    if (status)
        saver_warn(saver, &error);
    return is_gone;
}

static void delete_doomed(varve_saver *saver)
{
    const struct vv_context *context = &saver->context;
    const char *newest = varve_saver_latest(saver);
    varve_error error = { 0 };
    for (size_t i = saver->doomed.count; i-- > 0;) {
        if (delete_file(saver, saver->doomed.items[i].path))
            vv_release_string(&context->allocator,
                vv_saver_files_take(&saver->doomed, i).path);
    }
    if (newest && vv_prune_layers(context, newest, &error))
        saver_warn(saver, &error);
}

void vv_saver_retire(varve_saver *saver)
{
    struct vv_saver_files *files = &saver->files;
    size_t keep = saver->options.keep ? saver->options.keep : files->count;
    size_t excess = files->count > keep ? files->count - keep : 0;
    for (size_t i = 0; i < excess; i++) {
        struct vv_saver_file oldest = files->items[i];
        if (saver_list_stays(saver, &oldest) || !vv_saver_leads(saver))
            vv_release_string(&saver->context.allocator, oldest.path);
        else
            saver->doomed.items[saver->doomed.count++] = oldest;
    }
    files->count -= excess;
    if (excess)
        memmove(files->items, files->items + excess,
            files->count * sizeof *files->items);
    if (saver->doomed.count > 0)
        delete_doomed(saver);
}

void vv_saver_clear_list(varve_saver *saver)
{
    vv_saver_files_clear(&saver->context.allocator, &saver->files);
    vv_saver_files_clear(&saver->context.allocator, &saver->doomed);
}

/* --- What the program sees ---------------------------------------------- */

size_t varve_saver_count(const varve_saver *saver)
{
    return saver ? saver->files.count : 0;
}

const char *varve_saver_at(const varve_saver *saver, size_t index)
{
    return index < varve_saver_count(saver) ? saver->files.items[index].path
                                            : NULL;
}

const char *varve_saver_latest(const varve_saver *saver)
{
    return varve_saver_at(saver, varve_saver_count(saver) - 1);
}

const char *varve_saver_warning(const varve_saver *saver)
{
    return saver && saver->warning.status ? saver->warning.message : NULL;
}

static bool saver_list_is_file(const void *file, const void *path)
{
    return vv_saver_is_same_path(
        ((const struct vv_saver_file *)file)->path, path);
}

/* Adds a file to the list, for which there is room, and to the map. If the list
 * has the file already, its earlier place loses its path. */
static varve_status saver_list_add_path(varve_saver *saver,
    struct vv_saver_files *files, struct vv_map *map, const char *path,
    varve_error *error)
{
    const varve_allocator *a = &saver->context.allocator;
    if (!path)
        return vv_fail(error, VARVE_MISUSE, "path is NULL");
    uint64_t hash = vv_saver_path_hash(path);
    struct vv_saver_file *before =
        vv_map_find(map, hash, saver_list_is_file, path);
    if (before) {
        vv_map_remove(map, hash, before);
        vv_release_string(a, before->path);
        before->path = NULL;
    }
    VV_TRY(vv_saver_files_add(
        a, files, (struct vv_saver_file){ .number = 0 }, path, error));
    return vv_map_add(map, hash, &files->items[files->count - 1])
               ? VARVE_OK
               : vv_fail_memory(error, "the list of a saver's files");
}

static varve_status saver_list_add_paths(varve_saver *saver,
    const char *const *paths, size_t count, struct vv_saver_files *files,
    varve_error *error)
{
    const varve_allocator *a = &saver->context.allocator;
    struct vv_map map;
    varve_status status = VARVE_OK;
    if (!vv_saver_files_reserve(a, files, count))
        return vv_fail_memory(error, "the list of a saver's files");
    vv_map_init(&map, a);
    for (size_t i = 0; i < count && !status; i++)
        status = saver_list_add_path(saver, files, &map, paths[i], error);
    vv_map_clear(&map);
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++) {
        if (files->items[i].path)
            files->items[kept++] = files->items[i];
    }
    files->count = kept;
    return status;
}

/* Replaces the list by the files found; `status` is the result of the
 * search. */
static varve_status saver_list_take_list(
    varve_saver *saver, struct vv_saver_files *files, varve_status status)
{
    const varve_allocator *a = &saver->context.allocator;
    if (status) {
        vv_saver_files_clear(a, files);
        return status;
    }
    for (size_t i = 0; i < files->count; i++)
        saver_list_forget(a, &saver->doomed, files->items[i].path);
    vv_saver_files_clear(a, &saver->files);
    saver->files = *files;
    return VARVE_OK;
}

static varve_status list_these(varve_saver *saver, const char *const *paths,
    size_t count, struct vv_saver_files *files, varve_error *error)
{
    VV_TRY(saver_list_add_paths(saver, paths, count, files, error));
    return vv_saver_look(&saver->context, files, error);
}

/* Returns the same status on all ranks if all pass the same paths. */
static uint64_t saver_list_digest_of(const char *const *paths, size_t count)
{
    uint64_t words[2] = { count, 0 };
    for (size_t i = 0; i < count; i++) {
        words[1] = paths[i] ? vv_hash_of(paths[i], strlen(paths[i])) : 0;
        words[0] = vv_hash_of(words, sizeof words);
    }
    return words[0];
}

static varve_status set_list(varve_saver *saver, const char *const *paths,
    size_t count, varve_error *error)
{
    struct vv_saver_files files = { 0 };
    varve_status status = VARVE_OK;
    if (!paths && count)
        status = vv_fail(error, VARVE_MISUSE, "saver or paths is NULL");
    vv_saver_land(saver);
    VV_TRY(vv_saver_compare(saver, status, "the list of a saver",
        paths ? saver_list_digest_of(paths, count) : 0, NULL, error));
    if (vv_saver_leads(saver))
        status = list_these(saver, paths, count, &files, error);
    status = vv_saver_broadcast_list(saver, status, &files, error);
    return saver_list_take_list(saver, &files, status);
}

varve_status varve_saver_set_list(varve_saver *saver, const char *const *paths,
    size_t count, varve_error *error)
{
    varve_error reason = { 0 };
    if (!saver)
        return vv_fail(error, VARVE_MISUSE, "saver or paths is NULL");
    return vv_hand_over(set_list(saver, paths, count, &reason), &reason, error);
}

static varve_status saver_list_scan(varve_saver *saver, const char *prefix,
    struct vv_saver_files *files, varve_error *error)
{
    VV_TRY(vv_saver_scan(&saver->context, prefix, files, error));
    VV_TRY(vv_saver_look(&saver->context, files, error));
    vv_saver_sort(files);
    return VARVE_OK;
}

static varve_status recover(
    varve_saver *saver, const char *prefix, varve_error *error)
{
    struct vv_saver_files files = { 0 };
    varve_status status = VARVE_OK;
    if (!prefix)
        status = vv_fail(error, VARVE_MISUSE, "saver or prefix is NULL");
    vv_saver_land(saver);
    VV_TRY(vv_saver_compare(
        saver, status, prefix, saver_list_digest_of(&prefix, 1), NULL, error));
    if (vv_saver_leads(saver))
        status = saver_list_scan(saver, prefix, &files, error);
    status = vv_saver_broadcast_list(saver, status, &files, error);
    return saver_list_take_list(saver, &files, status);
}

varve_status varve_saver_recover(
    varve_saver *saver, const char *prefix, varve_error *error)
{
    varve_error reason = { 0 };
    if (!saver)
        return vv_fail(error, VARVE_MISUSE, "saver or prefix is NULL");
    return vv_hand_over(recover(saver, prefix, &reason), &reason, error);
}
