/* layers_in.h - the layers of a checkpoint, opened: files that have its data,
 * or a part of that, in a folder beside it.
 *
 * All are open as long as the checkpoint is, so that it stays readable when
 * somebody deletes them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYERS_IN_H
#define VV_LAYERS_IN_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"
#include "index.h"
#include "layout.h"
#include "pack.h"

struct vv_layer {
    /* to read */
    int file; /* -1: it is lost */
    char *path;
    bool is_inside;   /* it is the file of the checkpoint itself */
    bool is_unsynced; /* a power cut may have taken some of it */
};

struct vv_layers {
    /* to read */
    uint32_t count;
    uint32_t lost;
    struct vv_layer *all;
    /* own */
    struct vv_unpackers *unpackers; /* or NULL: nothing is packed */
};

/* The bare name of a layer, with a NUL. */
enum { VV_LAYER_NAME_SIZE = 38 };
void vv_layer_name(const uint8_t *nonce, char name[VV_LAYER_NAME_SIZE]);

/* Whether a bare name is one, and of which nonce. */
bool vv_layer_parse_name(const char *name, uint8_t *nonce);

/* Appends the path of the folder of layers beside a checkpoint. */
void vv_layer_folder(struct vv_buffer *path, const char *checkpoint);

/* Whether the only layer is in the file that has the index. */
static inline bool vv_layer_is_inside(const struct vv_index *index)
{
    static const uint8_t none[VV_NONCE_SIZE];
    return index->layer_count == 1 &&
           memcmp(index->layer_nonces, none, sizeof none) == 0;
}

/* Opens the layers that an index names, beside the checkpoint of `path`, which
 * is open as `file`, and checks that they are those. VARVE_TRUNCATED where some
 * are missing, which are named, or shorter; VARVE_CORRUPT where one is another.
 * In a context that salvages those that cannot be had are lost, and the others
 * what they are: the digests of the values tell. On failure nothing is open. */
varve_status vv_layers_open(struct vv_layers *layers,
    const struct vv_context *context, const char *path, int file,
    const struct vv_index *index, varve_error *error);

/* Takes zeroed ones. */
void vv_layers_close(
    struct vv_layers *layers, const struct vv_context *context);

/* Reads data, wherever it lies; VARVE_TRUNCATED in a layer that is lost. What
 * it takes for that, a chunk or two for each thread, is kept for the next. */
varve_status vv_layers_read(const struct vv_layers *layers,
    const struct vv_context *context, const struct vv_index *index,
    uint64_t offset, void *bytes, size_t size, varve_error *error);

/* Plans the ranges of layers that this reads; of `file` where there are no
 * layers. */
void vv_layers_plan(const struct vv_layers *layers,
    const struct vv_context *context, const struct vv_index *index, int file,
    const void *owner, uint64_t offset, uint64_t size);

/* Lets go of what was kept for the next reading. On any thread. */
void vv_layers_rest(const struct vv_layers *layers);

/* From where on a byte of the data, and what comes behind it in its place, is
 * read. */
struct vv_layer_place {
    /* to fill in */
    uint32_t layer; /* VV_NONE: zeros */
    uint64_t offset;
    struct vv_pack pack;
    uint32_t skip; /* in what comes out of that */
};

/* The number of a place in one of its columns, of elements of `size` bytes,
 * which may stay in the file. */
uint64_t vv_place_number(const struct vv_index *index, enum vv_index_key key,
    const uint8_t *column, size_t size, uint32_t place);

/* `place` is the number of that in which the byte at `offset` lies. */
struct vv_layer_place vv_layer_place_at(
    const struct vv_index *index, uint32_t place, uint64_t offset);

/* The number of the place in which a byte of the data lies. */
uint32_t vv_place_of(const struct vv_index *index, uint64_t offset);

/* Where a place ends: the next begins there, or the data ends. */
uint64_t vv_place_end(
    const struct vv_index *index, uint32_t place, uint64_t data_end);

/* The layer in which a range of the data lies in one piece and as it is, and
 * where; NULL if it does not. */
const struct vv_layer *vv_layers_find(const struct vv_layers *layers,
    const struct vv_index *index, uint64_t offset, uint64_t size, uint64_t *at);

#endif
