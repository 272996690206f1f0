/* process.h - simulated processes: memory, descriptors, the node where they
 * run, and their ends.
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
    MOST_DESCRIPTORS = 40, /* of a process at a time */
    MOST_NODES = 5,
};

enum lock_kind { LOCK_NONE, LOCK_SHARED, LOCK_ALONE };

/* An open file, which several descriptors may lead to after a fork. */
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
    /* to read */
    unsigned number;
    const char *name;
    unsigned node;
    bool is_alive;
    bool is_quiet; /* nothing fails for it, and it does not give way */
    unsigned disturbances;  /* faults of its calls, so far */
    unsigned late_lists;    /* older states of directories that it was shown */
    unsigned late_look_ups;
    int64_t stopped_until; /* uptime */
    struct vv_system system;
    struct vv_context context;
    /* own */
    struct descriptor descriptors[MOST_DESCRIPTORS];
    int next_number;
    int maps;
    size_t blocks;
    uint64_t random;
};

/* Forgets all processes. */
void processes_begin(uint64_t seed);

/* A new process; NULL where there were too many. */
struct process *process_new(const char *name, unsigned node);

/* A process with the descriptors of another one. */
struct process *process_fork(struct process *parent, const char *name);

/* Ends one in order: it must have left nothing. */
void process_exit(struct process *process);

/* Kills one with all its tasks; does not return where the caller is one. */
void process_kill(struct process *process);

/* Kills all of a node, or of every node where `node` is MOST_NODES; the caller
 * is none of them. */
void processes_kill_node(unsigned node);

size_t processes_count(void);
struct process *process_at(size_t i);

/* --- Descriptors -------------------------------------------------------- */

enum { OPEN_READS = 1, OPEN_WRITES = 2 };

/* A descriptor or -EMFILE. */
int process_open(
    struct process *process, struct inode *inode, unsigned how);
struct description *process_find(const struct process *process, int number);
int process_close(struct process *process, int number);

#endif
