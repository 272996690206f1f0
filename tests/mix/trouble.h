/* trouble.h - what goes wrong in the next call that may fail: memory that runs
 * out, a disk that is full, calls of the system that fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_TROUBLE_H
#define MIX_TROUBLE_H

#include "mix/mix.h"

/* The system that a run's library is given, and its end. */
void mix_system_begin(struct mix *m);
void mix_system_end(struct mix *m);

/* What a call of the system may do instead of what it does. */
extern const uint8_t mix_way_count;
const char *mix_way_name(uint8_t way);

/* Between the two the trouble that was asked for happens. The second gives the
 * status that it may lead to; VARVE_OK: there was none. */
void mix_trouble_begin(struct mix *m);
varve_status mix_trouble_end(struct mix *m);

/* What the next copy of far memory gives; and whether one that fails has copied
 * a part. */
varve_status mix_copy_status(struct mix *m);
bool mix_copies_in_part(const struct mix *m);

/* Whether a call that met trouble may have been left half done: copies of far
 * memory went on failing when what was there was put back. */
bool mix_may_be_half(const struct mix *m);

/* The program takes what a call has left half done for its own, so that it can
 * be saved. */
void mix_take_half(struct mix *m, uint8_t graph);

/* What a write gave: where it is in place, though that may not last over a
 * power cut, it has been done as far as a program can see. */
varve_status mix_in_place(const struct mix *m, varve_status status);

/* Whether what went wrong in a call of a graph, with the status that trouble
 * may lead to, was mended: then it is forgotten, and what could not be
 * delivered is there. */
bool mix_mend(struct mix *m, uint8_t graph, varve_status other);

/* Whether a graph remembers nothing, or only what does not fit. */
bool mix_is_well(struct mix *m, uint8_t graph);

/* Instead of the second where a graph changes: such a call has no status, the
 * graph remembers what went wrong. That is mended; true: it was not done, and
 * has to be done again.
 *
 *     mix_trouble_begin(m);
 *     do
 *         varve_track(...);
 *     while (mix_is_to_repeat(m, graph, whether there is the edge));
 */
bool mix_is_to_repeat(struct mix *m, uint8_t graph, bool is_done);

#endif
