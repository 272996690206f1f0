/* keras_again.h - Restores the names that Keras gave the groups of a file, for
 * a graph that was converted through another format. The global names of its
 * variables are their paths in the file of Keras.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_KERAS_AGAIN_H
#define VV_KERAS_AGAIN_H

#include "target.h"

struct vv_keras_again {
    /* to read */
    struct vv_target target; /* the same, and what hdf5_kept.h keeps */
    /* own */
    const struct vv_target *real;
    struct vv_buffer bytes;
    struct vv_keras_range *ranges; /* by node; in the bytes */
    uint32_t *seen;                /* by node: the object that was looked at */
    struct vv_buffer names;        /* of the layers of one model */
    struct vv_buffer sorted;       /* room */
    uint64_t looks;                /* at edges, that are left */
};

/* Names the layers of each object `layers`, and finds the further names of
 * their variables. A graph that was made of an HDF5 file has all that. End with
 * vv_keras_again_clear after a failure too. VARVE_NO_MEMORY. */
varve_status vv_keras_again_init(struct vv_keras_again *again,
    const struct vv_target *target, varve_error *error);
void vv_keras_again_clear(struct vv_keras_again *again);

#endif
