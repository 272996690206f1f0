/* bundle_files.c - Names the data files by their number and writes them through
 * a buffer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "bundle.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "table_in.h"
#include "try.h"
#include "wire_in.h"

enum { STAGING_SIZE = 256 * 1024 };

static const char suffix[] = ".index";

/* --- Names ---------------------------------------------------------------- */

/* Returns the size of the prefix in a path: the path without `.index`, if it
 * ends in that. */
static size_t prefix_size(const char *path)
{
    size_t size = strlen(path), end = sizeof suffix - 1;
    size_t name_size = strlen(vv_path_name(path));
    if (name_size > end && strcmp(path + size - end, suffix) == 0)
        return size - end;
    return size;
}

/* Returns `size` bytes of `text` followed by `more`, or NULL without memory. */
static char *bundle_files_join(
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
    files->prefix = bundle_files_join(a, path, size, "");
    files->index_path = bundle_files_join(a, path, size, suffix);
    files->staging = vv_allocate(a, STAGING_SIZE);
    if (!files->prefix || !files->index_path || !files->staging)
        return vv_fail_memory(error, "the names of the files to write");
    return VARVE_OK;
}

/* Returns the path of data file `number`. `count` is 0 if the number of files
 * is not known yet. */
static char *shard_path(
    const struct vv_bundle_files *files, size_t number, size_t count)
{
    char more[64];
    if (count)
        snprintf(more, sizeof more, ".data-%05zu-of-%05zu", number, count);
    else
        snprintf(more, sizeof more, ".data-%05zu", number);
    return bundle_files_join(
        &files->context->allocator, files->prefix, strlen(files->prefix), more);
}

static void bundle_files_clear(struct vv_bundle_files *files)
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

/* Returns true if a name has the form `STEM.data-SSSSS-of-NNNNN`. Sets *count
 * to N. */
static bool is_data_of(const char *stem, const char *name, uint64_t *count)
{
    static const char middle[] = ".data-";
    size_t size = strlen(stem);
    if (strncmp(name, stem, size) != 0 ||
        strncmp(name + size, middle, sizeof middle - 1) != 0)
        return false;
    name = vv_behind_shard_number(name + size + sizeof middle - 1, count);
    return name && !*name;
}

static bool bundle_files_is_data(
    const struct vv_file_set *set, const char *name)
{
    uint64_t count;
    return is_data_of(set->stem, name, &count);
}

/* Reads the first entry of an index and stops there. */
static varve_status bundle_files_take_header(void *user,
    const unsigned char *key, size_t key_size, const unsigned char *value,
    size_t value_size, varve_error *error)
{
    uint64_t *count = user;
    struct vv_wire wire = {
        .path = "", .bytes = value, .size = value_size, .error = error
    };
    struct vv_wire_field f;
    (void)key;
    while (key_size == 0 && vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number == VV_HEADER_SHARD_COUNT)
            *count = f.value;
    }
    return VARVE_CANCELLED;
}

static enum vv_named bundle_files_is_named(const struct vv_file_set *set,
    const struct vv_buffer *index, const char *name)
{
    struct vv_table_in table = { set->context, set->index.path, index->data,
        index->size };
    uint64_t said = 0, count = 0;
    varve_error error;
    if (vv_table_each(&table, bundle_files_take_header, &said, &error) ==
        VARVE_NO_MEMORY)
        return VV_NAME_MEMORY;
    if (said == 0)
        return VV_MAY_BE_NAMED;
    bool is_its = is_data_of(set->stem, name, &count) && count == said;
    return is_its ? VV_NAMED : VV_NOT_NAMED;
}

static const struct vv_file_set_names names = { bundle_files_is_data,
    bundle_files_is_named };

/* --- Writing -------------------------------------------------------------- */

varve_status vv_bundle_files_begin(struct vv_bundle_files *files,
    const struct vv_context *context, const char *path, int flags,
    varve_error *error)
{
    *files = (struct vv_bundle_files){ .context = context };
    if (*path && !*vv_path_name(path))
        return vv_fail(error, VARVE_IS_DIRECTORY,
            "%s: the path is a directory: append the prefix of the files",
            path);
    varve_status status = VARVE_NOT_FOUND;
    if (*path)
        status = name_files(files, path, error);
    else
        vv_fail(error, status, "\"\": the prefix of the files is empty");
    if (!status)
        status = vv_file_set_begin(&files->set, context, files->index_path,
            vv_path_name(files->prefix), &names, flags, error);
    if (status)
        bundle_files_clear(files);
    return status;
}

static varve_status bundle_files_flush(
    struct vv_bundle_files *files, varve_error *error)
{
    if (files->staged == 0)
        return VARVE_OK;
    const struct vv_bundle_shard *shard = &files->shards[files->count - 1];
    const struct vv_publication *p = &files->set.files[files->count - 1];
    size_t size = files->staged;
    files->staged = 0;
    return vv_file_write(files->context, p->file, p->path, files->staging, size,
        shard->size - size, error);
}

varve_status vv_bundle_files_shard(
    struct vv_bundle_files *files, varve_error *error)
{
    const varve_allocator *a = &files->context->allocator;
    VV_TRY(bundle_files_flush(files, error));
    if (!vv_grow_array(a, &files->shards, &files->capacity, files->count,
            sizeof *files->shards))
        return vv_fail_memory(error, "another data file");
    struct vv_bundle_shard *shard = &files->shards[files->count];
    *shard = (struct vv_bundle_shard){
        .first_path = shard_path(files, files->count, 0),
    };
    if (!shard->first_path)
        return vv_fail_memory(error, "the name of a data file");
    varve_status status =
        vv_file_set_add(&files->set, shard->first_path, error);
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
        VV_TRY(bundle_files_flush(files, error));
    if (size > STAGING_SIZE) {
        const struct vv_publication *p = &files->set.files[files->count - 1];
        VV_TRY(vv_file_write(
            files->context, p->file, p->path, bytes, size, shard->size, error));
    } else {
        memcpy(files->staging + files->staged, bytes, size);
        files->staged += size;
    }
    shard->size += size;
    return VARVE_OK;
}

/* --- Commit --------------------------------------------------------------- */

struct search {
    const char *stem;
    size_t count;
    bool is_taken;
};

static int look_for_count(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    struct search *search = user;
    uint64_t count;
    search->is_taken =
        is_data_of(search->stem, name, &count) && count == search->count;
    return search->is_taken;
}

size_t vv_bundle_files_count(struct vv_bundle_files *files)
{
    struct search search = { files->set.stem, files->count ? files->count : 1,
        false };
    vv_file_set_each(&files->set, look_for_count, &search);
    while (search.is_taken) {
        search.count++;
        search.is_taken = false;
        vv_file_set_each(&files->set, look_for_count, &search);
    }
    files->named_count = search.count;
    return search.count;
}

static varve_status name_shard(
    struct vv_bundle_files *files, size_t number, varve_error *error)
{
    struct vv_bundle_shard *shard = &files->shards[number];
    shard->path = shard_path(files, number, files->named_count);
    if (!shard->path)
        return vv_fail_memory(error, "the name of a data file");
    return vv_file_set_name(&files->set, number, shard->path, error);
}

static varve_status bundle_files_finish(struct vv_bundle_files *files,
    const struct vv_buffer *index, varve_error *error)
{
    VV_TRY(bundle_files_flush(files, error));
    if (files->named_count == 0)
        vv_bundle_files_count(files);
    while (files->count < files->named_count)
        VV_TRY(vv_bundle_files_shard(files, error));
    VV_TRY(vv_file_set_index(&files->set, index->data, index->size, error));
    for (size_t i = 0; i < files->count; i++)
        VV_TRY(name_shard(files, i, error));
    return VARVE_OK;
}

varve_status vv_bundle_files_end(struct vv_bundle_files *files,
    const struct vv_buffer *index, varve_status status, varve_error *error)
{
    if (!status)
        status = bundle_files_finish(files, index, error);
    status = vv_file_set_end(&files->set, status, error);
    bundle_files_clear(files);
    return status;
}
