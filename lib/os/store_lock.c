/* store_lock.c - Opens the lock, and retries until it is known whether its
 * owner is alive.
 *
 * SPDX-License-Identifier: MIT
 */
#include "store_lock.h"

#include <errno.h>
#include <string.h>

#include "failure.h"
#include "file.h"
#include "store.h"
#include "system.h"
#include "try.h"

#define A_SECOND INT64_C(1000000000)

/* Limit for locks whose owner may be alive. A lock expires after a minute,
 * unless another version uses another time. */
#define LONGEST_DOUBT (120 * A_SECOND)
#define FIRST_PAUSE (A_SECOND / 10)
#define LONGEST_PAUSE (2 * A_SECOND)

/* Returns a time of `uptime`; INT64_MAX: no limit. */
static int64_t store_lock_deadline(int64_t now, double seconds)
{
    const double most = (double)(INT64_MAX / A_SECOND / 4);
    if (seconds < 0 || seconds >= most)
        return INT64_MAX;
    return now + (int64_t)(seconds * (double)A_SECOND);
}

static int store_lock_wait(
    const struct vv_context *context, int file, double seconds)
{
    const struct vv_system *system = context->system;
    int64_t begin = system->uptime(system->state);
    int64_t deadline = store_lock_deadline(begin, seconds);
    int64_t doubt =
        deadline > begin + LONGEST_DOUBT ? deadline : begin + LONGEST_DOUBT;
    int64_t pause = FIRST_PAUSE;
    for (;;) {
        int result = system->lock(system->state, file);
        if (result != -EBUSY && result != -EWOULDBLOCK)
            return result;
        int64_t rest = (result == -EBUSY ? doubt : deadline) -
                       system->uptime(system->state);
        if (rest <= 0)
            return -EEXIST;
        system->sleep(system->state, pause < rest ? pause : rest);
        pause = 2 * pause < LONGEST_PAUSE ? 2 * pause : LONGEST_PAUSE;
    }
}

varve_status vv_store_lock_take(const struct vv_context *context,
    const char *path, const char *run, double seconds,
    struct vv_store_lock *lock, varve_error *error)
{
    const struct vv_system *system = context->system;
    VV_TRY(vv_store_refuse(path, error));
    if (lock->file < 0) {
        int file =
            system->create_file(system->state, VV_WORKING_DIRECTORY, path);
        if (file < 0)
            return vv_fail_system(error, -file, "opening the lock", path);
        lock->file = file;
        system->write_at(system->state, file, run, strlen(run), 0);
    }
    int result = store_lock_wait(context, lock->file, seconds);
    lock->is_missing = result == -EOPNOTSUPP;
    return result == 0 || lock->is_missing
               ? VARVE_OK
               : vv_fail_system(error, -result, "taking the lock", path);
}

void vv_store_lock_release(
    const struct vv_context *context, struct vv_store_lock *lock)
{
    vv_file_close(context, lock->file);
    lock->file = -1;
}
