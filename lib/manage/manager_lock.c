/* manager_lock.c - Takes and releases the lock of a prefix, and reads its
 * owner.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manager_lock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "directory.h"
#include "failure.h"
#include "file.h"
#include "interval.h"
#include "retry.h"
#include "store.h"
#include "store_lock.h"
#include "system.h"
#include "try.h"

#define A_MILLISECOND ((int64_t)1000000)

enum { OWNER_SIZE = 256, HOST_SIZE = 64 };

/* Opens for writing, because NFS has no exclusive lock of a file that is open
 * for reading. */
static int lock_open_or_create(
    const struct vv_context *context, int directory, const char *name)
{
    const struct vv_system *system = context->system;
    unsigned tries = 0;
    int result;
    do {
        result = system->open_to_write(system->state, directory, name);
        if (result == -ENOENT)
            result = system->create_file(system->state, directory, name);
    } while (result == -EEXIST ? ++tries < VV_MOST_TRIES
                               : vv_try_again(result, &tries));
    return result;
}

/* --- Who holds it ------------------------------------------------------- */

/* Writes the owner to the file. It is only informative, so a failure is
 * ignored. */
static void lock_write_owner(
    const struct vv_context *context, int file, const char *run)
{
    const struct vv_system *system = context->system;
    char host[HOST_SIZE] = "", text[OWNER_SIZE + 1];
    int64_t process = system->process(system->state, host, sizeof host);
    int size = snprintf(text, sizeof text,
        "varve lock 1\nhost %s\npid %" PRId64 "\nrun %s\n", host, process, run);
    if (size < 0 || size >= OWNER_SIZE)
        return;
    memset(text + size, ' ', OWNER_SIZE - (size_t)size);
    vv_file_write(context, file, "", text, OWNER_SIZE, 0, NULL);
}

/* Returns the rest of the line that begins with `key`, or "unknown". */
static const char *lock_owner_field(
    const char *text, const char *key, char *value, size_t size)
{
    const char *found = strstr(text, key);
    size_t length = found ? strcspn(found + strlen(key), "\n") : 0;
    if (length == 0 || length >= size)
        return "unknown";
    memcpy(value, found + strlen(key), length);
    value[length] = '\0';
    return value;
}

/* Makes the path of the lock; sets path->failed without memory. */
static const char *lock_make_path(
    const struct vv_listing *l, struct vv_buffer *path)
{
    vv_buffer_init(path, &l->context->allocator);
    vv_buffer_add_string(path, l->directory);
    vv_buffer_add_string(path, "/.");
    vv_buffer_add_string(path, l->prefix);
    vv_buffer_add_string(path, ".lock");
    return vv_buffer_string(path);
}

static varve_status lock_fail(struct vv_listing *l, varve_error *error)
{
    char text[OWNER_SIZE + 1] = "", host[HOST_SIZE], pid[24], run[VV_RUN_SIZE];
    size_t size = OWNER_SIZE;
    struct vv_buffer path;
    const char *name = lock_make_path(l, &path);
    if (!path.failed && vv_file_head(l->context, name, text, &size, NULL))
        text[0] = '\0';
    vv_buffer_clear(&path);
    return vv_fail(error, VARVE_EXISTS,
        "%s: locked by process %s on %s, run %s, which manages %s-N%s; wait "
        "for it (lock_seconds), stop it, or open with read_only",
        l->directory, lock_owner_field(text, "\npid ", pid, sizeof pid),
        lock_owner_field(text, "\nhost ", host, sizeof host),
        lock_owner_field(text, "\nrun ", run, sizeof run), l->prefix,
        VARVE_SUFFIX);
}

/* --- The file ----------------------------------------------------------- */

/* Returns false without memory. */
static const char *make_name(struct vv_listing *l, struct vv_buffer *name)
{
    vv_buffer_init(name, &l->context->allocator);
    vv_buffer_add8(name, '.');
    vv_buffer_add_string(name, vv_listing_name(l, NULL, ".lock"));
    const char *text = vv_buffer_string(name);
    name->failed |= l->path.failed;
    return text;
}

/* Opens the file of the lock in the directory, which is created if it is
 * missing. */
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
    else if ((*file = lock_open_or_create(l->context, directory, text)) < 0)
        status = vv_fail_system(
            error, -*file, "opening the lock of its manager", l->directory);
    vv_buffer_clear(&name);
    vv_file_close(l->context, directory);
    return status;
}

static bool manager_lock_is_same(
    const struct vv_context *context, int one, int two)
{
    const struct vv_system *system = context->system;
    struct vv_file_info a, b;
    return system->info(system->state, one, &a) < 0 ||
           system->info(system->state, two, &b) < 0 ||
           (a.device == b.device && a.serial == b.serial);
}

/* Returns true if the locked file is no longer the lock, because the directory
 * was removed and possibly created again. Returns false if that is unknown. */
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
    bool gone =
        file == -ENOENT ||
        (file >= 0 && !manager_lock_is_same(l->context, lock->file, file));
    vv_buffer_clear(&name);
    vv_file_close(l->context, file);
    vv_file_close(l->context, directory);
    return gone;
}

bool vv_manager_lock_is_held(
    const struct vv_manager_lock *lock, struct vv_listing *l)
{
    return lock->is_taken && !lock->is_absent &&
           (vv_is_of_store(l->directory) || !is_gone(lock, l));
}

varve_status vv_manager_lock_check(struct vv_listing *l, varve_error *error)
{
    int directory;
    varve_error reason = { 0 };
    const char *path = vv_listing_path(l, NULL, "");
    if (l->path.failed)
        return vv_fail_memory(error, "the path of a directory");
    varve_status status =
        vv_directory_open_parent(l->context, path, &directory, &reason);
    if (status == VARVE_NOT_FOUND)
        return vv_fail(error, VARVE_NOT_FOUND,
            "%s: the directory does not exist, and must_resume is set: is its "
            "file system mounted?",
            l->directory);
    if (status)
        return vv_pass_failure(error, &reason);
    vv_file_close(l->context, directory);
    return VARVE_OK;
}

/* --- Taking and releasing ----------------------------------------------- */

/* Returns an uptime; INT64_MAX: never. */
static int64_t lock_deadline(const struct vv_context *context, double seconds)
{
    const struct vv_system *system = context->system;
    const double most = (double)(INT64_MAX / VV_SECOND / 4);
    if (seconds < 0 || seconds >= most)
        return INT64_MAX;
    return system->uptime(system->state) +
           (int64_t)(seconds * (double)VV_SECOND);
}

/* Waits for another manager until the deadline. Returns 0, -EWOULDBLOCK, or the
 * error if there are no locks. */
static int lock_wait(const struct vv_context *context, int file, double seconds)
{
    const struct vv_system *system = context->system;
    int64_t deadline = lock_deadline(context, seconds);
    int64_t pause = 10 * A_MILLISECOND;
    int result;
    while ((result = system->lock(system->state, file)) == -EWOULDBLOCK) {
        int64_t rest = deadline - system->uptime(system->state);
        if (rest <= 0)
            break;
        system->sleep(system->state, pause < rest ? pause : rest);
        pause = pause < VV_SECOND / 2 ? 2 * pause : VV_SECOND;
    }
    return result;
}

/* Uses an object that is changed by conditional requests. Without them there is
 * no lock. */
static varve_status lock_take_in_store(struct vv_manager_lock *lock,
    struct vv_listing *l, const struct vv_lock_request *request,
    varve_error *error)
{
    const struct vv_system *system = l->context->system;
    struct vv_store_lock in_store = { .file = lock->file };
    struct vv_buffer path;
    const char *text = lock_make_path(l, &path);
    varve_status status =
        path.failed ? vv_fail_memory(error, "the name of a lock")
                    : vv_store_lock_take(l->context, text, request->run,
                          request->seconds, &in_store, error);
    vv_buffer_clear(&path);
    lock->file = in_store.file;
    lock->is_taken = !status;
    lock->is_absent = in_store.is_missing;
    lock->process = system->process(system->state, NULL, 0);
    return status;
}

varve_status vv_manager_lock_take(struct vv_manager_lock *lock,
    struct vv_listing *l, const struct vv_lock_request *request,
    varve_error *error)
{
    const struct vv_system *system = l->context->system;
    int file = -1;
    if (vv_is_of_store(l->directory))
        return lock_take_in_store(lock, l, request, error);
    if (lock->is_taken && !is_gone(lock, l))
        return VARVE_OK;
    VV_TRY(open_lock(l, request->no_sync, &file, error));
    int result = lock_wait(l->context, file, request->seconds);
    if (result == -EWOULDBLOCK) {
        vv_file_close(l->context, file);
        return lock_fail(l, error);
    }
    vv_manager_lock_release(lock, l->context);
    lock->file = file;
    lock->is_taken = true;
    lock->is_absent = result < 0;
    lock->process = system->process(system->state, NULL, 0);
    lock_write_owner(l->context, file, request->run);
    return VARVE_OK;
}

void vv_manager_lock_release(
    struct vv_manager_lock *lock, const struct vv_context *context)
{
    const struct vv_system *system = context->system;
    if (lock->is_taken && lock->file >= 0 && !lock->is_absent &&
        system->process(system->state, NULL, 0) == lock->process)
        system->unlock(system->state, lock->file);
    vv_file_close(context, lock->file);
    lock->file = -1;
    lock->is_taken = false;
}
