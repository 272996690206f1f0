/* pack_line.h - chunks on their way to a layer: several threads pack them, and
 * they are handed on in the order in which they came, with what stands between
 * them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PACK_LINE_H
#define VV_PACK_LINE_H

#include "layers_in.h"

/* Some bytes, or a place where they lie already. */
struct vv_chunk_job {
    /* to fill in */
    const void *bytes; /* NULL: none, or zeros */
    bool stays;        /* the bytes do, until the line ends; else it copies */
    uint64_t size;
    unsigned planes; /* to pack them by; 0: they stay as they are */
    struct vv_layer_place place;
    /* to read, by whom it is handed to */
    const void *frame; /* NULL: they stay as they are; else of place.pack */
};

/* Called on the thread that adds. */
typedef varve_status vv_hand_on(
    void *user, const struct vv_chunk_job *parcel, varve_error *error);

struct vv_pack_line;

/* Packs at a level of 1 or more, on all processors where it pays. NULL without
 * memory. End with vv_pack_line_free. */
struct vv_pack_line *vv_pack_line_new(const struct vv_context *context,
    int level, vv_hand_on *hand_on, void *user);

/* Hands on what is ready, or keeps the parcel while those before it are packed:
 * bytes of four chunks for each thread at most, and which are handed on at once
 * does not depend on how quick anybody is. VARVE_NO_MEMORY, or the failure of
 * handing on, after which nothing more is added. */
varve_status vv_pack_line_add(struct vv_pack_line *line,
    const struct vv_chunk_job *parcel, varve_error *error);

/* Hands on all that was kept. */
varve_status vv_pack_line_end(struct vv_pack_line *line, varve_error *error);

/* Takes NULL. What was not handed on is forgotten. */
void vv_pack_line_free(struct vv_pack_line *line);

#endif
