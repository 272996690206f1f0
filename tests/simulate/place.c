/* place.c - Implements paths, mounts, and stale views of directories.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "simulate/arena.h"
#include "simulate/choice.h"
#include "simulate/finding.h"
#include "simulate/stores.h"
#include "simulate/task.h"

static struct disk disks[MOST_DISKS];
static struct disk roots[MOST_NODES];
static struct lateness late;

/* The number of changes of a directory that a node has seen; it never
 * decreases. */
struct view {
    struct view *next;
    const struct inode *directory;
    unsigned node;
    size_t changes;
};
static struct view *views;

static void mount_disk(unsigned node, const char *name, unsigned disk)
{
    struct inode *at = disk_make(roots[node].root, name, true, node, 0);
    disk_sync(roots[node].root);
    /* a mount point: lookups continue at the root of the disk */
    at->disk = &disks[disk];
    disks[disk].root->name = name;
    disks[disk].root->parent = roots[node].root;
}

void places_begin(
    const unsigned traits[MOST_DISKS], const struct lateness *lateness)
{
    late = *lateness;
    views = NULL;
    for (unsigned i = 0; i < MOST_DISKS; i++)
        disk_begin(&disks[i], i + 1, traits[i]);
    disks[DISK_STORE].traits |= DISK_IS_STORE;
    disks[DISK_STORE].root->name = STORE;
    for (unsigned node = 0; node < MOST_NODES; node++) {
        disk_begin(&roots[node], MOST_DISKS + 1 + node, 0);
        mount_disk(node, "shared", DISK_SHARED);
        mount_disk(node, "fast", DISK_OF_NODE + node);
    }
}

struct disk *place_disk(unsigned number)
{
    return &disks[number];
}

void place_replace_disk(unsigned number)
{
    struct disk *disk = &disks[number];
    const struct inode *older = disk->root;
    disk_begin(disk, disk->number, disk->traits);
    disk->root->name = older->name;
    disk->root->parent = older->parent;
}

struct disk *place_disk_of(const struct process *p, const char *path)
{
    if (strncmp(path, "shared", 6) == 0)
        return &disks[DISK_SHARED];
    if (stores_has(p, VV_WORKING_DIRECTORY, path))
        return &disks[DISK_STORE];
    return strncmp(path, "fast", 4) == 0 ? &disks[DISK_OF_NODE + p->node]
                                         : NULL;
}

/* --- Views -------------------------------------------------------------- */

static struct view *find_view(unsigned node, const struct inode *directory)
{
    for (struct view *v = views; v; v = v->next)
        if (v->directory == directory && v->node == node)
            return v;
    struct view *made = arena_take(sizeof *made);
    *made = (struct view){ views, directory, node, 0 };
    views = made;
    return made;
}

static bool is_of_all(const struct inode *directory)
{
    return directory->disk == &disks[DISK_SHARED] ||
        directory->disk == &disks[DISK_STORE];
}

void place_has_changed(const struct process *p, struct inode *directory)
{
    if (late.most)
        find_view(p->node, directory)->changes = directory->change_count;
}

size_t place_seen(struct process *p, struct inode *directory, bool is_list)
{
    unsigned rate = is_list ? late.lists : late.look_ups;
    if (!rate || p->is_quiet || !is_of_all(directory))
        return directory->change_count;
    const struct task *t = task_current();
    struct view *view = find_view(p->node, directory);
    unsigned older =
        choose(CHOOSE_STALE, t->number, t->calls, rate, late.most);
    size_t count = directory->change_count;
    size_t seen = count > older ? count - older : 0;
    if (seen < view->changes)
        seen = view->changes;
    view->changes = seen;
    if (seen < count) {
        p->disturbances++;
        if (is_list)
            p->late_lists++;
        else
            p->late_look_ups++;
        trace("  (sees %s as it was %zu changes ago)", place_path(directory),
            count - seen);
    }
    return seen;
}

int place_look_up(struct process *p, struct inode *directory,
    const char *name, struct inode **found)
{
    size_t seen = place_seen(p, directory, false);
    *found = disk_find(directory, name);
    if (seen == directory->change_count)
        return *found ? 0 : -ENOENT;
    struct name *names =
        arena_take((directory->change_count + 1) * 2 * sizeof *names);
    size_t count = disk_names_at(directory, seen, names);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i].text, name) == 0) {
            *found = names[i].inode;
            return (*found)->links ? 0 : -ESTALE;
        }
    return -ENOENT;
}

/* --- Paths -------------------------------------------------------------- */

static int begin(const struct process *p, int directory, struct inode **start)
{
    *start = roots[p->node].root;
    if (directory == VV_WORKING_DIRECTORY)
        return 0;
    const struct description *d = process_find(p, directory);
    if (!d) {
        finding(FINDING_BROKEN, "a path below a directory that is not open");
        return -EBADF;
    }
    *start = d->inode;
    return 0;
}

static bool is_root(const struct inode *inode)
{
    return inode->disk->root == inode;
}

static int enter(struct process *p, struct inode **at, const char *name)
{
    if (!(*at)->is_directory)
        return -ENOTDIR;
    if (!*name || strcmp(name, ".") == 0)
        return 0;
    if (strcmp(name, "..") == 0) {
        if (is_root(*at))
            *at = roots[p->node].root;
        else if ((*at)->parent)
            *at = (*at)->parent;
        return 0;
    }
    bool is_mount = *at == roots[p->node].root;
    int result = place_look_up(p, *at, name, at);
    if (result || !is_mount || (*at)->disk == &roots[p->node])
        return result;
    if ((*at)->disk->is_away && !p->is_quiet) {
        p->disturbances++;
        return -EIO;
    }
    *at = (*at)->disk->root;
    return 0;
}

static int walk(struct process *p, struct inode *start, const char *path,
    size_t size, struct inode **found)
{
    *found = start;
    for (size_t i = 0; i < size;) {
        char name[256];
        size_t length = strcspn(path + i, "/");
        if (length > size - i)
            length = size - i;
        if (length >= sizeof name)
            return -ENAMETOOLONG;
        memcpy(name, path + i, length);
        name[length] = '\0';
        int result = enter(p, found, name);
        if (result)
            return result;
        i += length + 1;
    }
    return 0;
}

int place_find(struct process *p, int directory, const char *path,
    struct inode **found)
{
    struct inode *start;
    int result = begin(p, directory, &start);
    if (!result && !*path)
        result = -ENOENT;
    return result ? result : walk(p, start, path, strlen(path), found);
}

int place_find_parent(struct process *p, int directory, const char *path,
    struct inode **parent, char name[256])
{
    struct inode *start;
    int result = begin(p, directory, &start);
    const char *slash = strrchr(path, '/');
    size_t size = slash ? (size_t)(slash - path) : 0;
    if (!result)
        result = walk(p, start, path, size, parent);
    if (!result && !(*parent)->is_directory)
        result = -ENOTDIR;
    snprintf(name, 256, "%s", slash ? slash + 1 : path);
    return result;
}

const char *place_path(const struct inode *inode)
{
    static char text[2][300];
    static unsigned at;
    char *to = text[at = !at];
    size_t end = sizeof text[0] - 1;
    to[end] = '\0';
    for (const struct inode *i = inode; i && i->name && *i->name;
         i = i->parent) {
        size_t size = strlen(i->name);
        if (size + 1 > end)
            break;
        end -= size;
        memcpy(to + end, i->name, size);
        if (i->parent && i->parent->name && *i->parent->name)
            to[--end] = '/';
    }
    return to + end;
}
