/* locker.c - Holds the lock of a manager in a store, as commanded by lines on
 * standard input. Prints a line for each.
 *
 *     locker s3://BUCKET/.../.NAME.lock PERIOD_MS
 *
 *     take    vv_store_lock_take: "STATUS message", or "missing"
 *     free    releases the lock: "freed"
 *     fork    takes it in a child process: "STATUS message"
 *
 * At the end of its input it exits without releasing the lock. Linked with
 * internal parts of the module, because no public option sets the period.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "default_allocator.h"
#include "failure.h"
#include "remote_get.h"
#include "remote_lock_file.h"
#include "remote_pool.h"
#include "remote_url.h"
#include "store_lock.h"
#include "system.h"

static struct vv_remote_settings settings = {
    .machine = &vv_posix_system,
    .attempts = 4,
    .wait_ms = 1,
    .connect_timeout_ms = 3000,
    .stall_timeout_s = 5,
    .operation_timeout_s = 600,
    .part_size = 8 << 20,
};

static struct vv_remote_lock_file *lock_file;

static int create_lock(void *state, int directory, const char *name)
{
    (void)state;
    (void)directory;
    lock_file = vv_remote_lock_file_new(&settings, name);
    return lock_file ? 3 : -1;
}

static int64_t write_run(
    void *state, int file, const void *bytes, size_t size, uint64_t offset)
{
    (void)state;
    (void)file;
    (void)offset;
    vv_remote_lock_file_set_run(lock_file, bytes, size);
    return (int64_t)size;
}

static int take_lock(void *state, int file)
{
    (void)state;
    (void)file;
    return vv_remote_lock_file_take(lock_file);
}

static int close_lock(void *state, int file)
{
    (void)state;
    (void)file;
    vv_remote_lock_file_free(lock_file);
    lock_file = NULL;
    return 0;
}

static void take(const struct vv_context *context, const char *path,
    struct vv_store_lock *lock)
{
    varve_error error = { .status = VARVE_OK };
    varve_status status =
        vv_store_lock_take(context, path, "run-7", 0, lock, &error);
    if (lock->is_missing)
        printf("missing\n");
    else
        printf(
            "%s %s\n", varve_status_name(status), status ? error.message : "");
    fflush(stdout);
}

static void take_in_child(const struct vv_context *context, const char *path,
    struct vv_store_lock *lock)
{
    pid_t child = fork();
    if (child == 0) {
        take(context, path, lock);
        vv_store_lock_release(context, lock);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

int main(int count, char **arguments)
{
    static const struct vv_failure_words words = { .reason = vv_remote_reason };
    struct vv_system system = vv_posix_system;
    const struct vv_context context = {
        .allocator = vv_allocator_or_default(NULL), .system = &system
    };
    struct vv_store_lock lock = { .file = -1 };
    char line[64];
    if (count != 3 || vv_remote_pool_start())
        return 2;
    vv_failure_register(&words);
    settings.lock_period_ms = (unsigned)strtoul(arguments[2], NULL, 10);
    system.create_file = create_lock;
    system.write_at = write_run;
    system.lock = take_lock;
    system.close = close_lock;
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, "take\n") == 0) {
            take(&context, arguments[1], &lock);
        } else if (strcmp(line, "fork\n") == 0) {
            take_in_child(&context, arguments[1], &lock);
        } else if (strcmp(line, "free\n") == 0) {
            vv_store_lock_release(&context, &lock);
            printf("freed\n");
            fflush(stdout);
        }
    }
    _exit(0);
}
