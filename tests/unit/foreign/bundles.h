/* bundles.h - Writes the files of a TensorFlow checkpoint to a memory system,
 * and checks their content.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BUNDLES_H
#define BUNDLES_H

#include <string.h>

#include "bundle_out.h"
#include "hex.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/test_context.h"

/* Returns true if a file contains exactly these bytes. */
static inline bool file_is(struct memory *memory, const char *path,
    const void *bytes, size_t size)
{
    size_t found;
    const unsigned char *content = memory_bytes(memory, path, &found);
    return content && found == size &&
           (size == 0 || memcmp(content, bytes, size) == 0);
}

static inline bool file_is_text(
    struct memory *memory, const char *path, const char *text)
{
    return file_is(memory, path, text, strlen(text));
}

/* Returns true if a file contains these bytes at any offset. */
static inline bool file_has(
    struct memory *memory, const char *path, const void *bytes, size_t size)
{
    size_t found;
    const unsigned char *content = memory_bytes(memory, path, &found);
    for (size_t at = 0; content && at + size <= found; at++) {
        if (memcmp(content + at, bytes, size) == 0)
            return true;
    }
    return false;
}

/* Counts files with temporary names. */
static inline size_t count_temporary(struct memory *memory)
{
    size_t count = 0;
    for (size_t i = 0; i < memory_file_count(memory); i++) {
        const char *path = memory_file_path(memory, i);
        count += strstr(path, ".tmp") != NULL;
    }
    return count;
}

/* Adds a value; `lengths` is used for strings, else NULL. */
static inline varve_status add_value(struct vv_bundle_out *out,
    const char *key, varve_tensor type, const void *bytes, uint64_t size,
    const uint64_t *lengths, varve_error *error)
{
    return vv_bundle_out_add(out,
        &(struct vv_bundle_value){
            .key = key,
            .key_size = strlen(key),
            .type = type,
            .bytes = bytes,
            .size = size,
            .lengths = (const unsigned char *)lengths,
        },
        error);
}

#endif
