/* job_together.h - a save of many processes in the background.
 *
 * All come to the call, and hold their values still there. The rest is the same
 * as of any save of theirs, on a thread of each rank, which talks over a copy
 * of the communicator: so the program goes on with its own. The threads of all
 * ranks take their jobs in the order of the calls, and so they meet.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_JOB_TOGETHER_H
#define VV_JOB_TOGETHER_H

#include "background.h"

/* VARVE_MISUSE where it cannot be duplicated. By each rank for itself. */
varve_status vv_check_duplicates(const varve_comm *comm, varve_error *error);

/* Has the graph keep a copy of the communicator; once, and at all ranks, of
 * which each comes with its own `status`. The same everywhere. */
varve_status vv_keep_duplicate(const varve_comm *comm, varve_status status,
    varve_graph *graph, varve_error *error);

/* Starts one; each rank comes with its own `status`, and where that is good,
 * with a root. NULL at all where one fails: then nothing has changed. */
varve_job *vv_job_start_together(const varve_comm *comm, varve_status status,
    const struct vv_job_request *request, varve_error *error);

#endif
