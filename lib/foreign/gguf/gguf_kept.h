/* gguf_kept.h - Stores properties of a GGUF file that a graph cannot represent:
 * its metadata with their types and arrays, and the type and shape of quantised
 * tensors. The representation is internal and exists only in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_GGUF_KEPT_H
#define VV_GGUF_KEPT_H

#include <varve/tensor.h>

#include "buffer.h"

/* --- Element types -------------------------------------------------------- */

/* Lists the element types of GGUF (enum ggml_type in ggml.h of
 * github.com/ggml-org/ggml) and the block sizes of the quantised ones. */

struct vv_gguf_type {
    uint32_t number;
    uint16_t block;    /* number of elements of a row in a block */
    uint16_t size;     /* size of a block in bytes */
    varve_dtype dtype; /* 0 if Varve does not have the type */
    const char *tag;   /* such as "gguf:Q4_K" */
};

/* Returns a type by its number, or NULL if the number is unknown or no longer
 * used. */
const struct vv_gguf_type *vv_gguf_type_of(uint32_t number);

/* Returns the type for an element type, or NULL if GGUF does not have it. */
const struct vv_gguf_type *vv_gguf_type_for(varve_dtype dtype);

/* Sets *size to the size of a tensor of whole blocks. Returns false if it does
 * not fit in 64 bits. */
bool vv_gguf_type_size(
    const struct vv_gguf_type *type, uint64_t count, uint64_t *size);

/* --- Stored properties ---------------------------------------------------- */

enum { VV_GGUF_MOST_DIMENSIONS = 4 };

/* The metadata entry that contains the alignment of tensors. */
#define VV_GGUF_ALIGNMENT "general.alignment"

/* --- Metadata, kept for the root ------------------------------------------ */

struct vv_gguf_entry {
    /* to read */
    const char *name;
    size_t name_size;
    uint64_t text;              /* hash of its text; 0 for an array */
    const unsigned char *bytes; /* the whole entry as in the file */
    size_t size;
};

/* Begins an entry of `size` bytes. Returns where the caller must store them, or
 * NULL if memory runs out. */
void *vv_gguf_keep_entry(
    struct vv_buffer *kept, const char *text, size_t text_size, size_t size);

/* Reads the entry at *at, which is initially 0, and advances *at. Returns false
 * at the end. */
bool vv_gguf_kept_next(const unsigned char *kept, size_t size, size_t *at,
    struct vv_gguf_entry *entry);

/* Returns true if the text of the entry is unchanged. */
bool vv_gguf_entry_is(
    const struct vv_gguf_entry *entry, const char *text, size_t size);

/* --- Tensors, kept for their states --------------------------------------- */

struct vv_gguf_tensor {
    /* to fill in */
    const struct vv_gguf_type *type;
    varve_tensor shape; /* outermost extent first */
};

/* The maximum size of the stored type and shape. */
enum { VV_GGUF_KEPT_TENSOR = 8 + 8 * VV_GGUF_MOST_DIMENSIONS };

/* Stores the type and shape of a tensor. Returns the number of bytes used. */
size_t vv_gguf_keep_tensor(unsigned char kept[VV_GGUF_KEPT_TENSOR],
    const struct vv_gguf_tensor *tensor);

/* Reads a stored type and shape. Returns false if the data is not valid. */
bool vv_gguf_kept_tensor(
    const unsigned char *kept, size_t size, struct vv_gguf_tensor *tensor);

#endif
