/* program.c - Runs lives of programs, one after the other, until the plan is
 * complete.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/program.h"

#include <string.h>

#include "graph.h"
#include "simulate/arena.h"
#include "simulate/finding.h"
#include "simulate/life.h"
#include "simulate/process.h"
#include "simulate/ranks.h"
#include "simulate/stores.h"

enum { MOST_LIVES = 5 };

static const int64_t a_second = 1000000000;

uint32_t programs_good, programs_failed;

static struct life lives[MOST_PROGRAMS];
static unsigned count;
static const struct schedule *schedule;

const char *life_directory(const struct life *life)
{
    const struct job_plan *job = &life->schedule->job;
    return job->is_fast ? "fast/run"
        : job->is_store ? STORE "/run"
                        : "shared/run";
}

const char *life_prefix(const struct life *life)
{
    const struct job_plan *job = &life->schedule->job;
    return job->is_saver ? "shared/run/m"
        : job->is_fast   ? "fast/run/ckpt"
        : job->is_store ? STORE "/run/ckpt"
                        : "shared/run/ckpt";
}

const char *life_level_directory(const struct life *life)
{
    return life->schedule->job.is_store ? STORE "/run" : "shared/run";
}

const char *life_level_prefix(const struct life *life)
{
    return life->schedule->job.is_store ? STORE "/run/ckpt" : "shared/run/ckpt";
}

varve_node *life_root(struct life *life)
{
    if (!life->graph) {
        life->graph = vv_graph_new_in(&life->process->context);
        varve_add_variable(varve_graph_root(life->graph), "values",
            varve_array(life->values, VALUES));
        if (life->schedule->job.is_incremental)
            varve_add_variable(varve_graph_root(life->graph), "ballast",
                varve_array(life->ballast, BALLAST));
    }
    return varve_graph_root(life->graph);
}

bool life_ended(struct life *life, const char *call, varve_status status,
    const varve_error *error)
{
    if (!status) {
        programs_good++;
        trace("%s: OK", call);
        return true;
    }
    programs_failed++;
    trace("%s: %s: %s", call, varve_status_name(status), error->message);
    bool is_too_slow = status == VARVE_TIMEOUT && schedule->pace.leaps;
    /* The checkpoint of a step is kept if it belongs to another program. */
    bool is_taken = status == VARVE_EXISTS && schedule->job.by_step &&
        schedule->traits[DISK_SHARED] & DISK_NO_LOCKS;
    if (life->is_calm && !is_too_slow && !is_taken)
        finding(FINDING_FAILED, "%s of %s, which nothing disturbs: %s: %s",
            call, life->process->name, varve_status_name(status),
            error->message);
    return false;
}

/* --- Operations --------------------------------------------------------- */

static void live_on(void *argument)
{
    struct process *child = argument;
    task_wait(&child, task_uptime() + 20 * a_second);
    trace("the child ends");
    for (size_t i = 0; i < MOST_DESCRIPTORS; i++)
        if (child->descriptors[i].number)
            process_close(child, child->descriptors[i].number);
    child->is_alive = false;
}

static void fork_child(const struct life *life)
{
    struct process *child = process_fork(life->process, "child");
    trace("forks");
    if (child)
        task_start(child, live_on, child);
}

static void sleep_a_while(const struct life *life)
{
    const struct vv_system *system = life->process->context.system;
    system->sleep(system->state, 5 * a_second);
}

/* As after a rollback in the program. */
static void go_back(struct life *life)
{
    if (life->values[VALUE_STEP] > 2)
        life->values[VALUE_STEP] -= 2;
}

static void do_reading(struct life *life, enum op op)
{
    switch (op) {
    case OP_LATEST: life_latest(life); break;
    case OP_RESTORE: life_restore(life); break;
    case OP_READ: life_read(life); break;
    case OP_LEASE: life_lease(life); break;
    case OP_UNLEASE: life_unlease(life); break;
    case OP_WATCH: life_watch(life); break;
    case OP_SAVE_PREFIX: life_save_prefix(life); break;
    case OP_SAVER: life_saver(life); break;
    default: break;
    }
}

static void do_one(struct life *life, enum op op)
{
    switch (op) {
    case OP_OPEN: life_open(life); break;
    case OP_SAVE: life_save(life, false); break;
    case OP_SAVE_PINNED: life_save(life, true); break;
    case OP_WAIT: life_wait(life); break;
    case OP_DRAIN: life_drain(life); break;
    case OP_PRUNE: life_prune(life); break;
    case OP_PIN: life_pin(life); break;
    case OP_UNPIN: life_unpin(life); break;
    case OP_CLOSE: life_close(life); break;
    case OP_FORK: fork_child(life); break;
    case OP_DIE: process_kill(life->process); break;
    case OP_SLEEP: sleep_a_while(life); break;
    case OP_BACK: go_back(life); break;
    default: do_reading(life, op); break;
    }
}

static void end(struct life *life)
{
    life_unlease(life);
    varve_watch_free(life->watch);
    life_close(life);
    varve_saver_free(life->saver);
    life->saver = NULL;
    varve_graph_free(life->graph);
    life->graph = NULL;
    life->watch = NULL;
    process_exit(life->process);
    life->is_done = true;
}

static void run(void *argument)
{
    struct life *life = argument;
    if (life->lives > 1)
        sleep_a_while(life);
    while (life->next_op < life->plan->op_count)
        do_one(life, (enum op)life->plan->ops[life->next_op++]);
    end(life);
}

/* --- Lives -------------------------------------------------------------- */

static void begin_life(struct life *life)
{
    life->graph = NULL;
    life->manager = NULL;
    life->lease = NULL;
    life->watch = NULL;
    life->saver = NULL;
    life->is_resumed = false;
    life->flight = life->saved = 0;
    memset(life->values, 0, sizeof life->values);
    life->process = process_new(life->plan->name, life->plan->node);
    life->lives++;
    if (life->process)
        task_start(life->process, run, life);
}

void programs_begin(const struct schedule *wanted)
{
    schedule = wanted;
    count = wanted->program_count;
    programs_good = programs_failed = 0;
    ranks_begin(wanted);
    for (unsigned i = 0; i < count; i++) {
        lives[i] = (struct life){ .schedule = wanted,
            .plan = &wanted->programs[i],
            .number = i,
            .is_calm = schedule_is_calm(wanted, i) };
        lives[i].is_done = wanted->programs[i].ranks > 0;
        if (lives[i].is_done)
            ranks_start(&wanted->programs[i], i);
        else
            begin_life(&lives[i]);
    }
}

void programs_killed(struct process *process)
{
    ranks_killed(process);
    for (unsigned i = 0; i < count; i++) {
        struct life *life = &lives[i];
        if (life->process != process || life->is_done)
            continue;
        if (life->lives == MOST_LIVES)
            life->is_done = true;
        else
            begin_life(life);
    }
}

bool programs_are_done(void)
{
    for (unsigned i = 0; i < count; i++)
        if (!lives[i].is_done)
            return false;
    return ranks_are_done();
}

/* --- The end ------------------------------------------------------------ */

/* Runs a single program for each node and prefix to which a program has
 * saved. */
static void look_at(const struct life *like)
{
    static const struct program_plan quiet = { .name = "last" };
    struct program_plan *plan = arena_take(sizeof *plan);
    struct life *life = arena_take(sizeof *life);
    *plan = quiet;
    plan->node = like->plan->node;
    *life = (struct life){ .schedule = schedule,
        .plan = plan,
        .is_calm = true,
        .process = process_new("last", plan->node) };
    if (!life->process)
        return;
    life->process->is_quiet = true;
    task_current()->process = life->process;
    life_open(life);
    if (!has_finding() && life->is_resumed) {
        life_save(life, false);
        life_wait(life);
        life_latest(life);
    }
    end(life);
}

void programs_look(void *unused)
{
    (void)unused;
    bool has_looked[MOST_NODES] = { false };
    for (unsigned i = 0; i < count && !has_finding(); i++) {
        unsigned node = lives[i].plan->node;
        bool is_run =
            lives[i].plan->ops[0] == OP_OPEN && !lives[i].plan->ranks;
        if (!is_run || has_looked[schedule->job.is_fast ? node : 0])
            continue;
        has_looked[schedule->job.is_fast ? node : 0] = true;
        look_at(&lives[i]);
    }
    ranks_look();
}
