/* publish.c - Publishes one file: write to a temporary file, sync, close,
 * rename, sync the directory.
 *
 * After the directory is open, every call is relative to it and uses a bare
 * name, so it does not matter if the directory is moved meanwhile.
 *
 * SPDX-License-Identifier: MIT
 */
#include "publish.h"

#include <errno.h>
#include <string.h>

#include "directory.h"
#include "failure.h"
#include "file.h"
#include "retry.h"
#include "store.h"
#include "try.h"

enum {
    MOST_LINKS = 40, /* length of a chain, as in Linux */
    OWNER_BITS = 0600,
};

static varve_status fail_directory(varve_error *error, const char *path)
{
    return vv_fail(error, VARVE_IS_DIRECTORY,
        "%s: this is the path of a directory, not of a file", path);
}

/* Fails with VARVE_EXISTS if a file has the name. A file that exists but cannot
 * be opened counts too. */
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
        return vv_fail_system(error, -result, "accessing it", p->path);
    vv_file_close(p->context, result);
    return vv_fail_system(error, EEXIST, "publishing", p->path);
}

/* Checks the name on a system that cannot describe names. */
static varve_status publish_check_unseen(
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
        return vv_fail_system(error, -result, "accessing it", p->path);
    /* A process without permission to look up a name cannot detect that it
     * exists. */
    if (result != -ENOENT && result != -EACCES &&
        (p->flags & VV_PUBLISH_NO_REPLACE))
        return check_free(p, error);
    return VARVE_OK;
}

/* Returns -ENOSYS if the system cannot describe names. */
static int publish_look_at(
    const struct vv_publication *p, struct vv_file_look *look)
{
    const struct vv_system *system = p->context->system;
    unsigned tries = 0;
    int result = -ENOSYS;
    *look = (struct vv_file_look){ .kind = VV_OTHER_FILE };
    if (!system->look)
        return result;
    do
        result = system->look(system->state, p->directory, p->name, look);
    while (vv_try_again(result, &tries));
    return result;
}

/* Follows a link to its target, which can be a link again. The kernel does not
 * follow links here, so its rule for links of other users is applied here too,
 * even if it is switched off in the kernel. */
static varve_status enter_link(struct vv_publication *p,
    const struct vv_file_look *look, varve_error *error)
{
    const char *name = vv_path_name(look->target);
    if (look->is_planted)
        return vv_fail(error, VARVE_NO_PERMISSION,
            "%s: a symbolic link of another user in a directory where anyone "
            "can create files: remove it, or pass the path of its target",
            p->path);
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return fail_directory(error, p->path);
    if (strlen(name) >= sizeof p->linked)
        return vv_fail_system(
            error, ENAMETOOLONG, "following its symbolic link", p->path);
    VV_TRY(vv_directory_go_to_parent(p->context, look->target,
        (p->flags & VV_PUBLISH_NO_SYNC) != 0, &p->directory, error));
    memcpy(p->linked, name, strlen(name) + 1);
    p->name = p->linked;
    return VARVE_OK;
}

static varve_status publish_refuse_link(
    const struct vv_publication *p, varve_error *error)
{
    return vv_fail(error, VARVE_MISUSE,
        "%s: a symbolic link, but other files are written beside this one: "
        "pass the path of its target",
        p->path);
}

/* Describes the name, and follows links to the end. */
static varve_status publish_find_end(struct vv_publication *p,
    struct vv_file_look *look, int *found, varve_error *error)
{
    *found = publish_look_at(p, look);
    for (int i = 0; *found == 0 && look->is_link; i++) {
        if (p->flags & VV_PUBLISH_NO_REPLACE)
            return VARVE_OK;
        if (p->flags & VV_PUBLISH_NO_LINK)
            return publish_refuse_link(p, error);
        if (i == MOST_LINKS)
            return vv_fail_system(
                error, ELOOP, "following its symbolic links", p->path);
        VV_TRY(enter_link(p, look, error));
        *found = publish_look_at(p, look);
    }
    return VARVE_OK;
}

/* Detects early what would fail at the end anyway. */
static varve_status publish_check_name(
    struct vv_publication *p, varve_error *error)
{
    struct vv_file_look look;
    int found;
    VV_TRY(publish_find_end(p, &look, &found, error));
    if (found == -ENOSYS)
        return publish_check_unseen(p, error);
    if (found == -ENOENT || found == -EACCES)
        return VARVE_OK;
    if (found < 0)
        return vv_fail_system(error, -found, "accessing it", p->path);
    if (look.kind == VV_DIRECTORY)
        return fail_directory(error, p->path);
    if (p->flags & VV_PUBLISH_NO_REPLACE)
        return vv_fail_system(error, EEXIST, "publishing", p->path);
    if (look.kind == VV_OTHER_FILE && !look.is_link)
        return vv_fail(error, VARVE_MISUSE,
            "%s: this is a device, pipe or socket, which a save would replace: "
            "pass another path",
            p->path);
    p->has_access = look.kind == VV_REGULAR_FILE && !look.is_planted;
    if (p->has_access)
        p->access = look.access;
    return VARVE_OK;
}

static varve_status set_access(
    const struct vv_publication *p, unsigned mode, varve_error *error)
{
    const struct vv_system *system = p->context->system;
    struct vv_access access = p->access;
    unsigned tries = 0;
    int result;
    access.mode = mode;
    do
        result = system->set_access(system->state, p->file, &access);
    while (vv_try_again(result, &tries));
    return result < 0
               ? vv_fail_system(error, -result,
                     "setting the mode of the file that is replaced", p->path)
               : VARVE_OK;
}

/* Sets the access before the first byte is written. The owner can write the
 * file until it is closed; otherwise it could not be removed as a left-over
 * file. */
static varve_status make_temporary(
    struct vv_publication *p, const char *name, varve_error *error)
{
    VV_TRY(vv_temporary_make(&p->temporary, p->context, p->directory, name,
        p->path, p->has_access, error));
    p->file = p->temporary.file;
    if (!p->has_access)
        return VARVE_OK;
    varve_status status = set_access(p, p->access.mode | OWNER_BITS, error);
    if (!status)
        return VARVE_OK;
    vv_file_close(p->context, p->file);
    p->file = -1;
    vv_temporary_remove(&p->temporary);
    return status;
}

/* Removes left-over files first, because their space may be needed. In a store
 * they have no names. */
static varve_status sweep_and_make(struct vv_publication *p, varve_error *error)
{
    if (!vv_is_of_store(p->path) && !(p->flags & VV_PUBLISH_NO_SWEEP))
        vv_temporary_sweep(p->context, p->directory, p->name);
    return make_temporary(p, p->name, error);
}

varve_status vv_publish_begin(struct vv_publication *p,
    const struct vv_context *context, const char *path, int flags,
    varve_error *error)
{
    return vv_publish_begin_like(p, context, path, flags, NULL, error);
}

varve_status vv_publish_begin_like(struct vv_publication *p,
    const struct vv_context *context, const char *path, int flags,
    const struct vv_access *like, varve_error *error)
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
        return vv_fail(error, VARVE_NOT_FOUND, "path is empty");
    if (!*p->name)
        return fail_directory(error, path);
    VV_TRY(vv_directory_make_parent(context, path,
        (flags & VV_PUBLISH_NO_SYNC) != 0, &p->directory, error));
    varve_status status = publish_check_name(p, error);
    if (like && !p->has_access)
        p->access = *like;
    p->has_access |= like != NULL;
    if (!status)
        status = sweep_and_make(p, error);
    if (status)
        vv_file_close(context, p->directory);
    return status;
}

void vv_publish_keep_existing(struct vv_publication *p)
{
    p->flags |= VV_PUBLISH_NO_REPLACE;
}

/* Syncs the file. Called once: a second sync could succeed although the data is
 * lost. */
static int publish_sync_file(const struct vv_publication *p)
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
    if (!status && p->has_access && (p->access.mode & OWNER_BITS) != OWNER_BITS)
        status = set_access(p, p->access.mode, error);
    if (!status && !(p->flags & VV_PUBLISH_NO_SYNC) &&
        (result = publish_sync_file(p)) < 0)
        status = vv_fail_system(error, -result, "sync", p->path);
    result = system->close(system->state, p->file);
    if (!status && result < 0)
        status = vv_fail_system(error, -result, "close", p->path);
    p->file = -1;
    return status;
}

/* Returns true if both names refer to one file. NFS can send a call twice; then
 * the result is that of the second, which finds that the name exists. */
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

/* Creates an empty file, which fails if the name exists, and replaces it. */
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

static int publish_rename_new(const struct vv_publication *p)
{
    return vv_rename_new(p->context, p->directory, p->temporary.name, p->name);
}

static varve_status put_in_place(struct vv_publication *p, varve_error *error)
{
    int result = p->flags & VV_PUBLISH_NO_REPLACE ? publish_rename_new(p)
                                                  : rename_over(p);
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

/* --- One file of several -------------------------------------------------- */

varve_status vv_publish_begin_in(struct vv_publication *p,
    const struct vv_context *context, int directory, const char *name,
    const char *path, int flags, const struct vv_access *like,
    varve_error *error)
{
    *p = (struct vv_publication){
        .context = context,
        .path = path,
        .directory = directory,
        .file = -1,
        .flags = flags,
        .has_access = like != NULL,
    };
    if (like)
        p->access = *like;
    return make_temporary(p, name, error);
}

const struct vv_access *vv_publish_access(const struct vv_publication *p)
{
    return p->has_access ? &p->access : NULL;
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
