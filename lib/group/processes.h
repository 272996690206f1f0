/* processes.h - A group of processes on one machine that communicate through
 * rank 0.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PROCESSES_H
#define VV_PROCESSES_H

#include <varve/processes.h>

#include "context.h"
#include "sockets.h"

/* Like varve_processes_new, with the caller's allocator, system and sockets. */
varve_processes *vv_processes_new_in(const struct vv_context *context,
    const struct vv_sockets *sockets, uint32_t size,
    const varve_processes_options *options, varve_error *error);

#endif
