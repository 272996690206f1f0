/* file_set.c - Publishes a checkpoint of several files: gives the data files
 * their names, replaces the index, then removes the older data files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "file_set.h"

#include <errno.h>
#include <string.h>

#include "allocator.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "store.h"
#include "try.h"

/* Limit on the size of an older index that is read to find its data files. */
enum { MOST_INDEX = 1 << 30 };

/* --- Reading an index ----------------------------------------------------- */

/* Returns false if the file does not exist or cannot be read. */
static bool file_set_load(const struct vv_file_set *set, int directory,
    const char *name, struct vv_buffer *to)
{
    const struct vv_system *system = set->context->system;
    struct vv_file_info info;
    bool is_read = false;
    int file = system->open_file(system->state, directory, name);
    if (file < 0)
        return false;
    if (system->info(system->state, file, &info) == 0 &&
        info.kind == VV_REGULAR_FILE && info.size <= MOST_INDEX) {
        size_t size = (size_t)info.size;
        to->size = 0;
        void *bytes = vv_buffer_extend(to, size);
        is_read = bytes &&
                  !vv_file_read(set->context, file, name, bytes, size, 0, NULL);
    }
    vv_file_close(set->context, file);
    return is_read;
}

/* --- Removing data files -------------------------------------------------- */

/* Lists of names in a directory; each name ends with NUL. */
struct listing {
    const struct vv_file_set *set;
    struct vv_buffer data;
    struct vv_buffer asides; /* temporary files of the index */
    struct vv_buffer gone;   /* data files to remove */
};

static int list_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    struct listing *l = user;
    if (vv_temporary_is_of(vv_path_name(l->set->index.path), name))
        vv_buffer_add(&l->asides, name, strlen(name) + 1);
    else if (l->set->names->is_data(l->set, name))
        vv_buffer_add(&l->data, name, strlen(name) + 1);
    return 0;
}

static varve_status fail_names(varve_error *error)
{
    return vv_fail_memory(error, "the names of data files");
}

/* Lists the names in the directory. The lists are empty if it cannot be
 * listed. */
static varve_status file_set_list(struct listing *l,
    const struct vv_file_set *set, int directory, varve_error *error)
{
    const struct vv_system *system = set->context->system;
    *l = (struct listing){ .set = set };
    vv_buffer_init(&l->data, &set->context->allocator);
    vv_buffer_init(&l->asides, &set->context->allocator);
    vv_buffer_init(&l->gone, &set->context->allocator);
    int result = system->each_name(system->state, directory, list_name, l);
    if (l->data.failed || l->asides.failed)
        return fail_names(error);
    if (result < 0)
        l->data.size = l->asides.size = 0;
    return VARVE_OK;
}

static void end_list(struct listing *l)
{
    vv_buffer_clear(&l->data);
    vv_buffer_clear(&l->asides);
    vv_buffer_clear(&l->gone);
}

/* Returns the name after `name` in a list, or the first if `name` is NULL.
 * Returns NULL after the last. */
static const char *file_set_next(
    const struct vv_buffer *names, const char *name)
{
    size_t at = 0;
    if (name)
        at = (size_t)(name - (const char *)names->data) + strlen(name) + 1;
    return at < names->size ? (const char *)names->data + at : NULL;
}

/* Adds the data files that the index `older` contains and the index `kept`
 * certainly does not. `kept` can be NULL. */
static varve_status add_gone(struct listing *l, const struct vv_buffer *older,
    const struct vv_buffer *kept, varve_error *error)
{
    const struct vv_file_set *set = l->set;
    const char *name = NULL;
    while ((name = file_set_next(&l->data, name))) {
        enum vv_named was = set->names->is_named(set, older, name);
        enum vv_named is =
            kept ? set->names->is_named(set, kept, name) : VV_NOT_NAMED;
        if (was == VV_NAMED && is == VV_NOT_NAMED)
            vv_buffer_add(&l->gone, name, strlen(name) + 1);
        if (was == VV_NAME_MEMORY || is == VV_NAME_MEMORY || l->gone.failed)
            return fail_names(error);
    }
    return VARVE_OK;
}

static void remove_gone(const struct listing *l, int directory)
{
    const char *name = NULL;
    while ((name = file_set_next(&l->gone, name)))
        vv_file_remove(l->set->context, directory, name, name, NULL);
}

/* Returns true if a process is, or may be, writing one of the temporary
 * files. */
static bool file_set_is_busy(const struct listing *l, int directory)
{
    const struct vv_context *context = l->set->context;
    const struct vv_system *system = context->system;
    const char *name = NULL;
    bool is_free = true;
    while (is_free && (name = file_set_next(&l->asides, name))) {
        int file = system->open_file(system->state, directory, name);
        is_free = file == -ENOENT ||
                  (file >= 0 && system->lock(system->state, file) == 0);
        vv_file_close(context, file);
    }
    return !is_free;
}

static bool file_set_is_missing(
    const struct vv_file_set *set, int directory, const char *name)
{
    const struct vv_system *system = set->context->system;
    int file = system->open_file(system->state, directory, name);
    vv_file_close(set->context, file);
    return file == -ENOENT;
}

/* Each temporary index belongs to a save that did not complete: adds its data
 * files to those to remove, unless the index in place contains them. Removes
 * nothing if the index in place cannot be read. */
static varve_status sweep_data(
    struct listing *l, int directory, varve_error *error)
{
    const struct vv_file_set *set = l->set;
    const char *index = vv_path_name(set->index.path), *name = NULL;
    struct vv_buffer older, kept;
    varve_status status = VARVE_OK;
    vv_buffer_init(&older, &set->context->allocator);
    vv_buffer_init(&kept, &set->context->allocator);
    bool is_there = file_set_load(set, directory, index, &kept);
    if (is_there || file_set_is_missing(set, directory, index)) {
        while (!status && (name = file_set_next(&l->asides, name))) {
            if (file_set_load(set, directory, name, &older))
                status = add_gone(l, &older, is_there ? &kept : NULL, error);
        }
    }
    if (older.failed || kept.failed)
        status = fail_names(error);
    if (!status)
        remove_gone(l, directory);
    vv_buffer_clear(&older);
    vv_buffer_clear(&kept);
    return status;
}

/* Removes the data files of incomplete saves, then the temporary files. If
 * memory runs out, the temporary files stay, because they are the only record
 * of the data files. Done before a save because the save may need the space. */
static varve_status file_set_sweep(struct vv_file_set *set, varve_error *error)
{
    struct listing l;
    int directory;
    varve_status status = vv_directory_open_parent(
        set->context, set->index.path, &directory, NULL);
    if (status)
        return status == VARVE_NO_MEMORY ? fail_names(error) : VARVE_OK;
    status = file_set_list(&l, set, directory, error);
    if (!status && l.asides.size > 0 && !file_set_is_busy(&l, directory))
        status = sweep_data(&l, directory, error);
    vv_temporary_sweep(set->context, directory, set->stem);
    end_list(&l);
    vv_file_close(set->context, directory);
    return status;
}

/* --- Names ---------------------------------------------------------------- */

/* Parses five digits, or more if the number needs them. Returns the text after
 * them, or NULL. */
static const char *file_set_take_digits(const char *text, uint64_t *number)
{
    size_t size = strspn(text, "0123456789");
    if (size < 5 || size > 9 || (size > 5 && *text == '0'))
        return NULL;
    for (*number = 0; size > 0; size--)
        *number = *number * 10 + (uint64_t)(*text++ - '0');
    return text;
}

const char *vv_behind_shard_number(const char *text, uint64_t *count)
{
    static const char of[] = "-of-";
    uint64_t number;
    text = file_set_take_digits(text, &number);
    if (!text || strncmp(text, of, sizeof of - 1) != 0)
        return NULL;
    return file_set_take_digits(text + sizeof of - 1, count);
}

/* --- Writing -------------------------------------------------------------- */

varve_status vv_file_set_begin(struct vv_file_set *set,
    const struct vv_context *context, const char *path, const char *stem,
    const struct vv_file_set_names *names, int flags, varve_error *error)
{
    *set = (struct vv_file_set){
        .context = context,
        .names = names,
        .stem = stem,
        .flags = flags,
        .index.path = path,
    };
    vv_buffer_init(&set->text, &context->allocator);
    vv_buffer_init(&set->older, &context->allocator);
    VV_TRY(vv_store_refuse_any(path,
        "accepts only one file at a time, but this format writes several",
        error));
    if (*vv_path_name(path))
        VV_TRY(file_set_sweep(set, error));
    return vv_publish_begin(
        &set->index, context, path, flags | VV_PUBLISH_NO_LINK, error);
}

void vv_file_set_each(struct vv_file_set *set, vv_each_name *each, void *user)
{
    const struct vv_system *system = set->context->system;
    int result =
        system->each_name(system->state, set->index.directory, each, user);
    if (result < 0 && result != -EACCES)
        set->unlisted = result;
}

varve_status vv_file_set_index(
    struct vv_file_set *set, const void *bytes, size_t size, varve_error *error)
{
    struct vv_publication *p = &set->index;
    if (size > 0)
        vv_buffer_add(&set->text, bytes, size);
    if (set->text.failed)
        return vv_fail_memory(error, "an index");
    VV_TRY(
        vv_file_write(set->context, p->file, p->path, bytes, size, 0, error));
    return vv_publish_close(p, VARVE_OK, error);
}

static varve_status close_last(struct vv_file_set *set, varve_error *error)
{
    return set->count == 0
               ? VARVE_OK
               : vv_publish_close(&set->files[set->count - 1], VARVE_OK, error);
}

varve_status vv_file_set_add(
    struct vv_file_set *set, const char *path, varve_error *error)
{
    VV_TRY(close_last(set, error));
    if (!vv_grow_array(&set->context->allocator, &set->files, &set->capacity,
            set->count, sizeof *set->files))
        return vv_fail_memory(error, "another data file");
    VV_TRY(vv_publish_begin_in(&set->files[set->count], set->context,
        set->index.directory, set->stem, path,
        set->flags | VV_PUBLISH_NO_REPLACE, vv_publish_access(&set->index),
        error));
    set->count++;
    return VARVE_OK;
}

varve_status vv_file_set_name(struct vv_file_set *set, size_t number,
    const char *path, varve_error *error)
{
    if (set->unlisted)
        return vv_fail_system(
            error, -set->unlisted, "listing its directory", path);
    VV_TRY(vv_publish_close(&set->files[number], VARVE_OK, error));
    return vv_publish_place(&set->files[number], path, error);
}

/* --- Finishing ------------------------------------------------------------ */

/* Syncs the directory, so that the names of the data files are on disk before
 * that of the index. */
static varve_status file_set_sync_names(
    const struct vv_file_set *set, varve_error *error)
{
    const struct vv_publication *p = &set->index;
    const struct vv_system *system = set->context->system;
    if (set->flags & VV_PUBLISH_NO_SYNC)
        return VARVE_OK;
    int result = system->sync(system->state, p->directory);
    return result < 0 ? vv_fail_system(
                            error, -result, "sync of its directory", p->path)
                      : VARVE_OK;
}

/* Writes a copy of the older index. If the process is killed before it has
 * removed the older data files, the next save finds them through this copy.
 * Without the copy they stay, so a failure is ignored. */
static void keep_record(
    struct vv_file_set *set, struct vv_temporary *record, const char *path)
{
    const struct vv_context *context = set->context;
    const struct vv_buffer *older = &set->older;
    if (vv_temporary_make(record, context, set->index.directory,
            set->index.name, path, vv_publish_access(&set->index) != NULL,
            NULL)) {
        record->file = -1;
        return;
    }
    vv_file_write(
        context, record->file, path, older->data, older->size, 0, NULL);
    vv_file_close(context, record->file);
}

/* Builds the list of files to remove before the index is replaced, so that
 * removing them needs no memory. */
static varve_status replace_older(
    struct vv_file_set *set, struct listing *l, varve_error *error)
{
    struct vv_temporary record = { .file = -1 };
    struct vv_publication *p = &set->index;
    varve_status status = file_set_list(l, set, p->directory, error);
    if (!status)
        status = add_gone(l, &set->older, &set->text, error);
    if (!status)
        keep_record(set, &record, p->path);
    status = vv_publish_commit(p, status, error);
    if (!status)
        remove_gone(l, p->directory);
    if (record.file >= 0)
        vv_temporary_remove(&record);
    return status;
}

static varve_status replace(struct vv_file_set *set, varve_error *error)
{
    struct listing l;
    struct vv_publication *p = &set->index;
    bool is_older = file_set_load(set, p->directory, p->name, &set->older);
    varve_status status =
        set->older.failed ? vv_fail_memory(error, "the index to be replaced")
                          : VARVE_OK;
    if (status || !is_older)
        return vv_publish_commit(p, status, error);
    status = replace_older(set, &l, error);
    end_list(&l);
    return status;
}

varve_status vv_file_set_end(
    struct vv_file_set *set, varve_status status, varve_error *error)
{
    if (!status)
        status = close_last(set, error);
    if (!status)
        status = file_set_sync_names(set, error);
    status = status ? vv_publish_commit(&set->index, status, error)
                    : replace(set, error);
    bool is_there = !status || status == VARVE_UNKNOWN_OUTCOME;
    for (size_t i = 0; i < set->count && !is_there; i++)
        vv_publish_give_up(&set->files[i]);
    vv_file_close(set->context, set->index.directory);
    vv_release(&set->context->allocator, set->files,
        set->capacity * sizeof *set->files);
    vv_buffer_clear(&set->text);
    vv_buffer_clear(&set->older);
    return status;
}
