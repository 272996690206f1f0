/* several.h - several files that are one checkpoint, of which the first is
 * opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_SEVERAL_H
#define FUZZ_SEVERAL_H

#include "fuzz/bounded.h"
#include "fuzz/many_files.h"

struct several {
    struct many_files files;
    struct bounded bounded; /* by their sizes; to be raised */
    size_t size;            /* of all files */
};

/* With FUZZ_PATH alone; to be freed with free. */
struct several *several_new(const uint8_t *bytes, size_t size);

/* Opens it and looks at everything; the values have no more bytes than `most`
 * says, unless that is NULL. */
void several_read(struct several *several, const uint64_t *most);

/* The bytes of all values but strings; each is also the bytes of `file` at its
 * offset, unless that is NULL. */
uint64_t several_total(
    varve_reader *reader, const uint8_t *file, size_t size);

#endif
