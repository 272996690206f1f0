/* manager_together.h - Implements collective managers: rank 0 lists the
 * directory, locks it, decides and deletes, and broadcasts the results.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_TOGETHER_H
#define VV_MANAGER_TOGETHER_H

#include "hand_over.h"
#include "manager.h"

/* --- Listings ------------------------------------------------------------- */

/* Broadcasts the listings of rank 0 to the other ranks of a collective manager.
 * Does nothing for a manager of one process, as the functions below. */

/* Sends the listing of the directory from rank 0 to all ranks. Returns VARVE_OK
 * if each rank passes VARVE_OK as `status`. */
varve_status vv_manager_broadcast(
    varve_manager *manager, varve_status status, varve_error *error);

/* Like vv_manager_broadcast, for the directories of the storage levels. */
varve_status vv_manager_broadcast_levels(
    varve_manager *manager, varve_status status, varve_error *error);

/* --- Operations ----------------------------------------------------------- */

/* Implements collective managers: rank 0 lists the directory, locks it, decides
 * and deletes, and broadcasts the results.
 *
 * For a manager of one process, whose communicator is vv_comm_alone, these
 * functions do nothing, so that the same code serves both. With a communicator,
 * all ranks must call each of them, independent of errors of single ranks, and
 * all return the same status. `error` must not be NULL. */

/* Returns true if this process accesses the directory: rank 0, or the only
 * process. */
bool vv_manager_leads(const varve_manager *manager);

/* Returns VARVE_OK if all ranks pass VARVE_OK as `status`. */
varve_status vv_manager_agree(
    const varve_manager *manager, varve_status status, varve_error *error);

/* Returns VARVE_MISUSE for invalid options of a manager or of a collective
 * manager. */
varve_status vv_manager_check_options(const varve_manager_options *options,
    const char *directory, varve_error *error);

/* The first collective operation. Checks that all ranks have made their
 * manager, with the same directory and options. `manager` is NULL on a rank on
 * which `status` is the failure. */
varve_status vv_manager_check_same_options(varve_manager *manager,
    const varve_comm *comm, varve_status status, varve_error *error);

/* Checks that all ranks pass the same number as rank 0. */
varve_status vv_manager_compare(varve_manager *manager, const char *what,
    uint64_t number, varve_error *error);

/* A save as rank 0 has decided it. */
struct vv_manager_order {
    int64_t step;
    uint64_t counter;
    uint64_t number;
    bool is_new; /* no file has this name */
    int64_t time;
    bool has_metric;
    double metric;
};

/* Broadcasts the order of rank 0, which passes its `status`. Returns
 * VARVE_MISUSE if a rank has another step. */
varve_status vv_manager_bcast_order(varve_manager *manager, varve_status status,
    struct vv_manager_order *order, varve_error *error);

/* Sets *is_wanted to true on all ranks if it is true on any rank. */
varve_status vv_manager_any(varve_manager *manager, varve_status status,
    bool *is_wanted, varve_error *error);

#endif
