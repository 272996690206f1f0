/* lease.c - Takes and ends leases, and keeps the files that replace them where
 * there are no locks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lease.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "buffer.h"
#include "default_allocator.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "monitor.h"
#include "save.h"
#include "store.h"
#include "system.h"
#include "temporary.h"
#include "try.h"
#include "worker.h"

/* --- Leases --------------------------------------------------------------- */

/* Takes and ends leases, and handles files that are replaced before they are
 * locked. */

#define A_MILLISECOND ((int64_t)1000000)

/* The maximum time to wait for a writer or a deletion. */
#define LONGEST_WAIT (10000 * A_MILLISECOND)
#define LONGEST_PAUSE (100 * A_MILLISECOND)

/* The number of attempts if the file is replaced each time. */
enum { MOST_REPLACED = 100 };

/* The minimum number of attempts, for a process that was suspended. */
enum { LEAST_TRIES = 10 };

#define NO_LOCKS                                                               \
    "has no locks, and so no leases: set no_lease to watch without them"

/* --- One file, now ------------------------------------------------------ */

static varve_status fail_busy(varve_error *error, const char *path)
{
    return vv_fail(error, VARVE_TIMEOUT, "%s: locked by a writer", path);
}

/* Sets *is_same to true if the name refers to the open file. */
static varve_status lease_compare(const struct vv_context *context, int file,
    const char *path, bool *is_same, varve_error *error)
{
    struct vv_file_info ours, named;
    VV_TRY(vv_file_look(context, path, &named, error));
    VV_TRY(vv_file_info(context, file, path, &ours, error));
    *is_same = ours.device == named.device && ours.serial == named.serial;
    return VARVE_OK;
}

/* Opens and locks the file. Sets *is_same to false if the file was deleted or
 * replaced between the two steps. */
static varve_status take_once(const struct vv_context *context,
    const char *path, int *file, bool *has_lock, bool *is_same,
    varve_error *error)
{
    int opened;
    uint64_t size;
    VV_TRY(vv_store_refuse_any(path, NO_LOCKS, error));
    VV_TRY(vv_file_open(context, path, &opened, &size, error));
    varve_status status = VARVE_OK;
    int result = context->system->share_lock(context->system->state, opened);
    *has_lock = result == 0;
    if (result == -EWOULDBLOCK)
        status = fail_busy(error, path);
    else
        status = lease_compare(context, opened, path, is_same, error);
    if (status || !*is_same)
        vv_file_close(context, opened);
    else
        *file = opened;
    return status;
}

static varve_status lease_lock(const struct vv_context *context,
    const char *path, struct vv_held_lease *held, bool *has_lock,
    varve_error *error)
{
    const struct vv_system *system = context->system;
    bool is_same = false;
    *held = (struct vv_held_lease){ .file = -1 };
    for (int i = 0; i < MOST_REPLACED && !is_same; i++)
        VV_TRY(
            take_once(context, path, &held->file, has_lock, &is_same, error));
    if (!is_same) {
        held->file = -1;
        return fail_busy(error, path);
    }
    held->process = system->process(system->state, NULL, 0);
    return VARVE_OK;
}

/* Creates the file of the lease before it checks the checkpoint. So either a
 * deletion finds the lease, or this call finds that the checkpoint is
 * deleted. */
varve_status vv_lease_take(const struct vv_context *context, const char *path,
    struct vv_held_lease *held, varve_error *error)
{
    bool has_lock = false;
    VV_TRY(lease_lock(context, path, held, &has_lock, error));
    if (has_lock)
        return VARVE_OK;
    varve_status status =
        vv_lease_file_make(context, path, &held->renewed, error);
    if (!status)
        status = vv_file_look(context, path, NULL, error);
    if (status)
        vv_lease_end(context, held);
    return status;
}

varve_status vv_lease_wait(const struct vv_context *context, const char *path,
    struct vv_held_lease *held, varve_error *error)
{
    const struct vv_system *system = context->system;
    int64_t deadline = system->uptime(system->state) + LONGEST_WAIT;
    int64_t pause = A_MILLISECOND;
    bool has_lock;
    varve_status status;
    while ((status = lease_lock(context, path, held, &has_lock, error)) ==
               VARVE_TIMEOUT &&
           system->uptime(system->state) < deadline) {
        system->sleep(system->state, pause);
        pause = 2 * pause < LONGEST_PAUSE ? 2 * pause : LONGEST_PAUSE;
    }
    return status;
}

varve_status vv_lease_check(
    const struct vv_held_lease *held, const char *path, varve_error *error)
{
    return held->renewed ? vv_lease_file_check(held->renewed, path, error)
                         : VARVE_OK;
}

void vv_lease_end(const struct vv_context *context, struct vv_held_lease *held)
{
    const struct vv_system *system = context->system;
    if (held->file >= 0 &&
        system->process(system->state, NULL, 0) == held->process)
        system->unlock(system->state, held->file);
    vv_file_close(context, held->file);
    vv_lease_file_free(held->renewed);
    *held = (struct vv_held_lease){ .file = -1 };
}

/* --- A handle ----------------------------------------------------------- */

/* Resolves the path repeatedly, because its file can be deleted and
 * replaced. */
static varve_status lease_take(
    varve_lease *lease, const char *path, varve_error *error)
{
    const struct vv_context *context = &lease->context;
    const struct vv_system *system = context->system;
    int64_t deadline = system->uptime(system->state) + LONGEST_WAIT;
    int64_t pause = A_MILLISECOND;
    VV_TRY(vv_store_refuse_any(path, NO_LOCKS, error));
    for (unsigned tries = 1;; tries++) {
        varve_error reason = { 0 };
        VV_TRY(vv_find_checkpoint(context, path, true, &lease->path, error));
        varve_status status = vv_lease_take(
            context, (const char *)lease->path.data, &lease->held, &reason);
        bool may_pass = status == VARVE_TIMEOUT || status == VARVE_NOT_FOUND;
        bool is_over =
            tries >= LEAST_TRIES && system->uptime(system->state) >= deadline;
        if (status == VARVE_NOT_FOUND && is_over)
            return vv_fail(error, VARVE_TIMEOUT,
                "%s: all %u checkpoints that were found were deleted before a "
                "lease could be taken",
                path, tries);
        if (!may_pass || is_over) {
            if (status && error)
                *error = reason;
            return status;
        }
        system->sleep(system->state, pause);
        pause = 2 * pause < LONGEST_PAUSE ? 2 * pause : LONGEST_PAUSE;
    }
}

varve_lease *vv_lease_new_in(
    const struct vv_context *context, const char *path, varve_error *error)
{
    if (!path) {
        vv_fail(error, VARVE_MISUSE, "path is NULL");
        return NULL;
    }
    varve_lease *lease = vv_allocate_zeroed(&context->allocator, sizeof *lease);
    if (!lease) {
        vv_fail_memory(error, "a lease");
        return NULL;
    }
    lease->context = *context;
    lease->held.file = -1;
    vv_buffer_init(&lease->path, &lease->context.allocator);
    if (lease_take(lease, path, error)) {
        varve_lease_free(lease);
        return NULL;
    }
    return lease;
}

varve_lease *varve_lease_new(
    const char *path, const varve_allocator *allocator, varve_error *error)
{
    const struct vv_context context = {
        .allocator = vv_allocator_or_default(allocator),
        .system = vv_default_system(),
    };
    return vv_lease_new_in(&context, path, error);
}

void varve_lease_free(varve_lease *lease)
{
    if (!lease)
        return;
    const varve_allocator a = lease->context.allocator;
    vv_lease_end(&lease->context, &lease->held);
    vv_buffer_clear(&lease->path);
    vv_release(&a, lease, sizeof *lease);
}

varve_status varve_lease_check(const varve_lease *lease, varve_error *error)
{
    if (!lease)
        return vv_fail(error, VARVE_MISUSE, "lease is NULL");
    return vv_lease_check(&lease->held, (const char *)lease->path.data, error);
}

const char *varve_lease_path(const varve_lease *lease)
{
    return lease ? (const char *)lease->path.data : NULL;
}

/* --- Files ---------------------------------------------------------------- */

/* Makes, renews and finds the files of leases. */

enum { DIGITS = 16 };

static const char ending[] = ".lease";

struct vv_lease_file {
    struct vv_context context;
    int directory;
    int file;
    char name[256];
    struct vv_worker_thread worker;
    /* guarded by its monitor: */
    bool has_expired;
    varve_error failure; /* of the last renewal */
};

/* --- The file ----------------------------------------------------------- */

static varve_status lease_file_name(
    struct vv_lease_file *l, const char *path, varve_error *error)
{
    uint64_t number = 0;
    VV_TRY(vv_file_random(&l->context, &number, sizeof number, path, error));
    int size = snprintf(l->name, sizeof l->name, ".%s.%016" PRIx64 "%s",
        vv_path_name(path), number, ending);
    return size > 0 && (size_t)size < sizeof l->name
               ? VARVE_OK
               : vv_fail(error, VARVE_BAD_NAME,
                     "%s: the name is too long: a lease file beside it needs a "
                     "longer one",
                     path);
}

static varve_status lease_file_write(
    const struct vv_lease_file *l, const char *path, varve_error *error)
{
    char host[64] = "", text[128];
    const struct vv_system *system = l->context.system;
    int64_t process = system->process(system->state, host, sizeof host);
    int size = snprintf(text, sizeof text,
        "varve lease 1\nhost %s\npid %" PRId64 "\n", host, process);
    return vv_file_write(
        &l->context, l->file, path, text, (size_t)size, 0, error);
}

/* Call inside the monitor. A later renewal replaces a failed one, unless the
 * lease has expired and its file was deleted. */
static void lease_file_renew(struct vv_lease_file *l)
{
    const struct vv_system *system = l->context.system;
    l->failure = (varve_error){ 0 };
    if (lease_file_write(l, l->name, &l->failure))
        return;
    int file = system->open_file(system->state, l->directory, l->name);
    vv_file_close(&l->context, file);
    l->has_expired |= file == -ENOENT;
}

static bool lease_file_work(void *user)
{
    struct vv_lease_file *l = user;
    if (l->worker.is_due)
        lease_file_renew(l);
    return false;
}

static varve_status lease_file_start(
    struct vv_lease_file *l, const char *path, varve_error *error)
{
    const struct vv_system *system = l->context.system;
    VV_TRY(lease_file_name(l, path, error));
    VV_TRY(vv_directory_open_parent(&l->context, path, &l->directory, error));
    int file = system->create_file(system->state, l->directory, l->name);
    if (file < 0)
        return vv_fail_system(
            error, -file, "making the file of a lease beside", path);
    l->file = file;
    VV_TRY(lease_file_write(l, path, error));
    if (!vv_worker_thread_init(&l->worker, &l->context, lease_file_work, l))
        return vv_fail_memory(error, "a lease");
    l->worker.interval = VV_LEASE_RENEWAL;
    int result = vv_worker_thread_start(&l->worker);
    return result < 0 ? vv_fail_system(error, -result,
                            "starting the thread that renews a lease of", path)
                      : VARVE_OK;
}

varve_status vv_lease_file_make(const struct vv_context *context,
    const char *path, struct vv_lease_file **made, varve_error *error)
{
    struct vv_lease_file *l =
        vv_allocate_zeroed(&context->allocator, sizeof *l);
    if (!l)
        return vv_fail_memory(error, "a lease");
    l->context = *context;
    l->directory = l->file = -1;
    varve_status status = lease_file_start(l, path, error);
    if (status)
        vv_lease_file_free(l);
    else
        *made = l;
    return status;
}

varve_status vv_lease_file_check(
    struct vv_lease_file *l, const char *path, varve_error *error)
{
    if (vv_worker_thread_is_lost(&l->worker))
        return vv_fail(error, VARVE_MISUSE,
            "%s: a forked child process cannot use the lease of its parent",
            path);
    vv_monitor_enter(l->worker.monitor);
    lease_file_renew(l);
    bool has_expired = l->has_expired;
    varve_error failure = l->failure;
    vv_monitor_leave(l->worker.monitor);
    if (has_expired)
        return vv_fail(error, VARVE_TIMEOUT,
            "%s: the lease has expired, perhaps because the process was "
            "suspended: the checkpoint may be deleted",
            path);
    return failure.status ? vv_fail_because(error, &failure,
                                "%s: the lease could not be renewed and "
                                "expires %d seconds after the last renewal",
                                path, (int)(VV_LEASE_TERM / 1000000000))
                          : VARVE_OK;
}

void vv_lease_file_free(struct vv_lease_file *l)
{
    if (!l)
        return;
    bool is_ours = vv_worker_thread_end(&l->worker);
    if (l->file >= 0 && is_ours)
        vv_file_remove(&l->context, l->directory, l->name, l->name, NULL);
    vv_file_close(&l->context, l->file);
    vv_file_close(&l->context, l->directory);
    const varve_allocator a = l->context.allocator;
    vv_release(&a, l, sizeof *l);
}

/* --- Whether there is one ----------------------------------------------- */

struct lease_search {
    const char *name;
    struct vv_buffer found; /* names, each with a NUL */
};

static bool lease_file_is_of(const char *candidate, const char *name)
{
    size_t size = strlen(name);
    return candidate[0] == '.' && strncmp(candidate + 1, name, size) == 0 &&
           candidate[1 + size] == '.' &&
           strspn(candidate + 2 + size, "0123456789abcdef") == DIGITS &&
           strcmp(candidate + 2 + size + DIGITS, ending) == 0;
}

static int lease_file_take_name(
    void *user, const char *candidate, const struct vv_file_info *info)
{
    struct lease_search *s = user;
    (void)info;
    if (lease_file_is_of(candidate, s->name))
        vv_buffer_add(&s->found, candidate, strlen(candidate) + 1);
    return 0;
}

/* Returns the time of the file server: the time of a file that is written
 * now. */
static bool lease_file_now(const struct vv_context *context, int directory,
    const char *name, int64_t *now)
{
    const struct vv_system *system = context->system;
    struct vv_temporary probe;
    struct vv_file_info info = { 0 };
    if (vv_temporary_make(&probe, context, directory, name, name, false, NULL))
        return false;
    bool is_known =
        vv_file_write(context, probe.file, name, "x", 1, 0, NULL) == VARVE_OK &&
        system->info(system->state, probe.file, &info) == 0;
    vv_file_close(context, probe.file);
    vv_temporary_remove(&probe);
    *now = info.modified;
    return is_known;
}

static bool lease_file_lives(const struct vv_context *context, int directory,
    const char *lease, int64_t now)
{
    const struct vv_system *system = context->system;
    struct vv_file_info info = { 0 };
    int file = system->open_file(system->state, directory, lease);
    if (file == -ENOENT)
        return false;
    bool is_known = file >= 0 && system->info(system->state, file, &info) == 0;
    vv_file_close(context, file);
    bool has_expired = is_known && info.modified < now - VV_LEASE_TERM;
    if (has_expired)
        vv_file_remove(context, directory, lease, lease, NULL);
    return !has_expired;
}

static bool lease_file_any(
    const struct vv_context *context, int directory, struct lease_search *s)
{
    const struct vv_system *system = context->system;
    bool lives = false;
    int64_t now;
    if (system->each_name(system->state, directory, lease_file_take_name, s) <
            0 ||
        s->found.failed)
        return true;
    if (s->found.size == 0)
        return false;
    if (!lease_file_now(context, directory, s->name, &now))
        return true;
    for (size_t at = 0; at < s->found.size;) {
        const char *lease = (const char *)s->found.data + at;
        lives |= lease_file_lives(context, directory, lease, now);
        at += strlen(lease) + 1;
    }
    return lives;
}

bool vv_lease_file_exists(
    const struct vv_context *context, int directory, const char *name)
{
    struct lease_search s = { .name = name };
    vv_buffer_init(&s.found, &context->allocator);
    bool is_leased = lease_file_any(context, directory, &s);
    vv_buffer_clear(&s.found);
    return is_leased;
}
