/* disk.c - Implements inodes, and directories as logs of changes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/disk.h"

#include <errno.h>
#include <string.h>

#include "simulate/arena.h"

static void *grown(void *old, size_t old_size, size_t size)
{
    void *block = arena_take(size);
    if (old_size)
        memcpy(block, old, old_size);
    return block;
}

static const char *copied(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(arena_take(size), text, size);
}

static struct inode *make_inode(struct disk *disk, bool is_directory)
{
    struct inode *made = arena_take(sizeof *made);
    made->disk = disk;
    made->serial = ++disk->next_serial;
    made->is_directory = is_directory;
    return made;
}

void disk_begin(struct disk *disk, unsigned number, unsigned traits)
{
    *disk = (struct disk){ .number = number, .traits = traits };
    disk->root = make_inode(disk, true);
    disk->root->links = 1;
    disk->root->name = "";
}

/* --- Names -------------------------------------------------------------- */

static struct name *find_name(
    struct name *names, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i].text, text) == 0)
            return &names[i];
    return NULL;
}

/* Sets the inode of a name; NULL removes the name. The array must have room. */
static size_t set_name(struct name *names, size_t count, const char *text,
    struct inode *inode)
{
    struct name *found = find_name(names, count, text);
    if (found && inode) {
        found->inode = inode;
    } else if (found) {
        size_t i = (size_t)(found - names);
        memmove(found, found + 1, (--count - i) * sizeof *names);
    } else if (inode) {
        names[count++] = (struct name){ text, inode };
    }
    return count;
}

static size_t apply(
    struct name *names, size_t count, const struct change *change)
{
    for (size_t i = 0; i < 2 && change->names[i]; i++)
        count = set_name(names, count, change->names[i], change->inodes[i]);
    return count;
}

static void change(struct inode *d, struct change made)
{
    if (d->change_count == d->change_capacity) {
        size_t more = d->change_capacity ? 2 * d->change_capacity : 64;
        d->changes = grown(d->changes, d->change_count * sizeof *d->changes,
            more * sizeof *d->changes);
        d->change_capacity = more;
    }
    if (d->name_count + 2 > d->name_capacity) {
        size_t more = d->name_capacity ? 2 * d->name_capacity : 32;
        d->names = grown(d->names, d->name_count * sizeof *d->names,
            more * sizeof *d->names);
        d->name_capacity = more;
    }
    for (size_t i = 0; i < 2 && made.names[i]; i++) {
        const struct inode *older = disk_find(d, made.names[i]);
        if (older)
            ((struct inode *)older)->links--;
        if (made.inodes[i]) {
            made.inodes[i]->links++;
            made.inodes[i]->name = made.names[i];
            made.inodes[i]->parent = d;
        }
    }
    d->changes[d->change_count++] = made;
    d->name_count = apply(d->names, d->name_count, &made);
    d->disk->changes++;
}

size_t disk_names_at(
    const struct inode *directory, size_t changes, struct name *names)
{
    size_t count = 0;
    for (size_t i = 0; i < changes; i++)
        count = apply(names, count, &directory->changes[i]);
    return count;
}

struct inode *disk_find(const struct inode *directory, const char *name)
{
    const struct name *found =
        find_name(directory->names, directory->name_count, name);
    return found ? found->inode : NULL;
}

/* --- Changes ------------------------------------------------------------ */

struct inode *disk_make(struct inode *directory, const char *name,
    bool is_directory, unsigned node, int64_t now)
{
    struct inode *made = make_inode(directory->disk, is_directory);
    made->modified = now;
    change(directory, (struct change){ .node = node,
                          .names = { copied(name) },
                          .inodes = { made } });
    return made;
}

int disk_remove(struct inode *directory, const char *name, unsigned node)
{
    const struct inode *found = disk_find(directory, name);
    if (!found)
        return -ENOENT;
    if (found->name_count)
        return -ENOTEMPTY;
    change(directory,
        (struct change){ .node = node, .names = { copied(name) } });
    return 0;
}

int disk_rename(struct inode *directory, const char *from, const char *to,
    bool may_replace, unsigned node)
{
    struct inode *moved = disk_find(directory, from);
    const struct inode *older = disk_find(directory, to);
    if (!moved)
        return -ENOENT;
    if (older && !may_replace)
        return -EEXIST;
    if (older == moved)
        return 0;
    if (older && older->is_directory != moved->is_directory)
        return moved->is_directory ? -ENOTDIR : -EISDIR;
    if (older && older->name_count)
        return -ENOTEMPTY;
    change(directory, (struct change){ .node = node,
                          .names = { copied(from), copied(to) },
                          .inodes = { NULL, moved } });
    return 0;
}

int disk_link(
    struct inode *directory, const char *from, const char *to, unsigned node)
{
    struct inode *linked = disk_find(directory, from);
    if (!linked)
        return -ENOENT;
    if (disk_find(directory, to))
        return -EEXIST;
    if (linked->is_directory)
        return -EPERM;
    change(directory, (struct change){ .node = node,
                          .names = { copied(to) },
                          .inodes = { linked } });
    return 0;
}

struct inode *disk_new_file(struct disk *disk)
{
    return make_inode(disk, false);
}

void disk_put(struct inode *directory, const char *name, struct inode *file,
    unsigned node)
{
    change(directory, (struct change){ .node = node,
                          .names = { copied(name) },
                          .inodes = { file } });
}

void disk_write(struct inode *file, const void *bytes, size_t size,
    uint64_t offset, int64_t now)
{
    size_t end = (size_t)offset + size;
    if (end > file->capacity) {
        size_t more = file->capacity ? 2 * file->capacity : 2048;
        more = more < end ? end : more;
        file->bytes = grown(file->bytes, file->size, more);
        file->capacity = more;
    }
    memcpy(file->bytes + offset, bytes, size);
    if (end > file->size)
        file->size = end;
    file->modified = now;
    file->is_synced = file->is_marked = false;
}

/* --- Power -------------------------------------------------------------- */

void disk_sync(struct inode *inode)
{
    inode->synced_changes = inode->change_count;
    if (!(inode->disk->traits & DISK_IS_VOLATILE) || inode->is_synced)
        return;
    inode->is_synced = true;
    inode->synced_size = inode->size;
    inode->synced_bytes = arena_take(inode->size + 1);
    if (inode->size)
        memcpy(inode->synced_bytes, inode->bytes, inode->size);
}

static void cut_file(struct inode *file, size_t kept)
{
    if (file->is_synced || kept > 2)
        return;
    if (kept == 0) {
        file->size = file->synced_size;
        if (file->size)
            memcpy(file->bytes, file->synced_bytes, file->size);
    } else if (kept == 1) {
        if (file->size > file->synced_size)
            memset(file->bytes + file->synced_size, 0,
                file->size - file->synced_size);
    } else {
        file->size = file->synced_size +
            (file->size > file->synced_size
                    ? (file->size - file->synced_size) / 2
                    : 0);
    }
    file->is_marked = false;
}

static void cut_directory(struct inode *d, disk_keep *keep, void *user)
{
    size_t lost = d->change_count - d->synced_changes;
    size_t kept = lost ? keep(user, d, lost) : 0;
    for (size_t i = 0; i < d->name_count; i++)
        d->names[i].inode->links--;
    d->change_count = d->synced_changes + (kept < lost ? kept : lost);
    d->name_count = disk_names_at(d, d->change_count, d->names);
    d->synced_changes = d->change_count;
    for (size_t i = 0; i < d->name_count; i++) {
        struct inode *inode = d->names[i].inode;
        inode->links++;
        inode->name = d->names[i].text;
        if (inode->is_directory)
            cut_directory(inode, keep, user);
        else if (!inode->is_synced)
            cut_file(inode, keep(user, inode, 3));
        if (!inode->is_directory)
            disk_sync(inode);
    }
}

void disk_cut_power(struct disk *disk, disk_keep *keep, void *user)
{
    if (disk->traits & DISK_IS_VOLATILE)
        cut_directory(disk->root, keep, user);
}
