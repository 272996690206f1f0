/* layer_prune.c - Deletes the layers (data files) that no checkpoint of a
 * directory refers to.
 *
 * The references are read from every checkpoint; there is no counter and no
 * list of them.
 *
 * A save holds the shared lock of the folder from before it opens its base
 * until its checkpoint is in place. So a process that holds the exclusive lock
 * sees every checkpoint of the directory.
 *
 * Checkpoints of another directory cannot be seen. They refer to layers of this
 * folder if their own folder is a symbolic link to it. A folder that is a link
 * is recognized here. A folder to which a link leads contains the file
 * VV_LAYER_SHARED, which a save through the link creates. In both cases nothing
 * is deleted.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layer_prune.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "buffer.h"
#include "formats.h"
#include "data_in.h"
#include "default_allocator.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "layers_in.h"
#include "layout.h"
#include "save.h"
#include "store.h"
#include "temporary.h"
#include "try.h"

struct pruning {
    const struct vv_context *context;
    const char *path;       /* path of any file in the directory */
    struct vv_buffer names; /* names of files in a directory, each with a NUL */
    struct vv_buffer file;  /* scratch: the path of one of them */
    struct vv_buffer named; /* nonces of the layers that are referred to */
    bool is_trial;          /* only count what would be deleted */
    varve_data_files_pruned result;
};

static int layer_prune_take_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    struct pruning *c = user;
    vv_buffer_add(&c->names, name, strlen(name) + 1);
    return 0;
}

/* --- Layers that are referred to ------------------------------------------ */

static const char *layer_prune_path_of(struct pruning *c, const char *name)
{
    c->file.size = 0;
    vv_buffer_add(&c->file, c->path, (size_t)(vv_path_name(c->path) - c->path));
    vv_buffer_add_string(&c->file, name);
    return vv_buffer_string(&c->file);
}

/* Returns true for files without an index: missing files, directories and
 * devices. */
static bool layer_prune_is_no_file(varve_status status)
{
    return status == VARVE_NOT_FOUND || status == VARVE_IS_DIRECTORY ||
           status == VARVE_NOT_A_CHECKPOINT;
}

/* Sets *may to true if the file begins like a checkpoint, or is not empty and
 * has the name of one. */
static varve_status may_name(
    struct pruning *c, const char *path, bool *may, varve_error *error)
{
    varve_error reason = { 0 };
    unsigned char head[8];
    size_t size = sizeof head;
    varve_status status = vv_file_head(c->context, path, head, &size, &reason);
    *may = !status && (vv_data_in_is_ours(head, size) ||
                          (vv_has_our_ending(path) && size > 0));
    if (!status || layer_prune_is_no_file(status))
        return VARVE_OK;
    if (error)
        *error = reason;
    return status;
}

static varve_status add_layers_of(
    struct pruning *c, const char *path, varve_error *error)
{
    struct vv_opened opened;
    varve_error reason = { 0 };
    bool may;
    VV_TRY(may_name(c, path, &may, error));
    if (!may)
        return VARVE_OK;
    varve_status status =
        vv_data_in_open_index(&opened, c->context, path, &reason);
    if (status == VARVE_NOT_FOUND)
        return VARVE_OK;
    if (status)
        return vv_fail_like(error, &reason,
            "%s; no data files were deleted, because it may use them",
            reason.message);
    const struct vv_index *index = &opened.parsed.index;
    vv_buffer_add(&c->named, index->layer_nonces,
        (size_t)index->layer_count * VV_NONCE_SIZE);
    vv_opened_close(&opened);
    return VARVE_OK;
}

static int layer_prune_compare(const void *a, const void *b)
{
    return memcmp(a, b, VV_NONCE_SIZE);
}

static varve_status layer_prune_find_named(
    struct pruning *c, varve_error *error)
{
    VV_TRY(vv_directory_each(
        c->context, c->path, layer_prune_take_name, c, error));
    for (size_t at = 0; at < c->names.size;) {
        const char *name = (const char *)c->names.data + at;
        const char *path = layer_prune_path_of(c, name);
        at += strlen(name) + 1;
        if (!c->file.failed)
            VV_TRY(add_layers_of(c, path, error));
    }
    if (c->names.failed || c->file.failed || c->named.failed)
        return vv_fail_memory(error, "the data files in use");
    if (c->named.size > 0)
        qsort(c->named.data, c->named.size / VV_NONCE_SIZE, VV_NONCE_SIZE,
            layer_prune_compare);
    return VARVE_OK;
}

/* --- Layers that are not -------------------------------------------------- */

static bool layer_prune_is_named(const struct pruning *c, const uint8_t *nonce)
{
    size_t count = c->named.size / VV_NONCE_SIZE;
    return count > 0 && bsearch(nonce, c->named.data, count, VV_NONCE_SIZE,
                            layer_prune_compare);
}

/* Returns true for the name of a temporary file of a layer, which a killed save
 * has left. */
static bool is_left(const char *name)
{
    char bare[VV_LAYER_NAME_SIZE];
    uint8_t nonce[VV_NONCE_SIZE];
    if (strlen(name) != sizeof bare - 1 + VV_TEMPORARY_OVERHEAD)
        return false;
    memcpy(bare, name + 1, sizeof bare - 1);
    bare[sizeof bare - 1] = '\0';
    return vv_layer_parse_name(bare, nonce) && vv_temporary_is_of(bare, name);
}

/* Returns the size of a layer, or 0 if it is missing. */
static uint64_t layer_size(struct pruning *c, int folder, const char *name)
{
    const struct vv_system *system = c->context->system;
    struct vv_file_info info;
    int file = system->open_file(system->state, folder, name);
    bool is_there = file >= 0 && system->info(system->state, file, &info) == 0;
    vv_file_close(c->context, file);
    return is_there ? info.size : 0;
}

static varve_status remove_layer(
    struct pruning *c, int folder, const char *name, varve_error *error)
{
    uint64_t size = layer_size(c, folder, name);
    if (!c->is_trial)
        VV_TRY(vv_file_remove(c->context, folder, name, name, error));
    c->result.count++;
    c->result.bytes += size;
    return VARVE_OK;
}

static varve_status remove_layers(
    struct pruning *c, int folder, varve_error *error)
{
    const struct vv_system *system = c->context->system;
    varve_status first = VARVE_OK;
    c->names.size = 0;
    int result =
        system->each_name(system->state, folder, layer_prune_take_name, c);
    if (result < 0)
        return vv_fail_system(
            error, -result, "listing its data files", c->path);
    if (c->names.failed)
        return vv_fail_memory(error, "the names of layers");
    for (size_t at = 0; at < c->names.size;) {
        const char *name = (const char *)c->names.data + at;
        uint8_t nonce[VV_NONCE_SIZE];
        varve_status status = VARVE_OK;
        at += strlen(name) + 1;
        if (is_left(name) && !c->is_trial)
            vv_temporary_sweep_one(c->context, folder, name);
        else if (vv_layer_parse_name(name, nonce) &&
                 !layer_prune_is_named(c, nonce))
            status = remove_layer(c, folder, name, first ? NULL : error);
        first = first ? first : status;
    }
    return first;
}

/* Syncs the directory, so that a deleted checkpoint cannot reappear after a
 * crash without its layers. */
static varve_status layer_prune_settle(struct pruning *c, varve_error *error)
{
    const struct vv_system *system = c->context->system;
    int directory;
    VV_TRY(vv_directory_open_parent(c->context, c->path, &directory, error));
    int result = system->sync(system->state, directory);
    vv_file_close(c->context, directory);
    return result < 0 ? vv_fail_system(
                            error, -result, "sync of its directory", c->path)
                      : VARVE_OK;
}

/* --- The folder ----------------------------------------------------------- */

/* Sets the reason in c->result if `path` is a symbolic link to a directory. */
static varve_status layer_prune_refuse_link(
    const struct pruning *c, const char *path, varve_error *error)
{
    const struct vv_system *system = c->context->system;
    int opened =
        system->open_directory(system->state, VV_WORKING_DIRECTORY, path);
    if (opened < 0) /* a file, or a dangling link: there are no layers */
        return VARVE_OK;
    vv_file_close(c->context, opened);
    return vv_fail(error, VARVE_MISUSE,
        "%s: it is a symbolic link; no data files were deleted, because "
        "checkpoints in other directories may use them: replace the link by a "
        "directory",
        path);
}

static varve_status refuse_shared(
    const struct pruning *c, int folder, const char *path, varve_error *error)
{
    const struct vv_system *system = c->context->system;
    int mark = system->open_file(system->state, folder, VV_LAYER_SHARED);
    if (mark == -ENOENT)
        return VARVE_OK;
    if (mark < 0)
        return vv_fail_system(
            error, -mark, "looking for \"" VV_LAYER_SHARED "\"", path);
    vv_file_close(c->context, mark);
    return vv_fail(error, VARVE_MISUSE,
        "%s: it has the file \"" VV_LAYER_SHARED "\"; no data files were "
        "deleted, because checkpoints in other directories may use them: "
        "remove that file when no symbolic link leads to this directory",
        path);
}

/* Opens and locks the folder. Leaves *folder unchanged if there is none, or if
 * it cannot be locked; in the latter case c->result has the reason. */
static varve_status lock_folder(
    struct pruning *c, const char *path, int *folder, varve_error *error)
{
    const struct vv_system *system = c->context->system;
    int opened =
        system->open_real_directory(system->state, VV_WORKING_DIRECTORY, path);
    if (opened == -ENOENT)
        return VARVE_OK;
    if (opened == -ENOTDIR)
        return layer_prune_refuse_link(c, path, error);
    if (opened < 0)
        return vv_fail_system(error, -opened, "opening the directory", path);
    int result = system->lock(system->state, opened);
    c->result.is_busy = result == -EWOULDBLOCK;
    c->result.has_no_locks = result < 0 && !c->result.is_busy;
    if (result == 0)
        *folder = opened;
    else
        vv_file_close(c->context, opened);
    return VARVE_OK;
}

static varve_status open_folder(
    struct pruning *c, int *folder, varve_error *error)
{
    struct vv_buffer path;
    vv_buffer_init(&path, &c->context->allocator);
    vv_layer_folder(&path, c->path);
    const char *text = vv_buffer_string(&path);
    varve_status status = path.failed
                              ? vv_fail_memory(error, "the path of layers")
                              : lock_folder(c, text, folder, error);
    if (!status && *folder >= 0)
        status = refuse_shared(c, *folder, text, error);
    vv_buffer_clear(&path);
    return status;
}

/* --- All ------------------------------------------------------------------ */

static varve_status layer_prune_prune(
    struct pruning *c, int folder, varve_error *error)
{
    VV_TRY(layer_prune_find_named(c, error));
    if (!c->is_trial)
        VV_TRY(layer_prune_settle(c, error));
    return remove_layers(c, folder, error);
}

varve_status vv_prune_layers_with(const struct vv_context *context,
    const char *path, bool is_trial, varve_data_files_pruned *result,
    varve_error *error)
{
    struct pruning c = {
        .context = context, .path = path, .is_trial = is_trial
    };
    int folder = -1;
    vv_buffer_init(&c.names, &context->allocator);
    vv_buffer_init(&c.file, &context->allocator);
    vv_buffer_init(&c.named, &context->allocator);
    varve_status status = open_folder(&c, &folder, error);
    if (!status && folder >= 0)
        status = layer_prune_prune(&c, folder, error);
    vv_file_close(context, folder);
    vv_buffer_clear(&c.named);
    vv_buffer_clear(&c.file);
    vv_buffer_clear(&c.names);
    if (result)
        *result = c.result;
    return status;
}

varve_status vv_prune_layers(
    const struct vv_context *context, const char *path, varve_error *error)
{
    return vv_prune_layers_with(context, path, false, NULL, error);
}

/* Fails if the directory does not exist: its name may be misspelt. */
static varve_status layer_prune_look_for(
    const struct vv_context *context, const char *directory, varve_error *error)
{
    const struct vv_system *system = context->system;
    int opened =
        system->open_directory(system->state, VV_WORKING_DIRECTORY, directory);
    if (opened < 0)
        return vv_fail_system(
            error, -opened, "opening the directory", directory);
    vv_file_close(context, opened);
    return VARVE_OK;
}

varve_status varve_prune_data_files_with(const char *directory, bool dry_run,
    varve_data_files_pruned *result, varve_error *error)
{
    const struct vv_context context = {
        .allocator = vv_allocator_or_default(NULL),
        .system = vv_default_system(),
    };
    struct vv_buffer path;
    if (result)
        *result = (varve_data_files_pruned){ 0 };
    if (!directory)
        return vv_fail(error, VARVE_MISUSE, "directory is NULL");
    VV_TRY(vv_store_refuse_any(directory,
        "has no locks, which are needed to delete data files safely", error));
    VV_TRY(layer_prune_look_for(&context, directory, error));
    vv_buffer_init(&path, &context.allocator);
    vv_buffer_add_string(&path, directory);
    vv_buffer_add_string(&path, "/" VV_LAYER_FOLDER);
    const char *inside = vv_buffer_string(&path);
    varve_status status = path.failed ? vv_fail_memory(error, "a path")
                                      : vv_prune_layers_with(&context, inside,
                                            dry_run, result, error);
    vv_buffer_clear(&path);
    return status;
}

varve_status varve_prune_data_files(const char *directory, varve_error *error)
{
    return varve_prune_data_files_with(directory, false, NULL, error);
}
