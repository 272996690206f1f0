/* lease.c - Takes and ends leases, and handles files that are replaced before
 * they are locked.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lease.h"

#include <errno.h>

#include "allocator.h"
#include "default_allocator.h"
#include "failure.h"
#include "file.h"
#include "lease_file.h"
#include "save.h"
#include "store.h"
#include "try.h"

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
