/* many_files.h - Declares a system that holds several readable files in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_MANY_FILES_H
#define FUZZ_MANY_FILES_H

#include "fuzz/one_file.h"

enum { MOST_FILES = 16, MOST_NAME = 64 };

struct many_files {
    struct one_file one; /* first member: provides all other functions */
    struct {
        char name[MOST_NAME + 1];
        const uint8_t *bytes;
        size_t size;
    } files[MOST_FILES];
    size_t count;
    struct vv_system written; /* the system of one_file, for created files */
};

/* Initializes the system in place, without files. Its address must not
 * change. */
void many_files_init(struct many_files *files);

/* Allows files to be created from now on. A created file is stored in `one` and
 * cannot be read. */
void many_files_let_write(struct many_files *files);

/* Adds a file. The bytes are borrowed. The file is omitted if there is no room
 * for it or for its name. */
void many_files_add(struct many_files *files, const char *name,
    size_t name_size, const uint8_t *bytes, size_t size);

#endif
