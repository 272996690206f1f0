/* process.h - Declares simulated processes: memory, descriptors, the node where
 * they run, and their ends.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_PROCESS_H
#define SIMULATE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "system.h"

struct inode;

enum {
    MOST_PROCESSES = 60,
    MOST_DESCRIPTORS = 40, /* of a process at the same time */
    MOST_NODES = 5,
};

enum lock_kind { LOCK_NONE, LOCK_SHARED, LOCK_ALONE };

/* An open file; several descriptors may refer to it after a fork. */
struct description {
    struct description *next_of_inode;
    struct inode *inode;
    unsigned references;
    unsigned node;
    bool is_readable, is_writable;
    enum lock_kind lock;
};

struct descriptor {
    int number; /* 0: free */
    struct description *description;
};

struct process {
    /* read-only */
    unsigned number;
    const char *name;
    unsigned node;
    bool is_alive;
    bool is_quiet;         /* it has no faults and does not yield */
    unsigned disturbances; /* number of faults of its calls */
    unsigned late_lists;   /* number of stale listings and lookups */
    unsigned late_look_ups;
    int64_t stopped_until; /* uptime */
    struct vv_system system;
    struct vv_context context;
    /* private */
    struct descriptor descriptors[MOST_DESCRIPTORS];
    int next_number;
    int maps;
    size_t blocks;
    uint64_t random;
};

/* Removes all processes. */
void processes_begin(uint64_t seed);

/* Creates a process. Returns NULL if there are too many. */
struct process *process_new(const char *name, unsigned node);

/* Creates a process that inherits the descriptors of another one. */
struct process *process_fork(struct process *parent, const char *name);

/* Ends a process regularly; it must not leave resources open. */
void process_exit(struct process *process);

/* Kills a process with all its tasks. Does not return if the caller is one of
 * them. */
void process_kill(struct process *process);

/* Kills all processes of a node, or of every node for MOST_NODES. The caller
 * must not be one of them. */
void processes_kill_node(unsigned node);

size_t processes_count(void);
struct process *process_at(size_t i);

/* --- Descriptors -------------------------------------------------------- */

enum { OPEN_READS = 1, OPEN_WRITES = 2 };

/* Returns a descriptor or -EMFILE. */
int process_open(
    struct process *process, struct inode *inode, unsigned how);
struct description *process_find(const struct process *process, int number);
int process_close(struct process *process, int number);

#endif
