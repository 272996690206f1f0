/* raw.h - Declares plain file writes and copies, as a reference without a
 * library.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_RAW_H
#define BENCH_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes to write to a file, or to copy. */
struct raw {
    const char *path;
    unsigned char *bytes; /* page aligned */
    unsigned char *other; /* destination of a copy */
    size_t size;
    bool no_sync;
};

/* Each writes a new file, durable with its name unless `no_sync`, and removes
 * it without measuring that. The argument is a struct raw. */
double raw_write(void *raw);        /* write, then fsync */
double raw_write_back(void *raw);   /* starts writeback after every 1 MiB */
double raw_write_direct(void *raw); /* O_DIRECT, several writes at once */

/* Two files: the second, at `path`, contains the name of the first, in
 * `folder`. Each is durable before the next step, and the last step is the
 * rename of the second. */
struct raw_pair {
    const char *folder;
    const char *path;
    const unsigned char *bytes;
    size_t first;
    size_t second;
};

double raw_write_pair(void *raw_pair);

/* Makes a written file and its name durable. */
void sync_path(const char *path);

/* Removes a file from the page cache. Requires no privilege, but the file must
 * already be on disk. */
void forget_file(const char *path);

double raw_copy(void *raw);     /* memcpy on one thread */
double raw_copy_new(void *raw); /* the same to new memory */
/* with non-temporal stores, on all processors */
double raw_copy_all(void *raw);
double raw_map(void *raw); /* opens and maps the file at `path` */

/* Allocates page-aligned memory and writes to every page. */
unsigned char *touched_memory(size_t size);

#endif
