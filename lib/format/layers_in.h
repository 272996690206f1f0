/* layers_in.h - Opens the layers of a checkpoint: data files, in a folder
 * beside it, that contain all or a part of its data.
 *
 * They remain open as long as the checkpoint, so it stays readable if another
 * process deletes them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYERS_IN_H
#define VV_LAYERS_IN_H

#include <stdatomic.h>
#include <varve/error.h>

#include "buffer.h"
#include "context.h"
#include "index.h"
#include "layout.h"
#include "pack.h"
#include "worker.h"

/* --- Decompression states ------------------------------------------------- */

/* A pool of decompression states of an open checkpoint. Threads take and return
 * them, because making one takes longer than using it. */

struct vv_unpackers {
    /* own */
    _Atomic(struct vv_unpacker *) idle[VV_MAX_WORKERS]; /* or NULL */
};

/* Returns one that no other thread uses, or a new one; NULL if there is no
 * memory. Can be called on any thread, as the two functions below. */
struct vv_unpacker *vv_unpackers_take(
    struct vv_unpackers *unpackers, const struct vv_context *context);

/* Returns one to the pool. Frees it if the pool is full. */
void vv_unpackers_give(
    struct vv_unpackers *unpackers, struct vv_unpacker *unpacker);

/* Frees all idle ones. */
void vv_unpackers_clear(struct vv_unpackers *unpackers);

/* --- Layers --------------------------------------------------------------- */

struct vv_layer {
    /* to read */
    int file; /* -1: missing */
    char *path;
    bool is_inside;   /* the layer is the file of the checkpoint itself */
    bool is_unsynced; /* may be incomplete after a power failure */
};

struct vv_layers {
    /* to read */
    uint32_t count;
    uint32_t lost;
    struct vv_layer *all;
    /* own */
    struct vv_unpackers *unpackers; /* NULL: no data is compressed */
};

/* Sets `name` to the file name of a layer, with a NUL. */
enum { VV_LAYER_NAME_SIZE = 38 };
void vv_layer_name(const uint8_t *nonce, char name[VV_LAYER_NAME_SIZE]);

/* Returns true if `name` is the file name of a layer, and sets `nonce`. */
bool vv_layer_parse_name(const char *name, uint8_t *nonce);

/* Appends the path of the folder of layers of a checkpoint. */
void vv_layer_folder(struct vv_buffer *path, const char *checkpoint);

/* Returns true if the only layer is in the file that contains the index. */
static inline bool vv_layer_is_inside(const struct vv_index *index)
{
    static const uint8_t none[VV_NONCE_SIZE];
    return index->layer_count == 1 &&
           memcmp(index->layer_nonces, none, sizeof none) == 0;
}

/* Opens the layers that an index names, for the checkpoint at `path`, which is
 * open as `file`, and checks their identity. Returns VARVE_TRUNCATED with the
 * names if layers are missing or too short, and VARVE_CORRUPT if one is a
 * different file. In a context with `salvages`, unreadable layers count as
 * lost, and others are not checked; the digests of the values detect damage. On
 * failure nothing is open. */
varve_status vv_layers_open(struct vv_layers *layers,
    const struct vv_context *context, const char *path, int file,
    const struct vv_index *index, varve_error *error);

/* Closes the layers. The struct can be zeroed. */
void vv_layers_close(
    struct vv_layers *layers, const struct vv_context *context);

/* Reads data of any layer. Returns VARVE_TRUNCATED if a layer is lost. Keeps
 * its buffers, one or two chunks per thread, for the next call. */
varve_status vv_layers_read(const struct vv_layers *layers,
    const struct vv_context *context, const struct vv_index *index,
    uint64_t offset, void *bytes, size_t size, varve_error *error);

/* Announces the ranges of layers that vv_layers_read will read, or of `file` if
 * there are no layers. */
void vv_layers_plan(const struct vv_layers *layers,
    const struct vv_context *context, const struct vv_index *index, int file,
    const void *owner, uint64_t offset, uint64_t size);

/* Frees the buffers that were kept. Can be called on any thread. */
void vv_layers_rest(const struct vv_layers *layers);

/* The source of a byte of the data and of the following bytes of its place. */
struct vv_layer_place {
    /* to fill in */
    uint32_t layer; /* VV_NONE: zeros */
    uint64_t offset;
    struct vv_pack pack;
    uint32_t skip; /* offset in the decompressed bytes */
};

/* Returns the entry of a place in a column with elements of `size` bytes. The
 * column can be in the file. */
uint64_t vv_place_number(const struct vv_index *index, enum vv_index_key key,
    const uint8_t *column, size_t size, uint32_t place);

/* Returns the source of the byte at `offset`, which must be in the place number
 * `place`. */
struct vv_layer_place vv_layer_place_at(
    const struct vv_index *index, uint32_t place, uint64_t offset);

/* Returns the number of the place that contains a byte of the data. */
uint32_t vv_place_of(const struct vv_index *index, uint64_t offset);

/* Returns the end of a place: the start of the next, or the end of the data. */
uint64_t vv_place_end(
    const struct vv_index *index, uint32_t place, uint64_t data_end);

/* Returns the layer that contains a range of the data contiguously and
 * uncompressed, and sets *at to its offset there. Returns NULL if there is
 * none. */
const struct vv_layer *vv_layers_find(const struct vv_layers *layers,
    const struct vv_index *index, uint64_t offset, uint64_t size, uint64_t *at);

#endif
