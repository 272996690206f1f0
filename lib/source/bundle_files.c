/* bundle_files.c - data files and an index, all written aside, then named in
 * the order that never shows an index beside data that is not its own.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "try.h"

enum { STAGING_SIZE = 256 * 1024 };

static const char suffix[] = ".index";

/* --- Names ---------------------------------------------------------------- */

/* Of the prefix in a path; the whole, unless it is that of an index. */
static size_t prefix_size(const char *path)
{
    size_t size = strlen(path), end = sizeof suffix - 1;
    size_t name_size = strlen(vv_path_name(path));
    if (name_size > end && strcmp(path + size - end, suffix) == 0)
        return size - end;
    return size;
}

/* `size` bytes of `text` and then `more`; NULL without memory. */
static char *join(
    const varve_allocator *a, const char *text, size_t size, const char *more)
{
    size_t more_size = strlen(more);
    char *joined = vv_allocate(a, size + more_size + 1);
    if (joined) {
        memcpy(joined, text, size);
        memcpy(joined + size, more, more_size + 1);
    }
    return joined;
}

static varve_status name_files(
    struct vv_bundle_files *files, const char *path, varve_error *error)
{
    const varve_allocator *a = &files->context->allocator;
    size_t size = prefix_size(path);
    files->prefix = join(a, path, size, "");
    files->index_path = join(a, path, size, suffix);
    files->staging = vv_allocate(a, STAGING_SIZE);
    if (!files->prefix || !files->index_path || !files->staging)
        return vv_fail_memory(error, "the names of the files to write");
    return VARVE_OK;
}

/* Data file `number`; `count` 0: of a number not known yet. */
static char *shard_path(
    const struct vv_bundle_files *files, size_t number, size_t count)
{
    char more[64];
    if (count)
        snprintf(more, sizeof more, ".data-%05zu-of-%05zu", number, count);
    else
        snprintf(more, sizeof more, ".data-%05zu", number);
    return join(&files->context->allocator, files->prefix,
        strlen(files->prefix), more);
}

static void clear(struct vv_bundle_files *files)
{
    const varve_allocator *a = &files->context->allocator;
    for (size_t i = 0; i < files->count; i++) {
        vv_release_string(a, files->shards[i].first_path);
        vv_release_string(a, files->shards[i].path);
    }
    vv_release(a, files->shards, files->capacity * sizeof *files->shards);
    vv_release_string(a, files->prefix);
    vv_release_string(a, files->index_path);
    vv_release(a, files->staging, STAGING_SIZE);
}

/* --- Writing -------------------------------------------------------------- */

varve_status vv_bundle_files_begin(struct vv_bundle_files *files,
    const struct vv_context *context, const char *path, int flags,
    varve_error *error)
{
    *files = (struct vv_bundle_files){ .context = context, .flags = flags };
    if (*path && !*vv_path_name(path))
        return vv_fail(error, VARVE_IS_DIRECTORY,
            "%s: expected the prefix of files, found the path of a directory",
            path);
    varve_status status = VARVE_NOT_FOUND;
    if (*path)
        status = name_files(files, path, error);
    else
        vv_fail(error, status,
            "\"\": expected the prefix of files, found nothing");
    if (!status)
        status = vv_publish_begin(
            &files->index, context, files->index_path, flags, error);
    if (status)
        clear(files);
    return status;
}

static varve_status flush(struct vv_bundle_files *files, varve_error *error)
{
    if (files->staged == 0)
        return VARVE_OK;
    const struct vv_bundle_shard *shard = &files->shards[files->count - 1];
    const struct vv_publication *p = &shard->publication;
    size_t size = files->staged;
    files->staged = 0;
    return vv_file_write(files->context, p->file, p->path, files->staging, size,
        shard->size - size, error);
}

varve_status vv_bundle_files_shard(
    struct vv_bundle_files *files, varve_error *error)
{
    const varve_allocator *a = &files->context->allocator;
    VV_TRY(flush(files, error));
    if (!vv_grow_array(a, &files->shards, &files->capacity, files->count,
            sizeof *files->shards))
        return vv_fail_memory(error, "another data file");
    struct vv_bundle_shard *shard = &files->shards[files->count];
    *shard = (struct vv_bundle_shard){
        .first_path = shard_path(files, files->count, 0),
    };
    if (!shard->first_path)
        return vv_fail_memory(error, "the name of a data file");
    varve_status status = vv_publish_begin(&shard->publication, files->context,
        shard->first_path, files->flags & VV_PUBLISH_NO_SYNC, error);
    if (status)
        vv_release_string(a, shard->first_path);
    else
        files->count++;
    return status;
}

varve_status vv_bundle_files_write(struct vv_bundle_files *files,
    const void *bytes, size_t size, varve_error *error)
{
    struct vv_bundle_shard *shard = &files->shards[files->count - 1];
    if (size == 0)
        return VARVE_OK;
    if (size > STAGING_SIZE - files->staged)
        VV_TRY(flush(files, error));
    if (size > STAGING_SIZE) {
        const struct vv_publication *p = &shard->publication;
        VV_TRY(vv_file_write(files->context, p->file, p->path, bytes, size,
            shard->size, error));
    } else {
        memcpy(files->staging + files->staged, bytes, size);
        files->staged += size;
    }
    shard->size += size;
    return VARVE_OK;
}

/* --- Commit --------------------------------------------------------------- */

/* The names that the data files will have, now that their number is known. */
static varve_status name_shards(
    struct vv_bundle_files *files, varve_error *error)
{
    for (size_t i = 0; i < files->count; i++) {
        struct vv_bundle_shard *shard = &files->shards[i];
        shard->path = shard_path(files, i, files->count);
        if (!shard->path)
            return vv_fail_memory(error, "the name of a data file");
        shard->publication.path = shard->path;
        shard->publication.name = vv_path_name(shard->path);
    }
    return VARVE_OK;
}

static varve_status sync_at(const struct vv_bundle_files *files, int descriptor,
    const char *what, const char *path, varve_error *error)
{
    const struct vv_system *system = files->context->system;
    if (files->flags & VV_PUBLISH_NO_SYNC)
        return VARVE_OK;
    int result = system->sync(system->state, descriptor);
    return result < 0 ? vv_fail_system(error, -result, what, path) : VARVE_OK;
}

/* What may fail for want of room fails here, before anything is undone. */
static varve_status sync_all(struct vv_bundle_files *files, varve_error *error)
{
    for (size_t i = 0; i < files->count; i++) {
        const struct vv_publication *p = &files->shards[i].publication;
        VV_TRY(sync_at(files, p->file, "sync", p->path, error));
    }
    return sync_at(files, files->index.file, "sync", files->index_path, error);
}

static varve_status remove_index(
    struct vv_bundle_files *files, varve_error *error)
{
    const struct vv_publication *p = &files->index;
    if (files->flags & VV_PUBLISH_NO_REPLACE)
        return VARVE_OK; /* there was none */
    VV_TRY(vv_file_remove(
        files->context, p->directory, p->name, p->path, error));
    return sync_at(files, p->directory,
        "the older one is removed, but sync of its directory", p->path, error);
}

static varve_status prepare(struct vv_bundle_files *files,
    const struct vv_buffer *index, varve_error *error)
{
    VV_TRY(flush(files, error));
    VV_TRY(vv_file_write(files->context, files->index.file, files->index_path,
        index->data, index->size, 0, error));
    VV_TRY(name_shards(files, error));
    VV_TRY(sync_all(files, error));
    return remove_index(files, error);
}

/* A data file whose name may not be on disk is no part of anything yet, so that
 * the outcome is known: there is no checkpoint. */
static varve_status end_shard(
    struct vv_bundle_shard *shard, varve_status status, varve_error *error)
{
    varve_status ended = vv_publish_end(&shard->publication, status, error);
    if (status || ended != VARVE_UNKNOWN_OUTCOME)
        return ended;
    if (error)
        error->status = VARVE_IO;
    return VARVE_IO;
}

varve_status vv_bundle_files_end(struct vv_bundle_files *files,
    const struct vv_buffer *index, varve_status status, varve_error *error)
{
    if (!status)
        status = prepare(files, index, error);
    for (size_t i = 0; i < files->count; i++)
        status = end_shard(&files->shards[i], status, error);
    status = vv_publish_end(&files->index, status, error);
    clear(files);
    return status;
}
