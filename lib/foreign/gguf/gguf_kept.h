/* gguf_kept.h - what a GGUF file says beyond what a graph can hold: its
 * metadata with their types and arrays, and the type and shape of quantised
 * tensors. Bytes of our own, in memory alone.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GGUF_KEPT_H
#define VV_GGUF_KEPT_H

#include "buffer.h"
#include "gguf_type.h"

enum { VV_GGUF_MOST_DIMENSIONS = 4 };

/* The entry that says how tensors are aligned. */
#define VV_GGUF_ALIGNMENT "general.alignment"

/* --- Of the root: its metadata, one entry behind the other ---------------- */

struct vv_gguf_entry {
    /* to read */
    const char *name;
    size_t name_size;
    uint64_t text;              /* the hash of its text; of an array of none */
    const unsigned char *bytes; /* all of it, as it stands in a file */
    size_t size;
};

/* Begins an entry of so many bytes; where they are to be put, or NULL without
 * memory. */
void *vv_gguf_keep_entry(
    struct vv_buffer *kept, const char *text, size_t text_size, size_t size);

/* Reads the entry at *at, which begins at 0, and goes behind it. False at the
 * end. */
bool vv_gguf_kept_next(const unsigned char *kept, size_t size, size_t *at,
    struct vv_gguf_entry *entry);

/* Whether a text is what the entry was. */
bool vv_gguf_entry_is(
    const struct vv_gguf_entry *entry, const char *text, size_t size);

/* --- Of a state: which tensor it was -------------------------------------- */

struct vv_gguf_tensor {
    /* to fill in */
    const struct vv_gguf_type *type;
    varve_tensor shape; /* outermost first */
};

/* Room for what is kept of one. */
enum { VV_GGUF_KEPT_TENSOR = 8 + 8 * VV_GGUF_MOST_DIMENSIONS };

/* Returns how many bytes it takes. */
size_t vv_gguf_keep_tensor(unsigned char kept[VV_GGUF_KEPT_TENSOR],
    const struct vv_gguf_tensor *tensor);

/* False for what is none. */
bool vv_gguf_kept_tensor(
    const unsigned char *kept, size_t size, struct vv_gguf_tensor *tensor);

#endif
