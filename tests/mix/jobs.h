/* jobs.h - Declares the model of asynchronous saves: pending saves and their
 * expected results.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_JOBS_H
#define MIX_JOBS_H

#include "mix/mix.h"

/* Appends a job. Waits for the oldest one if there is no room. */
struct mix_job *mix_job_new(
    struct mix *m, enum mix_job_kind kind, uint8_t graph, uint8_t by);

/* Records statuses of failures that may have affected pending saves too. */
void mix_jobs_met(struct mix *m, varve_status status);

/* Progress callback of a save: waits while the gate is closed. */
int mix_gate(void *user, uint64_t done, uint64_t total, const char *what);
void mix_gate_open(struct mix *m);
void mix_gate_close(struct mix *m);

/* --- Waiting -------------------------------------------------------------- */

/* Waits for the oldest pending save of a graph and adds its result to the
 * model. Returns its status. mix_land_unreported frees the job without fetching
 * its status and returns some error if the save failed. */
varve_status mix_land(struct mix *m, uint8_t graph);
varve_status mix_land_unreported(struct mix *m, uint8_t graph);

/* Waits for all saves of a graph, or of all graphs. */
void mix_finish(struct mix *m, uint8_t graph);
void mix_finish_all(struct mix *m);

/* Waits for all saves to a file, or to numbers of the prefix, except those
 * of graph `but_of`, after which its own save is ordered. MIX_NONE: no
 * exception. */
void mix_finish_file(struct mix *m, uint8_t slot, uint8_t but_of);
void mix_finish_saves(struct mix *m, uint8_t but_of);

/* Waits for the saves of a manager or a saver. */
void mix_finish_by(struct mix *m, enum mix_job_kind kind, uint8_t by);

/* Handles the saves of a graph that was freed; they must be complete. */
void mix_finish_ended(struct mix *m, uint8_t graph);

/* Call after a save of a graph. `comes_after`: the save is ordered after all
 * pending ones. Returns true if it returned the error of an earlier save, and
 * checks that it did so exactly if there was one. */
bool mix_was_reported(
    struct mix *m, uint8_t graph, varve_status status, bool comes_after);

/* Returns true if a pending save may replace a file, or the last checkpoint of
 * a saver. */
bool mix_is_replaced(const struct mix *m, enum mix_job_kind kind, uint8_t by);

/* Returns true if a graph has pending saves. */
bool mix_is_saving(const struct mix *m, uint8_t graph);

/* Returns true if a graph has pending numbered saves or saves of a manager. */
bool mix_is_counting(const struct mix *m, uint8_t graph);

static inline unsigned mix_bit(varve_status status)
{
    return status ? 1u << status : 0;
}

#endif
