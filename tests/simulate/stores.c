/* stores.c - Simulates an object store on a disk, and the library's detection
 * of store paths.
 *
 * It replaces the library's functions of store.h, which would load libcurl.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/stores.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <varve/remote.h>

#include "failure.h"
#include "simulate/fault.h"
#include "simulate/finding.h"
#include "simulate/oracle.h"
#include "simulate/place.h"
#include "simulate/process.h"
#include "simulate/store_requests.h"
#include "simulate/task.h"
#include "store.h"

enum { MOST_ASIDE = 40 };

/* A file that a process writes and that is invisible until it is published. */
static struct aside {
    const struct process *process; /* NULL: free */
    const struct inode *directory;
    struct inode *file;
    char name[128];
} asides[MOST_ASIDE];

void stores_begin(void)
{
    memset(asides, 0, sizeof asides);
    store_requests_begin(
        !(place_disk(DISK_STORE)->traits & DISK_NO_CONDITIONS));
}

bool stores_has_file(const struct process *p, int number)
{
    const struct description *d = process_find(p, number);
    return d && (d->inode->disk->traits & DISK_IS_STORE);
}

bool stores_has(const struct process *p, int directory, const char *path)
{
    return strncmp(path, STORE, sizeof STORE - 1) == 0 ||
        stores_has_file(p, directory);
}

/* --- Names -------------------------------------------------------------- */

/* Returns the directory of a path, which is created if missing, since stores
 * have no directories. */
static struct inode *parent_of(const struct process *p, int directory,
    const char *path, const char **name)
{
    struct inode *at = place_disk(DISK_STORE)->root;
    if (directory == VV_WORKING_DIRECTORY)
        path += sizeof STORE;
    else
        at = process_find(p, directory)->inode;
    const char *slash;
    while ((slash = strchr(path, '/')) != NULL) {
        char part[128];
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        struct inode *next = disk_find(at, part);
        at = next ? next : disk_make(at, part, true, MOST_NODES, 0);
        path = slash + 1;
    }
    *name = path;
    return at;
}

static bool is_temporary(const char *name)
{
    size_t size = strlen(name);
    return name[0] == '.' && size > 4 && strcmp(name + size - 4, ".tmp") == 0;
}

static bool is_lock(const char *name)
{
    size_t size = strlen(name);
    return name[0] == '.' && size > 5 && strcmp(name + size - 5, ".lock") == 0;
}

static struct aside *find_aside(const struct process *p,
    const struct inode *directory, const char *name)
{
    for (size_t i = 0; i < MOST_ASIDE; i++)
        if (asides[i].process == p && asides[i].directory == directory &&
            strcmp(asides[i].name, name) == 0)
            return &asides[i];
    return NULL;
}

/* --- Calls -------------------------------------------------------------- */

int stores_open(struct process *p, int directory, const char *path)
{
    const char *name;
    struct inode *at = parent_of(p, directory, path, &name);
    struct inode *found;
    if (find_aside(p, at, name))
        return -EOPNOTSUPP;
    int result = place_look_up(p, at, name, &found);
    if (!result && found->is_directory)
        result = -ENOENT;
    return result ? result : process_open(p, found, OPEN_READS);
}

int stores_open_directory(
    struct process *p, int directory, const char *path)
{
    char all[300];
    const char *name;
    if (directory != VV_WORKING_DIRECTORY)
        return strcmp(path, "..") == 0 ? -ENOENT : -ENOTDIR;
    snprintf(all, sizeof all, "%s/", path);
    return process_open(p, parent_of(p, directory, all, &name), OPEN_READS);
}

int stores_create(struct process *p, int directory, const char *path)
{
    const char *name;
    struct inode *at = parent_of(p, directory, path, &name);
    if (directory == VV_WORKING_DIRECTORY && is_lock(name))
        return store_lock_open(p, path);
    if (!is_temporary(name))
        return -EOPNOTSUPP;
    if (find_aside(p, at, name))
        return -EEXIST;
    for (size_t i = 0; i < MOST_ASIDE; i++) {
        struct aside *a = &asides[i];
        if (a->process && a->process->is_alive)
            continue;
        a->process = p;
        a->directory = at;
        a->file = disk_new_file(at->disk);
        snprintf(a->name, sizeof a->name, "%s", name);
        return process_open(p, a->file, OPEN_READS | OPEN_WRITES);
    }
    finding(FINDING_STUCK, "more than %d uploads", MOST_ASIDE);
    return -EMFILE;
}

/* The answer may be lost; then the outcome cannot be determined. */
int stores_rename(struct process *p, int directory, const char *from,
    const char *to, bool may_replace)
{
    const char *name, *ignored;
    struct inode *at = parent_of(p, directory, from, &name);
    struct aside *a = find_aside(p, at, name);
    parent_of(p, directory, to, &ignored);
    if (!a)
        return -EOPNOTSUPP;
    struct inode *older = disk_find(at, ignored);
    if (older && !may_replace)
        return -EEXIST;
    disk_put(at, ignored, a->file, p->node);
    place_has_changed(p, at);
    a->process = NULL;
    oracle_name_changed(p, at, ignored, older, a->file);
    return fault_of_answer(p, 0) ? -EINPROGRESS : 0;
}

int stores_remove(struct process *p, int directory, const char *path)
{
    const char *name;
    struct inode *at = parent_of(p, directory, path, &name);
    struct aside *a = find_aside(p, at, name);
    struct inode *older = disk_find(at, name);
    if (a)
        a->process = NULL;
    if (a || !older || older->is_directory)
        return 0;
    disk_remove(at, name, p->node);
    place_has_changed(p, at);
    oracle_name_changed(p, at, name, older, NULL);
    return fault_of_answer(p, 0);
}

/* --- Functions of the library ------------------------------------------- */

/* All calls must use the context of a graph. */
const struct vv_system *vv_default_system(void)
{
    finding(FINDING_BROKEN, "the real system is called");
    return NULL;
}

bool vv_is_of_store(const char *path)
{
    return strncmp(path, STORE, sizeof STORE - 1) == 0;
}

varve_status vv_store_refuse_any(
    const char *path, const char *reason, varve_error *error)
{
    if (!vv_is_of_store(path))
        return VARVE_OK;
    return vv_fail(error, VARVE_MISUSE, "%s: a store %s", path, reason);
}

varve_status vv_store_refuse(const char *path, varve_error *error)
{
    (void)path;
    (void)error;
    return VARVE_OK;
}

varve_status vv_store_refuse_named(
    const char *from, const char *path, varve_error *error)
{
    (void)from;
    (void)path;
    (void)error;
    return VARVE_OK;
}

varve_status varve_remote_enable(
    const varve_remote_options *options, varve_error *error)
{
    (void)options;
    return vv_fail(error, VARVE_TOO_NEW, "stores: they are simulated here");
}
