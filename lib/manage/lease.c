/* lease.c - taking and ending a lease, and what may come between the opening of
 * a file and its lock.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lease.h"

#include <errno.h>

#include "allocator.h"
#include "default_allocator.h"
#include "failure.h"
#include "file.h"
#include "save.h"
#include "store.h"
#include "try.h"

#define A_MILLISECOND ((int64_t)1000000)

/* A writer or a deleter has a file for a moment. */
#define LONGEST_WAIT (10000 * A_MILLISECOND)
#define LONGEST_PAUSE (100 * A_MILLISECOND)

/* Replaced under one's hands so often, it is busy. */
enum { MOST_REPLACED = 100 };

#define NO_LOCKS                                                               \
    "has no locks, and so no leases: a watch does without with no_lease"

/* --- One file, now ------------------------------------------------------ */

static varve_status fail_busy(varve_error *error, const char *path)
{
    return vv_fail(error, VARVE_TIMEOUT,
        "%s: expected to share its lock, found it locked by a writer", path);
}

/* Whether the name leads to the file that is open. */
static varve_status compare(const struct vv_context *context, int file,
    const char *path, bool *is_same, varve_error *error)
{
    struct vv_file_info ours, named;
    VV_TRY(vv_file_look(context, path, &named, error));
    VV_TRY(vv_file_info(context, file, path, &ours, error));
    *is_same = ours.device == named.device && ours.serial == named.serial;
    return VARVE_OK;
}

/* Opens and locks. Between the two, the file may have been deleted, and another
 * put in its place; *is_same says that it was not. */
static varve_status take_once(const struct vv_context *context,
    const char *path, int *file, bool *is_same, varve_error *error)
{
    int opened;
    uint64_t size;
    VV_TRY(vv_store_refuse_any(path, NO_LOCKS, error));
    VV_TRY(vv_file_open(context, path, &opened, &size, error));
    varve_status status = VARVE_OK;
    int result = context->system->share_lock(context->system->state, opened);
    if (result == -EWOULDBLOCK)
        status = fail_busy(error, path);
    else
        status = compare(context, opened, path, is_same, error);
    if (status || !*is_same)
        vv_file_close(context, opened);
    else
        *file = opened;
    return status;
}

varve_status vv_lease_take(const struct vv_context *context, const char *path,
    int *file, varve_error *error)
{
    bool is_same = false;
    for (int i = 0; i < MOST_REPLACED && !is_same; i++)
        VV_TRY(take_once(context, path, file, &is_same, error));
    return is_same ? VARVE_OK : fail_busy(error, path);
}

varve_status vv_lease_wait(const struct vv_context *context, const char *path,
    int *file, varve_error *error)
{
    const struct vv_system *system = context->system;
    int64_t deadline = system->uptime(system->state) + LONGEST_WAIT;
    int64_t pause = A_MILLISECOND;
    varve_status status;
    while (
        (status = vv_lease_take(context, path, file, error)) == VARVE_TIMEOUT &&
        system->uptime(system->state) < deadline) {
        system->sleep(system->state, pause);
        pause = 2 * pause < LONGEST_PAUSE ? 2 * pause : LONGEST_PAUSE;
    }
    return status;
}

void vv_lease_end(const struct vv_context *context, int file)
{
    const struct vv_system *system = context->system;
    if (file >= 0)
        system->unlock(system->state, file);
    vv_file_close(context, file);
}

/* --- A handle ----------------------------------------------------------- */

/* Finds what the path means, again and again: that may be another file by the
 * time that this one is gone. */
static varve_status take(
    varve_lease *lease, const char *path, varve_error *error)
{
    const struct vv_context *context = &lease->context;
    const struct vv_system *system = context->system;
    int64_t deadline = system->uptime(system->state) + LONGEST_WAIT;
    int64_t pause = A_MILLISECOND;
    VV_TRY(vv_store_refuse_any(path, NO_LOCKS, error));
    for (;;) {
        varve_error reason = { 0 };
        VV_TRY(vv_find_checkpoint(context, path, true, &lease->path, error));
        varve_status status = vv_lease_take(
            context, (const char *)lease->path.data, &lease->file, &reason);
        bool may_pass = status == VARVE_TIMEOUT || status == VARVE_NOT_FOUND;
        if (!may_pass || system->uptime(system->state) >= deadline) {
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
        vv_fail(error, VARVE_MISUSE, "expected a path, found none");
        return NULL;
    }
    varve_lease *lease = vv_allocate_zeroed(&context->allocator, sizeof *lease);
    if (!lease) {
        vv_fail_memory(error, "a lease");
        return NULL;
    }
    lease->context = *context;
    lease->file = -1;
    lease->process = context->system->process(context->system->state, NULL, 0);
    vv_buffer_init(&lease->path, &lease->context.allocator);
    if (take(lease, path, error)) {
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
    const struct vv_system *system = lease->context.system;
    if (system->process(system->state, NULL, 0) == lease->process)
        vv_lease_end(&lease->context, lease->file);
    else
        vv_file_close(&lease->context, lease->file);
    vv_buffer_clear(&lease->path);
    vv_release(&a, lease, sizeof *lease);
}

const char *varve_lease_path(const varve_lease *lease)
{
    return lease ? (const char *)lease->path.data : NULL;
}
