/* lives.c - Tests that a program whose number of processes changes between
 * restarts, and that is killed in between, has the same result as an
 * uninterrupted one.
 *
 *     lives [nodes] WORLD [LIVES [SEED]]
 *
 * With `nodes` each rank is on a node with its own disk, one of which is
 * sometimes lost. In this case the number of ranks does not change.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <varve/processes.h>
#include <varve/varve.h>

#include "life.h"
#include "mix/place.h"
#include "support/proof.h"

enum { USUAL = 40, LONGER = 200, MOST_STEPS = 7, TOO_LONG = 60 };

/* The way in which a life ends. */
enum death { BY_ITSELF, AT_A_CALL, ONE_AT_A_TIME, ALL_AT_A_TIME };

struct crowd {
    struct plan plan;
    uint32_t size;
    enum death death;
    uint32_t victim;
    int64_t when; /* number of a call, or microseconds */
    pid_t children[MOST_RANKS];
};

struct counts {
    uint64_t killed;  /* lives */
    uint64_t lost;    /* losses of the first tier or of a rank's disk */
    uint64_t changes; /* changes of the number of ranks */
    uint64_t ranks;
};

static int be_rank(
    const struct crowd *c, varve_processes *all, uint32_t rank)
{
    varve_error error = { 0 };
    struct plan plan = c->plan;
    alarm(TOO_LONG);
    if (c->death == AT_A_CALL && rank == c->victim)
        plan.dies_at = c->when;
    const varve_comm *comm = varve_processes_join(all, rank, &error);
    int end = comm ? live(comm, &plan)
                   : error.status == VARVE_DISCONNECTED ? LIFE_DISCONNECTED
                                                        : LIFE_WRONG;
    varve_processes_free(all);
    return end;
}

static void begin(struct crowd *c)
{
    varve_error error = { 0 };
    varve_processes *all = varve_processes_new(c->size, NULL, &error);
    if (!all) {
        fprintf(stderr, "lives: %s\n", error.message);
        exit(2);
    }
    for (uint32_t i = 0; i < c->size; i++) {
        c->children[i] = fork();
        if (c->children[i] == 0)
            exit(be_rank(c, all, i));
    }
    varve_processes_free(all);
}

static void strike(const struct crowd *c)
{
    if (c->death != ONE_AT_A_TIME && c->death != ALL_AT_A_TIME)
        return;
    const struct timespec while_they_live = { 0, (long)c->when * 1000 };
    nanosleep(&while_they_live, NULL);
    for (uint32_t i = 0; i < c->size; i++) {
        if (c->death == ALL_AT_A_TIME || i == c->victim)
            kill(c->children[i], SIGKILL);
    }
}

/* Waits for all ranks. Returns true if any was killed. Exits if one of the
 * others failed. */
static bool bury(const struct crowd *c)
{
    int statuses[MOST_RANKS];
    bool was_killed = false;
    for (uint32_t i = 0; i < c->size; i++) {
        waitpid(c->children[i], &statuses[i], 0);
        was_killed = was_killed || WIFSIGNALED(statuses[i]);
    }
    for (uint32_t i = 0; i < c->size; i++) {
        bool is_good = WIFSIGNALED(statuses[i])
            ? WTERMSIG(statuses[i]) == SIGKILL && c->death != BY_ITSELF
            : WEXITSTATUS(statuses[i]) == LIFE_ENDED ||
                (WEXITSTATUS(statuses[i]) == LIFE_DISCONNECTED && was_killed);
        if (is_good)
            continue;
        fprintf(stderr, "lives: %s, seed %" PRIu64 ": rank %" PRIu32 " of %"
            PRIu32 " ended with status %#x\n", c->plan.world->name,
            c->plan.seed, i, c->size, (unsigned)statuses[i]);
        exit(1);
    }
    return was_killed;
}

static bool lead(struct crowd *c)
{
    begin(c);
    strike(c);
    return bury(c);
}

/* Removes the first tier, so the next life must use the second one. */
static void lose_what_is_near(const struct plan *plan)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/" LIVES_NEAR, plan->directory);
    mix_place_remove(path);
}

/* Removes the disk of a node. Selects another node only if all ranks have
 * rebuilt the previous loss; a life that was killed may not have done so. */
static void lose_one_node(
    const struct crowd *c, bool was_killed, uint64_t *random)
{
    static uint32_t node = UINT32_MAX;
    char path[4200];
    if (!was_killed || node >= c->size)
        node = (uint32_t)(proof_next(random) % c->size);
    snprintf(path, sizeof path, "%s/" LIVES_NODE, c->plan.directory, node);
    mix_place_remove(path);
}

static bool lose(const struct crowd *c, bool was_killed, uint64_t *random)
{
    bool is_lost = proof_next(random) % 3 == 0;
    if (is_lost && c->plan.on_nodes)
        lose_one_node(c, was_killed, random);
    else if (is_lost && !was_killed)
        lose_what_is_near(&c->plan);
    return is_lost && (c->plan.on_nodes || !was_killed);
}

static struct crowd choose(const struct plan *plan, uint64_t *random)
{
    struct crowd c = { .plan = *plan };
    c.plan.seed = proof_next(random);
    c.plan.steps = 1 + (int64_t)(proof_next(random) % MOST_STEPS);
    c.size = 1 + (uint32_t)(proof_next(random) % MOST_RANKS);
    c.victim = (uint32_t)(proof_next(random) % c.size);
    c.death = (enum death)(proof_next(random) % 4);
    c.when = (int64_t)(proof_next(random) %
                       (c.death == AT_A_CALL ? 250 : 40000));
    return c;
}

/* Checks the quality of a result that was computed with another order of sums
 * than on one rank. */
static void ask_what_was_learned(const struct plan *plan)
{
    char near[4200];
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_processes *alone = varve_processes_new(1, NULL, &error);
    const varve_comm *comm = varve_processes_join(alone, 0, &error);
    void *state = plan->world->make(comm, root);
    snprintf(near, sizeof near, "%s/" LIVES_NEAR, plan->directory);
    varve_manager *manager = varve_manager_new(root, near, NULL, &error);
    double first = plan->world->loss(state);
    if (!manager || varve_manager_resume(manager, &error)) {
        fprintf(stderr, "lives: %s\n", error.message);
        exit(1);
    }
    double last = plan->world->loss(state);
    printf("%s: the loss was %.6f at first, and is %.6f\n",
        plan->world->name, first, last);
    if (!(last < first / 2)) {
        fprintf(stderr, "lives: the loss does not decrease\n");
        exit(1);
    }
    varve_manager_free(manager);
    varve_graph_free(graph);
    plan->world->free(state);
    varve_processes_free(alone);
}

static void run(const struct world *world, bool on_nodes, uint64_t lives,
    uint64_t seed)
{
    char directory[4096];
    uint64_t random = seed;
    uint32_t ranks = 0;
    struct counts counts = { 0 };
    uint64_t *expected =
        live_unbroken(world, (int64_t)lives * MOST_STEPS + 1);
    if (!expected)
        exit(2);
    mix_place_make(directory, sizeof directory);
    const struct plan plan = { .world = world, .directory = directory,
        .on_nodes = on_nodes, .dies_at = -1, .expected = expected };
    const uint32_t nodes = 2 + (uint32_t)(seed % (MOST_RANKS - 1));
    for (uint64_t i = 0; i < lives; i++) {
        struct crowd c = choose(&plan, &random);
        if (on_nodes) {
            c.size = nodes;
            c.victim %= nodes;
        }
        bool was_killed = lead(&c);
        counts.killed += was_killed;
        counts.lost += lose(&c, was_killed, &random);
        counts.changes += c.size != ranks;
        counts.ranks += ranks = c.size;
    }
    struct crowd last = { .plan = plan, .size = on_nodes ? nodes : 1 };
    last.plan.steps = 1;
    lead(&last);
    if (world->loss && !on_nodes)
        ask_what_was_learned(&plan);
    printf("%s: %" PRIu64 " lives, of %.1f ranks; their number changed %" PRIu64
           " times, %" PRIu64 " were killed, %" PRIu64
           " times %s was lost\n",
        world->name, lives, (double)counts.ranks / (double)lives,
        counts.changes, counts.killed, counts.lost,
        on_nodes ? "a node" : "the first tier");
    proof_count("lives.led", lives);
    proof_count("lives.killed", counts.killed);
    proof_count("lives.lost", counts.lost);
    mix_place_remove(directory);
    free(expected);
}

int main(int count, char **arguments)
{
    bool on_nodes = count > 1 && strcmp(arguments[1], "nodes") == 0;
    arguments += on_nodes;
    count -= on_nodes;
    const struct world *world = count > 1 ? find_world(arguments[1]) : NULL;
    if (!world) {
        fprintf(stderr, "lives: WORLD must be grid, particles, training or "
            "'training by rank'\n");
        return 2;
    }
    run(world, on_nodes,
        count > 2 ? strtoull(arguments[2], NULL, 10)
                  : proof_size(USUAL, LONGER),
        count > 3 ? strtoull(arguments[3], NULL, 10) : proof_seed());
    return 0;
}
