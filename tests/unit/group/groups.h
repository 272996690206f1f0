/* groups.h - Runs groups of real processes with a time limit, which report
 * their results in shared memory. In one rank a socket call can be made to
 * fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_GROUPS_H
#define UNIT_GROUPS_H

#define _GNU_SOURCE
#include "support/test.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "processes.h"
#include "support/comm_script.h"
#include "support/proof.h"
#include "support/test_context.h"
#include "system.h"

enum { MOST_RANKS = COMM_SCRIPT_RANKS, TIME_LIMIT_S = 60 };

/* --- Failing socket calls ------------------------------------------------ */

enum way { FAILS, KILLS, SLOWLY };

static struct trap {
    enum way way;
    long at; /* number of the call, from 0; below 0: none */
    long count;
} trap = { .at = -1 };

/* Returns true if the call fails. If slow, every third call is interrupted, and
 * the others transfer one byte. */
static bool is_trapped(void)
{
    long number = trap.count++;
    if (trap.at < 0)
        return false;
    if (trap.way == SLOWLY)
        return number % 3 == 0;
    if (number == trap.at && trap.way == KILLS)
        kill(getpid(), SIGKILL);
    return number == trap.at;
}

static int error_of_trap(void)
{
    return trap.way == SLOWLY ? -EINTR : -EIO;
}

static size_t size_of_trap(size_t size)
{
    return trap.at >= 0 && trap.way == SLOWLY && size > 1 ? 1 : size;
}

static int64_t trapped_send(
    void *state, int socket, const void *bytes, size_t size)
{
    return is_trapped() ? error_of_trap()
                        : vv_posix_sockets.send(
                              state, socket, bytes, size_of_trap(size));
}

static int64_t trapped_receive(
    void *state, int socket, void *bytes, size_t size)
{
    return is_trapped() ? error_of_trap()
                        : vv_posix_sockets.receive(
                              state, socket, bytes, size_of_trap(size));
}

static int trapped_wait(
    void *state, struct vv_wait *waits, size_t count, int64_t nanoseconds)
{
    return is_trapped()
               ? error_of_trap()
               : vv_posix_sockets.wait(state, waits, count, nanoseconds);
}

static int trapped_pass(void *state, int through, int socket)
{
    return is_trapped() ? error_of_trap()
                        : vv_posix_sockets.pass(state, through, socket);
}

static int trapped_take(void *state, int through, int *socket)
{
    return is_trapped() ? error_of_trap()
                        : vv_posix_sockets.take(state, through, socket);
}

static int trapped_open_pair(void *state, int pair[2])
{
    return is_trapped() ? -EMFILE : vv_posix_sockets.open_pair(state, pair);
}

static inline varve_processes *new_group(
    uint32_t size, const varve_processes_options *options, varve_error *error)
{
    static struct vv_sockets sockets;
    sockets = vv_posix_sockets;
    sockets.open_pair = trapped_open_pair;
    sockets.send = trapped_send;
    sockets.receive = trapped_receive;
    sockets.wait = trapped_wait;
    sockets.pass = trapped_pass;
    sockets.take = trapped_take;
    const struct vv_context context = test_context(&vv_posix_system);
    return vv_processes_new_in(&context, &sockets, size, options, error);
}

/* --- Groups of processes ------------------------------------------------- */

struct outcomes {
    struct comm_outcome of[MOST_RANKS];
    int ended[MOST_RANKS]; /* as returned by waitpid */
};

/* The function of a rank; its process ends afterwards. */
typedef void each_rank(
    varve_processes *all, uint32_t rank, struct comm_outcome *outcome);

static inline struct outcomes *new_outcomes(void)
{
    struct outcomes *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(made, MAP_FAILED);
    return made;
}

static inline void free_outcomes(struct outcomes *outcomes)
{
    munmap(outcomes, sizeof *outcomes);
}

static inline void run_group(varve_processes *all, uint32_t size,
    each_rank *run, struct outcomes *outcomes)
{
    pid_t children[MOST_RANKS];
    memset(outcomes, 0, sizeof *outcomes);
    for (uint32_t i = 0; i < size; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            alarm(TIME_LIMIT_S);
            run(all, i, &outcomes->of[i]);
            varve_processes_free(all);
            _exit(0);
        }
        cr_assert_gt(children[i], 0);
    }
    varve_processes_free(all);
    for (uint32_t i = 0; i < size; i++)
        waitpid(children[i], &outcomes->ended[i], 0);
}

static inline bool was_killed(const struct outcomes *outcomes, uint32_t rank)
{
    int ended = outcomes->ended[rank];
    return WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL;
}

/* Checks that no process was killed by the time limit, and that no wrong data
 * was received. */
static inline void check_ends(
    const struct outcomes *outcomes, uint32_t size, const char *what)
{
    for (uint32_t i = 0; i < size; i++) {
        int ended = outcomes->ended[i];
        cr_assert(ended == 0 || was_killed(outcomes, i),
            "%s: rank %u of %u ended as %x", what, i, size, (unsigned)ended);
        cr_assert_not(outcomes->of[i].is_wrong, "%s: rank %u", what, i);
    }
}

static struct comm_script script;
static uint32_t trapped_rank;
static struct trap trap_of_rank;

static inline void follow_script(
    varve_processes *all, uint32_t rank, struct comm_outcome *outcome)
{
    trap.at = -1;
    trap.count = 0;
    if (rank == trapped_rank)
        trap = trap_of_rank;
    const varve_comm *comm = varve_processes_join(all, rank, NULL);
    outcome->is_wrong = !comm || comm->rank != rank || comm->node != 0;
    comm_run_script(comm, &script, outcome);
    outcome->calls = trap.count;
}

/* Runs a script with a failing call in one rank. */
static inline void run_trapped(uint32_t size, uint32_t rank, struct trap as,
    struct outcomes *outcomes)
{
    varve_error error = { 0 };
    trapped_rank = rank;
    trap_of_rank = as;
    varve_processes *all = new_group(size, NULL, &error);
    cr_assert(all, "%s", error.message);
    run_group(all, size, follow_script, outcomes);
}

#endif
