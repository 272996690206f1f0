/* store_lock.c - opens the lock, and takes it again and again while its owner
 * may live or not.
 *
 * SPDX-License-Identifier: MIT
 */
#include "store_lock.h"

#include <errno.h>

#include "failure.h"
#include "file.h"
#include "system.h"

#define A_MILLISECOND INT64_C(1000000)

/* A term is a minute, unless another version has another one. */
#define LONGEST_WAIT (120000 * A_MILLISECOND)
#define FIRST_PAUSE (100 * A_MILLISECOND)
#define LONGEST_PAUSE (2000 * A_MILLISECOND)

static int wait_for_lock(const struct vv_context *context, int file)
{
    const struct vv_system *system = context->system;
    int64_t deadline = system->uptime(system->state) + LONGEST_WAIT;
    int64_t pause = FIRST_PAUSE;
    for (;;) {
        int result = system->lock(system->state, file);
        if (result != -EBUSY || system->uptime(system->state) >= deadline)
            return result;
        system->sleep(system->state, pause);
        pause = 2 * pause < LONGEST_PAUSE ? 2 * pause : LONGEST_PAUSE;
    }
}

varve_status vv_store_lock_take(const struct vv_context *context,
    const char *path, struct vv_store_lock *lock, varve_error *error)
{
    const struct vv_system *system = context->system;
    if (lock->file < 0) {
        int file =
            system->create_file(system->state, VV_WORKING_DIRECTORY, path);
        if (file < 0)
            return vv_fail_system(error, -file, "opening the lock", path);
        lock->file = file;
    }
    int result = wait_for_lock(context, lock->file);
    lock->is_missing = result == -EOPNOTSUPP;
    if (result == 0 || lock->is_missing)
        return VARVE_OK;
    bool is_taken = result == -EWOULDBLOCK || result == -EBUSY;
    return vv_fail_system(
        error, is_taken ? EEXIST : -result, "taking the lock", path);
}

void vv_store_lock_release(
    const struct vv_context *context, struct vv_store_lock *lock)
{
    vv_file_close(context, lock->file);
    lock->file = -1;
}
