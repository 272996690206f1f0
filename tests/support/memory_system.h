/* memory_system.h - Declares a small deterministic file system in memory.
 *
 *     struct memory *memory = memory_new();
 *     struct vv_context context = test_context(memory_system(memory));
 *     ... save something as "run/1.varve" ...
 *     size_t size;
 *     unsigned char *bytes = memory_bytes(memory, "run/1.varve", &size);
 *     bytes[size / 2] ^= 1;
 *     memory_free(memory);
 *
 * Every path begins at the only root, which is also the working directory.
 * There are no links, modes or owners. Names in a directory are listed in the
 * order of their creation. Random bytes are a fixed sequence, there are two
 * processors, threads are real, maps are copies. Writes to tracked memory are
 * detected by comparison with a copy.
 *
 * The synced state is recorded, so that power failures can be simulated.
 * Thread-safe. Its memory does not come from the test's allocator.
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

/* Limits the total size of all files. Writes beyond it transfer the bytes that
 * fit and then return ENOSPC. UINT64_MAX: no limit. */
void memory_set_capacity(struct memory *memory, uint64_t bytes);

/* Sets the time of day, in nanoseconds since 1970-01-01 UTC. It starts at 0 and
 * is advanced only by sleep, which returns immediately. */
void memory_set_now(struct memory *memory, int64_t nanoseconds);

/* Creates or overwrites a file and its parent directories, all as synced. */
void memory_put(struct memory *memory, const char *path, const void *bytes,
    size_t size);

/* Returns the content of a file, which may be changed in place until the file
 * is next written, or NULL if the file does not exist. */
unsigned char *memory_bytes(
    struct memory *memory, const char *path, size_t *size);

/* Truncates a file, or extends it with zeros. */
void memory_resize(struct memory *memory, const char *path, size_t size);

/* Return the number of files (not directories) in all directories, and the path
 * of each. */
size_t memory_file_count(struct memory *memory);
const char *memory_file_path(struct memory *memory, size_t i);

/* Returns the number of descriptors and maps that were not released. */
int memory_open_count(struct memory *memory);

/* Returns a new system with a possible state of the disk after a power failure:
 * all synced data, and of the other changes either all or none, separately for
 * names and for content. Lost content keeps its size but is zeros. */
struct memory *memory_after_power_cut(
    struct memory *memory, bool keep_names, bool keep_content);

#endif
