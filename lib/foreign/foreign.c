/* foreign.c - Opens and reads the files of a foreign checkpoint, also through a
 * window.
 *
 * SPDX-License-Identifier: MIT
 */
#include "foreign.h"

#include "allocator.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "magic_bytes.h"
#include "store.h"
#include "try.h"

/* --- Files ---------------------------------------------------------------- */

/* The first files stay open; the others are reopened for each read. */

/* Limit on open files, for checkpoints of thousands of files. */
enum { MOST_OPEN = 128 };

/* Fails if the file, or a folder between it and the first file, is a link that
 * leads out of its directory. */
static varve_status foreign_check_links(
    const struct vv_foreign *f, const char *path, varve_error *error)
{
    const char *first = f->files[0].path;
    size_t directory = (size_t)(vv_path_name(first) - first);
    struct vv_buffer folder;
    varve_status status = VARVE_OK;
    vv_buffer_init(&folder, &f->context->allocator);
    for (const char *end = path; !status && (end = strchr(end, '/')); end++) {
        if ((size_t)(end - path) <= directory)
            continue;
        folder.size = 0;
        vv_buffer_add(&folder, path, (size_t)(end - path));
        const char *text = vv_buffer_string(&folder);
        status = folder.failed
                     ? vv_fail_memory(error, "a path")
                     : vv_file_check_directory(f->context, first, text, error);
    }
    vv_buffer_clear(&folder);
    return status ? status
                  : vv_file_check_directory(f->context, first, path, error);
}

varve_status vv_foreign_add_file(struct vv_foreign *f, const char *path,
    uint32_t *number, varve_error *error)
{
    const varve_allocator *a = &f->context->allocator;
    if (!vv_grow_array(
            a, &f->files, &f->file_capacity, f->file_count, sizeof *f->files))
        return vv_fail_memory(error, "the files of a checkpoint");
    if (f->file_count > 0) {
        VV_TRY(vv_store_refuse_named(f->files[0].path, path, error));
        VV_TRY(foreign_check_links(f, path, error));
    }
    struct vv_foreign_file file = { .path = vv_copy_string(a, path) };
    if (!file.path)
        return vv_fail_memory(error, "a path");
    varve_status status =
        vv_file_open_info(f->context, path, &file.file, &file.info, error);
    if (status) {
        vv_release_string(a, file.path);
        return status;
    }
    file.size = file.info.size;
    /* Not kept open: it is opened for each read and must still be the same file
     * then. */
    if (f->file_count >= MOST_OPEN) {
        vv_file_close(f->context, file.file);
        file.file = -1;
    }
    *number = (uint32_t)f->file_count;
    f->files[f->file_count++] = file;
    return VARVE_OK;
}

static bool foreign_is_same(
    const struct vv_file_info *a, const struct vv_file_info *b)
{
    return a->device == b->device && a->serial == b->serial &&
           a->size == b->size && a->modified == b->modified;
}

varve_status vv_foreign_is_replaced(
    const struct vv_foreign *f, bool *is_replaced, varve_error *error)
{
    const struct vv_foreign_file *first = &f->files[0];
    struct vv_file_info ours, found;
    *is_replaced = false;
    varve_status status = vv_file_look(f->context, first->path, &found, error);
    if (status == VARVE_NOT_FOUND) /* the open file can still be read */
        return VARVE_OK;
    if (status)
        return status;
    VV_TRY(vv_file_info(f->context, first->file, first->path, &ours, error));
    *is_replaced = !foreign_is_same(&ours, &found);
    return VARVE_OK;
}

/* Opens a file that is not kept open, and checks that it has not been
 * replaced. */
static varve_status foreign_reopen(const struct vv_foreign *f,
    const struct vv_foreign_file *file, int *descriptor, varve_error *error)
{
    struct vv_file_info found;
    VV_TRY(
        vv_file_open_info(f->context, file->path, descriptor, &found, error));
    if (foreign_is_same(&file->info, &found))
        return VARVE_OK;
    vv_file_close(f->context, *descriptor);
    return vv_fail(error, VARVE_CORRUPT,
        "%s: the file was replaced after the checkpoint was opened: open the "
        "checkpoint again",
        file->path);
}

varve_status vv_foreign_read(const struct vv_foreign *f, uint32_t number,
    void *bytes, size_t size, uint64_t offset, varve_error *error)
{
    const struct vv_foreign_file *file = &f->files[number];
    if (file->file >= 0)
        return vv_file_read(
            f->context, file->file, file->path, bytes, size, offset, error);
    int descriptor;
    VV_TRY(foreign_reopen(f, file, &descriptor, error));
    varve_status status = vv_file_read(
        f->context, descriptor, file->path, bytes, size, offset, error);
    vv_file_close(f->context, descriptor);
    return status;
}

varve_status vv_foreign_refuse_pointer(const struct vv_foreign *f,
    uint32_t number, const char *what, varve_error *error)
{
    char head[VV_LFS_POINTER_HEAD];
    const struct vv_foreign_file *file = &f->files[number];
    if (file->size < sizeof head)
        return VARVE_OK;
    VV_TRY(vv_foreign_read(f, number, head, sizeof head, 0, error));
    if (!vv_is_lfs_pointer(head, sizeof head))
        return VARVE_OK;
    return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
        "%s: expected %s, found a Git LFS pointer: run `git lfs pull` to fetch "
        "the file",
        file->path, what);
}

bool vv_name_stays(const char *name, size_t size)
{
    return size > 0 && !memchr(name, '/', size) && !memchr(name, '\0', size) &&
           !(size == 1 && name[0] == '.') &&
           !(size == 2 && name[0] == '.' && name[1] == '.');
}

bool vv_path_stays(const char *path, size_t size)
{
    if (size == 0) /* `path` may be NULL */
        return false;
    const char *end = path + size;
    for (const char *part = path; part <= end; part++) {
        const char *next =
            part < end ? memchr(part, '/', (size_t)(end - part)) : NULL;
        next = next ? next : end;
        if (!vv_name_stays(part, (size_t)(next - part)))
            return false;
        part = next;
    }
    return true;
}

const char *vv_name_without_dots(const char *name, size_t *size)
{
    while (*size > 2 && name[0] == '.' && name[1] == '/') {
        name += 2;
        *size -= 2;
    }
    return name;
}

void vv_sibling_path(
    struct vv_buffer *path, const char *beside, const char *name, size_t size)
{
    const char *last = vv_path_name(beside);
    path->size = 0;
    vv_buffer_add(path, beside, (size_t)(last - beside));
    vv_buffer_add(path, name, size);
    vv_buffer_string(path);
}

/* --- Windows -------------------------------------------------------------- */

/* Moves the window when it contains too few of the requested bytes. */

varve_status vv_window_look(
    struct vv_window *w, uint64_t at, const unsigned char **bytes, size_t *size)
{
    uint64_t left = w->foreign->files[0].size - at;
    size_t wanted = left < VV_WINDOW_SIGHT ? (size_t)left : VV_WINDOW_SIGHT;
    /* If `at` is before the window, this wraps around to a large number. */
    uint64_t ahead = at - w->begin;
    if (ahead > w->size || w->size - ahead < wanted) {
        size_t room = left < sizeof w->bytes ? (size_t)left : sizeof w->bytes;
        w->size = 0;
        VV_TRY(vv_foreign_read(w->foreign, 0, w->bytes, room, at, w->error));
        w->begin = at;
        w->size = room;
        ahead = 0;
    }
    *bytes = w->bytes + ahead;
    *size = w->size - (size_t)ahead;
    return VARVE_OK;
}
