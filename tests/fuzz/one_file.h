/* one_file.h - Declares a system that holds a single file in memory.
 *
 * It needs no test framework and does very little, so that a fuzz run spends
 * its time in the library.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_ONE_FILE_H
#define FUZZ_ONE_FILE_H

#include "system.h"

struct one_file {
    struct vv_system system; /* its state points to this struct */
    /* content of the file FUZZ_PATH; NULL: no such file */
    const uint8_t *bytes;
    size_t size;
    uint8_t *written; /* content of the created file; to be freed */
    size_t written_size;
    int opened; /* descriptors and maps that were not released */
    bool is_created;
};

/* Initializes the system in place. Its address must not change. */
void one_file_init(struct one_file *file, const uint8_t *bytes, size_t size);

#endif
