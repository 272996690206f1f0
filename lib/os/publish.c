/* publish.c - the commit of one file: write aside, sync, close, rename, sync
 * the directory.
 *
 * After the directory is open, every call is relative to it and takes a bare
 * name, so that a directory that is moved meanwhile does no harm.
 *
 * SPDX-License-Identifier: MIT
 */
#include "publish.h"

#include <string.h>

#include "directory.h"
#include "failure.h"
#include "file.h"
#include "retry.h"
#include "store.h"
#include "try.h"

static varve_status fail_directory(varve_error *error, const char *path)
{
    return vv_fail(error, VARVE_IS_DIRECTORY,
        "%s: expected the path of a file, found that of a directory", path);
}

/* VARVE_EXISTS where something other than a directory has the name. What cannot
 * be opened for a reason of its own is there too. */
static varve_status check_free(
    const struct vv_publication *p, varve_error *error)
{
    const struct vv_system *system = p->context->system;
    unsigned tries = 0;
    int result;
    do
        result = system->open_file(system->state, p->directory, p->name);
    while (vv_try_again(result, &tries));
    if (result == -ENOENT)
        return VARVE_OK;
    if (result < 0 && result != -EACCES && result != -ELOOP && result != -ENXIO)
        return vv_fail_system(error, -result, "looking for it", p->path);
    vv_file_close(p->context, result);
    return vv_fail_system(error, EEXIST, "publishing", p->path);
}

/* What would fail at the end of the work anyway is better said before. */
static varve_status check_name(
    const struct vv_publication *p, varve_error *error)
{
    const struct vv_system *system = p->context->system;
    unsigned tries = 0;
    int result;
    do
        result = system->open_directory(system->state, p->directory, p->name);
    while (vv_try_again(result, &tries));
    if (result >= 0) {
        vv_file_close(p->context, result);
        return fail_directory(error, p->path);
    }
    if (result != -ENOENT && result != -ENOTDIR && result != -EACCES &&
        result != -ELOOP)
        return vv_fail_system(error, -result, "looking for it", p->path);
    /* Who may not even look up a name does not know that it is taken. */
    if (result != -ENOENT && result != -EACCES &&
        (p->flags & VV_PUBLISH_NO_REPLACE))
        return check_free(p, error);
    return VARVE_OK;
}

/* What others left is swept up first: its room may be wanted. In a store
 * nothing of it has a name. */
static varve_status make_temporary(struct vv_publication *p, varve_error *error)
{
    if (!vv_is_of_store(p->path))
        vv_temporary_sweep(p->context, p->directory, p->name);
    VV_TRY(vv_temporary_make(
        &p->temporary, p->context, p->directory, p->name, p->path, error));
    p->file = p->temporary.file;
    return VARVE_OK;
}

varve_status vv_publish_begin(struct vv_publication *p,
    const struct vv_context *context, const char *path, int flags,
    varve_error *error)
{
    *p = (struct vv_publication){
        .context = context,
        .path = path,
        .name = vv_path_name(path),
        .directory = -1,
        .file = -1,
        .flags = flags,
    };
    if (!*path)
        return vv_fail(error, VARVE_NOT_FOUND,
            "\"\": expected the path of a file, found nothing");
    if (!*p->name)
        return fail_directory(error, path);
    VV_TRY(vv_directory_make_parent(context, path,
        (flags & VV_PUBLISH_NO_SYNC) != 0, &p->directory, error));
    varve_status status = check_name(p, error);
    if (!status)
        status = make_temporary(p, error);
    if (status)
        vv_file_close(context, p->directory);
    return status;
}

void vv_publish_spare(struct vv_publication *p)
{
    p->flags |= VV_PUBLISH_NO_REPLACE;
}

/* Once: a second try would say that all is well, and the bytes are lost. */
static int sync_file(const struct vv_publication *p)
{
    const struct vv_system *system = p->context->system;
    return system->sync(system->state, p->file);
}

varve_status vv_publish_close(
    struct vv_publication *p, varve_status status, varve_error *error)
{
    const struct vv_system *system = p->context->system;
    int result;
    if (p->file < 0)
        return status;
    if (!status && !(p->flags & VV_PUBLISH_NO_SYNC) &&
        (result = sync_file(p)) < 0)
        status = vv_fail_system(error, -result, "sync", p->path);
    result = system->close(system->state, p->file);
    if (!status && result < 0)
        status = vv_fail_system(error, -result, "close", p->path);
    p->file = -1;
    return status;
}

/* Returns whether both names lead to one file. NFS may send a call twice: then
 * the result is that of the second, which finds the name taken. */
static bool are_one_file(const struct vv_context *context, int directory,
    const char *from, const char *to)
{
    const struct vv_system *system = context->system;
    struct vv_file_info ours, named;
    int file = system->open_file(system->state, directory, from);
    int other = system->open_file(system->state, directory, to);
    bool is_same = file >= 0 && other >= 0 &&
                   system->info(system->state, file, &ours) == 0 &&
                   system->info(system->state, other, &named) == 0 &&
                   ours.device == named.device && ours.serial == named.serial;
    vv_file_close(context, other);
    vv_file_close(context, file);
    return is_same;
}

static int link_new(const struct vv_context *context, int directory,
    const char *from, const char *to)
{
    const struct vv_system *system = context->system;
    int result = system->link(system->state, directory, from, to);
    if (result == -EEXIST && are_one_file(context, directory, from, to))
        result = 0;
    if (result == 0)
        system->remove(system->state, directory, from);
    return result;
}

/* Creating a file fails where the name is taken; the empty file is ours, and
 * may be replaced. */
static int claim_name(const struct vv_context *context, int directory,
    const char *from, const char *to)
{
    const struct vv_system *system = context->system;
    int file = system->create_file(system->state, directory, to);
    if (file < 0)
        return file;
    vv_file_close(context, file);
    int result = system->rename(system->state, directory, from, to);
    if (result < 0)
        system->remove(system->state, directory, to);
    return result;
}

int vv_rename_new(const struct vv_context *context, int directory,
    const char *from, const char *to)
{
    const struct vv_system *system = context->system;
    int result = system->rename_new(system->state, directory, from, to);
    if (result == -ENOSYS || result == -EINVAL)
        result = link_new(context, directory, from, to);
    if (result == -ENOSYS || result == -EPERM || result == -EOPNOTSUPP ||
        result == -EMLINK)
        result = claim_name(context, directory, from, to);
    return result;
}

static int rename_over(const struct vv_publication *p)
{
    const struct vv_system *system = p->context->system;
    return system->rename(
        system->state, p->directory, p->temporary.name, p->name);
}

static int rename_new(const struct vv_publication *p)
{
    return vv_rename_new(p->context, p->directory, p->temporary.name, p->name);
}

static varve_status put_in_place(struct vv_publication *p, varve_error *error)
{
    int result =
        p->flags & VV_PUBLISH_NO_REPLACE ? rename_new(p) : rename_over(p);
    return result < 0 ? vv_fail_system(error, -result, "rename", p->path)
                      : VARVE_OK;
}

static varve_status sync_directory(
    const struct vv_publication *p, varve_error *error)
{
    const struct vv_system *system = p->context->system;
    int result = system->sync(system->state, p->directory);
    if (result == 0)
        return VARVE_OK;
    vv_fail_system(error, -result,
        "the file is in place, but sync of its directory", p->path);
    if (error)
        error->status = VARVE_UNKNOWN_OUTCOME;
    return VARVE_UNKNOWN_OUTCOME;
}

varve_status vv_publish_commit(
    struct vv_publication *p, varve_status status, varve_error *error)
{
    status = vv_publish_close(p, status, error);
    if (!status)
        status = put_in_place(p, error);
    if (status)
        vv_temporary_remove(&p->temporary);
    else
        vv_temporary_release(&p->temporary);
    if (!status && !(p->flags & VV_PUBLISH_NO_SYNC))
        status = sync_directory(p, error);
    return status;
}

varve_status vv_publish_end(
    struct vv_publication *p, varve_status status, varve_error *error)
{
    status = vv_publish_commit(p, status, error);
    vv_file_close(p->context, p->directory);
    return status;
}

/* --- One of several ------------------------------------------------------- */

varve_status vv_publish_begin_in(struct vv_publication *p,
    const struct vv_context *context, int directory, const char *name,
    const char *path, int flags, varve_error *error)
{
    *p = (struct vv_publication){
        .context = context,
        .path = path,
        .directory = directory,
        .file = -1,
        .flags = flags,
    };
    VV_TRY(vv_temporary_make(
        &p->temporary, context, directory, name, path, error));
    p->file = p->temporary.file;
    return VARVE_OK;
}

varve_status vv_publish_place(
    struct vv_publication *p, const char *path, varve_error *error)
{
    p->path = path;
    p->name = vv_path_name(path);
    varve_status status = put_in_place(p, error);
    if (status) {
        p->name = NULL;
        return status;
    }
    vv_temporary_release(&p->temporary);
    return VARVE_OK;
}

void vv_publish_give_up(struct vv_publication *p)
{
    vv_publish_close(p, VARVE_CANCELLED, NULL);
    if (p->name)
        vv_file_remove(p->context, p->directory, p->name, p->path, NULL);
    else
        vv_temporary_remove(&p->temporary);
}
