/* posix_sockets.c - Implements sockets with local POSIX sockets.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* No system transfers more at once, and some refuse to. */
#define MOST_AT_ONCE ((size_t)1 << 30)

/* If send has no flag that suppresses SIGPIPE, a socket option does. */
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#ifndef MSG_CMSG_CLOEXEC
#define MSG_CMSG_CLOEXEC 0
#endif

_Static_assert(
    sizeof(struct vv_wait) == sizeof(struct pollfd) &&
        offsetof(struct vv_wait, socket) == offsetof(struct pollfd, fd) &&
        offsetof(struct vv_wait, wanted) == offsetof(struct pollfd, events) &&
        offsetof(struct vv_wait, found) == offsetof(struct pollfd, revents),
    "poll is handed the array as it is");
_Static_assert((int)VV_CAN_RECEIVE == POLLIN && (int)VV_CAN_SEND == POLLOUT,
    "and these are its bits");

static int posix_sockets_result_of(int result)
{
    return result < 0 ? -errno : result;
}

/* Duplicates a descriptor with close-on-exec above the standard streams, and
 * closes `made`. */
static int posix_sockets_settle(int made)
{
    int socket = posix_sockets_result_of(
        fcntl(made, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    close(made);
#ifdef SO_NOSIGPIPE
    int yes = 1;
    if (socket >= 0)
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
    return socket;
}

static int open_pair(void *state, int sockets[2])
{
    (void)state;
#ifdef SOCK_CLOEXEC
    const int type = SOCK_STREAM | SOCK_CLOEXEC;
#else
    const int type = SOCK_STREAM;
#endif
    int made[2];
    if (socketpair(AF_UNIX, type, 0, made))
        return -errno;
    int first = posix_sockets_settle(made[0]),
        second = posix_sockets_settle(made[1]);
    if (first >= 0 && second >= 0) {
        sockets[0] = first;
        sockets[1] = second;
        return 0;
    }
    if (first >= 0)
        close(first);
    if (second >= 0)
        close(second);
    return first < 0 ? first : second;
}

static int close_socket(void *state, int socket)
{
    (void)state;
    return posix_sockets_result_of(close(socket));
}

static size_t at_once(size_t size)
{
    return size < MOST_AT_ONCE ? size : MOST_AT_ONCE;
}

static int64_t send_bytes(
    void *state, int socket, const void *bytes, size_t size)
{
    (void)state;
    ssize_t moved =
        send(socket, bytes, at_once(size), MSG_NOSIGNAL | MSG_DONTWAIT);
    return moved < 0 ? -errno : moved;
}

static int64_t receive_bytes(void *state, int socket, void *bytes, size_t size)
{
    (void)state;
    ssize_t moved = recv(socket, bytes, at_once(size), MSG_DONTWAIT);
    return moved < 0 ? -errno : moved;
}

/* One byte, with ancillary data for a descriptor. */
struct parcel {
    struct msghdr message;
    struct iovec bytes;
    char byte;
    _Alignas(struct cmsghdr) char beside[CMSG_SPACE(sizeof(int))];
};

static void posix_sockets_prepare(struct parcel *p)
{
    memset(p, 0, sizeof *p);
    p->bytes = (struct iovec){ &p->byte, 1 };
    p->message.msg_iov = &p->bytes;
    p->message.msg_iovlen = 1;
    p->message.msg_control = p->beside;
    p->message.msg_controllen = sizeof p->beside;
}

static int posix_sockets_pass(void *state, int through, int socket)
{
    struct parcel p;
    (void)state;
    posix_sockets_prepare(&p);
    struct cmsghdr *header = CMSG_FIRSTHDR(&p.message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof socket);
    memcpy(CMSG_DATA(header), &socket, sizeof socket);
    ssize_t moved = sendmsg(through, &p.message, MSG_NOSIGNAL | MSG_DONTWAIT);
    return moved < 0 ? -errno : 0;
}

static int posix_sockets_take(void *state, int through, int *socket)
{
    struct parcel p;
    int made;
    (void)state;
    posix_sockets_prepare(&p);
    ssize_t moved =
        recvmsg(through, &p.message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (moved <= 0)
        return moved < 0 ? -errno : -EPIPE;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&p.message);
    if (!header || header->cmsg_level != SOL_SOCKET ||
        header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len != CMSG_LEN(sizeof made))
        return -EIO;
    memcpy(&made, CMSG_DATA(header), sizeof made);
    made = posix_sockets_settle(made);
    if (made >= 0)
        *socket = made;
    return made < 0 ? made : 0;
}

static int end_socket(void *state, int socket)
{
    (void)state;
    return posix_sockets_result_of(shutdown(socket, SHUT_RDWR));
}

/* Converts to milliseconds, rounded up. */
static int patience(int64_t nanoseconds)
{
    if (nanoseconds < 0)
        return -1;
    int64_t milliseconds = nanoseconds / 1000000 + (nanoseconds % 1000000 != 0);
    return milliseconds < INT_MAX ? (int)milliseconds : INT_MAX;
}

static int posix_sockets_wait_for(
    void *state, struct vv_wait *waits, size_t count, int64_t nanoseconds)
{
    (void)state;
    return posix_sockets_result_of(
        poll((struct pollfd *)waits, (nfds_t)count, patience(nanoseconds)));
}

const struct vv_sockets vv_posix_sockets = {
    .open_pair = open_pair,
    .close = close_socket,
    .send = send_bytes,
    .receive = receive_bytes,
    .pass = posix_sockets_pass,
    .take = posix_sockets_take,
    .end = end_socket,
    .wait = posix_sockets_wait_for,
};
