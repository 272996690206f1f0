/* star.h - Collective operations of processes around rank 0, over connected
 * sockets.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STAR_H
#define VV_STAR_H

#include <errno.h>

#include "processes.h"

/* Number of payload bytes that are sent with the header of a transfer. */
enum { VV_STAR_AHEAD = 48 };

enum { VV_SHIFT_WORDS = 4 }; /* size of the description of a shift */

struct vv_star_header {
    uint64_t call;
    uint64_t size;
    unsigned char ahead[VV_STAR_AHEAD]; /* the first bytes, if there are any */
};

/* The other end of a socket of this rank, and the transfer in progress. */
struct vv_star_peer {
    int socket; /* or -1 */
    struct vv_star_header header, came;
    unsigned char *bytes;
    uint64_t done; /* bytes transferred so far, including the header */
};

struct varve_processes {
    struct vv_context context;
    const struct vv_sockets *sockets;
    varve_comm comm;
    int64_t timeout; /* in nanoseconds; negative: none */
    uint32_t size;
    int64_t joined; /* process ID of the process that has joined, or -1 */
    bool is_broken;
    /* two for each rank, the second of which is its own; -1 for rank 0 */
    int *ends;
    /* at rank 0 all others, at each other rank rank 0 */
    struct vv_star_peer *peers;
    uint32_t peer_count;
    struct vv_wait *waits; /* peer_count elements */
    uint64_t *values;      /* one per rank */
    uint64_t *shifts;      /* VV_SHIFT_WORDS per rank */
    /* the group it is a copy of; NULL: none, or freed */
    varve_processes *parent;
    varve_processes *copies, *next;
};

/* Sets the functions of a communicator that transfer data. */
void vv_star_fill_in(varve_comm *comm);

/* Like the function `agree` of a communicator. */
varve_status vv_star_agree(void *processes, uint64_t *value);

/* Returns true if the result of a socket function means to retry later. */
static inline bool vv_star_is_for_later(int64_t result)
{
    return result == -EAGAIN || result == -EWOULDBLOCK || result == -EINTR;
}

int64_t vv_star_uptime(const varve_processes *processes);

/* Waits until one of the first `count` waits is ready; `since` is the time of
 * the last transfer. */
varve_status vv_star_wait(
    varve_processes *processes, size_t count, int64_t since);

/* Shuts down the sockets, which wakes the ranks that wait for this one. */
void vv_star_leave(varve_processes *processes);

/* Disconnects from the group if `status` is a failure. Returns `status`. */
varve_status vv_star_settle(varve_processes *processes, varve_status status);

#endif
