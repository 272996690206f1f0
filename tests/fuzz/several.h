/* several.h - Declares a checkpoint that consists of several files, the first
 * of which is opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_SEVERAL_H
#define FUZZ_SEVERAL_H

#include "fuzz/bounded.h"
#include "fuzz/many_files.h"

struct several {
    struct many_files files;
    struct bounded bounded; /* according to the file sizes; to be raised */
    size_t size;            /* sum of all file sizes */
};

/* Creates a set that contains FUZZ_PATH only. It must be freed with free. */
struct several *several_new(const uint8_t *bytes, size_t size);

/* Opens the checkpoint and calls every query. The values must not have more
 * bytes than `*most`, unless `most` is NULL. */
void several_read(struct several *several, const uint64_t *most);

/* Returns the number of bytes of all values except strings. If `file` is not
 * NULL, each value must equal the bytes of `file` at its offset. */
uint64_t several_total(
    varve_reader *reader, const uint8_t *file, size_t size);

#endif
