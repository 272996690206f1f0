/* calls.c - the table of a system, each call at a point where others may come
 * between.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/calls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "simulate/arena.h"
#include "simulate/choice.h"
#include "simulate/draw.h"
#include "simulate/fault.h"
#include "simulate/finding.h"
#include "simulate/oracle.h"
#include "simulate/place.h"
#include "simulate/process.h"
#include "simulate/stores.h"
#include "simulate/task.h"
#include "simulate/threads.h"

/* Comes to a call: others may go on first, and it may be the last. */
static struct process *at_call(void *state)
{
    struct process *p = state;
    if (p->is_quiet)
        return p;
    calls_made++;
    task_point();
    if (fault_happens(p, 1u << FAULT_KILL) == FAULT_KILL)
        process_kill(p);
    return p;
}

static int told(int result, const char *call, const char *name)
{
    if (is_traced())
        trace("%s(%s) = %s", call, name, fault_result(result));
    return result;
}

/* The path of a name below a directory, for traces. */
static const char *path_of(
    const struct process *p, int directory, const char *name)
{
    static char text[600];
    const struct description *d = process_find(p, directory);
    if (!is_traced() || !d)
        return name;
    snprintf(text, sizeof text, "%s/%s", place_path(d->inode), name);
    return text;
}

static const char *file_of(const struct process *p, int number)
{
    const struct description *d = process_find(p, number);
    return d ? place_path(d->inode) : "?";
}

static int64_t clock_of(const struct process *p)
{
    return fault_clock(p->node) + task_uptime();
}

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
    struct process *p = at_call(state);
    return told(find_and_open(p, directory, name, false, false), "open_file",
        path_of(p, directory, name));
}

static int open_to_write(void *state, int directory, const char *name)
{
    struct process *p = at_call(state);
    return told(find_and_open(p, directory, name, true, false),
        "open_to_write", path_of(p, directory, name));
}

static int open_directory(void *state, int directory, const char *name)
{
    struct process *p = at_call(state);
    return told(find_and_open(p, directory, name, false, true),
        "open_directory", path_of(p, directory, name));
}

/* Who creates asks the server, and knows the directory from then on. */
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
    bool exists = disk_find(parent, name) || strcmp(name, ".") == 0 ||
        strcmp(name, "..") == 0 || !*name;
    if (!exists)
        *made = disk_make(parent, name, is_directory, p->node, clock_of(p));
    place_has_changed(p, parent);
    if (exists)
        return -EEXIST;
    return fault_of_answer(p, -EEXIST);
}

static int create_file(void *state, int directory, const char *name)
{
    struct process *p = at_call(state);
    struct inode *made;
    bool is_store = stores_has(p, directory, name);
    int result = is_store ? stores_create(p, directory, name)
                          : make(p, directory, name, false, &made);
    if (result == 0 && !is_store)
        result = process_open(p, made, OPEN_READS | OPEN_WRITES);
    return told(result, "create_file", path_of(p, directory, name));
}

static int make_directory(void *state, int directory, const char *name)
{
    struct process *p = at_call(state);
    struct inode *made;
    if (stores_has(p, directory, name))
        return 0;
    return told(make(p, directory, name, true, &made), "make_directory",
        path_of(p, directory, name));
}

static int close_descriptor(void *state, int number)
{
    struct process *p = at_call(state);
    const struct description *d = process_find(p, number);
    const char *name = file_of(p, number);
    if (!d) {
        finding(FINDING_BROKEN, "%s closes what is not open", p->name);
        return -EBADF;
    }
    int fault = d->is_writable ? fault_of_writing(p) : 0;
    int result = process_close(p, number);
    result = result ? result : fault == -EINTR ? 0 : fault;
    return told(result, "close", name);
}

/* --- Reading and writing ------------------------------------------------ */

/* The open file of a call; a finding where there is none. */
static struct description *open_one(const struct process *p, int number)
{
    struct description *d = process_find(p, number);
    if (!d)
        finding(FINDING_BROKEN, "%s uses descriptor %d, which is not open",
            p->name, number);
    return d;
}

static int info(void *state, int number, struct vv_file_info *info)
{
    struct process *p = at_call(state);
    const struct description *d = open_one(p, number);
    if (!d)
        return -EBADF;
    int fault = fault_of_reading(p);
    if (fault == -EINTR) /* fstat does not wait for anything */
        fault = 0;
    *info = (struct vv_file_info){ .kind = d->inode->is_directory
            ? VV_DIRECTORY
            : VV_REGULAR_FILE,
        .size = d->inode->is_directory ? 0 : d->inode->size,
        .modified = d->inode->modified,
        .device = d->inode->disk->number,
        .serial = d->inode->serial };
    return told(fault, "info", file_of(p, number));
}

static int64_t read_at(
    void *state, int number, void *bytes, size_t size, uint64_t offset)
{
    struct process *p = at_call(state);
    const struct description *d = open_one(p, number);
    if (!d)
        return -EBADF;
    int fault = d->is_readable ? fault_of_reading(p) : -EBADF;
    if (!fault && d->inode->is_directory)
        fault = -EISDIR;
    if (fault)
        return told(fault, "read_at", file_of(p, number));
    size_t there = d->inode->size;
    size_t rest = offset < there ? there - (size_t)offset : 0;
    size = size < rest ? size : rest;
    if (size)
        memcpy(bytes, d->inode->bytes + offset, size);
    return told((int)size, "read_at", file_of(p, number));
}

static int64_t write_at(
    void *state, int number, const void *bytes, size_t size, uint64_t offset)
{
    struct process *p = at_call(state);
    const struct description *d = open_one(p, number);
    if (!d)
        return -EBADF;
    int fault = d->is_writable ? fault_of_writing(p) : -EBADF;
    if (!fault)
        disk_write(d->inode, bytes, size, offset, clock_of(p));
    return told(fault ? fault : (int)size, "write_at", file_of(p, number));
}

static int reserve(void *state, int number, uint64_t size)
{
    (void)size;
    if (stores_has_file(state, number))
        return -EOPNOTSUPP;
    return open_one(state, number) ? 0 : -EBADF;
}

static int hint(void *state, int number, uint64_t offset, uint64_t size)
{
    (void)offset;
    (void)size;
    return open_one(state, number) ? 0 : -EBADF;
}

static int sync_descriptor(void *state, int number)
{
    struct process *p = at_call(state);
    const struct description *d = open_one(p, number);
    if (!d)
        return -EBADF;
    int fault = fault_of_writing(p);
    if (!fault)
        disk_sync(d->inode);
    return told(fault == -EINTR ? -EIO : fault, "sync", file_of(p, number));
}

/* --- Locks -------------------------------------------------------------- */

static bool stands_in_the_way(const struct description *other,
    const struct description *d, enum lock_kind wanted)
{
    if (other == d || other->lock == LOCK_NONE ||
        ((d->inode->disk->traits & DISK_LOCAL_LOCKS) && other->node != d->node))
        return false;
    return wanted == LOCK_ALONE || other->lock == LOCK_ALONE;
}

/* As flock with LOCK_NB: a lock that is to become another one is gone where
 * that cannot be had. */
static int take_lock(void *state, int number, enum lock_kind wanted)
{
    struct process *p = at_call(state);
    struct description *d = open_one(p, number);
    if (!d)
        return -EBADF;
    if (d->inode->disk->traits & (DISK_NO_LOCKS | DISK_IS_STORE))
        return -ENOSYS;
    d->lock = wanted;
    for (const struct description *other = d->inode->opened; other;
         other = other->next_of_inode)
        if (stands_in_the_way(other, d, wanted))
            d->lock = LOCK_NONE;
    return d->lock == wanted ? 0 : -EWOULDBLOCK;
}

static int lock(void *state, int number)
{
    int result = take_lock(state, number, LOCK_ALONE);
    return told(result, "lock", file_of(state, number));
}

static int share_lock(void *state, int number)
{
    int result = take_lock(state, number, LOCK_SHARED);
    return told(result, "share_lock", file_of(state, number));
}

static int unlock(void *state, int number)
{
    return told(take_lock(state, number, LOCK_NONE), "unlock",
        file_of(state, number));
}

/* --- Names -------------------------------------------------------------- */

enum change_kind { CHANGE_RENAME, CHANGE_RENAME_NEW, CHANGE_LINK };

static int refuse(const struct inode *parent, enum change_kind kind)
{
    unsigned traits = parent->disk->traits;
    if (kind == CHANGE_RENAME_NEW && (traits & DISK_NO_RENAME_NEW))
        return -EINVAL;
    return kind == CHANGE_LINK && (traits & DISK_NO_LINKS) ? -EPERM : 0;
}

static int change(struct inode *parent, const char *from, const char *to,
    enum change_kind kind, const struct process *p)
{
    return kind == CHANGE_LINK
        ? disk_link(parent, from, to, p->node)
        : disk_rename(parent, from, to, kind == CHANGE_RENAME, p->node);
}

/* Both names are in one directory: the library renames no other way. */
static int change_names(void *state, int directory, const char *from,
    const char *to, enum change_kind kind)
{
    struct process *p = at_call(state);
    struct inode *old_parent, *parent;
    char old_name[256], name[256];
    if (stores_has(p, directory, from))
        return kind == CHANGE_LINK
            ? -EOPNOTSUPP
            : stores_rename(p, directory, from, to, kind == CHANGE_RENAME);
    int result =
        place_find_parent(p, directory, from, &old_parent, old_name);
    if (!result)
        result = place_find_parent(p, directory, to, &parent, name);
    if (!result && old_parent != parent) {
        finding(FINDING_BROKEN, "a rename to another directory: %s", to);
        result = -EXDEV;
    }
    if (!result)
        result = refuse(parent, kind);
    if (result)
        return result;
    struct inode *moved = disk_find(parent, old_name);
    struct inode *older = disk_find(parent, name);
    result = change(parent, old_name, name, kind, p);
    place_has_changed(p, parent);
    if (result)
        return result;
    if (older != moved) {
        if (kind != CHANGE_LINK)
            oracle_name_changed(p, parent, old_name, moved, NULL);
        oracle_name_changed(p, parent, name, older, moved);
    }
    return fault_of_answer(p, kind == CHANGE_RENAME ? -ENOENT
            : kind == CHANGE_LINK                   ? -EEXIST
                                                    : -ENOENT);
}

static int named(void *state, int directory, const char *from,
    const char *to, enum change_kind kind, const char *call)
{
    struct process *p = state;
    char what[700] = "";
    int result = change_names(state, directory, from, to, kind);
    if (is_traced())
        snprintf(what, sizeof what, "%s, %s", path_of(p, directory, from), to);
    return told(result, call, what);
}

static int rename_file(
    void *state, int directory, const char *from, const char *to)
{
    return named(state, directory, from, to, CHANGE_RENAME, "rename");
}

static int rename_new(
    void *state, int directory, const char *from, const char *to)
{
    return named(state, directory, from, to, CHANGE_RENAME_NEW, "rename_new");
}

static int link_file(
    void *state, int directory, const char *from, const char *to)
{
    return named(state, directory, from, to, CHANGE_LINK, "link");
}

static int remove_name(void *state, int directory, const char *path)
{
    struct process *p = at_call(state);
    struct inode *parent;
    char name[256];
    if (stores_has(p, directory, path))
        return told(stores_remove(p, directory, path), "remove",
            path_of(p, directory, path));
    int result = place_find_parent(p, directory, path, &parent, name);
    if (!result) {
        struct inode *older = disk_find(parent, name);
        result = disk_remove(parent, name, p->node);
        place_has_changed(p, parent);
        if (!result) {
            oracle_name_changed(p, parent, name, older, NULL);
            result = fault_of_answer(p, -ENOENT);
        }
    }
    return told(result, "remove", path_of(p, directory, path));
}

/* --- Listings ----------------------------------------------------------- */

/* A listing as it is read: the names that a process sees when it begins, and
 * what changes while it goes on. */
struct listing {
    struct name *names;
    size_t count;
    size_t split; /* after so many others may come between; 0: not */
};

static struct listing begin_listing(struct process *p, struct inode *d)
{
    struct listing l = { .names =
                             arena_take((d->change_count + 1) * 2 *
                                 sizeof *l.names) };
    l.count = disk_names_at(d, place_seen(p, d, true), l.names);
    l.split = fault_of_listing(p, l.count);
    return l;
}

/* Names that vanished since are left out, or not; and so are those that came,
 * by the same choice. */
static void go_on(struct process *p, struct inode *d, struct listing *l)
{
    struct name *now =
        arena_take((d->change_count + l->count + 1) * 2 * sizeof *now);
    size_t count = l->split;
    task_point();
    bool shows_new = (l->split & 1) != 0;
    memcpy(now, l->names, l->split * sizeof *now);
    for (size_t i = l->split; i < l->count; i++)
        if (disk_find(d, l->names[i].text))
            now[count++] = l->names[i];
    for (size_t i = 0; shows_new && i < d->name_count; i++) {
        bool is_new = true;
        for (size_t k = 0; k < l->count; k++)
            is_new &= strcmp(d->names[i].text, l->names[k].text) != 0;
        if (is_new)
            now[count++] = d->names[i];
    }
    trace("  (the listing of %s goes on after name %zu)", place_path(d),
        l->split);
    p->disturbances++;
    l->names = now;
    l->count = count;
}

static int each_name(void *state, int number, vv_each_name *each, void *user)
{
    struct process *p = at_call(state);
    const struct description *opened = open_one(p, number);
    if (!opened || !opened->inode->is_directory)
        return -ENOTDIR;
    struct inode *d = opened->inode;
    int fault = fault_of_reading(p);
    told(fault, "each_name", file_of(p, number));
    if (fault)
        return fault;
    struct listing l = begin_listing(p, d);
    for (size_t i = 0; i < l.count; i++) {
        if (l.split && i == l.split)
            go_on(p, d, &l);
        if (i < l.count && l.names[i].inode->is_directory &&
            stores_has_file(p, number))
            continue;
        if (i < l.count && each(user, l.names[i].text, NULL))
            break;
    }
    return 0;
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
    return clock_of(state);
}

static int64_t uptime(void *state)
{
    (void)state;
    return task_uptime();
}

static void sleep_for(void *state, int64_t time)
{
    const struct process *p = at_call(state);
    trace("sleep(%.3f ms)", (double)time / 1e6);
    if (time > 0 && !p->is_quiet)
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
    .lock = lock,
    .share_lock = share_lock,
    .unlock = unlock,
    .rename = rename_file,
    .rename_new = rename_new,
    .link = link_file,
    .remove = remove_name,
    .make_directory = make_directory,
    .each_name = each_name,
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
