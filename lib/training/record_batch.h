/* record_batch.h - Reads the records of a batch into memory that is reused for
 * the next batch.
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
    /* one for each record of the step; their bytes are in the sink */
    varve_record *records;
};

/* `allocator` must outlive the batch. */
void vv_record_batch_init(
    struct vv_record_batch *batch, const varve_allocator *allocator);
void vv_record_batch_clear(struct vv_record_batch *batch);

/* Reads the records of a step. */
varve_status vv_record_batch_read(struct vv_record_batch *batch,
    const varve_source *source, const struct vv_record_step *step,
    varve_error *error);

/* Checks the files of a source after the records of a step were read with
 * `status`. The check is immediate if reading failed in a way that a changed
 * file explains, or if the step is the last one. Returns VARVE_MISMATCH if a
 * file changed, otherwise `status`. `check` can be NULL. */
varve_status vv_record_batch_confirm(vv_record_check *check, void *self,
    varve_status status, bool is_last, varve_error *error);

#endif
