/* one_file.h - a system that holds a single file, in memory.
 *
 * It needs no test framework and does next to nothing, so that the time of a
 * fuzz run goes into the library.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_ONE_FILE_H
#define FUZZ_ONE_FILE_H

#include "system.h"

struct one_file {
    struct vv_system system; /* its state points back here */
    const uint8_t *bytes;    /* under the name FUZZ_PATH; NULL: there is none */
    size_t size;
    uint8_t *written; /* what was created instead; to be freed */
    size_t written_size;
    int opened; /* descriptors and maps that were not given back */
    bool is_created;
};

/* Set up in place, for its address is kept. */
void one_file_init(struct one_file *file, const uint8_t *bytes, size_t size);

#endif
