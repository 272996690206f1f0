/* sockets.h - The only access to other processes of this machine, as a table of
 * functions.
 *
 * As in system.h, functions return 0 or a count on success and a negative errno
 * on failure, and do not retry. Only `wait` blocks. The table is separate from
 * struct vv_system, because a system in memory has no other processes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SOCKETS_H
#define VV_SOCKETS_H

#include <stddef.h>
#include <stdint.h>

/* Bits, with the values of poll. */
enum { VV_CAN_RECEIVE = 1, VV_CAN_SEND = 4 };

/* A socket to wait for. */
struct vv_wait {
    /* to fill in */
    int socket;
    short wanted;
    short found; /* nonzero: ready, or at its end */
};

struct vv_sockets {
    /* to fill in */
    void *state;

    /* Makes two connected sockets (close-on-exec, none of the standard
     * streams). Bytes sent into one are received from the other, in order. */
    int (*open_pair)(void *state, int sockets[2]);
    int (*close)(void *state, int socket);
    /* Transfer at most `size` bytes and return their number, or -EAGAIN if
     * nothing can be transferred now. Sending to a closed socket is an error
     * without a signal. Receiving 0 means the end. */
    int64_t (*send)(void *state, int socket, const void *bytes, size_t size);
    int64_t (*receive)(void *state, int socket, void *bytes, size_t size);
    /* Sends a socket to the process at the other end of `through`, as one byte
     * there. The sender can close it afterwards. Returns -EAGAIN if it cannot
     * be sent now. */
    int (*pass)(void *state, int through, int socket);
    /* Sets *socket to a socket that was sent (close-on-exec, none of the
     * standard streams). Returns -EAGAIN if nothing is there yet, -EPIPE at the
     * end, and -EIO if a byte came without a socket. */
    int (*take)(void *state, int through, int *socket);
    /* Shuts down both sockets of a pair, in all processes that have them. Data
     * sent before can still be received. */
    int (*end)(void *state, int socket);
    /* Waits until a socket is ready or at its end, sets `found` of each, and
     * returns the number of these. Returns 0 after a timeout of `nanoseconds`,
     * rounded up; a negative value waits without a limit. */
    int (*wait)(
        void *state, struct vv_wait *waits, size_t count, int64_t nanoseconds);
};

/* The functions for POSIX systems. */
extern const struct vv_sockets vv_posix_sockets;

#endif
