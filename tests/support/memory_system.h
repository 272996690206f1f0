/* memory_system.h - a small file system in memory, the same on every run.
 *
 *     struct memory *memory = memory_new();
 *     struct vv_context context = test_context(memory_system(memory));
 *     ... save something as "run/1.varve" ...
 *     size_t size;
 *     unsigned char *bytes = memory_bytes(memory, "run/1.varve", &size);
 *     bytes[size / 2] ^= 1;
 *     memory_free(memory);
 *
 * Every path begins at its only root, which is also the working directory.
 * There are no links, modes or owners. Names in a directory come in the order
 * in which they were made. Random bytes are a fixed sequence, there are two
 * processors, threads are real ones, maps are copies. What was written to
 * memory is told by comparing it with a copy.
 *
 * What was synced is remembered, so that a power cut can be looked at. Safe for
 * several threads. Its memory does not pass the test's allocator.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_MEMORY_SYSTEM_H
#define SUPPORT_MEMORY_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vv_system;
struct memory;

struct memory *memory_new(void);
void memory_free(struct memory *memory);
const struct vv_system *memory_system(struct memory *memory);

/* Writes past so many bytes in all files together give ENOSPC, after moving
 * what still fits. UINT64_MAX: no end. */
void memory_set_capacity(struct memory *memory, uint64_t bytes);

/* Sets the time of day, in nanoseconds since 1970-01-01 UTC: 0 at first, and
 * moved by nothing but sleep, which takes no time. */
void memory_set_now(struct memory *memory, int64_t nanoseconds);

/* Makes or overwrites a file and the directories above it, all as if synced. */
void memory_put(struct memory *memory, const char *path, const void *bytes,
    size_t size);

/* The content of a file, to be looked at or damaged in place until it is next
 * written; NULL if there is no such file. */
unsigned char *memory_bytes(
    struct memory *memory, const char *path, size_t *size);

/* Cuts a file, or extends it with zeros. */
void memory_resize(struct memory *memory, const char *path, size_t size);

/* Files (not directories) in all directories, and the path of each. */
size_t memory_file_count(struct memory *memory);
const char *memory_file_path(struct memory *memory, size_t i);

/* Descriptors and maps that were not given back. */
int memory_open_count(struct memory *memory);

/* A new system that holds what the disk may hold if the power is cut now:
 * everything that was synced, and of the rest either all or nothing, for names
 * and for content apart. Content that is lost has its size, but is zeros. */
struct memory *memory_after_power_cut(
    struct memory *memory, bool keep_names, bool keep_content);

#endif
