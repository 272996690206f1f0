/* memory_disk.h - Declares the members of a memory system, for its
 * implementation files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_MEMORY_DISK_H
#define SUPPORT_MEMORY_DISK_H

#include <pthread.h>

#include "support/memory_system.h"
#include "system.h"

struct memory_node;
struct memory_tracker;

struct memory_descriptor {
    int number;
    bool is_writable;
    bool has_lock;
    bool shares_lock;
    struct memory_node *node;
};

struct memory {
    struct vv_system system; /* its state points to this struct */
    pthread_mutex_t lock;
    struct memory_node *root;
    struct memory_descriptor *open;
    int open_count;
    int next_number;
    int map_count;
    struct memory_tracker *tracked;
    uint64_t capacity;
    uint64_t used; /* total size of named or open files */
    uint64_t random;
    int64_t now; /* nanoseconds; sleeping advances both */
    int64_t uptime;
    char path[4096]; /* result of memory_file_path */
};

#endif
