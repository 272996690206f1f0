/* layer_out.h - the places of a checkpoint with layers while it is written:
 * what is new goes to a layer of its own, what is not is named where it lies.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_OUT_H
#define VV_LAYER_OUT_H

#include "data_out.h"
#include "layer_base.h"
#include "layers_in.h"
#include "layout.h"
#include "pack_line.h"
#include "place_out.h"
#include "publish.h"

struct vv_layer_out {
    const struct vv_context *context;
    const struct vv_layer_base *base;
    struct vv_index_columns *columns;
    const char *path; /* of the checkpoint */
    int folder;       /* open, and its lock shared */
    int flags;        /* of vv_publish_flags */
    uint64_t at;      /* where in the data the next range begins: that of
                         `places` too, but for what is in `line` */
    struct vv_place_out places;
    uint32_t *numbers; /* of layers of the base here */
    uint32_t own;      /* number of the layer that is written; or VV_NONE */
    bool is_inside;    /* the layer is in the file of the checkpoint */
    int level;         /* of packing what is new; 0: it is not packed */
    struct vv_pack_line *line; /* or NULL: nothing is packed, or yet */
    struct vv_data_out data;
    struct vv_publication publication; /* of the layer */
    struct vv_buffer own_path;
    uint8_t nonce[VV_NONCE_SIZE];
    /* to fill in */
    const struct vv_access *like; /* of the layer; NULL: as a new file */
    bool bytes_stay; /* what is new stays where it is until the end */
};

/* Waits for those that collect, and keeps them away. The columns of layers and
 * places are emptied. End with vv_layer_out_clear, also after a failure. */
varve_status vv_layer_out_begin(struct vv_layer_out *out,
    const struct vv_context *context, const char *path, int flags, int level,
    struct vv_index_columns *columns, varve_error *error);

/* Instead: begins one that is in the file of the checkpoint, open as `file`.
 * `data` is not ended by vv_layer_out_end; the index goes behind it. */
varve_status vv_layer_out_begin_inside(struct vv_layer_out *out,
    const struct vv_context *context, const char *path, int file, int flags,
    int level, struct vv_index_columns *columns, varve_error *error);

/* Once it is known; none was needed before. */
varve_status vv_layer_out_set_base(struct vv_layer_out *out,
    const struct vv_layer_base *base, varve_error *error);

/* Each says what the next `size` bytes of the data are. Bytes that are new,
 * packed by so many planes where that pays; 0: they stay as they are. */
varve_status vv_layer_out_new(struct vv_layer_out *out, const void *bytes,
    uint64_t size, unsigned planes, varve_error *error);

/* Those that the base has at `offset`; they are written all the same where
 * their layer is dropped. `bytes` NULL stands for zeros. */
varve_status vv_layer_out_old(struct vv_layer_out *out, uint64_t offset,
    const void *bytes, uint64_t size, unsigned planes, varve_error *error);

/* Zeros, which lie nowhere, or with what is new before them. */
varve_status vv_layer_out_zeros(
    struct vv_layer_out *out, uint64_t size, varve_error *error);

/* Writes the last of the layer, if there is one. After it, the columns are as
 * the index has them. */
varve_status vv_layer_out_end(struct vv_layer_out *out, varve_error *error);

/* Makes the layer durable in its folder, and `index`, which was written,
 * durable as well. After it, nothing of the checkpoint is missing but its name.
 * The layer has its name before the sync, and the folder comes last: where
 * names go to disk with the next file that is synced, as in most journals,
 * there is little left to wait for. */
varve_status vv_layer_out_publish(
    struct vv_layer_out *out, struct vv_publication *index, varve_error *error);

/* Makes one that is open durable, for which nobody waited. */
varve_status vv_layer_sync(const struct vv_context *context,
    const struct vv_layer *layer, varve_error *error);

/* Lets the collecting go on; a layer that no index names goes away. */
void vv_layer_out_clear(struct vv_layer_out *out, bool is_named);

#endif
