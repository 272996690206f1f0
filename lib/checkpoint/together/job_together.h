/* job_together.h - Asynchronous saves by many processes.
 *
 * All ranks call the function that starts a save, which takes the copies of the
 * values. The other steps run on the background thread of each rank, which uses
 * a duplicate of the communicator, so that the program can use its own. The
 * threads of all ranks take their jobs in the order of the calls, so that their
 * collective operations match.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_JOB_TOGETHER_H
#define VV_JOB_TOGETHER_H

#include "background.h"

/* Returns VARVE_MISUSE if the communicator cannot be duplicated. Not
 * collective. */
varve_status vv_check_duplicates(const varve_comm *comm, varve_error *error);

/* Keeps a duplicate of the communicator in the graph, unless there is one
 * already or it is vv_comm_alone. Collective: must be called on all ranks, each
 * with its own `status`, and returns the same on all. */
varve_status vv_keep_duplicate(const varve_comm *comm, varve_status status,
    varve_graph *graph, varve_error *error);

/* Starts an asynchronous save. Collective. Each rank calls it with its own
 * `status`; if that is VARVE_OK `request` must have a root. Returns NULL on all
 * ranks if one of them fails; then nothing has changed. With vv_comm_alone it
 * is vv_save_start. */
varve_job *vv_save_start_together(const varve_comm *comm, varve_status status,
    const struct vv_save_request *request, varve_error *error);

#endif
