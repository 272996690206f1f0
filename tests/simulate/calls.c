/* calls.c - Implements the table of a system: opening, reading, writing,
 * clocks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/calls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "simulate/arena.h"
#include "simulate/call.h"
#include "simulate/choice.h"
#include "simulate/draw.h"
#include "simulate/fault.h"
#include "simulate/finding.h"
#include "simulate/oracle.h"
#include "simulate/place.h"
#include "simulate/process.h"
#include "simulate/store_requests.h"
#include "simulate/stores.h"
#include "simulate/names.h"
#include "simulate/task.h"
#include "simulate/threads.h"

/* --- Opening ------------------------------------------------------------ */

static int find_and_open(struct process *p, int directory, const char *name,
    bool writes, bool wants_directory)
{
    struct inode *found;
    int fault = fault_of_reading(p);
    if (!fault && stores_has(p, directory, name))
        return writes    ? -EOPNOTSUPP
            : wants_directory ? stores_open_directory(p, directory, name)
                              : stores_open(p, directory, name);
    int result = fault ? fault : place_find(p, directory, name, &found);
    if (!result && wants_directory && !found->is_directory)
        result = -ENOTDIR;
    if (!result && writes && found->is_directory)
        result = -EISDIR;
    return result ? result
                  : process_open(p, found, writes ? OPEN_WRITES : OPEN_READS);
}

static int open_file(void *state, int directory, const char *name)
{
    struct process *p = call_begins(state);
    return call_result(find_and_open(p, directory, name, false, false),
        "open_file", call_path(p, directory, name));
}

static int open_to_write(void *state, int directory, const char *name)
{
    struct process *p = call_begins(state);
    return call_result(find_and_open(p, directory, name, true, false),
        "open_to_write", call_path(p, directory, name));
}

static int open_directory(void *state, int directory, const char *name)
{
    struct process *p = call_begins(state);
    return call_result(find_and_open(p, directory, name, false, true),
        "open_directory", call_path(p, directory, name));
}

/* Creating a name contacts the server, so that the node sees the current
 * directory afterwards. */
static int make(struct process *p, int directory, const char *path,
    bool is_directory, struct inode **made)
{
    struct inode *parent;
    char name[256];
    int fault = fault_of_creating(p);
    int result =
        fault ? fault : place_find_parent(p, directory, path, &parent, name);
    if (result)
        return result;
    if (!parent->links) /* it was removed while this process had it open */
        return -ENOENT;
    bool exists = disk_find(parent, name) || strcmp(name, ".") == 0 ||
        strcmp(name, "..") == 0 || !*name;
    if (!exists)
        *made = disk_make(
            parent, name, is_directory, p->node, call_file_clock(p, parent));
    place_has_changed(p, parent);
    if (exists)
        return -EEXIST;
    return fault_of_answer(p, -EEXIST);
}

static int create_file(void *state, int directory, const char *name)
{
    struct process *p = call_begins(state);
    struct inode *made;
    bool is_store = stores_has(p, directory, name);
    int result = is_store ? stores_create(p, directory, name)
                          : make(p, directory, name, false, &made);
    if (result == 0 && !is_store)
        result = process_open(p, made, OPEN_READS | OPEN_WRITES);
    return call_result(result, "create_file", call_path(p, directory, name));
}

static int make_directory(void *state, int directory, const char *name)
{
    struct process *p = call_begins(state);
    struct inode *made;
    if (stores_has(p, directory, name))
        return 0;
    return call_result(make(p, directory, name, true, &made), "make_directory",
        call_path(p, directory, name));
}

static int close_descriptor(void *state, int number)
{
    struct process *p = call_begins(state);
    const struct description *d = process_find(p, number);
    const char *name = call_file(p, number);
    if (!d) {
        finding(FINDING_BROKEN, "%s closes what is not open", p->name);
        return -EBADF;
    }
    int fault = d->is_writable ? fault_of_writing(p) : 0;
    if (store_lock_is(p, number))
        store_lock_close(p, number);
    int result = process_close(p, number);
    result = result ? result : fault == -EINTR ? 0 : fault;
    return call_result(result, "close", name);
}

/* --- Reading and writing ------------------------------------------------ */

static int info(void *state, int number, struct vv_file_info *info)
{
    struct process *p = call_begins(state);
    const struct description *d = call_open(p, number);
    if (!d)
        return -EBADF;
    int fault = fault_of_reading(p);
    if (fault == -EINTR) /* fstat cannot be interrupted */
        fault = 0;
    *info = (struct vv_file_info){ .kind = d->inode->is_directory
            ? VV_DIRECTORY
            : VV_REGULAR_FILE,
        .size = d->inode->is_directory ? 0 : d->inode->size,
        .modified = d->inode->modified,
        .device = d->inode->disk->number,
        .serial = d->inode->serial };
    return call_result(fault, "info", call_file(p, number));
}

static int64_t read_at(
    void *state, int number, void *bytes, size_t size, uint64_t offset)
{
    struct process *p = call_begins(state);
    const struct description *d = call_open(p, number);
    if (!d)
        return -EBADF;
    int fault = d->is_readable ? fault_of_reading(p) : -EBADF;
    if (!fault && d->inode->is_directory)
        fault = -EISDIR;
    if (fault)
        return call_result(fault, "read_at", call_file(p, number));
    size_t there = d->inode->size;
    size_t rest = offset < there ? there - (size_t)offset : 0;
    size = size < rest ? size : rest;
    if (size)
        memcpy(bytes, d->inode->bytes + offset, size);
    return call_result((int)size, "read_at", call_file(p, number));
}

static int64_t write_at(
    void *state, int number, const void *bytes, size_t size, uint64_t offset)
{
    struct process *p = call_begins(state);
    const struct description *d = call_open(p, number);
    if (!d)
        return -EBADF;
    if (store_lock_is(p, number)) {
        store_lock_set_run(p, number, bytes, size);
        return (int64_t)size;
    }
    int fault = d->is_writable ? fault_of_writing(p) : -EBADF;
    if (!fault)
        disk_write(
            d->inode, bytes, size, offset, call_file_clock(p, d->inode));
    return call_result(
        fault ? fault : (int)size, "write_at", call_file(p, number));
}

static int reserve(void *state, int number, uint64_t size)
{
    (void)size;
    if (stores_has_file(state, number))
        return -EOPNOTSUPP;
    return call_open(state, number) ? 0 : -EBADF;
}

static int hint(void *state, int number, uint64_t offset, uint64_t size)
{
    (void)offset;
    (void)size;
    return call_open(state, number) ? 0 : -EBADF;
}

static int sync_descriptor(void *state, int number)
{
    struct process *p = call_begins(state);
    const struct description *d = call_open(p, number);
    if (!d)
        return -EBADF;
    int fault = fault_of_writing(p);
    if (!fault)
        disk_sync(d->inode);
    return call_result(
        fault == -EINTR ? -EIO : fault, "sync", call_file(p, number));
}

/* --- Memory, clocks, threads -------------------------------------------- */

static int map(
    void *state, int number, uint64_t offset, size_t size, void **address)
{
    struct process *p = state;
    if (size == 0 || offset % VV_PAGE_SIZE)
        return -EINVAL;
    if (stores_has_file(p, number))
        return -EOPNOTSUPP;
    char *block = arena_take(size + VV_PAGE_SIZE);
    block += VV_PAGE_SIZE - (uintptr_t)block % VV_PAGE_SIZE;
    int64_t moved = read_at(state, number, block, size, offset);
    if (moved < 0)
        return (int)moved;
    p->maps++;
    *address = block;
    return 0;
}

static int unmap(void *state, void *address, size_t size)
{
    struct process *p = state;
    (void)address;
    (void)size;
    p->maps--;
    return 0;
}

static int open_tracker(void *state)
{
    (void)state;
    return -ENOSYS;
}

static int track(void *state, int tracker, void *address, size_t size)
{
    (void)state;
    (void)tracker;
    (void)address;
    (void)size;
    return -ENOTSUP;
}

static int each_written(void *state, int tracker, void *address, size_t size,
    vv_each_run *each, void *user)
{
    (void)each;
    (void)user;
    return track(state, tracker, address, size);
}

static int random_bytes(void *state, void *bytes, size_t size)
{
    struct process *p = state;
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)bytes)[i] =
            (unsigned char)(draw_next(&p->random) >> 32);
    return 0;
}

static int64_t now(void *state)
{
    return call_clock(state);
}

static int64_t uptime(void *state)
{
    (void)state;
    return task_uptime();
}

static void sleep_for(void *state, int64_t time)
{
    call_begins(state);
    trace("sleep(%.3f ms)", (double)time / 1e6);
    if (time > 0)
        task_wait(&time, task_uptime() + time);
}

static int64_t process(void *state, char *machine, size_t size)
{
    const struct process *p = state;
    if (size)
        snprintf(machine, size, "node-%u", p->node);
    return 100 + p->number;
}

static unsigned processors(void *state)
{
    (void)state;
    return 1;
}

const struct vv_system simulated_system = {
    .open_file = open_file,
    .create_file = create_file,
    .open_to_write = open_to_write,
    .open_directory = open_directory,
    .open_real_directory = open_directory,
    .close = close_descriptor,
    .info = info,
    .read_at = read_at,
    .write_at = write_at,
    .reserve = reserve,
    .start_write_back = hint,
    .will_read = hint,
    .sync = sync_descriptor,
    .lock = locks_take,
    .share_lock = locks_share,
    .unlock = locks_release,
    .rename = names_rename,
    .rename_new = names_rename_new,
    .link = names_link,
    .remove = names_remove,
    .make_directory = make_directory,
    .each_name = names_each,
    .map = map,
    .unmap = unmap,
    .open_tracker = open_tracker,
    .track = track,
    .untrack = track,
    .each_written = each_written,
    .arm = each_written,
    .random = random_bytes,
    .now = now,
    .uptime = uptime,
    .sleep = sleep_for,
    .process = process,
    .processors = processors,
    .start_thread = threads_start,
    .join_thread = threads_join,
};
