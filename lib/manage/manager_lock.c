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
#include "listing_refresh.h"
#include "numbered.h"
#include "retention.h"
#include "retry.h"
#include "store.h"
#include "store_lock.h"
#include "system.h"
#include "try.h"

#define A_MILLISECOND ((int64_t)1000000)

enum { OWNER_SIZE = VV_LOCK_OWNER_SIZE, HOST_SIZE = 64 };

static const char lock_mark[] = "varve lock 1\n", lock_active[] = "active\n";

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

/* Writes the owner to the file. The lock is valid without it, so a failure is
 * ignored. */
static void lock_write_owner(struct vv_manager_lock *lock,
    const struct vv_context *context, const char *run, bool is_active)
{
    const struct vv_system *system = context->system;
    char host[HOST_SIZE] = "", text[OWNER_SIZE + 1];
    int64_t process = system->process(system->state, host, sizeof host);
    int size =
        snprintf(text, sizeof text, "%shost %s\npid %" PRId64 "\nrun %s\n%s",
            lock_mark, host, process, run, is_active ? lock_active : "");
    lock->is_active = is_active;
    lock->owner[0] = '\0';
    if (size < 0 || size >= OWNER_SIZE)
        return;
    memset(text + size, ' ', OWNER_SIZE - (size_t)size);
    if (!vv_file_write(context, lock->file, "", text, OWNER_SIZE, 0, NULL))
        memcpy(lock->owner, text, OWNER_SIZE);
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

struct lock_owner {
    char host[HOST_SIZE], pid[24], run[VV_RUN_SIZE];
    const char *host_text, *pid_text, *run_text; /* "unknown" if missing */
};

static void lock_parse_owner(const char *text, struct lock_owner *o)
{
    o->host_text = lock_owner_field(text, "\nhost ", o->host, sizeof o->host);
    o->pid_text = lock_owner_field(text, "\npid ", o->pid, sizeof o->pid);
    o->run_text = lock_owner_field(text, "\nrun ", o->run, sizeof o->run);
}

static varve_status lock_fail_taken_over(const struct vv_manager_lock *lock,
    const struct vv_listing *l, const char *text, varve_error *error)
{
    struct lock_owner owner;
    lock_parse_owner(text, &owner);
    return vv_fail(error, VARVE_EXISTS,
        "%s: process %s on %s, run %s, has taken over %s-N%s from this "
        "manager: %s; stop one of the two programs",
        l->directory, owner.pid_text, owner.host_text, owner.run_text,
        l->prefix, VARVE_SUFFIX,
        lock->is_absent ? "this file system has no locks"
                        : "the locks of this file system are local to a node");
}

static varve_status lock_fail(struct vv_listing *l, varve_error *error)
{
    char text[OWNER_SIZE + 1] = "";
    size_t size = OWNER_SIZE;
    struct vv_buffer path;
    struct lock_owner owner;
    const char *name = lock_make_path(l, &path);
    if (!path.failed && vv_file_head(l->context, name, text, &size, NULL))
        text[0] = '\0';
    vv_buffer_clear(&path);
    lock_parse_owner(text, &owner);
    return vv_fail(error, VARVE_EXISTS,
        "%s: locked by process %s on %s, run %s, which manages %s-N%s; wait "
        "for it (lock_seconds), stop it, or open with read_only",
        l->directory, owner.pid_text, owner.host_text, owner.run_text,
        l->prefix, VARVE_SUFFIX);
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

/* Returns true if a file is the locked one, or if that is unknown. */
static bool manager_lock_is_same(const struct vv_manager_lock *lock,
    const struct vv_context *context, int file)
{
    const struct vv_system *system = context->system;
    const struct vv_file_info *own = &lock->identity;
    struct vv_file_info other;
    return !lock->has_identity ||
           system->info(system->state, file, &other) < 0 ||
           (own->device == other.device && own->serial == other.serial);
}

/* The file that the name of the lock refers to now. */
struct lock_found {
    char owner[OWNER_SIZE + 1]; /* empty: unknown */
    bool is_gone;               /* it is not the locked file */
};

/* Opens the name again, because a node can cache the content of an open file.
 * `is_gone` is false if that is unknown. */
static void lock_find_in(const struct vv_manager_lock *lock,
    struct vv_listing *l, int directory, struct lock_found *found)
{
    const struct vv_system *system = l->context->system;
    struct vv_buffer name;
    const char *text = make_name(l, &name);
    int file = name.failed ? -EINVAL
                           : system->open_file(system->state, directory, text);
    found->is_gone =
        file == -ENOENT ||
        (file >= 0 && !manager_lock_is_same(lock, l->context, file));
    if (file >= 0 && !found->is_gone &&
        vv_file_read(l->context, file, "", found->owner, OWNER_SIZE, 0, NULL))
        found->owner[0] = '\0';
    vv_buffer_clear(&name);
    vv_file_close(l->context, file);
}

/* The directory can have been removed, and created again. */
static void lock_find(const struct vv_manager_lock *lock, struct vv_listing *l,
    struct lock_found *found)
{
    int directory;
    *found = (struct lock_found){ .is_gone = false };
    varve_status status = vv_listing_open_directory(l, &directory, NULL);
    found->is_gone = status == VARVE_NOT_FOUND;
    if (status)
        return;
    lock_find_in(lock, l, directory, found);
    vv_listing_close_directory(l, directory);
}

static bool lock_is_taken_over(
    const struct vv_manager_lock *lock, const struct lock_found *found)
{
    return lock->owner[0] && !found->is_gone &&
           strncmp(found->owner, lock_mark, sizeof lock_mark - 1) == 0 &&
           strstr(found->owner, lock_active) &&
           memcmp(found->owner, lock->owner, OWNER_SIZE) != 0;
}

varve_status vv_manager_lock_confirm(const struct vv_manager_lock *lock,
    struct vv_listing *l, varve_error *error)
{
    struct lock_found found;
    if (!lock->is_taken || vv_is_of_store(l->directory))
        return VARVE_OK;
    lock_find(lock, l, &found);
    return lock_is_taken_over(lock, &found)
               ? lock_fail_taken_over(lock, l, found.owner, error)
               : VARVE_OK;
}

bool vv_manager_lock_is_held(
    const struct vv_manager_lock *lock, struct vv_listing *l)
{
    struct lock_found found;
    if (!lock->is_taken || lock->is_absent)
        return false;
    if (vv_is_of_store(l->directory))
        return true;
    lock_find(lock, l, &found);
    return !found.is_gone && !lock_is_taken_over(lock, &found);
}

varve_status vv_manager_lock_check_path(
    const struct vv_listing *l, varve_error *error)
{
    struct vv_file_info info;
    if (vv_is_of_store(l->directory) ||
        vv_file_look(l->context, l->directory, &info, NULL) != VARVE_NOT_FOUND)
        return VARVE_OK;
    if (!vv_numbered_has_any(l->context, l->directory))
        return VARVE_OK;
    const char *name = vv_path_name(l->directory);
    return vv_fail(error, VARVE_MISUSE,
        "%s: this is the prefix of checkpoints %s-N%s: a manager needs their "
        "directory, and \"%s\" as its option `prefix`",
        l->directory, name, VARVE_SUFFIX, name);
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
    struct lock_found found;
    int file = -1;
    if (vv_is_of_store(l->directory))
        return lock_take_in_store(lock, l, request, error);
    if (lock->is_taken)
        lock_find(lock, l, &found);
    if (lock->is_taken && !found.is_gone)
        return lock_is_taken_over(lock, &found)
                   ? lock_fail_taken_over(lock, l, found.owner, error)
                   : VARVE_OK;
    vv_listing_let_go(l); /* the directory may change during the wait */
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
    lock->has_identity =
        system->info(system->state, file, &lock->identity) == 0;
    lock->process = system->process(system->state, NULL, 0);
    lock_write_owner(lock, l->context, request->run, false);
    return VARVE_OK;
}

void vv_manager_lock_activate(struct vv_manager_lock *lock,
    const struct vv_context *context, const char *run)
{
    if (lock->is_taken && lock->owner[0] && !lock->is_active)
        lock_write_owner(lock, context, run, true);
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
