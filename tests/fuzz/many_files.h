/* many_files.h - a system that holds several files, in memory, to be read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_MANY_FILES_H
#define FUZZ_MANY_FILES_H

#include "fuzz/one_file.h"

enum { MOST_FILES = 16, MOST_NAME = 64 };

struct many_files {
    struct one_file one; /* first: its functions are used for the rest */
    struct {
        char name[MOST_NAME + 1];
        const uint8_t *bytes;
        size_t size;
    } files[MOST_FILES];
    size_t count;
    struct vv_system written; /* of one_file, for what is created */
};

/* Set up in place, for its address is kept; without files. */
void many_files_init(struct many_files *files);

/* From now on a file may be created: it is in `one`, and cannot be read. */
void many_files_let_write(struct many_files *files);

/* Bytes are borrowed. One that has no room, or whose name has none, is left
 * out. */
void many_files_add(struct many_files *files, const char *name,
    size_t name_size, const uint8_t *bytes, size_t size);

#endif
