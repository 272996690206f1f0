/* test_together_kill.c - Tests a collective save of three processes, one of
 * which is killed at any system call.
 *
 * The other processes return an error, the older or the newer checkpoint
 * exists, and the next save succeeds.
 *
 * SPDX-License-Identifier: MIT
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <varve/processes.h>
#include <varve/varve.h>

#include "crash/crew.h"
#include "support/faulty_system.h"
#include "support/proof.h"
#include "support/test.h"
#include "system.h"

#ifdef VV_HAVE_ZSTD
enum { PACKS = 1 };
#else
enum { PACKS = 0 };
#endif

enum { TOO_LONG = 60 /* seconds until the save counts as hung */ };

static void kill_me(void *user)
{
    (void)user;
    kill(getpid(), SIGKILL);
}

/* Saves one rank. A negative number means that it is not killed. */
static int save_rank(
    varve_processes *all, uint32_t rank, const char *path, long number)
{
    varve_error error = { 0 };
    const struct vv_system *system = &vv_posix_system;
    alarm(TOO_LONG);
    const varve_comm *comm = varve_processes_join(all, rank, &error);
    if (number >= 0) {
        struct faulty *faulty = faulty_new(system);
        faulty_plan(faulty, &(struct faulty_plan){
            .number = number, .way = FAULTY_STOPS, .stop = kill_me });
        system = faulty_system(faulty);
    }
    varve_status status =
        comm ? crew_save_rank(comm, system, path, 2, &error) : error.status;
    varve_processes_free(all);
    return status == VARVE_OK ? 0 : status == VARVE_DISCONNECTED ? 1 : 2;
}

/* Forks the ranks. Returns true if the victim was killed, false if it made
 * fewer calls. */
static bool save_and_die(uint32_t victim, const char *path, long number)
{
    varve_error error = { 0 };
    bool was_killed = false;
    pid_t children[CREW_RANKS];
    varve_processes *all = varve_processes_new(CREW_RANKS, NULL, &error);
    cr_assert(all, "%s", error.message);
    for (uint32_t i = 0; i < CREW_RANKS; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(save_rank(all, i, path, i == victim ? number : -1));
    }
    varve_processes_free(all);
    for (uint32_t i = 0; i < CREW_RANKS; i++) {
        int status;
        cr_assert_eq(waitpid(children[i], &status, 0), children[i]);
        if (WIFSIGNALED(status)) {
            cr_assert_eq(WTERMSIG(status), SIGKILL, "rank %u hangs", i);
            cr_assert_eq(i, victim);
            was_killed = true;
        } else {
            cr_assert_leq(WEXITSTATUS(status), 1,
                "rank %u killed at call %ld: rank %u disagrees", victim,
                number, i);
        }
    }
    return was_killed;
}

static bool try_kill(uint32_t victim, long number, long *newer)
{
    char name[64], path[512];
    snprintf(name, sizeof name, "crew-%u-%ld/a.varve", victim, number);
    snprintf(path, sizeof path, "%s", test_path(name));
    crew_save(&vv_posix_system, path, 1);
    bool was_killed = save_and_die(victim, path, number);
    int found = crew_find(&vv_posix_system, path, number);
    cr_assert(found == 2 || (found == 1 && was_killed),
        "rank %u killed at call %ld: found %d", victim, number, found);
    *newer += was_killed && found == 2;
    crew_save(&vv_posix_system, path, 3);
    cr_assert_eq(crew_find(&vv_posix_system, path, number), 3);
    return was_killed;
}

static void try_all(void)
{
    for (uint32_t victim = 0; victim < CREW_RANKS; victim++) {
        long kills = 0, newer = 0;
        while (try_kill(victim, kills, &newer))
            kills++;
        cr_log_info("rank %u: killed at each of %ld calls; the newer one "
            "stood after %ld", victim, kills, newer);
        proof_count("together.kills", (uint64_t)kills);
        cr_assert_gt(kills, 3);
        cr_assert(victim != 0 || (newer > 0 && newer < kills));
    }
}

TEST(crash, a_kill_of_one_rank_leaves_the_older_or_the_newer_checkpoint)
{
    try_all();
}

TEST(crash, a_kill_of_one_rank_of_an_asynchronous_save)
{
    crew_is_behind = true;
    try_all();
}

TEST(crash, a_kill_of_one_rank_of_a_compressed_incremental_save)
{
    crew_options.incremental = true;
    crew_options.compress = PACKS;
    try_all();
}
