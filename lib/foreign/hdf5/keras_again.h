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
    struct vv_target target; /* a copy of the target that also returns the data
                                of hdf5_kept.h */
    /* own */
    const struct vv_target *real;
    struct vv_buffer bytes;
    struct vv_keras_range *ranges; /* range in `bytes` for each node */
    uint32_t *seen;                /* for each node, the object that was visited
                                      last plus 1 */
    struct vv_buffer names;        /* layers of one model */
    struct vv_buffer sorted;       /* temporary */
    uint64_t looks;                /* remaining visits of edges */
};

/* Names the layers of each object `layers`, and finds the aliases of their
 * variables. Does nothing for a graph built from an HDF5 file, which has this
 * data already. Returns VARVE_NO_MEMORY on failure. Call vv_keras_again_clear
 * afterwards, also after a failure. */
varve_status vv_keras_again_init(struct vv_keras_again *again,
    const struct vv_target *target, varve_error *error);
void vv_keras_again_clear(struct vv_keras_again *again);

#endif
