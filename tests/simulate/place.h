/* place.h - Declares the mounted disks of each node, and the delay until it
 * sees changes by other nodes.
 *
 * A path begins at the root of a node, which contains "shared", a disk of all
 * nodes, and "fast", a disk of the node itself. A path of a store is the same
 * on all nodes.
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
    DISK_OF_NODE = 2, /* of the first node; those of the others follow */
    MOST_DISKS = DISK_OF_NODE + MOST_NODES
};

/* The staleness of directories of "shared" and of a store that other nodes
 * change. Rates are per 1024 accesses. */
struct lateness {
    unsigned lists;    /* a listing is stale */
    unsigned look_ups; /* a name lookup is stale */
    unsigned most;     /* maximum number of missed changes */
};

void places_begin(const unsigned traits[MOST_DISKS],
    const struct lateness *lateness);

struct disk *place_disk(unsigned number);

/* Replaces a disk by an empty one. */
void place_replace_disk(unsigned number);

/* Returns the disk of a path for a process, or NULL. */
struct disk *place_disk_of(const struct process *process, const char *path);

/* Sets the inode of a path, relative to an open directory or
 * VV_WORKING_DIRECTORY. Returns 0 or a negative errno. Directories may be
 * stale. */
int place_find(struct process *process, int directory, const char *path,
    struct inode **found);

/* Sets the directory and the last name of a path. */
int place_find_parent(struct process *process, int directory,
    const char *path, struct inode **parent, char name[256]);

/* Sets the inode of a name, as a process sees it. */
int place_look_up(struct process *process, struct inode *directory,
    const char *name, struct inode **found);

/* Records that a node changed a directory; from then on it sees all previous
 * changes. */
void place_has_changed(const struct process *process, struct inode *directory);

/* Returns the number of changes of a directory that a process sees now. */
size_t place_seen(struct process *process, struct inode *directory,
    bool is_list);

/* Returns the path of an inode, for traces, in static storage. */
const char *place_path(const struct inode *inode);

#endif
