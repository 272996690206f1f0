/* record_prefetch.h - a thread that reads batches of records ahead of the
 * program.
 *
 * The thread computes the batches that follow a position as the program does
 * (record_position.h), and reads them into a ring of slots. It never changes
 * the position of the program. Where the program asks for another batch than
 * the next one, because it was restored or rewound or takes another number, the
 * slots are dropped, and the thread continues from there. A failure is returned
 * by the call that asks for the batch, and the thread waits for the next call.
 *
 * In a shuffled order the system cannot tell which record comes next: the
 * thread gives it a hint for each record before it reads the batch, and up to
 * as many records further on as it may read ahead, so that many reads of the
 * disk are in progress at once. In the order of the file the system reads ahead
 * by itself.
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

struct vv_record_prefetch;

struct vv_prefetch_choice {
    /* to fill in */
    varve_source source;    /* borrowed, and its name */
    vv_record_hint *hint;   /* NULL: none */
    vv_record_check *check; /* likewise; only the thread calls it */
    uint64_t most;          /* records to read ahead, above 0; in whole batches,
                               at least one */
    size_t wanted;          /* records in most batches */
};

/* Starts the thread. Nothing is read before the first batch is taken. NULL on
 * failure. */
struct vv_record_prefetch *vv_record_prefetch_new(
    const struct vv_context *context, const struct vv_prefetch_choice *choice,
    varve_error *error);

/* Waits for the record that is being read, and frees all; takes NULL. False in
 * a child of fork: the thread is not there, and the state of the source is not
 * known; nothing is freed then, and the source is not to be used. */
bool vv_record_prefetch_end(struct vv_record_prefetch *prefetch);

/* The records of a step of above 0 records, valid until the next call. */
varve_status vv_record_prefetch_take(struct vv_record_prefetch *prefetch,
    const struct vv_record_step *step, const struct vv_record_choice *choice,
    const varve_record **records, varve_error *error);

#endif
