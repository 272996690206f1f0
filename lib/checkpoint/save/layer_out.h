/* layer_out.h - Writes the data of an incremental checkpoint: new data goes to
 * a new layer (data file) in the folder of layers, and unchanged data is
 * referred to in the layers of the base.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_OUT_H
#define VV_LAYER_OUT_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"
#include "data_out.h"
#include "index_out.h"
#include "layer_base.h"
#include "layers_in.h"
#include "layout.h"
#include "pack_line.h"
#include "publish.h"

/* --- The folder of layers ------------------------------------------------- */

/* Opens the folder of layers (data files) beside a checkpoint for a save. */

/* Opens the folder for a checkpoint at `path`, and creates it if necessary.
 * Takes its shared lock: waits for a process that deletes layers, and prevents
 * such deletions until the folder is closed. If the folder is a symbolic link,
 * creates the file VV_LAYER_SHARED in it. Appends the path of the folder and a
 * '/' to `inside`. On failure `folder` is unchanged. */
varve_status vv_layer_folder_open(const struct vv_context *context,
    const char *path, int flags, struct vv_buffer *inside, int *folder,
    varve_error *error);

/* Waits until the names in the folder are on disk. `path` is used for
 * messages. */
varve_status vv_layer_folder_sync(const struct vv_context *context, int folder,
    const char *path, varve_error *error);

/* Chooses a random nonce, and appends the name of its layer to `inside`. */
varve_status vv_layer_choose(const struct vv_context *context, const char *path,
    uint8_t *nonce, struct vv_buffer *inside, varve_error *error);

/* --- Places --------------------------------------------------------------- */

/* Fills in the columns of places, which describe where each range of the data
 * is in the layers. */

struct vv_place_out {
    /* to read */
    uint64_t written; /* offset in the data of the next range */
    /* own */
    struct vv_index_columns *columns;
    uint64_t begin;             /* offset in the data of the last place */
    struct vv_layer_place last; /* the last place */
    bool is_packed;             /* the columns of compression exist */
};

/* Begins with empty columns. If `is_inside` the layer will be in the file of
 * the checkpoint, and the columns of compression are always created. */
void vv_place_out_begin(
    struct vv_place_out *out, struct vv_index_columns *columns, bool is_inside);

/* Returns true if a range at `place` would continue the last place. */
bool vv_place_continues(
    const struct vv_place_out *out, const struct vv_layer_place *place);

/* Adds the next `size` bytes of the data, which are at `place`. */
void vv_place_out_add(struct vv_place_out *out,
    const struct vv_layer_place *place, uint64_t size);

/* --- Layers --------------------------------------------------------------- */

struct vv_layer_out {
    const struct vv_context *context;
    const struct vv_layer_base *base;
    struct vv_index_columns *columns;
    const char *path; /* path of the checkpoint */
    int folder;       /* open, with its shared lock held */
    int flags;        /* vv_publish_flags */
    uint64_t at; /* offset in the data of the next range; that of `places` is
                    less by what is queued in `line` */
    struct vv_place_out places;
    uint32_t *numbers; /* for each layer of the base, its number here */
    uint32_t own;      /* number of the new layer; VV_NONE: there is none yet */
    bool is_inside;    /* the layer is in the file of the checkpoint */
    int level;         /* compression level for new data; 0: none */
    struct vv_pack_line *line; /* NULL: nothing is compressed so far */
    struct vv_data_out data;
    struct vv_publication publication; /* file of the new layer */
    struct vv_buffer own_path;
    uint8_t nonce[VV_NONCE_SIZE];
    /* to fill in */
    const struct vv_access *like; /* permissions for the layer; NULL: as a
                                     new file */
    bool bytes_stay;              /* new data stays in memory until the end */
};

/* Begins an incremental checkpoint at `path`. Waits for processes that delete
 * layers, and prevents such deletions until vv_layer_out_clear, which must be
 * called also after a failure. Empties the columns of layers and places. */
varve_status vv_layer_out_begin(struct vv_layer_out *out,
    const struct vv_context *context, const char *path, int flags, int level,
    struct vv_index_columns *columns, varve_error *error);

/* Begins a checkpoint that contains its layer; used instead of
 * vv_layer_out_begin. `file` is the open file of the checkpoint.
 * vv_layer_out_end does not end `data`, as the index follows. */
varve_status vv_layer_out_begin_inside(struct vv_layer_out *out,
    const struct vv_context *context, const char *path, int file, int flags,
    int level, struct vv_index_columns *columns, varve_error *error);

/* Sets the base. Must be called before vv_layer_out_old. */
varve_status vv_layer_out_set_base(struct vv_layer_out *out,
    const struct vv_layer_base *base, varve_error *error);

/* vv_layer_out_new, vv_layer_out_old and vv_layer_out_zeros each add the next
 * `size` bytes of the data.
 *
 * vv_layer_out_new adds bytes that are not in the base. They are compressed
 * with `planes` byte planes if that saves space; 0: not compressed. */
varve_status vv_layer_out_new(struct vv_layer_out *out, const void *bytes,
    uint64_t size, unsigned planes, varve_error *error);

/* Adds bytes that the base has at `offset`. They are written again if their
 * layer is dropped. If `bytes` is NULL they are zeros. */
varve_status vv_layer_out_old(struct vv_layer_out *out, uint64_t offset,
    const void *bytes, uint64_t size, unsigned planes, varve_error *error);

/* Adds zeros. They take no space, unless they directly follow new data. */
varve_status vv_layer_out_zeros(
    struct vv_layer_out *out, uint64_t size, varve_error *error);

/* Writes the rest of the new layer, if there is one, and completes the
 * columns. */
varve_status vv_layer_out_end(struct vv_layer_out *out, varve_error *error);

/* Makes the layer durable in its folder, then `index`, which must be written.
 * After that only the name of the checkpoint is missing. The layer gets its
 * name before it is synced, and the folder is synced last: in most file systems
 * with a journal the sync of the next file also commits these names, so that
 * little is left to wait for. */
varve_status vv_layer_out_publish(
    struct vv_layer_out *out, struct vv_publication *index, varve_error *error);

/* Syncs an open layer that was written without a sync. */
varve_status vv_layer_sync(const struct vv_context *context,
    const struct vv_layer *layer, varve_error *error);

/* Releases the lock of the folder. Deletes the new layer unless `is_named`,
 * that is, if no index refers to it. */
void vv_layer_out_clear(struct vv_layer_out *out, bool is_named);

#endif
