/* record_prefetch.h - Reads batches of records ahead of the program on a
 * thread.
 *
 * The thread computes the batches that follow a position in the same way as the
 * program (record_position.h), and reads them into a ring of slots. It never
 * changes the program's position. If the program requests another batch than
 * the next one, because it was restored or rewound or uses another batch size,
 * the slots are dropped, and the thread continues from there. A failure is
 * returned by the call that requests the batch; the thread then waits for the
 * next call.
 *
 * In a shuffled order the system cannot predict the next record. So the thread
 * gives it a hint for each record, before reading the batch, and for as many
 * further records as it may read ahead; many disk reads are then in progress at
 * the same time. For a sequential order the system itself reads ahead.
 *
 * From vv_record_prefetch_new to vv_record_prefetch_end only the thread calls
 * `read` of the source.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RECORD_PREFETCH_H
#define VV_RECORD_PREFETCH_H

#include <varve/records.h>

#include "record_position.h"
#include "record_source.h"
#include "state.h"

/* --- Batches -------------------------------------------------------------- */

/* Reads the records of a batch into memory that is reused for the next
 * batch. */

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

/* --- Reading ahead -------------------------------------------------------- */

struct vv_record_prefetch;

struct vv_prefetch_choice {
    /* to fill in */
    varve_source source;    /* borrowed, with its name */
    vv_record_hint *hint;   /* or NULL */
    vv_record_check *check; /* or NULL; called only by the thread */
    /* number of records to read ahead, above 0; rounded to whole batches, at
     * least one */
    uint64_t most;
    size_t wanted; /* usual number of records in a batch */
};

/* Starts the thread. Nothing is read before the first batch is taken. Returns
 * NULL on failure. */
struct vv_record_prefetch *vv_record_prefetch_new(
    const struct vv_context *context, const struct vv_prefetch_choice *choice,
    varve_error *error);

/* Waits for the record that is being read, and frees everything; accepts NULL.
 * In a forked child, which does not have the thread, returns false and frees
 * nothing; the state of the source is unknown then, and it must not be used. */
bool vv_record_prefetch_end(struct vv_record_prefetch *prefetch);

/* Sets *records to the records of a step, which must not be empty. They are
 * valid until the next call. */
varve_status vv_record_prefetch_take(struct vv_record_prefetch *prefetch,
    const struct vv_record_step *step, const struct vv_record_choice *choice,
    const varve_record **records, varve_error *error);

#endif
