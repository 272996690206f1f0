/* manager_lock.c - the lock's file, and whether it still is what its name leads
 * to.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manager_lock.h"

#include <errno.h>

#include "directory.h"
#include "failure.h"
#include "file.h"
#include "retry.h"
#include "store.h"
#include "system.h"
#include "try.h"

static int open_or_create(
    const struct vv_context *context, int directory, const char *name)
{
    const struct vv_system *system = context->system;
    unsigned tries = 0;
    int result;
    do {
        result = system->open_file(system->state, directory, name);
        if (result == -ENOENT)
            result = system->create_file(system->state, directory, name);
    } while (result == -EEXIST ? ++tries < VV_MOST_TRIES
                               : vv_try_again(result, &tries));
    return result;
}

static varve_status fail_lock(const struct vv_listing *l, varve_error *error)
{
    return vv_fail(error, VARVE_EXISTS,
        "%s: expected to be the only manager of %s-N%s, found another at work",
        l->directory, l->prefix, VARVE_SUFFIX);
}

/* Fails without memory. */
static const char *make_name(struct vv_listing *l, struct vv_buffer *name)
{
    vv_buffer_init(name, &l->context->allocator);
    vv_buffer_add8(name, '.');
    vv_buffer_add_string(name, vv_listing_name(l, NULL, ".lock"));
    const char *text = vv_buffer_string(name);
    name->failed |= l->path.failed;
    return text;
}

/* Opens the lock's file in the directory, which is made if it is missing. */
static varve_status open_lock(
    struct vv_listing *l, bool no_sync, int *file, varve_error *error)
{
    int directory;
    const char *path = vv_listing_path(l, NULL, "");
    if (l->path.failed)
        return vv_fail_memory(error, "the path of a directory");
    VV_TRY(
        vv_directory_make_parent(l->context, path, no_sync, &directory, error));
    struct vv_buffer name;
    const char *text = make_name(l, &name);
    varve_status status = VARVE_OK;
    if (name.failed)
        status = vv_fail_memory(error, "the name of a lock");
    else if ((*file = open_or_create(l->context, directory, text)) < 0)
        status = vv_fail_system(
            error, -*file, "opening the lock of its manager", l->directory);
    vv_buffer_clear(&name);
    vv_file_close(l->context, directory);
    return status;
}

static bool is_same(const struct vv_context *context, int one, int two)
{
    const struct vv_system *system = context->system;
    struct vv_file_info a, b;
    return system->info(system->state, one, &a) < 0 ||
           system->info(system->state, two, &b) < 0 ||
           (a.device == b.device && a.serial == b.serial);
}

/* Whether what is locked is not the lock any more: the directory was removed,
 * and may have been made anew. Who cannot find out keeps what it has. */
static bool is_gone(const struct vv_manager_lock *lock, struct vv_listing *l)
{
    const struct vv_system *system = l->context->system;
    const char *path = vv_listing_path(l, NULL, "");
    int directory;
    if (l->path.failed)
        return false;
    varve_status status =
        vv_directory_open_parent(l->context, path, &directory, NULL);
    if (status)
        return status == VARVE_NOT_FOUND;
    struct vv_buffer name;
    const char *text = make_name(l, &name);
    int file = name.failed ? -EINVAL
                           : system->open_file(system->state, directory, text);
    bool gone = file == -ENOENT ||
                (file >= 0 && !is_same(l->context, lock->file, file));
    vv_buffer_clear(&name);
    vv_file_close(l->context, file);
    vv_file_close(l->context, directory);
    return gone;
}

varve_status vv_manager_lock_take(struct vv_manager_lock *lock,
    struct vv_listing *l, bool no_sync, varve_error *error)
{
    const struct vv_system *system = l->context->system;
    int file = -1;
    if (lock->is_taken && !is_gone(lock, l))
        return VARVE_OK;
    if (vv_is_of_store(l->directory)) /* where there are no locks */
        return VARVE_OK;
    VV_TRY(open_lock(l, no_sync, &file, error));
    if (system->lock(system->state, file) == -EWOULDBLOCK) {
        vv_file_close(l->context, file);
        return fail_lock(l, error);
    }
    vv_file_close(l->context, lock->file);
    lock->file = file;
    lock->is_taken = true;
    return VARVE_OK;
}
