/* test_posix_sockets.c - Tests sockets.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "sockets.h"
#include "system.h"

static const struct vv_sockets *const s = &vv_posix_sockets;

#define A_MILLISECOND ((int64_t)1000000)

static void open_pair(int pair[2])
{
    cr_assert_eq(s->open_pair(s->state, pair), 0);
}

static void close_pair(const int pair[2])
{
    cr_assert_eq(s->close(s->state, pair[0]), 0);
    cr_assert_eq(s->close(s->state, pair[1]), 0);
}

/* Returns the events found by waiting for a socket. */
static int wait_for(int socket, short wanted, int64_t nanoseconds)
{
    struct vv_wait wait = { .socket = socket, .wanted = wanted };
    int count = s->wait(s->state, &wait, 1, nanoseconds);
    cr_assert_eq(count, wait.found ? 1 : 0);
    return wait.found;
}

TEST(posix_sockets, transfer_bytes_in_both_directions)
{
    int pair[2];
    char bytes[8];
    open_pair(pair);
    cr_assert_eq(s->send(s->state, pair[0], "abc", 3), 3);
    cr_assert_eq(s->send(s->state, pair[0], "d", 1), 1);
    cr_assert_eq(s->send(s->state, pair[1], "xy", 2), 2);
    cr_assert_eq(s->receive(s->state, pair[1], bytes, 2), 2);
    cr_assert_eq(s->receive(s->state, pair[1], bytes + 2, 6), 2);
    cr_assert_eq(memcmp(bytes, "abcd", 4), 0);
    cr_assert_eq(s->receive(s->state, pair[0], bytes, 8), 2);
    cr_assert_eq(memcmp(bytes, "xy", 2), 0);
    close_pair(pair);
}

TEST(posix_sockets, never_block)
{
    int pair[2];
    static char bytes[1 << 20];
    open_pair(pair);
    int64_t result = s->receive(s->state, pair[0], bytes, 1);
    cr_assert(result == -EAGAIN || result == -EWOULDBLOCK);
    do
        result = s->send(s->state, pair[0], bytes, sizeof bytes);
    while (result > 0);
    cr_assert(result == -EAGAIN || result == -EWOULDBLOCK);
    close_pair(pair);
}

TEST(posix_sockets, end_after_the_sent_bytes_for_all_holders)
{
    int pair[2];
    char bytes[8];
    open_pair(pair);
    int copy = dup(pair[0]);
    cr_assert_eq(s->send(s->state, pair[0], "abc", 3), 3);
    cr_assert_eq(s->end(s->state, pair[0]), 0);
    cr_assert_eq(s->receive(s->state, pair[1], bytes, 8), 3);
    cr_assert_eq(s->receive(s->state, pair[1], bytes, 8), 0);
    cr_assert_eq(s->send(s->state, pair[1], "x", 1), -EPIPE);
    cr_assert_eq(s->send(s->state, copy, "x", 1), -EPIPE);
    close(copy);
    close_pair(pair);
}

TEST(posix_sockets, give_an_error_and_no_signal_after_the_peer_closed)
{
    int pair[2];
    char byte;
    open_pair(pair);
    cr_assert_eq(s->close(s->state, pair[1]), 0);
    cr_assert_eq(s->send(s->state, pair[0], "x", 1), -EPIPE);
    cr_assert_eq(s->receive(s->state, pair[0], &byte, 1), 0);
    cr_assert_eq(s->close(s->state, pair[0]), 0);
}

TEST(posix_sockets, can_be_waited_for)
{
    int pair[2];
    open_pair(pair);
    int64_t begin = vv_posix_system.uptime(NULL);
    cr_assert_eq(wait_for(pair[0], VV_CAN_RECEIVE, 20 * A_MILLISECOND), 0);
    cr_assert_geq(vv_posix_system.uptime(NULL) - begin, 20 * A_MILLISECOND);
    cr_assert_eq(wait_for(pair[0], VV_CAN_RECEIVE, 0), 0);
    cr_assert_eq(wait_for(pair[0], VV_CAN_SEND, -1), VV_CAN_SEND);
    cr_assert_eq(s->send(s->state, pair[1], "x", 1), 1);
    cr_assert_eq(wait_for(pair[0], VV_CAN_RECEIVE, -1), VV_CAN_RECEIVE);
    close_pair(pair);
}

TEST(posix_sockets, wake_waiting_threads_when_closed)
{
    int pair[2];
    open_pair(pair);
    cr_assert_eq(s->close(s->state, pair[1]), 0);
    cr_assert_neq(wait_for(pair[0], VV_CAN_RECEIVE, -1), 0);
    cr_assert_neq(wait_for(pair[0], VV_CAN_SEND, -1), 0);
    cr_assert_eq(s->close(s->state, pair[0]), 0);
}

/* A pair of sockets, one of which is sent through another pair. */
TEST(posix_sockets, can_be_passed_through_sockets)
{
    int pair[2], way[2], taken = -1;
    open_pair(pair);
    open_pair(way);
    int result = s->take(s->state, way[1], &taken);
    cr_assert(result == -EAGAIN || result == -EWOULDBLOCK);
    cr_assert_eq(s->pass(s->state, way[0], pair[1]), 0);
    cr_assert_eq(s->close(s->state, pair[1]), 0);
    cr_assert_eq(s->send(s->state, way[0], "x", 1), 1);
    cr_assert_eq(s->take(s->state, way[1], &taken), 0);
    cr_assert_gt(taken, STDERR_FILENO);
    cr_assert(fcntl(taken, F_GETFD) & FD_CLOEXEC);
    pair[1] = taken;
    cr_assert_eq(s->send(s->state, pair[0], "y", 1), 1);
    char byte;
    cr_assert_eq(s->receive(s->state, taken, &byte, 1), 1);
    cr_assert_eq(byte, 'y');
    cr_assert_eq(s->take(s->state, way[1], &taken), -EIO);
    cr_assert_eq(s->close(s->state, way[0]), 0);
    cr_assert_eq(s->take(s->state, way[1], &taken), -EPIPE);
    cr_assert_lt(s->pass(s->state, way[1], pair[0]), 0);
    cr_assert_eq(s->close(s->state, way[1]), 0);
    close_pair(pair);
}

TEST(posix_sockets, are_closed_by_exec_and_are_not_standard_streams)
{
    int pair[2], input = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    open_pair(pair);
    for (int i = 0; i < 2; i++) {
        cr_assert_gt(pair[i], STDERR_FILENO);
        cr_assert(fcntl(pair[i], F_GETFD) & FD_CLOEXEC);
    }
    close_pair(pair);
    dup2(input, STDIN_FILENO);
    close(input);
}
