/* raw.h - what the machine itself can do: the same bytes without a library.
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
    unsigned char *other; /* where they are copied to */
    size_t size;
    bool no_sync;
};

/* Each makes a new file, durable with its name unless `no_sync`; the time does
 * not contain its removal afterwards. The argument is a struct raw. */
double raw_write(void *raw);        /* write, then fsync */
double raw_write_back(void *raw);   /* starts write-back after every 1 MiB */
double raw_write_direct(void *raw); /* O_DIRECT, several writes at once */

/* Two files, of which the second, at `path`, names the first, that is in
 * `folder`: each durable before that has its name, and that at last. */
struct raw_pair {
    const char *folder;
    const char *path;
    const unsigned char *bytes;
    size_t first;
    size_t second;
};

double raw_write_pair(void *raw_pair);

/* Makes a file that is written durable, with its name. */
void sync_path(const char *path);

/* Leaves nothing of a file in the page cache. It needs no privilege, only that
 * the file is on disk already. */
void forget_file(const char *path);

double raw_copy(void *raw);     /* memcpy on one thread */
double raw_copy_new(void *raw); /* the same to memory that nobody has touched */
double raw_copy_all(void *raw); /* past the caches, on all processors */
double raw_map(void *raw);      /* opens and maps the file at `path` */

/* Page-aligned memory in which every page has been touched. */
unsigned char *touched_memory(size_t size);

#endif
