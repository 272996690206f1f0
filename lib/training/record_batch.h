/* record_batch.h - the bytes of the records of one batch, in memory that the
 * next batch uses again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RECORD_BATCH_H
#define VV_RECORD_BATCH_H

#include <varve/records.h>

#include "record_position.h"
#include "record_source.h"
#include "state.h"

struct vv_record_batch {
    varve_sink sink;
    size_t capacity;
    /* to read */
    varve_record *records; /* as many as the step has; their bytes are in the
                              sink */
};

/* `allocator` stays where it is. */
void vv_record_batch_init(
    struct vv_record_batch *batch, const varve_allocator *allocator);
void vv_record_batch_clear(struct vv_record_batch *batch);

/* Reads the records of a step. */
varve_status vv_record_batch_read(struct vv_record_batch *batch,
    const varve_source *source, const struct vv_record_step *step,
    varve_error *error);

/* Checks the files of a source, after the records of a step were read with
 * `status`. At once where it failed as it does in a file that changed, or
 * where no record follows the step. Returns VARVE_MISMATCH for a file that
 * changed, else `status`. `check` may be NULL. */
varve_status vv_record_batch_confirm(vv_record_check *check, void *self,
    varve_status status, bool is_last, varve_error *error);

#endif
