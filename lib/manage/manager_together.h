/* manager_together.h - a manager of many processes: rank 0 looks at the
 * directory, locks it, decides, deletes; the others are told.
 *
 * Of a manager of this process alone each of these does nothing, so that the
 * same steps serve one and many. With a communicator each is called by all
 * ranks, whatever went wrong at one of them, and returns the same status
 * everywhere; `error` is not NULL.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MANAGER_TOGETHER_H
#define VV_MANAGER_TOGETHER_H

#include "hand_over.h"
#include "manager.h"

/* Whether this process acts on the directory: rank 0, or the only one. */
bool vv_manager_leads(const varve_manager *manager);

/* Through which ranks agree; NULL: there is one process. */
const varve_comm *vv_manager_comm(const varve_manager *manager);

/* VARVE_OK where all ranks come with that. */
varve_status vv_manager_agree(
    const varve_manager *manager, varve_status status, varve_error *error);

/* VARVE_MISUSE for options that a manager, or one of many processes, does not
 * take. */
varve_status vv_manager_check_options(const varve_manager_options *options,
    const char *directory, varve_error *error);

/* The first meeting: whether all ranks have made theirs, which is NULL where
 * `status` says why it is not, of the same directory and options. */
varve_status vv_manager_check_same_options(varve_manager *manager,
    const varve_comm *comm, varve_status status, varve_error *error);

/* Whether all ranks name the number that rank 0 names. */
varve_status vv_manager_compare(varve_manager *manager, const char *what,
    uint64_t number, varve_error *error);

/* What rank 0 decides about a save. */
struct vv_manager_order {
    int64_t step;
    uint64_t counter;
    uint64_t number;
    bool is_new; /* nothing has its name */
    int64_t time;
    bool has_metric;
    double metric;
};

/* All ranks have the order of rank 0, which comes with `status`. VARVE_MISUSE
 * where one of them has another step. */
varve_status vv_manager_bcast_order(varve_manager *manager, varve_status status,
    struct vv_manager_order *order, varve_error *error);

/* Sets *is_wanted everywhere where it is so at some rank. */
varve_status vv_manager_any(varve_manager *manager, varve_status status,
    bool *is_wanted, varve_error *error);

#endif
