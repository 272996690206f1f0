/* trouble.h - Declares the failures of the next call: exhausted memory, a full
 * disk, failing system calls.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_TROUBLE_H
#define MIX_TROUBLE_H

#include "mix/mix.h"

/* Create and free the system of a run's library. */
void mix_system_begin(struct mix *m);
void mix_system_end(struct mix *m);

/* The kinds of failures of a system call. */
extern const uint8_t mix_way_count;
const char *mix_way_name(uint8_t way);

/* The requested failure occurs between these calls. mix_trouble_end returns the
 * status that it may have caused, or VARVE_OK if there was no failure. */
void mix_trouble_begin(struct mix *m);
varve_status mix_trouble_end(struct mix *m);

/* Return the status of the next copy of device memory, and whether a failing
 * copy transfers a part. */
varve_status mix_copy_status(struct mix *m);
bool mix_copies_in_part(const struct mix *m);

/* Returns true if a failed call may have left partial changes: copies of device
 * memory failed again when the previous values were put back. */
bool mix_may_be_half(const struct mix *m);

/* Accepts the partial changes of a call as values of the program, so that it
 * can be saved. */
void mix_take_half(struct mix *m, uint8_t graph);

/* Returns the effective status of a write: VARVE_OK if the file is in place,
 * although it may be lost in a power failure. */
varve_status mix_in_place(const struct mix *m, varve_status status);

/* Repairs a graph after a call that failed with the status `other`: clears the
 * error and delivers pending values. Returns false if there was nothing to
 * repair. */
bool mix_repair(struct mix *m, uint8_t graph, varve_status other);

/* Returns true if a graph has no error, or only a mismatch. */
bool mix_is_well(struct mix *m, uint8_t graph);

/* Call instead of mix_trouble_end after a change of a graph. Such a call has no
 * status; the graph records the error. The function clears it and returns true
 * if the call had no effect and must be repeated.
 *
 *     mix_trouble_begin(m);
 *     do
 *         varve_track(...);
 *     while (mix_is_to_repeat(m, graph, whether there is the edge));
 */
bool mix_is_to_repeat(struct mix *m, uint8_t graph, bool is_done);

#endif
