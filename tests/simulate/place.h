/* place.h - the disks as each node has them mounted, and how late it sees what
 * other nodes do.
 *
 * A path begins at the root of a node, in which "shared" is a disk of all
 * nodes, and "fast" a disk of the node's own; or it is one of a store, which
 * all nodes have.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_PLACE_H
#define SIMULATE_PLACE_H

#include "simulate/disk.h"
#include "simulate/process.h"

enum {
    DISK_SHARED = 0,
    DISK_STORE = 1,
    DISK_OF_NODE = 2, /* of the first; those of the others follow */
    MOST_DISKS = DISK_OF_NODE + MOST_NODES
};

/* How old a node may see directories of "shared" and a store that others
 * change:
 * in 1024 looks. */
struct lateness {
    unsigned lists;   /* a listing is an older one */
    unsigned look_ups; /* a name leads where it led */
    unsigned most;    /* so many changes of the directory */
};

void places_begin(const unsigned traits[MOST_DISKS],
    const struct lateness *lateness);

struct disk *place_disk(unsigned number);

/* Another, empty disk is mounted in the place of one. */
void place_replace_disk(unsigned number);

/* The disk that a path is on for a process; NULL: none. */
struct disk *place_disk_of(const struct process *process, const char *path);

/* What a path leads to, from an open directory or VV_WORKING_DIRECTORY: 0 or a
 * negative errno. May see an older state of directories. */
int place_find(struct process *process, int directory, const char *path,
    struct inode **found);

/* The directory and the last name of a path. */
int place_find_parent(struct process *process, int directory,
    const char *path, struct inode **parent, char name[256]);

/* What one name leads to, as a process sees it. */
int place_look_up(struct process *process, struct inode *directory,
    const char *name, struct inode **found);

/* What a node has changed in a directory it knows of from then on. */
void place_has_changed(const struct process *process, struct inode *directory);

/* How many changes of a directory a process sees now. */
size_t place_seen(struct process *process, struct inode *directory,
    bool is_list);

/* The path of an inode, for traces: in static storage. */
const char *place_path(const struct inode *inode);

#endif
