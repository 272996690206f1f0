/* sockets.h - the door to other processes of this machine, as a table of
 * functions.
 *
 * As system.h says of its own: functions return 0 or a count on success and a
 * negative errno on failure, and retry nothing. None of them waits but `wait`.
 * A table of its own, since who keeps files in memory has no processes there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SOCKETS_H
#define VV_SOCKETS_H

#include <stddef.h>
#include <stdint.h>

/* As bits; as poll has them. */
enum { VV_CAN_RECEIVE = 1, VV_CAN_SEND = 4 };

/* A socket that somebody waits for. */
struct vv_wait {
    /* to fill in */
    int socket;
    short wanted;
    short found; /* not 0: it can be used, or is at its end */
};

struct vv_sockets {
    /* to fill in */
    void *state;

    /* Two that are connected (close-on-exec, none of the standard streams):
     * what is sent into one comes out of the other, in order. */
    int (*open_pair)(void *state, int sockets[2]);
    int (*close)(void *state, int socket);
    /* How much was moved of at most `size` bytes; -EAGAIN where nothing can be
     * now. Sending to nobody is an error and no signal; 0 received is the
     * end. */
    int64_t (*send)(void *state, int socket, const void *bytes, size_t size);
    int64_t (*receive)(void *state, int socket, void *bytes, size_t size);
    /* Hands a socket on to the process that has the other end of `through`, as
     * one byte there; whoever passes it may close it then. -EAGAIN where that
     * cannot be now. */
    int (*pass)(void *state, int through, int socket);
    /* Sets *socket to what is passed (close-on-exec, none of the standard
     * streams). -EAGAIN where nothing is there yet; -EPIPE at the end; -EIO
     * where a byte came without one. */
    int (*take)(void *state, int through, int *socket);
    /* Ends both of a pair, for all processes that have them. What was sent
     * before can be received still. */
    int (*end)(void *state, int socket);
    /* Waits until one of them can be used, or is at its end, and sets `found`
     * of each; how many those are. 0 once it took so many nanoseconds, or
     * somewhat more; below 0 it waits for ever. */
    int (*wait)(
        void *state, struct vv_wait *waits, size_t count, int64_t nanoseconds);
};

/* Those of POSIX. */
extern const struct vv_sockets vv_posix_sockets;

#endif
