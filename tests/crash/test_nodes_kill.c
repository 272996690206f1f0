/* test_nodes_kill.c - Tests processes on nodes with local directories, each
 * killed at any system call of a save or rebuild, with nodes lost in between.
 *
 * A checkpoint that was reported as saved survives as long as at most one node
 * is lost at a time. If two are lost, the messages name them. With a shared
 * storage tier all nodes may be lost at once: the flushed checkpoints remain.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <varve/processes.h>
#include <varve/varve.h>

#include "graph.h"
#include "support/faulty_system.h"
#include "support/proof.h"
#include "support/test.h"
#include "support/test_context.h"
#include "system.h"

enum {
    MOST_NODES = 9,
    MOST_VALUES = 40000,
    TOO_LONG = 60, /* seconds until the run counts as hung */
    STEPS = 3,     /* saves in one run, at most */
    COLUMNS = 7,
};

/* Records of the processes, in memory that survives them. */
struct record {
    int64_t resumed[MOST_NODES]; /* -2: not reached; -1: nothing to resume */
    int64_t saved[MOST_NODES];   /* newest step that was reported as saved */
    int64_t drained[MOST_NODES]; /* newest step that was reported as flushed */
    bool is_wrong[MOST_NODES];
    bool says_who[MOST_NODES]; /* the messages name the two lost nodes */
    varve_error errors[MOST_NODES];
};

static struct {
    uint32_t count;
    varve_redundancy redundancy;
    const char *place;
    bool has_level;
    uint32_t victim; /* rank to kill in this run; `count`: none */
    long call;       /* number of the call at which it is killed */
    uint32_t lost[2];
    struct record *record;
} world;

static void kill_me(void *user)
{
    (void)user;
    kill(getpid(), SIGKILL);
}

static const char *node_path(uint32_t node, const char *more)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/node-%u%s", world.place, node, more);
    return path;
}

/* --- A life of one process ---------------------------------------------- */

struct program {
    varve_graph *graph;
    varve_manager *manager;
    uint32_t rank;
    size_t count;
    float *values;
    int32_t grid[2][COLUMNS]; /* two rows for each rank */
    int64_t step;
};

static float value_of(uint32_t rank, int64_t step, size_t i)
{
    return (float)(i % 1000) + (float)rank / 16 + (float)(step * 1000);
}

static int32_t cell_of(uint32_t rank, int64_t step, int i)
{
    return (int32_t)(step * 1000) + (int32_t)rank * 2 * COLUMNS + i;
}

static void set_values(struct program *p, int64_t step)
{
    p->step = step;
    for (size_t i = 0; i < p->count; i++)
        p->values[i] = value_of(p->rank, step, i);
    for (int i = 0; i < 2 * COLUMNS; i++)
        p->grid[i / COLUMNS][i % COLUMNS] = cell_of(p->rank, step, i);
}

static bool has_values(const struct program *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->values[i] != value_of(p->rank, p->step, i))
            return false;
    for (int i = 0; i < 2 * COLUMNS; i++)
        if (p->grid[i / COLUMNS][i % COLUMNS] != cell_of(p->rank, p->step, i))
            return false;
    return true;
}

/* Returns true if the messages name both lost nodes. */
static bool says_who(const varve_manager *m)
{
    char names[2][40];
    const char *line = varve_manager_skipped(m, 0);
    for (int i = 0; i < 2; i++)
        snprintf(names[i], sizeof names[i], "%u (node %u)", world.lost[i],
            world.lost[i] + 1);
    return line && strstr(line, names[0]) && strstr(line, names[1]);
}

static varve_status live(struct program *p, varve_error *error)
{
    struct record *r = world.record;
    set_values(p, -1);
    varve_status status = varve_manager_resume(p->manager, error);
    if (status)
        return status;
    r->is_wrong[p->rank] = !has_values(p);
    r->says_who[p->rank] = says_who(p->manager);
    r->resumed[p->rank] = p->step;
    for (int i = 0; i < STEPS; i++) {
        set_values(p, p->step + 1);
        status = varve_manager_save(p->manager, p->step, error);
        if (status)
            return status;
        r->saved[p->rank] = p->step;
        if (world.has_level)
            status = varve_manager_drain(p->manager, -1, error);
        if (status)
            return status;
        r->drained[p->rank] = world.has_level ? p->step : -2;
    }
    return VARVE_OK;
}

static varve_status run_program(const varve_comm *comm,
    const struct vv_system *system, varve_error *error)
{
    const struct vv_context context = test_context(system);
    varve_redundancy redundancy = world.redundancy;
    char far[700];
    const varve_level level = { .directory = far, .keep_last = 1 };
    redundancy.domain = comm->rank + 1;
    const varve_manager_options options = {
        .comm = comm, .redundancy = &redundancy, .keep_last = 1,
        .levels = &level, .level_count = world.has_level
    };
    snprintf(far, sizeof far, "%s/far", world.place);
    const uint64_t start[] = { 2 * comm->rank, 0 };
    struct program p = { .rank = comm->rank };
    p.count = 1 + (comm->rank * 7919 + 13) % MOST_VALUES;
    p.values = calloc(p.count, sizeof *p.values);
    p.graph = vv_graph_new_in(&context);
    varve_node *root = varve_graph_root(p.graph);
    varve_add_variable(root, "values", varve_array(p.values, p.count));
    varve_add_slice(root, "grid", varve_array(&p.grid[0][0], 2, COLUMNS),
        VARVE_SHAPE(2 * world.count, COLUMNS), start);
    varve_add_variable(root, "step", varve_scalar(&p.step));
    p.manager = varve_manager_new(
        root, node_path(comm->rank, "/run"), &options, error);
    varve_status status = p.manager ? live(&p, error) : error->status;
    varve_manager_free(p.manager);
    varve_graph_free(p.graph);
    free(p.values);
    return status;
}

static int run_rank(varve_processes *all, uint32_t rank)
{
    varve_error *error = &world.record->errors[rank];
    const struct vv_system *system = &vv_posix_system;
    alarm(TOO_LONG);
    const varve_comm *comm = varve_processes_join(all, rank, error);
    if (rank == world.victim) {
        struct faulty *faulty = faulty_new(system);
        faulty_plan(faulty, &(struct faulty_plan){ .number = world.call,
                                .way = FAULTY_STOPS,
                                .stop = kill_me });
        system = faulty_system(faulty);
    }
    varve_status status =
        comm ? run_program(comm, system, error) : error->status;
    varve_processes_free(all);
    return status == VARVE_OK ? 0 : status == VARVE_DISCONNECTED ? 1 : 2;
}

/* --- A life of all ------------------------------------------------------ */

static void clear_record(void)
{
    memset(world.record, 0, sizeof *world.record);
    for (int i = 0; i < MOST_NODES; i++)
        world.record->resumed[i] = world.record->saved[i] =
            world.record->drained[i] = -2;
}

/* Runs all ranks. Returns true if the victim was killed. */
static bool run_life(void)
{
    varve_error error = { 0 };
    bool was_killed = false;
    pid_t children[MOST_NODES];
    clear_record();
    varve_processes *all = varve_processes_new(world.count, NULL, &error);
    cr_assert(all, "%s", error.message);
    for (uint32_t i = 0; i < world.count; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(run_rank(all, i));
    }
    varve_processes_free(all);
    for (uint32_t i = 0; i < world.count; i++) {
        int status;
        cr_assert_eq(waitpid(children[i], &status, 0), children[i]);
        if (WIFSIGNALED(status)) {
            cr_assert_eq(WTERMSIG(status), SIGKILL, "rank %u hangs", i);
            cr_assert_eq(i, world.victim);
            was_killed = true;
        } else {
            cr_assert_leq(WEXITSTATUS(status), 1, "rank %u: %s", i,
                world.record->errors[i].message);
        }
    }
    return was_killed;
}

static int64_t newest_of(const int64_t *steps)
{
    int64_t newest = -2;
    for (uint32_t i = 0; i < world.count; i++)
        newest = steps[i] > newest ? steps[i] : newest;
    return newest;
}

static int64_t newest_saved(void)
{
    return newest_of(world.record->saved);
}

/* Returns the step that the ranks resumed from; -2 for none. Sets *is_all if
 * all have reported one. */
static int64_t resumed(bool *is_all)
{
    int64_t step = -2;
    *is_all = true;
    for (uint32_t i = 0; i < world.count; i++) {
        int64_t one = world.record->resumed[i];
        cr_assert(!world.record->is_wrong[i], "values of rank %u", i);
        *is_all = *is_all && one != -2;
        cr_assert(one == -2 || step == -2 || one == step,
            "ranks resume from %d and %d", (int)one, (int)step);
        step = one != -2 ? one : step;
    }
    return step;
}

static void lose_node(uint32_t node)
{
    char command[700];
    snprintf(command, sizeof command, "rm -rf '%s'", node_path(node, ""));
    cr_assert_eq(system(command), 0);
}

/* --- Histories ---------------------------------------------------------- */

struct history {
    int64_t saved;    /* newest step that must exist */
    int64_t most;     /* newest step that may exist */
    int64_t drained;  /* newest step that must exist on the shared tier */
    uint32_t missing; /* a lost node that is not rebuilt; `count`: none */
    uint64_t lives, kills, losses, doubles, alls;
};

/* Checks that the run resumed from a step that is not older than the last
 * reported save and not newer than the last attempt. A lost node is rebuilt
 * once all ranks have ended normally or saved again. */
static void check_resumed(struct history *h, bool was_killed)
{
    bool is_all;
    int64_t step = resumed(&is_all);
    if (step != -2)
        cr_assert(step >= h->saved && step <= h->most,
            "expected steps %d to %d, found %d", (int)h->saved, (int)h->most,
            (int)step);
    if (is_all && (!was_killed || newest_saved() >= 0))
        h->missing = world.count;
    h->saved = step > h->saved ? step : h->saved;
    h->most = step != -2 ? step + 1 : h->most;
}

static void live_once(struct history *h, uint64_t *random)
{
    bool kills = proof_next(random) % 4 != 0;
    world.victim =
        kills ? (uint32_t)(proof_next(random) % world.count) : world.count;
    world.call = (long)(proof_next(random) % 260);
    bool was_killed = run_life();
    h->lives++;
    h->kills += was_killed;
    check_resumed(h, was_killed);
    int64_t newest = newest_saved();
    h->saved = newest > h->saved ? newest : h->saved;
    h->most = h->most > h->saved + 1 ? h->most : h->saved + 1;
    int64_t drained = newest_of(world.record->drained);
    h->drained = drained > h->drained ? drained : h->drained;
}

static void lose_all(struct history *h)
{
    for (uint32_t i = 0; i < world.count; i++)
        lose_node(i);
    h->saved = h->drained;
    h->missing = world.count;
    h->alls++;
}

/* Deletes the files of as many nodes as the scheme tolerates: a node that is
 * already missing, or any. */
static void lose_one(struct history *h, uint64_t *random)
{
    if (proof_next(random) % 3 == 0)
        return;
    if (world.has_level && proof_next(random) % 3 == 0) {
        lose_all(h);
        return;
    }
    if (h->missing == world.count)
        h->missing = (uint32_t)(proof_next(random) % world.count);
    lose_node(h->missing);
    h->losses++;
}

/* Deletes the files of two adjacent nodes. All ranks must start from scratch,
 * and all must report why. */
static void lose_two(struct history *h, uint64_t *random)
{
    world.victim = world.count;
    run_life();
    check_resumed(h, false);
    world.lost[0] = (uint32_t)(proof_next(random) % (world.count - 1));
    world.lost[1] = world.lost[0] + 1;
    lose_node(world.lost[0]);
    lose_node(world.lost[1]);
    run_life();
    for (uint32_t i = 0; i < world.count; i++) {
        cr_assert_eq(world.record->resumed[i], -1);
        cr_assert(world.record->says_who[i],
            "rank %u does not name the lost nodes", i);
    }
    h->saved = newest_saved();
    h->doubles++;
}

static void begin_history(struct history *h, uint64_t number, uint64_t *random)
{
    char name[40];
    snprintf(name, sizeof name, "nodes-%u", (unsigned)number);
    world.place = test_path(name);
    world.count = 3 + (uint32_t)(proof_next(random) % (MOST_NODES - 2));
    world.redundancy = (varve_redundancy){
        .scheme = number % 2 ? VARVE_XOR : VARVE_PARTNER,
        .group_size = world.count < 3 ? 2 : world.count,
    };
    world.has_level = number / 2 % 2;
    *h = (struct history){
        .saved = -1, .drained = -1, .missing = world.count
    };
}

static void run_history(uint64_t number, uint64_t lives, struct history *sum)
{
    static char place[600];
    struct history h;
    uint64_t random = proof_seed() + number * 1000003;
    begin_history(&h, number, &random);
    snprintf(place, sizeof place, "%s", world.place);
    world.place = place;
    for (uint64_t i = 0; i < lives; i++) {
        live_once(&h, &random);
        lose_one(&h, &random);
    }
    if (world.count >= 4 && !world.has_level)
        lose_two(&h, &random);
    sum->lives += h.lives;
    sum->kills += h.kills;
    sum->losses += h.losses;
    sum->doubles += h.doubles;
    sum->alls += h.alls;
}

TEST(crash, a_kill_and_a_lost_node_lose_no_save)
{
    struct history sum = { 0 };
    world.record = mmap(NULL, sizeof *world.record, PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(world.record, MAP_FAILED);
    for (uint64_t i = 0; i < proof_size(4, 200); i++)
        run_history(i, proof_size(12, 40), &sum);
    munmap(world.record, sizeof *world.record);
    proof_count("nodes.lives", sum.lives);
    proof_count("nodes.kills", sum.kills);
    proof_count("nodes.losses", sum.losses);
    proof_count("nodes.doubles", sum.doubles);
    proof_count("nodes.alls", sum.alls);
    cr_assert(sum.kills > 0 && sum.losses > 0 && sum.doubles > 0);
    cr_assert(sum.alls > 0);
}
