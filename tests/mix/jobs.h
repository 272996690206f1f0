/* jobs.h - the model's side of saves in the background: what is in flight, and
 * what has to be there once it is over.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_JOBS_H
#define MIX_JOBS_H

#include "mix/mix.h"

/* A new one behind the others; the oldest is waited for where there is no room.
 */
struct mix_job *mix_job_new(
    struct mix *m, enum mix_job_kind kind, uint8_t graph, uint8_t by);

/* Statuses of trouble, which may have met whatever is in flight too. */
void mix_jobs_met(struct mix *m, varve_status status);

/* Set as the progress of a save: it waits while the gate is closed. */
int mix_gate(void *user, uint64_t done, uint64_t total, const char *what);
void mix_gate_open(struct mix *m);
void mix_gate_close(struct mix *m);

/* --- Waiting -------------------------------------------------------------- */

/* Waits for the first in flight of a graph, and puts it into the model; or does
 * not wait, and frees it. What it failed with; then anything but VARVE_OK. */
varve_status mix_land(struct mix *m, uint8_t graph);
varve_status mix_land_untold(struct mix *m, uint8_t graph);

/* All of a graph; all. */
void mix_finish(struct mix *m, uint8_t graph);
void mix_finish_all(struct mix *m);

/* All that write a file, or numbers of the prefix; but for those of a graph:
 * what it saves itself comes after them. MIX_NONE: of all. */
void mix_finish_file(struct mix *m, uint8_t slot, uint8_t but_of);
void mix_finish_saves(struct mix *m, uint8_t but_of);

/* Those of a manager or a saver. */
void mix_finish_by(struct mix *m, enum mix_job_kind kind, uint8_t by);

/* All of a graph that is freed, so that they are over. */
void mix_finish_ended(struct mix *m, uint8_t graph);

/* After a save of a graph, which comes after all that are in flight or not:
 * whether it failed with what another one had failed with, and only if so. */
bool mix_was_told(
    struct mix *m, uint8_t graph, varve_status status, bool comes_after);

/* Whether a file, or the last one of a saver, may be another one by now. */
bool mix_is_replaced(const struct mix *m, enum mix_job_kind kind, uint8_t by);

/* Whether a graph has something in flight. */
bool mix_is_saving(const struct mix *m, uint8_t graph);

/* Whether a graph has numbers in flight, or a manager's save. */
bool mix_is_counting(const struct mix *m, uint8_t graph);

static inline unsigned mix_bit(varve_status status)
{
    return status ? 1u << status : 0;
}

#endif
