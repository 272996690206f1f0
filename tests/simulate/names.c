/* names.c - Implements renames, links, removals, listings and locks of
 * simulated processes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/arena.h"
#include "simulate/call.h"
#include "simulate/fault.h"
#include "simulate/finding.h"
#include "simulate/oracle.h"
#include "simulate/place.h"
#include "simulate/process.h"
#include "simulate/store_requests.h"
#include "simulate/stores.h"
#include "simulate/task.h"

/* --- Locks -------------------------------------------------------------- */

static bool stands_in_the_way(const struct description *other,
    const struct description *d, enum lock_kind wanted)
{
    if (other == d || other->lock == LOCK_NONE ||
        ((d->inode->disk->traits & DISK_LOCAL_LOCKS) && other->node != d->node))
        return false;
    return wanted == LOCK_ALONE || other->lock == LOCK_ALONE;
}

static int take_lock_of_store(
    const struct process *p, int number, enum lock_kind wanted)
{
    if (wanted == LOCK_SHARED)
        return -EOPNOTSUPP;
    if (wanted == LOCK_ALONE)
        return store_lock_take(p, number);
    store_lock_release(p, number);
    return 0;
}

/* Behaves like flock with LOCK_NB: if a lock cannot be converted, the existing
 * lock is lost. */
static int take_lock(void *state, int number, enum lock_kind wanted)
{
    struct process *p = call_begins(state);
    struct description *d = call_open(p, number);
    if (!d)
        return -EBADF;
    if (store_lock_is(p, number))
        return take_lock_of_store(p, number, wanted);
    if (d->inode->disk->traits & DISK_IS_STORE)
        return -EOPNOTSUPP;
    if (d->inode->disk->traits & DISK_NO_LOCKS)
        return -ENOSYS;
    d->lock = wanted;
    for (const struct description *other = d->inode->opened; other;
         other = other->next_of_inode)
        if (stands_in_the_way(other, d, wanted))
            d->lock = LOCK_NONE;
    return d->lock == wanted ? 0 : -EWOULDBLOCK;
}

int locks_take(void *state, int number)
{
    int result = take_lock(state, number, LOCK_ALONE);
    return call_result(result, "lock", call_file(state, number));
}

int locks_share(void *state, int number)
{
    int result = take_lock(state, number, LOCK_SHARED);
    return call_result(result, "share_lock", call_file(state, number));
}

int locks_release(void *state, int number)
{
    return call_result(take_lock(state, number, LOCK_NONE), "unlock",
        call_file(state, number));
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

/* Both names are in one directory, since the library never renames across
 * directories. */
static int change_names(void *state, int directory, const char *from,
    const char *to, enum change_kind kind)
{
    struct process *p = call_begins(state);
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
        snprintf(
            what, sizeof what, "%s, %s", call_path(p, directory, from), to);
    return call_result(result, call, what);
}

int names_rename(
    void *state, int directory, const char *from, const char *to)
{
    return named(state, directory, from, to, CHANGE_RENAME, "rename");
}

int names_rename_new(
    void *state, int directory, const char *from, const char *to)
{
    return named(state, directory, from, to, CHANGE_RENAME_NEW, "rename_new");
}

int names_link(
    void *state, int directory, const char *from, const char *to)
{
    return named(state, directory, from, to, CHANGE_LINK, "link");
}

int names_remove(void *state, int directory, const char *path)
{
    struct process *p = call_begins(state);
    struct inode *parent;
    char name[256];
    if (stores_has(p, directory, path))
        return call_result(stores_remove(p, directory, path), "remove",
            call_path(p, directory, path));
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
    return call_result(result, "remove", call_path(p, directory, path));
}

/* --- Listings ----------------------------------------------------------- */

/* A listing in progress: the names that a process sees at its start, and later
 * changes. */
struct listing {
    struct name *names;
    size_t count;
    size_t page; /* number of names after which other tasks may run; 0: none */
};

static int compare_names(const void *left, const void *right)
{
    const struct name *a = left, *b = right;
    return strcmp(a->text, b->text);
}

static bool is_of_store(const struct inode *d)
{
    return (d->disk->traits & DISK_IS_STORE) != 0;
}

static struct listing begin_listing(struct process *p, struct inode *d)
{
    struct listing l = { .names =
                             arena_take((d->change_count + 1) * 2 *
                                 sizeof *l.names) };
    l.count = disk_names_at(d, place_seen(p, d, true), l.names);
    l.page = fault_of_listing(p, l.count);
    if (l.page && is_of_store(d))
        qsort(l.names, l.count, sizeof *l.names, compare_names);
    return l;
}

/* The next page of a store contains the present names after the last one. */
static size_t page_of_store(const struct inode *d, const struct listing *l,
    size_t at, struct name *now)
{
    size_t count = at;
    for (size_t i = 0; i < d->name_count; i++)
        if (strcmp(d->names[i].text, l->names[at - 1].text) > 0)
            now[count++] = d->names[i];
    qsort(now + at, count - at, sizeof *now, compare_names);
    return count;
}

/* Omits names that were removed in the meantime. One choice decides whether new
 * names are included. */
static size_t rest_of_directory(const struct inode *d,
    const struct listing *l, size_t at, struct name *now)
{
    size_t count = at;
    bool shows_new = (l->page & 1) != 0;
    for (size_t i = at; i < l->count; i++)
        if (disk_find(d, l->names[i].text))
            now[count++] = l->names[i];
    for (size_t i = 0; shows_new && i < d->name_count; i++) {
        bool is_new = true;
        for (size_t k = 0; k < l->count; k++)
            is_new &= strcmp(d->names[i].text, l->names[k].text) != 0;
        if (is_new)
            now[count++] = d->names[i];
    }
    return count;
}

/* Continues after a page of names. */
static void go_on(
    struct process *p, struct inode *d, struct listing *l, size_t at)
{
    task_point();
    struct name *now =
        arena_take((d->change_count + l->count + 1) * 2 * sizeof *now);
    memcpy(now, l->names, at * sizeof *now);
    l->count = is_of_store(d) ? page_of_store(d, l, at, now)
                              : rest_of_directory(d, l, at, now);
    trace("  (the listing of %s goes on after name %zu)", place_path(d), at);
    p->disturbances++;
    l->names = now;
}

int names_each(void *state, int number, vv_each_name *each, void *user)
{
    struct process *p = call_begins(state);
    const struct description *opened = call_open(p, number);
    if (!opened || !opened->inode->is_directory)
        return -ENOTDIR;
    struct inode *d = opened->inode;
    int fault = fault_of_reading(p);
    call_result(fault, "each_name", call_file(p, number));
    if (fault)
        return fault;
    struct listing l = begin_listing(p, d);
    for (size_t i = 0; i < l.count; i++) {
        if (l.page && i && i % l.page == 0)
            go_on(p, d, &l, i);
        if (i < l.count && l.names[i].inode->is_directory &&
            stores_has_file(p, number))
            continue;
        if (i < l.count && each(user, l.names[i].text, NULL))
            break;
    }
    return 0;
}
