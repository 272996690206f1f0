/* manager_nodes.h - a manager of many processes of which each has a directory
 * of its own, and all protect each other's.
 *
 * It is a manager of one process in each of them: it looks, locks, saves and
 * deletes in its own directory. Together they agree on what is due, on one
 * number for a set of files, on that all have saved and protected it, and on
 * the set that is resumed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_NODES_H
#define VV_MANAGER_NODES_H

#include "manager.h"

#define VV_PARITY_SUFFIX ".parity"

/* Whether it is such a manager. */
bool vv_manager_has_nodes(const varve_manager *manager);

/* VARVE_MISUSE for options that are not for these. */
varve_status vv_nodes_check_options(
    const varve_manager_options *options, varve_error *error);

/* Begins it, before the listing is: from then on the manager acts as one of a
 * single process. Appends the directory of this rank to `path`. */
varve_status vv_nodes_begin(varve_manager *manager,
    const varve_manager_options *options, const char *directory,
    struct vv_buffer *path, varve_error *error);
void vv_nodes_end(varve_manager *manager);

/* What follows is called by all ranks, and returns the same at all; of another
 * manager it does nothing. */

/* Each knows of all ranks where they run. VARVE_MISUSE where they cannot
 * protect each other. */
varve_status vv_nodes_meet(varve_manager *manager, varve_error *error);

/* Sets a counter to the highest that any rank has. */
varve_status vv_nodes_count(const varve_manager *manager, varve_status status,
    uint64_t *counter, varve_error *error);

/* What each has saved, or failed with, is protected. Where that fails, this
 * rank's is removed, unless a rank is gone: then it may be whole. */
varve_status vv_nodes_protect(varve_manager *manager, uint64_t number,
    varve_status status, varve_error *error);

/* Sets a number to the next lower one that any rank has; 0: there is none. */
varve_status vv_nodes_next(
    varve_manager *manager, uint64_t *number, varve_error *error);

/* Makes a set whole (rebuild.h). */
varve_status vv_nodes_rebuild(
    varve_manager *manager, uint64_t number, varve_error *error);

/* Sets *is_so everywhere where it is so at some rank. */
varve_status vv_nodes_any(
    const varve_manager *manager, bool *is_so, varve_error *error);

#endif
