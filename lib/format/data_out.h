/* data_out.h - a checkpoint on its way to disk: aligned, summed, written back
 * as it goes, in one pass and without a copy of large values.
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
    uint64_t offset;  /* where the next byte goes */
    /* own */
    unsigned char *staging; /* small pieces gather here */
    size_t staging_size;
    size_t staged;         /* bytes in it; they end at `offset` */
    uint64_t written_back; /* write-back was started up to here */
    /* to fill in */
    bool no_write_back; /* the system cannot; or the caller says so after begin,
                           because nobody waits until the bytes are on disk */
    varve_progress *progress; /* set by the caller after begin, or NULL */
    void *progress_user;
    uint64_t total; /* bytes in all, for progress; where it was not
                       known, the caller may set it after begin */
};

/* Gets staging memory, leaves room for the header, and reserves `total` bytes
 * of disk. `total` is where the values will end (vv_data_place finds it), or 0
 * if that is not known. */
varve_status vv_data_out_begin(struct vv_data_out *out,
    const struct vv_context *context, int file, const char *path,
    uint64_t total, varve_error *error);

/* The offset at which a value of this size would begin, after `offset`. */
static inline uint64_t vv_data_place(uint64_t offset, uint64_t size)
{
    if (size < VV_ALIGNMENT)
        return vv_align_up(offset, VV_SMALL_ALIGNMENT);
    return vv_align_up(
        offset, size >= VV_PAGED_SIZE ? VV_PAGE_ALIGNMENT : VV_ALIGNMENT);
}

/* Writes one value (its bytes as they are to lie in the file) at the next
 * aligned place, which *offset tells, and appends a digest per chunk to
 * `digests`. `what` names it for progress. VARVE_CANCELLED if progress says
 * so. */
varve_status vv_data_out_value(struct vv_data_out *out,
    const struct vv_source *source, uint64_t size, const char *what,
    uint64_t *offset, struct vv_buffer *digests, varve_error *error);

/* Writes index, footer and header. Nothing of the file is left to write.
 * `index` tells of the values as they were written. */
varve_status vv_data_out_end(
    struct vv_data_out *out, const struct vv_index *index, varve_error *error);

/* All of a file that has no data of its own. */
varve_status vv_data_out_bare(const struct vv_context *context, int file,
    const char *path, const struct vv_index *index, varve_error *error);

/* --- A layer: begin; place, add, add, ...; end ---------------------------- */

/* The next offset that a range of the data which begins at `like` may have in a
 * layer: the same in its page, or in 64 bytes. */
uint64_t vv_data_place_like(uint64_t offset, uint64_t like);

/* Goes on to that. */
varve_status vv_data_out_place(struct vv_data_out *out, uint64_t like,
    uint64_t *offset, varve_error *error);

/* Appends bytes; NULL stands for zeros. */
varve_status vv_data_out_add(struct vv_data_out *out, const void *bytes,
    uint64_t size, varve_error *error);

/* Of a layer that several fill: begins at an offset, in a file that somebody
 * else begins and ends. What was added is written once it is flushed. */
varve_status vv_data_out_begin_at(struct vv_data_out *out,
    const struct vv_context *context, int file, const char *path,
    uint64_t offset, varve_error *error);
varve_status vv_data_out_flush(struct vv_data_out *out, varve_error *error);

/* Writes footer and header. `size` gets that of the file; whoever shares one
 * that is not synced may have to see to that. */
varve_status vv_data_out_end_layer(struct vv_data_out *out,
    const uint8_t *nonce, bool is_synced, uint64_t *size, varve_error *error);

/* Frees staging; after success, failure or no begin (zeroed). */
void vv_data_out_clear(struct vv_data_out *out);

#endif
