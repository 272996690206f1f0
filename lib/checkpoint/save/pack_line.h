/* pack_line.h - Compresses chunks for a layer on several threads, and passes
 * them on in the order in which they were added, together with the jobs between
 * them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PACK_LINE_H
#define VV_PACK_LINE_H

#include "layers_in.h"

/* Bytes to write, or the place of bytes that are already in a layer. */
struct vv_chunk_job {
    /* to fill in */
    const void *bytes; /* NULL: none, or zeros */
    bool stays; /* `bytes` stays valid until the line ends; else it is copied */
    uint64_t size;
    unsigned planes; /* byte planes for compression; 0: not compressed */
    struct vv_layer_place place;
    /* to read, by the function that it is passed to */
    const void *frame; /* compressed bytes, described by place.pack; NULL:
                          not compressed */
};

/* Called on the thread that adds jobs. */
typedef varve_status vv_hand_on(
    void *user, const struct vv_chunk_job *job, varve_error *error);

struct vv_pack_line;

/* Creates a line that compresses at a level of 1 or more, on all processors if
 * worthwhile. Returns NULL if out of memory. Must be freed by
 * vv_pack_line_free. */
struct vv_pack_line *vv_pack_line_new(const struct vv_context *context,
    int level, vv_hand_on *hand_on, void *user);

/* Adds a job. Passes on jobs that are ready, and keeps this one while those
 * before it are being compressed. At most four chunks of bytes are kept for
 * each thread. The number of jobs that are passed on does not depend on timing.
 * Returns VARVE_NO_MEMORY, or the error of `hand_on`; after that no more jobs
 * may be added. */
varve_status vv_pack_line_add(struct vv_pack_line *line,
    const struct vv_chunk_job *job, varve_error *error);

/* Passes on all jobs that were kept. */
varve_status vv_pack_line_end(struct vv_pack_line *line, varve_error *error);

/* Frees the line and all jobs that were not passed on. `line` may be NULL. */
void vv_pack_line_free(struct vv_pack_line *line);

#endif
