/* thread_comm.h - Declares a communicator whose ranks are threads of one
 * process, usable with any system and with injected failures.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_THREAD_COMM_H
#define SUPPORT_THREAD_COMM_H

#include <varve/comm.h>

typedef void thread_comm_body(const varve_comm *comm, void *user);

/* Runs a body on each of `size` ranks and returns when all have ended. The
 * first `calls` calls of all ranks together succeed; all later ones return
 * VARVE_DISCONNECTED. Negative: all succeed. Ranks that wait for a rank that
 * has ended are disconnected. The ranks `i` share the node `i / share`; 0: one
 * node. Returns the number of calls. */
long thread_comm_run(uint32_t size, uint32_t share, long calls,
    thread_comm_body *body, void *user);

#endif
