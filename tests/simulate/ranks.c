/* ranks.c - Runs lives of programs of several processes. A life ends with its
 * last process, and the next one continues at the operation of the first
 * process that stopped.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/ranks.h"

#include <inttypes.h>
#include <string.h>

#include <varve/manager.h>
#include <varve/redundancy.h>

#include "graph.h"
#include "simulate/choice.h"
#include "simulate/finding.h"
#include "simulate/oracle_sets.h"
#include "simulate/process.h"
#include "simulate/program.h"
#include "simulate/task.h"

enum { MOST_LIVES = 6, MOST_CALLS = 64, MOST_OWN = 160 };

#define LEVEL "shared/run"
#define A_SECOND INT64_C(1000000000)

struct team;

/* A process of a life. */
struct rank {
    struct team *team;
    uint32_t number;
    struct process *process;
    bool is_over; /* the other ranks are gone */
    unsigned next_op;
    unsigned calls; /* number of completed calls */

    varve_graph *graph;
    int64_t values[VALUES];
    int64_t own[MOST_OWN]; /* rank-local; differs for each save */
    varve_manager *manager;
    bool is_resumed;
    bool is_new;    /* the last resume started from the beginning */
    uint64_t saved; /* the last one that was reported, or resumed */
};

struct team {
    const struct schedule *schedule;
    const struct program_plan *plan;
    unsigned number; /* of the program */
    unsigned next_op;
    unsigned lives;
    bool is_done;
    bool is_calm; /* errors are findings */
    bool is_last; /* nothing disturbs it */

    struct life_of_ranks life;
    struct meeting *meeting;
    struct rank ranks[MOST_RANKS];
    unsigned left; /* processes that have not ended */
    unsigned calls; /* number of completed calls of the life: */
    varve_status statuses[MOST_CALLS];
    bool has_resumed;
    uint64_t resumed;         /* as reported by the first rank */
    unsigned run;             /* later runs have higher numbers */
    uint64_t save;            /* that some rank has begun */
    unsigned save_call;       /* the call that began it */
    unsigned waited, drained; /* number of ranks for which it succeeded */
};

static struct team teams[MOST_PROGRAMS + 1];
static unsigned count, all_lives, all_runs;
static const struct schedule *schedule;

void ranks_begin(const struct schedule *wanted)
{
    schedule = wanted;
    count = all_lives = all_runs = 0;
}

/* --- Results of ranks --------------------------------------------------- */

static bool is_allowed(const struct team *t)
{
    return !t->is_calm ||
        (t->is_last && schedule->losses &&
            !sets_can_be_resumed(&t->life, sets_moment()));
}

/* Checks that all ranks get the same status while all are present. */
static void compare(
    struct rank *r, const char *call, varve_status status)
{
    struct team *t = r->team;
    unsigned i = r->calls++;
    if (communicator_is_broken(t->meeting) || i >= MOST_CALLS)
        return;
    if (i == t->calls)
        t->statuses[t->calls++] = status;
    else if (t->statuses[i] != status)
        finding(FINDING_APART, "%s: rank %u got %s, and another one %s",
            call, r->number, varve_status_name(status),
            varve_status_name(t->statuses[i]));
}

static bool ended(struct rank *r, const char *call, varve_status status,
    const varve_error *error)
{
    compare(r, call, status);
    if (!status) {
        programs_good++;
        trace("%s: OK", call);
        return true;
    }
    programs_failed++;
    trace("%s: %s: %s", call, varve_status_name(status), error->message);
    r->is_over |= status == VARVE_DISCONNECTED;
    bool is_too_slow = status == VARVE_TIMEOUT && schedule->pace.leaps;
    bool is_left_alone = status == VARVE_DISCONNECTED &&
        communicator_is_broken(r->team->meeting);
    if (!is_left_alone && !is_too_slow && !is_allowed(r->team))
        finding(FINDING_FAILED, "%s of rank %u, which nothing disturbs: %s: %s",
            call, r->number, varve_status_name(status), error->message);
    return false;
}

/* --- Values ------------------------------------------------------------- */

static size_t own_size(const struct rank *r)
{
    return 10 + r->number * 37;
}

static int64_t own_value(const struct rank *r, size_t i)
{
    return r->values[VALUE_SAVE] * 1000 + r->number * 100 + (int64_t)i;
}

static void fill(struct rank *r)
{
    for (size_t i = 0; i < own_size(r); i++)
        r->own[i] = own_value(r, i);
}

static void check_values(const struct rank *r)
{
    for (size_t i = 0; i < own_size(r); i++)
        if (r->own[i] != own_value(r, i)) {
            finding(FINDING_LOST, "rank %u resumed save %" PRId64
                " with values of another save or rank", r->number,
                r->values[VALUE_SAVE]);
            return;
        }
}

static varve_status initialize(void *user)
{
    struct rank *r = user;
    oracle_initial(r->values);
    fill(r);
    r->is_new = true;
    return VARVE_OK;
}

/* --- Manager ------------------------------------------------------------ */

static varve_manager *make_manager(struct rank *r, varve_error *error)
{
    const struct job_plan *job = &schedule->job;
    const varve_level level = { .directory = LEVEL,
        .keep_last = job->level_keep_last };
    const varve_redundancy redundancy = {
        .scheme = job->is_partner ? VARVE_PARTNER : VARVE_XOR,
        .group_size = job->group_size
    };
    const varve_manager_options options = { .keep_last = job->keep_last,
        .keep_best = job->keep_best,
        .keep_every_steps = job->keep_every_steps,
        .lock_seconds = job->lock_seconds,
        .initialize = initialize,
        .initialize_user = r,
        .comm = communicator_of(r->team->meeting, r->number),
        .redundancy = &redundancy,
        .levels = job->has_level ? &level : NULL,
        .level_count = job->has_level };
    if (!r->graph) {
        r->graph = vv_graph_new_in(&r->process->context);
        varve_node *root = varve_graph_root(r->graph);
        varve_add_variable(root, "values", varve_array(r->values, VALUES));
        varve_add_variable(root, "own", varve_array(r->own, own_size(r)));
    }
    return varve_manager_new(
        varve_graph_root(r->graph), SETS_DIRECTORY, &options, error);
}

static void close_manager(struct rank *r)
{
    varve_manager_free(r->manager);
    r->manager = NULL;
    r->is_resumed = false;
}

static void has_resumed(struct rank *r, size_t moment)
{
    struct team *t = r->team;
    uint64_t save = (uint64_t)r->values[VALUE_SAVE];
    r->is_resumed = true;
    r->saved = save;
    sets_resumed(&t->life, r->number, moment, save, r->is_new);
    check_values(r);
    if (!t->has_resumed)
        t->run = ++all_runs;
    if (t->has_resumed && t->resumed != save)
        finding(FINDING_APART,
            "rank %u resumed save %" PRIu64 ", and another one %" PRIu64,
            r->number, save, t->resumed);
    t->has_resumed = true;
    t->resumed = save;
}

static void open_manager(struct rank *r)
{
    varve_error error = { 0 };
    const size_t moment = sets_moment();
    const char *passed;
    if (r->is_resumed)
        return;
    if (!r->manager) {
        r->manager = make_manager(r, &error);
        if (!ended(r, "varve_manager_new",
                r->manager ? VARVE_OK : error.status, &error))
            return;
    }
    r->is_new = false;
    r->team->has_resumed = false;
    memset(r->values, 0, sizeof r->values);
    varve_status status = varve_manager_resume(r->manager, &error);
    for (size_t i = 0;
         (passed = varve_manager_skipped(r->manager, i)) != NULL; i++)
        trace("  passed over: %s", passed);
    if (ended(r, "varve_manager_resume", status, &error))
        has_resumed(r, moment);
    else
        close_manager(r);
}

/* --- Operations --------------------------------------------------------- */

/* All ranks of a call write the same save. */
static void begin_save(struct rank *r)
{
    struct team *t = r->team;
    if (t->save && t->save_call == r->calls) {
        r->values[VALUE_PARENT] = r->values[VALUE_SAVE];
        r->values[VALUE_SAVE] = (int64_t)t->save;
        r->values[VALUE_STEP]++;
    } else {
        t->save = oracle_begins_save(r->values);
        t->save_call = r->calls;
        sets_note_save(t->save, t->run);
    }
    fill(r);
}

static void warn(const struct rank *r)
{
    const char *warning = varve_manager_warning(r->manager);
    if (warning)
        trace("  warning: %s", warning);
}

static void save(struct rank *r)
{
    varve_error error = { 0 };
    open_manager(r);
    if (!r->is_resumed)
        return;
    begin_save(r);
    uint64_t save = (uint64_t)r->values[VALUE_SAVE];
    trace("saves %" PRIu64 " at step %" PRId64, save, r->values[VALUE_STEP]);
    varve_status status = varve_manager_save_with(r->manager,
        r->values[VALUE_STEP],
        &(varve_manager_save_options){
            .has_metric = true, .metric = (double)(save * 7 % 5) },
        &error);
    warn(r);
    if (!ended(r, "varve_manager_save", status, &error))
        return;
    r->saved = save;
    sets_saved(r->process, &r->team->life, r->number, save,
        varve_manager_saved(r->manager));
}

/* If it succeeds on all ranks, lost files have been rebuilt. */
static void wait_for_it(struct rank *r)
{
    varve_error error = { 0 };
    struct team *t = r->team;
    if (!r->is_resumed)
        return;
    varve_status status = varve_manager_wait(r->manager, &error);
    warn(r);
    bool is_rebuilt = !status && !varve_manager_warning(r->manager);
    if (!ended(r, "varve_manager_wait", status, &error))
        return;
    t->waited += is_rebuilt;
    if (t->waited == t->life.size && r->saved == t->resumed && r->saved &&
        !communicator_is_broken(t->meeting))
        sets_rebuilt(&t->life, r->saved);
}

static void drain(struct rank *r)
{
    varve_error error = { 0 };
    varve_level_state state = { 0 };
    if (!r->is_resumed)
        return;
    varve_status status = varve_manager_drain(r->manager, 60, &error);
    if (!varve_manager_level_at(r->manager, 0, &state))
        return;
    if (ended(r, "varve_manager_drain", status, &error) && r->saved &&
        r->saved == (uint64_t)r->values[VALUE_SAVE])
        sets_drained(r->process, &r->team->life, r->number, r->saved,
            LEVEL "/rank-", state.latest);
}

static void prune(struct rank *r)
{
    varve_error error = { 0 };
    if (!r->manager)
        return;
    varve_status status = varve_manager_prune(r->manager, &error);
    ended(r, "varve_manager_prune", status, &error);
}

static void do_one(struct rank *r, enum op op)
{
    const struct vv_system *system = r->process->context.system;
    switch (op) {
    case OP_OPEN: open_manager(r); break;
    case OP_SAVE: save(r); break;
    case OP_WAIT: wait_for_it(r); break;
    case OP_DRAIN: drain(r); break;
    case OP_PRUNE: prune(r); break;
    case OP_CLOSE: close_manager(r); break;
    case OP_DIE: process_kill(r->process); break;
    case OP_SLEEP: system->sleep(system->state, 5 * A_SECOND); break;
    default: break;
    }
}

/* --- Lives -------------------------------------------------------------- */

static void begin_life(struct team *t);

/* Ends a rank. The life ends with its last rank. */
static void leave(struct rank *r)
{
    struct team *t = r->team;
    if (r->next_op > t->next_op)
        t->next_op = r->next_op;
    if (--t->left)
        return;
    if (t->is_last || t->next_op >= t->plan->op_count ||
        t->lives == MOST_LIVES)
        t->is_done = true;
    else
        begin_life(t);
}

/* Ends regularly: no rank ends before all have freed their objects. */
static void end(struct rank *r)
{
    const varve_comm *comm = communicator_of(r->team->meeting, r->number);
    close_manager(r);
    varve_graph_free(r->graph);
    r->graph = NULL;
    comm->barrier(comm->self);
    process_exit(r->process);
    r->process = NULL;
    leave(r);
}

static void run(void *argument)
{
    struct rank *r = argument;
    const struct team *t = r->team;
    const struct vv_system *system = r->process->context.system;
    if (t->lives > 1 && !t->is_last)
        system->sleep(system->state, 5 * A_SECOND);
    while (r->next_op < t->plan->op_count && !r->is_over)
        do_one(r, (enum op)t->plan->ops[r->next_op++]);
    end(r);
}

static bool start_processes(struct team *t)
{
    struct process *processes[MOST_RANKS] = { NULL };
    const struct communicator_traits traits = {
        .has_duplicate = !schedule->job.no_duplicate,
        .has_shift = !schedule->job.no_shift
    };
    /* If there are two programs, only one may use the spare node, so that they
     * compete for a lock. */
    unsigned spare = t->is_last || t->number > 0
        ? 0
        : choose(CHOOSE_SPARE, 0, t->lives, schedule->spares, t->life.size);
    for (uint32_t i = 0; i < t->life.size; i++) {
        unsigned node = spare == i + 1 ? t->life.size : i;
        processes[i] = process_new(t->plan->name, node);
        if (!processes[i])
            return false;
        processes[i]->is_quiet = t->is_last;
        t->life.disks[i] = place_disk(DISK_OF_NODE + node);
        t->ranks[i] = (struct rank){ .team = t,
            .number = i,
            .process = processes[i],
            .next_op = t->next_op };
    }
    t->meeting = communicator_new(processes, t->life.size, traits);
    trace("LIFE %u of %u ranks begins%s", t->life.number, t->life.size,
        spare ? ", one of them on the spare node" : "");
    return true;
}

static void begin_life(struct team *t)
{
    t->lives++;
    t->life = (struct life_of_ranks){ .name = t->plan->name,
        .number = ++all_lives,
        .size = t->plan->ranks };
    t->left = t->plan->ranks;
    t->calls = t->save_call = t->waited = 0;
    t->save = 0;
    t->has_resumed = false;
    if (!start_processes(t))
        return;
    for (uint32_t i = 0; i < t->life.size; i++)
        task_start(t->ranks[i].process, run, &t->ranks[i]);
}

void ranks_start(const struct program_plan *plan, unsigned number)
{
    struct team *t = &teams[count++];
    *t = (struct team){ .schedule = schedule,
        .plan = plan,
        .number = number,
        .is_calm = schedule_is_calm(schedule, number) };
    begin_life(t);
}

void ranks_killed(const struct process *p)
{
    for (unsigned i = 0; i < count; i++)
        for (uint32_t k = 0; k < teams[i].life.size; k++)
            if (teams[i].ranks[k].process == p) {
                teams[i].ranks[k].process = NULL;
                leave(&teams[i].ranks[k]);
                return;
            }
}

void ranks_lose(const struct disk *disk)
{
    for (unsigned i = 0; i < count; i++)
        for (uint32_t k = 0; k < teams[i].life.size; k++)
            if (teams[i].life.disks[k] == disk)
                teams[i].life.lost |= 1u << k;
}

bool ranks_are_done(void)
{
    for (unsigned i = 0; i < count; i++)
        if (!teams[i].is_done)
            return false;
    return true;
}

void ranks_look(void)
{
    static const struct program_plan plan = { .name = "last",
        .op_count = 5,
        .ops = { OP_OPEN, OP_WAIT, OP_SAVE, OP_WAIT, OP_CLOSE } };
    static struct program_plan last;
    if (count == 0)
        return;
    last = plan;
    last.ranks = teams[0].plan->ranks;
    struct team *t = &teams[count++];
    *t = (struct team){ .schedule = schedule,
        .plan = &last,
        .number = MOST_PROGRAMS,
        .is_calm = true,
        .is_last = true };
    begin_life(t);
}
