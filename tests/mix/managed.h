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

/* Whether a manager finds in its directory what the model has. */
void mix_look_at_directory(struct mix *m, const struct mix_manager *manager);

#endif
