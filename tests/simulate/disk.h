/* disk.h - Declares a file system in memory: files, directories and their
 * durable state. It applies changes immediately; place.h implements the delay
 * until nodes see them.
 *
 * Every change of a directory is logged, so that earlier states can be listed
 * and a power failure can revert the last changes.
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
    bool is_marked; /* `save` is up to date */
    uint64_t save;  /* the save whose values it contains; 0: none */
    unsigned links;
    int64_t modified;
    const char *name; /* its last name, for traces */
    struct inode *parent;
    /* list of open descriptions, linked by `next_of_inode` */
    struct description *opened;

    unsigned char *bytes; /* for a file */
    size_t size, capacity;
    unsigned char *synced_bytes;
    size_t synced_size;
    bool is_synced; /* all changes are synced */

    struct name *names; /* for a directory, in order of creation */
    size_t name_count, name_capacity;
    struct change *changes;
    size_t change_count, change_capacity;
    size_t synced_changes;
};

struct name {
    const char *text;
    struct inode *inode;
};

/* The atomic change of a directory by one call: up to two names get another
 * inode, or none (NULL). */
struct change {
    unsigned node; /* the node that made it */
    const char *names[2];
    struct inode *inodes[2];
};

enum disk_trait {
    DISK_NO_LOCKS = 1,      /* locks fail */
    DISK_LOCAL_LOCKS = 2,   /* locks are invisible to other nodes */
    DISK_NO_RENAME_NEW = 4, /* rename_new fails with EINVAL */
    DISK_NO_LINKS = 8,
    DISK_IS_STORE = 16,      /* reached by store paths only */
    DISK_NO_CONDITIONS = 64, /* a store that ignores conditions */
    DISK_IS_VOLATILE = 32,   /* keeps the synced state for power failures */
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

/* Functions return 0 or a negative errno. disk_find returns the inode of a
 * name, or NULL. */
struct inode *disk_find(const struct inode *directory, const char *name);
struct inode *disk_make(struct inode *directory, const char *name,
    bool is_directory, unsigned node, int64_t now);
int disk_remove(struct inode *directory, const char *name, unsigned node);
int disk_rename(struct inode *directory, const char *from, const char *to,
    bool may_replace, unsigned node);
int disk_link(struct inode *directory, const char *from, const char *to,
    unsigned node);

/* Create a file without a name, and set the inode of a name. */
struct inode *disk_new_file(struct disk *disk);
void disk_put(struct inode *directory, const char *name, struct inode *file,
    unsigned node);

void disk_write(struct inode *file, const void *bytes, size_t size,
    uint64_t offset, int64_t now);
void disk_sync(struct inode *inode);

/* Sets `names` to the names of a directory after a number of its changes. The
 * array must have room for twice as many names as there are changes. */
size_t disk_names_at(
    const struct inode *directory, size_t changes, struct name *names);

/* Reverts to the durable state. For a directory, `keep(user, inode, most)`
 * returns the number of changes that survive although they are not synced, at
 * most `most`. For a file it returns what survives of the bytes that are not
 * synced: 0: none, 1: zeros instead, 2: half of them, otherwise: all. */
typedef size_t disk_keep(void *user, const struct inode *inode, size_t most);
void disk_cut_power(struct disk *disk, disk_keep *keep, void *user);

#endif
