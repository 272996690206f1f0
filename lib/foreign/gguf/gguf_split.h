/* gguf_split.h - a GGUF model in several files, as llama.cpp splits one: each
 * says in its metadata which part it is and how many there are, and is called
 * `<model>-00001-of-00003.gguf`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GGUF_SPLIT_H
#define VV_GGUF_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

/* What the metadata of a file say of it. */
struct vv_gguf_split {
    /* to read */
    uint64_t number, count; /* from 0 on; count 0: it is no part */
    uint64_t tensors;       /* of all parts; 0: not said */
};

/* Whether a file is called as a part is. */
bool vv_gguf_split_is_name(const char *path);

/* Takes an entry of metadata; false where it says nothing of parts. */
bool vv_gguf_split_take(
    struct vv_gguf_split *split, const char *name, size_t size, uint64_t value);

/* Sets `path` to that of part `number` of those of which a file at `of` is
 * number `split->number`. False where the file is not called as that part is.
 * `path` has failed where memory lacked. */
bool vv_gguf_split_path(const struct vv_gguf_split *split, const char *of,
    uint64_t number, struct vv_buffer *path);

#endif
