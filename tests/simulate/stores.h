/* stores.h - Declares calls for paths of a store, "s3://bucket/...": files are
 * complete once they are published, and there are no locks, links or
 * directories.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_STORES_H
#define SIMULATE_STORES_H

#include <stdbool.h>

struct inode;
struct process;

#define STORE "s3://bucket"

/* Returns true if a call refers to a store, by its path or its open
 * directory. */
bool stores_has(
    const struct process *process, int directory, const char *path);
bool stores_has_file(const struct process *process, int number);

/* The calls of a system. They return descriptors, 0 or a negative errno. */
int stores_open(struct process *process, int directory, const char *path);
int stores_open_directory(
    struct process *process, int directory, const char *path);
int stores_create(struct process *process, int directory, const char *path);
int stores_rename(struct process *process, int directory, const char *from,
    const char *to, bool may_replace);
int stores_remove(struct process *process, int directory, const char *path);

/* Discards files that were not published. */
void stores_begin(void);

#endif
