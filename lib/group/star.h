/* star.h - calls of processes around rank 0, over sockets that are there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STAR_H
#define VV_STAR_H

#include <errno.h>

#include "processes.h"

/* The bytes that go with the header of a movement. */
enum { VV_STAR_AHEAD = 48 };

enum { VV_SHIFT_WORDS = 4 }; /* what a rank says of its shift */

struct vv_star_header {
    uint64_t call;
    uint64_t size;
    unsigned char ahead[VV_STAR_AHEAD]; /* of the bytes as many as there are */
};

/* The other end of a socket of this rank, and what is moved there now. */
struct vv_star_peer {
    int socket; /* or -1 */
    struct vv_star_header header, came;
    unsigned char *bytes;
    uint64_t done; /* of the header and the bytes behind it */
};

struct varve_processes {
    struct vv_context context;
    const struct vv_sockets *sockets;
    varve_comm comm;
    int64_t timeout; /* nanoseconds; below 0: none */
    uint32_t size;
    int64_t joined; /* the number of the process that has, or -1 */
    bool is_broken;
    int *ends; /* two for each rank, of which its own is the second; -1 of 0 */
    struct vv_star_peer *peers; /* all others of rank 0, and rank 0 of each
                                   other */
    uint32_t peer_count;
    struct vv_wait *waits;   /* as many */
    uint64_t *values;        /* of all ranks */
    uint64_t *shifts;        /* VV_SHIFT_WORDS of each */
    varve_processes *parent; /* that it is a copy of; NULL: of none that
                                lives */
    varve_processes *copies, *next;
};

/* Fills in its calls, those that move bytes. */
void vv_star_fill_in(varve_comm *comm);

/* As the call of that name, of a group. */
varve_status vv_star_agree(void *processes, uint64_t *value);

/* Whether what a socket says means to try later. */
static inline bool vv_star_is_for_later(int64_t result)
{
    return result == -EAGAIN || result == -EWOULDBLOCK || result == -EINTR;
}

int64_t vv_star_uptime(const varve_processes *processes);

/* Waits for one of so many `waits`; `since` is when something was moved last.
 */
varve_status vv_star_wait(
    varve_processes *processes, size_t count, int64_t since);

/* Whoever waits for this rank is told by the end of its sockets. */
void vv_star_leave(varve_processes *processes);

/* After a failure it leaves. Returns `status`. */
varve_status vv_star_settle(varve_processes *processes, varve_status status);

#endif
