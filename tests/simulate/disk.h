/* disk.h - a file system in memory: files, directories and what of them is on
 * disk. It does what it is told; who sees it how late is the matter of node.h.
 *
 * Every change of a directory is kept in a log, so that it can be looked at as
 * it was, and a power cut can take the last changes back.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_DISK_H
#define SIMULATE_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct description;
struct disk;

/* A file or a directory. */
struct inode {
    struct disk *disk;
    uint64_t serial;
    bool is_directory;
    bool is_marked; /* `save` was looked for since it was written last */
    uint64_t save;  /* the save whose values it has; 0: none */
    unsigned links;
    int64_t modified;
    const char *name; /* that it had last, for traces */
    struct inode *parent;
    struct description *opened; /* all of it, by `next_of_inode` */

    unsigned char *bytes; /* of a file */
    size_t size, capacity;
    unsigned char *synced_bytes;
    size_t synced_size;
    bool is_synced; /* as it is */

    struct name *names; /* of a directory, in the order they were made */
    size_t name_count, name_capacity;
    struct change *changes;
    size_t change_count, change_capacity;
    size_t synced_changes;
};

struct name {
    const char *text;
    struct inode *inode;
};

/* What one call did to a directory, at once: up to two names lead to something
 * else, or nowhere (NULL). */
struct change {
    unsigned node; /* that made it */
    const char *names[2];
    struct inode *inodes[2];
};

enum disk_trait {
    DISK_NO_LOCKS = 1,      /* locks fail */
    DISK_LOCAL_LOCKS = 2,   /* locks of one node are none to another */
    DISK_NO_RENAME_NEW = 4, /* rename_new fails with EINVAL */
    DISK_NO_LINKS = 8,
    DISK_IS_STORE = 16,   /* is reached by paths of a store only */
    DISK_NO_CONDITIONS = 64, /* a store passes over conditions */
    DISK_IS_VOLATILE = 32, /* remembers what was synced, for a power cut */
};

struct disk {
    unsigned number;
    unsigned traits;
    struct inode *root;
    uint64_t next_serial;
    uint64_t changes; /* of all its directories */
    bool is_away;
};

void disk_begin(struct disk *disk, unsigned number, unsigned traits);

/* 0 or a negative errno. What a name leads to; NULL: nothing. */
struct inode *disk_find(const struct inode *directory, const char *name);
struct inode *disk_make(struct inode *directory, const char *name,
    bool is_directory, unsigned node, int64_t now);
int disk_remove(struct inode *directory, const char *name, unsigned node);
int disk_rename(struct inode *directory, const char *from, const char *to,
    bool may_replace, unsigned node);
int disk_link(struct inode *directory, const char *from, const char *to,
    unsigned node);

/* A file without a name; and making a name lead to one. */
struct inode *disk_new_file(struct disk *disk);
void disk_put(struct inode *directory, const char *name, struct inode *file,
    unsigned node);

void disk_write(struct inode *file, const void *bytes, size_t size,
    uint64_t offset, int64_t now);
void disk_sync(struct inode *inode);

/* The names of a directory after so many of its changes, in `names`, which has
 * room for as many as there are changes, twice. */
size_t disk_names_at(
    const struct inode *directory, size_t changes, struct name *names);

/* Takes back what was not synced: of each directory the changes after the
 * first `keep(user, inode)` ones that are not on disk; of each file `keep`
 * says: 0: as it was synced, 1: zeros, 2: half of it, else: all. */
typedef size_t disk_keep(void *user, const struct inode *inode, size_t most);
void disk_cut_power(struct disk *disk, disk_keep *keep, void *user);

#endif
