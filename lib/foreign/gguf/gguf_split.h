/* gguf_split.h - Supports GGUF models in several files, as llama.cpp splits
 * them: the metadata of each file contains its number and the count, and the
 * name is `<model>-00001-of-00003.gguf`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GGUF_SPLIT_H
#define VV_GGUF_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

/* The metadata of a file about its part. */
struct vv_gguf_split {
    /* to read */
    uint64_t number, count; /* the number starts at 0; a count of 0: not a
                               part */
    uint64_t tensors;       /* of all parts; 0: unknown */
};

/* Returns true if the name of a file is that of a part. */
bool vv_gguf_split_is_name(const char *path);

/* Stores a metadata entry. Returns false if it is not about parts. */
bool vv_gguf_split_take(
    struct vv_gguf_split *split, const char *name, size_t size, uint64_t value);

/* Sets `path` to that of part `number`, given the path `of` of part
 * `split->number`. Returns false if that path does not have the name of a part.
 * Sets `path->failed` if memory runs out. */
bool vv_gguf_split_path(const struct vv_gguf_split *split, const char *of,
    uint64_t number, struct vv_buffer *path);

#endif
