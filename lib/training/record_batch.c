/* record_batch.c - Reads the records of a batch one after the other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "record_batch.h"

#include <inttypes.h>

#include "allocator.h"
#include "failure.h"
#include "try.h"

void vv_record_batch_init(
    struct vv_record_batch *batch, const varve_allocator *allocator)
{
    *batch = (struct vv_record_batch){ .capacity = 0 };
    vv_buffer_init(&batch->sink.bytes, allocator);
}

void vv_record_batch_clear(struct vv_record_batch *batch)
{
    vv_release(batch->sink.bytes.allocator, batch->records,
        batch->capacity * sizeof *batch->records);
    vv_buffer_clear(&batch->sink.bytes);
    batch->records = NULL;
    batch->capacity = 0;
}

static varve_status read_one(struct vv_record_batch *batch,
    const varve_source *source, uint64_t index, varve_error *error)
{
    varve_error own;
    own.status = VARVE_OK;
    varve_status status = source->read(source->self, index, &batch->sink, &own);
    if (batch->sink.bytes.failed)
        return vv_fail_memory(error, "a record");
    if (!status)
        return VARVE_OK;
    if (own.status)
        return vv_pass_failure(error, &own);
    return vv_fail(error, vv_status_of_callback(status),
        "%s: record %" PRIu64 ": its source failed with %s", source->name,
        index, varve_status_name(status));
}

varve_status vv_record_batch_read(struct vv_record_batch *batch,
    const varve_source *source, const struct vv_record_step *step,
    varve_error *error)
{
    struct vv_permutation order = vv_record_order(&step->from);
    struct vv_buffer *bytes = vv_emptied(&batch->sink.bytes);
    if (!vv_grow_array(bytes->allocator, &batch->records, &batch->capacity,
            step->count, sizeof *batch->records))
        return vv_fail_memory(error, "a batch of records");
    for (size_t i = 0; i < step->count; i++) {
        uint64_t index = vv_record_number(&step->from, &order, i);
        size_t begin = bytes->size;
        VV_TRY(read_one(batch, source, index, error));
        batch->records[i].index = index;
        batch->records[i].size = bytes->size - begin;
    }
    /* The addresses are set after the buffer has its final size. */
    const unsigned char *at = bytes->data;
    for (size_t i = 0; i < step->count; i++) {
        batch->records[i].data = at ? (const void *)at : "";
        at = at ? at + batch->records[i].size : NULL;
    }
    return VARVE_OK;
}

varve_status vv_record_batch_confirm(vv_record_check *check, void *self,
    varve_status status, bool is_last, varve_error *error)
{
    bool may_be_changed = status == VARVE_CORRUPT || status == VARVE_TRUNCATED;
    if (!check || (status && !may_be_changed))
        return status;
    varve_error reason; /* large, so it is initialized only by a failure */
    reason.status = VARVE_OK;
    if (check(self, status || is_last, &reason))
        return vv_pass_failure(error, &reason);
    return status;
}
