/* thread_comm.h - a communicator whose ranks are threads of one process: over
 * any system below the library, and with failures wherever they are wanted.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_THREAD_COMM_H
#define SUPPORT_THREAD_COMM_H

#include <varve/comm.h>

typedef void thread_comm_body(const varve_comm *comm, void *user);

/* Runs a body at each of `size` ranks, and returns when all have ended. As many
 * calls as `calls` says succeed, of all ranks together; from then on each is
 * VARVE_DISCONNECTED. Negative: all succeed. Ranks that wait for one that has
 * ended its body are disconnected. The ranks `i` share the node `i / share`;
 * 0: all do. Returns how many calls there were. */
long thread_comm_run(uint32_t size, uint32_t share, long calls,
    thread_comm_body *body, void *user);

#endif
