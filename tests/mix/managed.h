/* managed.h - the model's side of a manager's directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_MANAGED_H
#define MIX_MANAGED_H

#include "mix/mix.h"

enum { MIX_KEEP = 2 }; /* of a saver, and of a manager */

/* What no policy keeps goes. */
void mix_prune(struct mix_directory *directory);

/* What a save in the background has come to; the number that it got, or 0. */
uint64_t mix_note_managed(
    struct mix *m, const struct mix_job *job, varve_status status);
void mix_note_by_saver(
    struct mix *m, const struct mix_job *job, varve_status status);

/* How a manager or saver writes, by an argument. */
varve_write_options mix_write_options(struct mix *m, uint8_t how);

/* Before a save whose progress may wait at the gate: it is closed where nothing
 * waits for it. */
void mix_prepare_gate(
    struct mix *m, uint8_t graph, const varve_write_options *write);

/* A save of a manager or a saver has begun. */
void mix_note_flight(struct mix *m, enum mix_job_kind kind, uint8_t graph,
    uint8_t by, const struct mix_file *file, varve_status other);

/* Whether a manager finds in its directory what the model has. */
void mix_look_at_directory(struct mix *m, const struct mix_manager *manager);

#endif
