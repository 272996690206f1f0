/* managed.h - Declares the model of a manager's directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_MANAGED_H
#define MIX_MANAGED_H

#include "mix/mix.h"

enum { MIX_KEEP = 2 }; /* number of checkpoints kept by savers and managers */

/* Removes checkpoints that no policy keeps. */
void mix_prune(struct mix_directory *directory);

/* Records the result of an asynchronous save. Returns its checkpoint number, or
 * 0. */
uint64_t mix_note_managed(
    struct mix *m, const struct mix_job *job, varve_status status);
void mix_note_by_saver(
    struct mix *m, const struct mix_job *job, varve_status status);

/* Returns the write options of a manager or saver for an argument. */
varve_write_options mix_write_options(struct mix *m, uint8_t how);

/* Closes the gate before a save with a progress callback, unless some save
 * already waits at it. */
void mix_prepare_gate(
    struct mix *m, uint8_t graph, const varve_write_options *write);

/* Records that an asynchronous save of a manager or saver has started. */
void mix_note_flight(struct mix *m, enum mix_job_kind kind, uint8_t graph,
    uint8_t by, const struct mix_file *file, varve_status other);

/* Checks that the manager lists the checkpoints of the model. */
void mix_look_at_directory(struct mix *m, const struct mix_manager *manager);

#endif
