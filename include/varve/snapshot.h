/* snapshot.h - values kept in memory, to accept or reject a move.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_SNAPSHOT_H
#define VARVE_SNAPSHOT_H

#include <varve/error.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* Copies the value of every variable and state reachable from `root`, `local`
 * ones included. NULL on failure. */
VARVE_API varve_snapshot *varve_snapshot_new(
    varve_node *root, varve_error *error) VARVE_MUST_CHECK;

/* Copies them anew: the present is what the snapshot holds from now on. Where
 * no strings or states have grown, nothing is allocated. After a failure it
 * holds what it held before. */
VARVE_API varve_status varve_snapshot_retake(
    varve_snapshot *snapshot, varve_error *error) VARVE_MUST_CHECK;

/* Puts them back. Nothing is allocated, unless strings were restored from a
 * file since. */
VARVE_API varve_status varve_snapshot_restore(
    varve_snapshot *snapshot, varve_error *error) VARVE_MUST_CHECK;

/* Both fail with VARVE_MISMATCH, and change nothing, when variables or states
 * were added, removed or replaced since the snapshot was made. A state whose
 * load callback fails gives VARVE_CALLBACK; the variables are back by then. */

VARVE_API void varve_snapshot_free(varve_snapshot *snapshot);

VARVE_END_DECLS

#endif
