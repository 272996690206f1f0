/* test_nodes_power_cut.c - Tests power failures during saves of ranks on nodes
 * with local directories, and during the rebuild of a node.
 *
 * Each node loses its unsynced data independently, and one node may lose
 * everything. All ranks resume from the same step: that of the newest save that
 * had returned on any of them, or of one that had started after it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <varve/varve.h>

#include "crash/recorder.h"
#include "crash/states.h"
#include "graph.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/test.h"
#include "support/test_context.h"
#include "support/thread_comm.h"
#include "system.h"

enum { RANKS = 3, SAVES = 3, VALUES = 100, NEXT = 100, NEVER = 1000000 };

static uint32_t scheme; /* redundancy scheme of all runs */

struct search {
    long time;
    /* times at which each save started and returned */
    long begun[SAVES + 1], saved[SAVES + 1];
    bool has_lost;  /* the first rank's node is lost before the run */
    long rebuilt;   /* from then on any node may be lost */
    int waited;     /* ranks whose wait for the rebuild has returned */
    long looks;
    bool has_gone_on; /* resumed from a save that had not returned */
    struct crash_count count;
};

/* --- A life of all ranks -------------------------------------------------- */

struct life {
    const struct vv_system *system;
    int from, to;         /* first and last step to save */
    struct search *notes; /* set if the run is recorded */
    /* step that each rank resumed from */
    int found[RANKS];
    bool is_wrong[RANKS];
    varve_status statuses[RANKS];
    varve_error errors[RANKS];
};

struct program {
    int values[VALUES];
    int step;
};

static void set_values(struct program *p, uint32_t rank, int step)
{
    p->step = step;
    for (int i = 0; i < VALUES; i++)
        p->values[i] = step ? step * 1000 + (int)rank * 100 + i : 0;
}

static pthread_mutex_t notes_lock = PTHREAD_MUTEX_INITIALIZER;

/* Sets *time to the current time if that is earlier. */
static void note_time(long *time)
{
    long now = recorder_time();
    pthread_mutex_lock(&notes_lock);
    *time = now < *time ? now : *time;
    pthread_mutex_unlock(&notes_lock);
}

/* Records the time at which the last rank has seen the rebuild. */
static void note_rebuilt(struct search *s)
{
    pthread_mutex_lock(&notes_lock);
    if (++s->waited == RANKS)
        s->rebuilt = recorder_time();
    pthread_mutex_unlock(&notes_lock);
}

static varve_status save_steps(struct life *life, varve_manager *manager,
    struct program *p, uint32_t rank, varve_error *error)
{
    for (int step = life->from; step <= life->to; step++) {
        set_values(p, rank, step);
        if (life->notes)
            note_time(&life->notes->begun[step]);
        varve_status status = varve_manager_save(manager, step, error);
        if (status)
            return status;
        if (life->notes)
            note_time(&life->notes->saved[step]);
    }
    return VARVE_OK;
}

static varve_status live(struct life *life, varve_manager *manager,
    struct program *p, uint32_t rank, varve_error *error)
{
    struct program expected;
    varve_status status = varve_manager_resume(manager, error);
    if (status)
        return status;
    life->found[rank] = p->step;
    set_values(&expected, rank, p->step);
    life->is_wrong[rank] = memcmp(&expected, p, sizeof expected) != 0;
    status = varve_manager_wait(manager, error);
    if (!status && life->notes)
        note_rebuilt(life->notes);
    return status ? status : save_steps(life, manager, p, rank, error);
}

static void live_one(const varve_comm *comm, void *user)
{
    struct life *life = user;
    uint32_t rank = comm->rank;
    struct program p = { 0 };
    char directory[32];
    const struct vv_context context = test_context(life->system);
    const varve_redundancy redundancy = { .scheme = (varve_redundancy_scheme)
                                              scheme };
    const varve_manager_options options = { .comm = comm,
        .redundancy = &redundancy, .keep_last = 1 };
    varve_graph *graph = vv_graph_new_in(&context);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "values", varve_array(p.values, VALUES));
    varve_add_variable(root, "step", varve_scalar(&p.step));
    snprintf(directory, sizeof directory, "node-%u/run", (unsigned)rank);
    varve_error *error = &life->errors[rank];
    varve_manager *manager =
        varve_manager_new(root, directory, &options, error);
    life->statuses[rank] =
        manager ? live(life, manager, &p, rank, error) : error->status;
    varve_manager_free(manager);
    varve_graph_free(graph);
}

/* Runs all ranks and returns the step that all have resumed from; 0 for
 * none. */
static int run_life(struct life *life, long time)
{
    thread_comm_run(RANKS, 1, -1, live_one, life);
    for (int i = 0; i < RANKS; i++) {
        cr_assert_eq(life->statuses[i], VARVE_OK, "change %ld, rank %d: %s",
            time, i, life->errors[i].message);
        cr_assert_not(life->is_wrong[i], "change %ld, rank %d", time, i);
        cr_assert_eq(life->found[i], life->found[0],
            "change %ld: rank 0 resumed from step %d, rank %d from step %d",
            time, life->found[0], i, life->found[i]);
    }
    return life->found[0];
}

/* --- Nodes that are lost -------------------------------------------------- */

/* Removes a path. Returns true if it existed. */
static bool lose_path(
    const struct vv_system *system, int node, const char *more)
{
    char path[64];
    snprintf(path, sizeof path, "node-%d%s", node, more);
    return system->remove(system->state, VV_WORKING_DIRECTORY, path) == 0;
}

/* Removes everything in a node's memory file system through a system above
 * it. */
static void lose_node(
    const struct vv_system *system, struct memory *disk, int node)
{
    char beginning[16], rank[32];
    snprintf(beginning, sizeof beginning, "node-%d/", node);
    for (size_t i = memory_file_count(disk); i-- > 0;) {
        char path[256];
        snprintf(path, sizeof path, "%s", memory_file_path(disk, i));
        if (strncmp(path, beginning, strlen(beginning)) == 0)
            system->remove(system->state, VV_WORKING_DIRECTORY, path);
    }
    snprintf(rank, sizeof rank, "/run/rank-%d", node);
    lose_path(system, node, rank);
    lose_path(system, node, "/run");
    lose_path(system, node, "");
}

static int step_of(const struct search *s, const long *times)
{
    int step = 0;
    while (step < SAVES && times[step + 1] <= s->time)
        step++;
    return step;
}

/* Iterates over the nodes to lose: none, then each in turn; only the node that
 * was already lost until it is rebuilt. */
static int next_victim(struct search *s)
{
    int victim = (int)(s->looks++ % (RANKS + 1));
    return s->has_lost && s->time < s->rebuilt && victim < RANKS ? 0 : victim;
}

static void look(void *user, struct memory *disk)
{
    struct search *s = user;
    const struct vv_system *system = memory_system(disk);
    int victim = next_victim(s);
    if (victim < RANKS)
        lose_node(system, disk, victim);
    struct life life = { .system = system, .from = NEXT, .to = NEXT };
    int found = run_life(&life, s->time);
    int least = step_of(s, s->saved);
    cr_assert(found >= least && found <= step_of(s, s->begun),
        "power cut after change %ld, node %d lost: step %d was saved, found %d",
        s->time, victim, least, found);
    s->has_gone_on |= found > least;
    lose_node(system, disk, (victim + 1) % RANKS);
    life = (struct life){ .system = system, .from = 1 };
    cr_assert_eq(run_life(&life, s->time), NEXT);
}

/* --- What happens --------------------------------------------------------- */

static struct search new_search(void)
{
    struct search s = { .rebuilt = NEVER,
        .count.most = proof_size(5, 40), .count.most_names = 64 };
    for (int i = 0; i <= SAVES; i++)
        s.begun[i] = s.saved[i] = NEVER;
    return s;
}

static void cut_power(struct search *s, long from)
{
    const struct history *history = recorder_history();
    for (s->time = from; s->time <= history->time; s->time++)
        crash_states_at(history, s->time, look, s, &s->count);
    cr_assert(s->has_gone_on, "the power was never cut within a save");
    cr_log_info("%ld states at %ld times (not all at %ld)", s->count.states,
        s->count.times, s->count.cut_times);
    proof_count("nodes.crashes", (uint64_t)s->count.states);
}

static void cut_saves(void)
{
    struct search s = new_search();
    struct memory *disk = memory_new();
    const struct vv_system *system = recorder_begin(disk, CRASH_NONE);
    struct life life = { .system = system, .from = 1, .to = SAVES,
        .notes = &s };
    run_life(&life, 0);
    cut_power(&s, 0);
    recorder_end();
    memory_free(disk);
}

TEST(crash, a_power_cut_of_nodes_with_parity_loses_no_save)
{
    scheme = VARVE_XOR;
    cut_saves();
}

TEST(crash, a_power_cut_of_nodes_with_partners_loses_no_save)
{
    scheme = VARVE_PARTNER;
    cut_saves();
}

/* Syncs a directory, so that created and removed names are durable. */
static void sync_directory(const struct vv_system *system, const char *path)
{
    int directory =
        system->open_directory(system->state, VV_WORKING_DIRECTORY, path);
    cr_assert_geq(directory, 0);
    cr_assert_eq(system->sync(system->state, directory), 0);
    system->close(system->state, directory);
}

/* Tests power failures during a rebuild. The files of the other nodes are
 * durable; the first node is empty. It is rebuilt, and another save follows. */
static void cut_rebuild(void)
{
    struct search s = new_search();
    struct memory *disk = memory_new();
    const struct vv_system *system = recorder_begin(disk, CRASH_NONE);
    struct life life = { .system = system, .from = 1, .to = SAVES - 1,
        .notes = &s };
    run_life(&life, 0);
    lose_node(system, disk, 0);
    sync_directory(system, ".");
    long from = recorder_time();
    s.has_lost = true;
    s.rebuilt = NEVER;
    s.waited = 0;
    life = (struct life){ .system = system, .from = SAVES, .to = SAVES,
        .notes = &s };
    cr_assert_eq(run_life(&life, 0), SAVES - 1);
    cr_assert_lt(s.rebuilt, NEVER);
    cut_power(&s, from);
    recorder_end();
    memory_free(disk);
}

TEST(crash, a_power_cut_during_a_rebuild_by_parity_loses_no_save)
{
    scheme = VARVE_XOR;
    cut_rebuild();
}

TEST(crash, a_power_cut_during_a_rebuild_by_a_partner_loses_no_save)
{
    scheme = VARVE_PARTNER;
    cut_rebuild();
}
