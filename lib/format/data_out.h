/* data_out.h - Writes a checkpoint in one pass: aligns values, computes
 * checksums and starts write-back. Large values are not copied.
 *
 *     begin; value, value, ...; end
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DATA_OUT_H
#define VV_DATA_OUT_H

#include <varve/checkpoint.h>
#include <varve/error.h>

#include "buffer.h"
#include "context.h"
#include "index.h"
#include "layout.h"
#include "source.h"

struct vv_data_out {
    const struct vv_context *context;
    int file;
    /* to read */
    const char *path; /* for messages */
    uint64_t offset;  /* of the next byte */
    /* own */
    unsigned char *staging; /* buffer for small pieces */
    size_t staging_size;    /* bytes of the buffer */
    size_t staged;          /* bytes in it; they end at `offset` */
    uint64_t written_back;  /* end of the range whose write-back was started */
    /* to fill in */
    /* Set if the system does not support it. The caller can set it after begin
     * if no one waits until the bytes are on disk. */
    bool no_write_back;
    varve_progress *progress; /* set by the caller after begin, or NULL */
    void *progress_user;
    /* Number of bytes in all, for progress. The caller can set it after begin
     * if it was not known. */
    uint64_t total;
};

/* Allocates the staging buffer, leaves space for the header, and reserves
 * `total` bytes on disk. `total` is the end of the values (computed with
 * vv_data_place), or 0 if not known. */
varve_status vv_data_out_begin(struct vv_data_out *out,
    const struct vv_context *context, int file, const char *path,
    uint64_t total, varve_error *error);

/* Returns the offset of a value of `size` bytes that follows data ending at
 * `offset`. */
static inline uint64_t vv_data_place(uint64_t offset, uint64_t size)
{
    if (size < VV_ALIGNMENT)
        return vv_align_up(offset, VV_SMALL_ALIGNMENT);
    return vv_align_up(
        offset, size >= VV_PAGED_SIZE ? VV_PAGE_ALIGNMENT : VV_ALIGNMENT);
}

/* Writes one value, in the form in which it is stored, at the next aligned
 * offset. Sets *offset, and appends a digest per chunk to `digests`. `what` is
 * the name for progress. Returns VARVE_CANCELLED if the progress callback
 * cancels. */
varve_status vv_data_out_value(struct vv_data_out *out,
    const struct vv_source *source, uint64_t size, const char *what,
    uint64_t *offset, struct vv_buffer *digests, varve_error *error);

/* Does the same for a value of 1 to VV_ALIGNMENT - 1 bytes that are in memory
 * and need no check. There must be no progress callback. */
varve_status vv_data_out_small(struct vv_data_out *out, const void *bytes,
    size_t size, struct vv_buffer *digests, varve_error *error);

/* Writes index, footer and header, which completes the file. `index` describes
 * the values as written. */
varve_status vv_data_out_end(
    struct vv_data_out *out, const struct vv_index *index, varve_error *error);

/* Writes a complete file that contains no data. */
varve_status vv_data_out_bare(const struct vv_context *context, int file,
    const char *path, const struct vv_index *index, varve_error *error);

/* --- A layer: begin; place, add, add, ...; end ---------------------------- */

/* Returns the next offset in a layer for a range of the data that begins at
 * `like`: a multiple of the page size if `like` is one, otherwise equal to it
 * modulo 64. */
uint64_t vv_data_place_like(uint64_t offset, uint64_t like);

/* Pads with zeros up to that offset, and sets *offset to it. */
varve_status vv_data_out_place(struct vv_data_out *out, uint64_t like,
    uint64_t *offset, varve_error *error);

/* Appends bytes; NULL means zeros. */
varve_status vv_data_out_add(struct vv_data_out *out, const void *bytes,
    uint64_t size, varve_error *error);

/* Begins at an offset of a layer that several writers fill. Another writer
 * begins and ends the file. Bytes are written when the staging buffer is full
 * and by vv_data_out_flush. */
varve_status vv_data_out_begin_at(struct vv_data_out *out,
    const struct vv_context *context, int file, const char *path,
    uint64_t offset, varve_error *error);
varve_status vv_data_out_flush(struct vv_data_out *out, varve_error *error);

/* Writes footer and header, and sets *size to the size of the file. If
 * `is_synced` is false, the footer marks the layer as not synced; callers that
 * share such a layer must sync it where that is required. */
varve_status vv_data_out_end_layer(struct vv_data_out *out,
    const uint8_t *nonce, bool is_synced, uint64_t *size, varve_error *error);

/* Frees the staging buffer, after success or failure. `out` can also be
 * zeroed. */
void vv_data_out_clear(struct vv_data_out *out);

#endif
