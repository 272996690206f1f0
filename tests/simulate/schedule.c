/* schedule.c - Draws schedules of each kind from a seed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/schedule.h"

#include <inttypes.h>
#include <string.h>

#include "simulate/draw.h"
#include "simulate/schedule_nodes.h"

/* --- Programs ----------------------------------------------------------- */

static struct program_plan *add(
    struct schedule *s, const char *name, unsigned node, bool writes)
{
    struct program_plan *p = &s->programs[s->program_count++];
    *p = (struct program_plan){
        .name = name, .node = node, .writes = writes
    };
    return p;
}

static void then(struct program_plan *p, enum op op)
{
    if (p->op_count < MOST_OPS)
        p->ops[p->op_count++] = (uint8_t)op;
}

/* Adds a run, which resumes and saves, and may close and reopen its manager. */
static struct program_plan *add_run(
    struct schedule *s, uint64_t *r, const char *name, unsigned node)
{
    struct program_plan *p = add(s, name, node, true);
    unsigned count = 2 + draw_below(r, 5);
    then(p, OP_OPEN);
    for (unsigned i = 0; i < count; i++) {
        unsigned what = draw_below(r, 16);
        then(p, what == 0 ? OP_SAVE_PINNED : OP_SAVE);
        if (s->job.has_level && draw_below(r, 2) == 0)
            then(p, OP_DRAIN);
        if (s->job.async && what == 1)
            then(p, OP_WAIT);
        if (what == 2)
            then(p, OP_CLOSE);
        if (what == 3)
            then(p, OP_SLEEP);
        if (what == 4 && s->job.by_step)
            then(p, OP_BACK);
    }
    return p;
}

static struct program_plan *add_random(struct schedule *s, uint64_t *r,
    const char *name, unsigned node, bool writes, const uint8_t *ops,
    unsigned kinds)
{
    struct program_plan *p = add(s, name, node, writes);
    unsigned count = 2 + draw_below(r, MOST_OPS - 2);
    for (unsigned i = 0; i < count; i++)
        then(p, (enum op)ops[draw_below(r, kinds)]);
    return p;
}

static struct program_plan *add_reader(
    struct schedule *s, uint64_t *r, unsigned node)
{
    static const uint8_t ops[] = { OP_LATEST, OP_RESTORE, OP_READ, OP_LEASE,
        OP_LEASE, OP_UNLEASE, OP_WATCH, OP_SLEEP };
    return add_random(s, r, "reader", node, false, ops, sizeof ops);
}

static struct program_plan *add_pinner(
    struct schedule *s, uint64_t *r, unsigned node)
{
    static const uint8_t ops[] = { OP_PIN, OP_PIN, OP_PIN, OP_UNPIN,
        OP_SLEEP };
    return add_random(s, r, "pinner", node, true, ops, sizeof ops);
}

static struct program_plan *add_pruner(
    struct schedule *s, uint64_t *r, unsigned node)
{
    static const uint8_t ops[] = { OP_PRUNE, OP_PRUNE, OP_SLEEP };
    return add_random(s, r, "pruner", node, true, ops, sizeof ops);
}

/* --- Kinds -------------------------------------------------------------- */

static void draw_alone(struct schedule *s, uint64_t *r)
{
    struct program_plan *p = add_run(s, r, "run", 0);
    if (draw_below(r, 2) == 0)
        then(p, OP_PRUNE);
}

static void draw_jobs(struct schedule *s, uint64_t *r)
{
    add_run(s, r, "run", 0);
    add_run(s, r, "second", draw_below(r, 2));
    if (draw_below(r, 4) == 0)
        add_run(s, r, "third", draw_below(r, 3));
}

static void draw_kills(struct schedule *s, uint64_t *r)
{
    add_run(s, r, "run", 0);
    if (draw_below(r, 2) == 0)
        add_run(s, r, "second", draw_below(r, 2));
    s->trouble.rates[FAULT_KILL] = 1 + draw_below(r, 8);
}

static void draw_readers(struct schedule *s, uint64_t *r)
{
    add_run(s, r, "run", 0);
    add_reader(s, r, draw_below(r, 2));
    if (draw_below(r, 2) == 0)
        add_reader(s, r, draw_below(r, 3));
    if (draw_below(r, 4) == 0)
        s->trouble.rates[FAULT_TORN] = 256;
}

static void draw_pins(struct schedule *s, uint64_t *r)
{
    add_run(s, r, "run", 0);
    add_pinner(s, r, draw_below(r, 2));
    if (draw_below(r, 4) == 0)
        add_pruner(s, r, draw_below(r, 2));
}

static void draw_forks(struct schedule *s, uint64_t *r)
{
    struct program_plan *p = add(s, "run", 0, true);
    then(p, OP_OPEN);
    for (unsigned i = 0; i < 3; i++) {
        then(p, OP_SAVE);
        then(p, draw_below(r, 2) ? OP_FORK : OP_SAVE);
        then(p, draw_below(r, 2) ? OP_CLOSE : OP_SAVE);
    }
}

static void draw_torn(struct schedule *s, uint64_t *r)
{
    draw_jobs(s, r);
    s->trouble.rates[FAULT_TORN] = 512;
}

static void draw_saves(struct schedule *s, uint64_t *r)
{
    unsigned count = 2 + draw_below(r, 2);
    for (unsigned i = 0; i < count; i++) {
        struct program_plan *p = add(s, "saver", draw_below(r, 3), true);
        for (unsigned k = 2 + draw_below(r, 4); k > 0; k--)
            then(p, OP_SAVE_PREFIX);
    }
    s->traits[DISK_SHARED] |= draw_below(r, 2) ? DISK_NO_RENAME_NEW : 0;
    if (s->traits[DISK_SHARED])
        s->traits[DISK_SHARED] |= draw_below(r, 2) ? DISK_NO_LINKS : 0;
}

/* A saver and readers. */
static void draw_savers(struct schedule *s, uint64_t *r)
{
    struct program_plan *p = add(s, "saver", 0, true);
    s->job.is_saver = true;
    s->job.by_step = true;
    for (unsigned k = 3 + draw_below(r, 6); k > 0; k--)
        then(p, draw_below(r, 8) ? OP_SAVER : OP_SLEEP);
    add_reader(s, r, draw_below(r, 2));
    if (draw_below(r, 2) == 0)
        add_reader(s, r, draw_below(r, 3));
}

static void draw_levels(struct schedule *s, uint64_t *r)
{
    s->job.has_level = true;
    s->job.is_fast = true;
    s->job.level_keep_last = draw_below(r, 4);
    add_run(s, r, "run", 0);
    if (draw_below(r, 4) != 0)
        add_run(s, r, "second", 1);
    if (draw_below(r, 4) == 0)
        s->away = 64;
    if (draw_below(r, 4) == 0)
        s->trouble.rates[FAULT_KILL] = 1 + draw_below(r, 4);
}

static void draw_lockless(struct schedule *s, uint64_t *r)
{
    draw_jobs(s, r);
    if (draw_below(r, 4) == 0)
        add_reader(s, r, 1);
    s->traits[DISK_SHARED] |= DISK_NO_LOCKS;
}

static void draw_local_locks(struct schedule *s, uint64_t *r)
{
    draw_lockless(s, r);
    s->traits[DISK_SHARED] = DISK_LOCAL_LOCKS;
}

static void draw_nfs(struct schedule *s, uint64_t *r)
{
    static const enum fault_kind some[] = { FAULT_IO, FAULT_STALE,
        FAULT_INTERRUPTED, FAULT_LOST };
    add_run(s, r, "run", 0);
    if (draw_below(r, 2) == 0)
        add_run(s, r, "second", 1 + draw_below(r, 2));
    if (draw_below(r, 3) == 0)
        add_reader(s, r, draw_below(r, 3));
    s->traits[DISK_SHARED] |= DISK_NO_RENAME_NEW;
    if (draw_below(r, 2) == 0)
        s->lateness = (struct lateness){ .lists = 256, .most = 60 };
    if (draw_below(r, 4) == 0)
        s->lateness = (struct lateness){
            .lists = 256, .look_ups = 32, .most = 60
        };
    for (unsigned i = 0; i < 4; i++)
        if (draw_below(r, 3) == 0)
            s->trouble.rates[some[i]] = 1 + draw_below(r, 16);
    if (draw_below(r, 2) == 0)
        s->trouble.rates[FAULT_TORN] = 256;
}

/* Leases without locks are files; their modification times decide. */
static void draw_clock_kind(struct schedule *s, uint64_t *r)
{
    add_run(s, r, "run", draw_below(r, 3));
    add_reader(s, r, draw_below(r, 3));
    if (draw_below(r, 2) == 0)
        add_reader(s, r, draw_below(r, 3));
    if (draw_below(r, 2) == 0)
        add_pruner(s, r, draw_below(r, 3));
    if (draw_below(r, 4) == 0 && s->program_count < MOST_PROGRAMS)
        add_pinner(s, r, draw_below(r, 3));
    if (draw_below(r, 4))
        s->traits[DISK_SHARED] |= DISK_NO_LOCKS;
    s->turns = draw_below(r, 2) ? 64 : 0;
}

/* Runs that wait for each other's lock in a store, and are suspended. */
static void draw_terms(struct schedule *s, uint64_t *r)
{
    s->job.is_store = true;
    s->job.lock_seconds = draw_below(r, 2) ? 0 : 300;
    add_run(s, r, "run", 0);
    add_run(s, r, "second", draw_below(r, 2));
    if (draw_below(r, 4) == 0)
        add_run(s, r, "third", 2);
    if (draw_below(r, 2) == 0)
        s->stops = 1 + draw_below(r, 8);
    if (draw_below(r, 2) == 0)
        s->trouble.rates[FAULT_LOST] = 1 + draw_below(r, 64);
    if (draw_below(r, 4) == 0)
        s->trouble.rates[FAULT_KILL] = 1 + draw_below(r, 4);
    if (draw_below(r, 4) == 0)
        s->trouble.rates[FAULT_IO] = 1 + draw_below(r, 8);
    if (draw_below(r, 8) == 0)
        s->traits[DISK_STORE] |= DISK_NO_CONDITIONS;
}

static void draw_stores(struct schedule *s, uint64_t *r)
{
    s->job.is_store = true;
    s->job.has_level = s->job.is_fast = draw_below(r, 2) == 0;
    add_run(s, r, "run", 0);
    if (draw_below(r, 2) == 0)
        add_run(s, r, "second", 1);
    if (draw_below(r, 3) == 0)
        add_reader(s, r, draw_below(r, 3));
    if (draw_below(r, 3) == 0)
        s->lateness = (struct lateness){ .lists = 256, .most = 20 };
    if (draw_below(r, 4) == 0)
        s->trouble.rates[FAULT_LOST] = 1 + draw_below(r, 32);
    if (draw_below(r, 4) == 0)
        s->trouble.rates[FAULT_KILL] = 1 + draw_below(r, 8);
    if (draw_below(r, 4) == 0)
        s->trouble.rates[FAULT_IO] = 1 + draw_below(r, 8);
    if (draw_below(r, 3) == 0)
        s->trouble.rates[FAULT_TORN] = 512;
}

static void draw_errors(struct schedule *s, uint64_t *r)
{
    add_run(s, r, "run", 0);
    if (draw_below(r, 2) == 0)
        add_run(s, r, "second", draw_below(r, 2));
    for (unsigned kind = 0; kind < FAULT_KINDS; kind++)
        if (draw_below(r, 4) == 0)
            s->trouble.rates[kind] = 1 + draw_below(r, 12);
}

/* Every disk keeps only synced data. */
static void draw_power(struct schedule *s, uint64_t *r)
{
    s->job.is_fast = draw_below(r, 2) == 0;
    s->job.has_level = s->job.is_fast && draw_below(r, 2) == 0;
    add_run(s, r, "run", 0);
    if (draw_below(r, 3) == 0)
        add_run(s, r, "second", draw_below(r, 2));
    for (unsigned i = 0; i < MOST_DISKS; i++)
        s->traits[i] |= DISK_IS_VOLATILE;
    s->cuts = 16 + draw_below(r, 64);
    if (s->job.has_level && draw_below(r, 2) == 0)
        s->losses = 32;
    if (draw_below(r, 4) == 0)
        s->trouble.rates[FAULT_WRITE] = 1 + draw_below(r, 8);
    if (draw_below(r, 4) == 0)
        s->trouble.rates[FAULT_KILL] = 1 + draw_below(r, 4);
}

/* Incremental saves: a deletion must not remove data files that are still in
 * use. */
static void draw_layers(struct schedule *s, uint64_t *r)
{
    s->job.is_incremental = true;
    switch (draw_below(r, 4)) {
    case 0:
        draw_levels(s, r);
        s->job.level_incremental = draw_below(r, 2) == 0;
        break;
    case 1:
        draw_power(s, r);
        break;
    case 2:
        draw_pins(s, r);
        break;
    default:
        draw_kills(s, r);
        add_pruner(s, r, draw_below(r, 2));
    }
}

static void draw_any(struct schedule *s, uint64_t *r)
{
    draw_errors(s, r);
    if (draw_below(r, 2) == 0)
        add_reader(s, r, draw_below(r, 3));
    if (draw_below(r, 3) == 0)
        add_pinner(s, r, draw_below(r, 3));
}

/* A kind of weight 0 is drawn only if it is requested: it violates conditions
 * that the library depends on (README.md). */
static const struct {
    const char *name;
    void (*draw)(struct schedule *schedule, uint64_t *state);
    unsigned weight;
} kinds[] = {
    { "alone", draw_alone, 1 },
    { "jobs", draw_jobs, 4 },
    { "torn", draw_torn, 2 },
    { "kills", draw_kills, 4 },
    { "readers", draw_readers, 3 },
    { "pins", draw_pins, 2 },
    { "forks", draw_forks, 1 },
    { "saves", draw_saves, 2 },
    { "savers", draw_savers, 1 },
    { "layers", draw_layers, 3 },
    { "levels", draw_levels, 3 },
    { "lockless", draw_lockless, 2 },
    { "local-locks", draw_local_locks, 0 },
    { "nfs", draw_nfs, 4 },
    { "stores", draw_stores, 2 },
    { "terms", draw_terms, 0 },
    { "clocks", draw_clock_kind, 0 },
    { "errors", draw_errors, 3 },
    { "power", draw_power, 3 },
    { "any", draw_any, 3 },
    { "nodes", draw_nodes, 1 },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *schedule_kind(unsigned i)
{
    return i < KINDS ? kinds[i].name : NULL;
}

/* --- Drawing ------------------------------------------------------------ */

static void draw_job(struct job_plan *job, uint64_t *r)
{
    *job = (struct job_plan){ .keep_last = 1 + draw_below(r, 3) };
    if (draw_below(r, 8) == 0)
        job->keep_last = 0;
    if (draw_below(r, 4) == 0)
        job->keep_best = 1;
    if (draw_below(r, 4) == 0)
        job->keep_every_steps = 2 + draw_below(r, 2);
    job->by_step = draw_below(r, 8) == 0;
    job->async = draw_below(r, 8) == 0;
}

static void draw_pace(struct pace *pace, uint64_t *r)
{
    static const unsigned switches[] = { 512, 128, 32, 8 };
    static const unsigned pauses[] = { 0, 4, 16, 32 };
    static const unsigned lengths[] = { 20, 100, 400, 1500 };
    *pace = (struct pace){ .switches = switches[draw_below(r, 4)],
        .pauses = pauses[draw_below(r, 4)],
        .longest_pause = lengths[draw_below(r, 4)],
        .leaps = draw_below(r, 4) ? 0 : 8 };
}

/* Uses a separate sequence of numbers for the clocks of each schedule. */
static void draw_clocks(struct schedule *s, uint64_t seed)
{
    uint64_t state = draw_mix(seed ^ UINT64_C(0x636c6f636b73));
    bool differ = draw_below(&state, 4) == 0;
    for (unsigned i = 0; i <= MOST_NODES && differ; i++)
        s->minutes[i] = (int)draw_below(&state, 61) - 30;
}

static unsigned find_kind(const char *name, uint64_t *r)
{
    unsigned sum = 0, i = 0;
    for (unsigned k = 0; k < KINDS; k++) {
        if (name && strcmp(kinds[k].name, name) == 0)
            return k;
        sum += kinds[k].weight;
    }
    if (name)
        return KINDS;
    unsigned place = draw_below(r, sum);
    while (place >= kinds[i].weight)
        place -= kinds[i++].weight;
    return i;
}

bool schedule_draw(struct schedule *s, uint64_t seed, const char *kind)
{
    uint64_t state = draw_mix(seed ^ UINT64_C(0x5851f42d4c957f2d));
    *s = (struct schedule){ .seed = seed, .nodes = 3 };
    unsigned i = find_kind(kind, &state);
    if (i == KINDS)
        return false;
    s->kind = kinds[i].name;
    draw_job(&s->job, &state);
    draw_pace(&s->pace, &state);
    kinds[i].draw(s, &state);
    if (!s->is_of_one_time)
        draw_clocks(s, seed);
    return true;
}

bool schedule_is_calm(const struct schedule *s, unsigned program)
{
    for (unsigned i = 0; i < FAULT_KINDS; i++)
        if (s->trouble.rates[i] && i != FAULT_TORN)
            return false;
    if (s->lateness.most || s->away || s->cuts || s->losses || s->stops)
        return false;
    for (unsigned i = 0; i < s->program_count; i++)
        if (i != program && s->programs[i].writes)
            return false;
    return s->programs[program].writes;
}

/* --- Printing ----------------------------------------------------------- */

static const char *const op_names[OP_KINDS] = {
    [OP_NONE] = "nothing",
    [OP_OPEN] = "open",
    [OP_SAVE] = "save",
    [OP_SAVE_PINNED] = "save-pinned",
    [OP_WAIT] = "wait",
    [OP_DRAIN] = "drain",
    [OP_PRUNE] = "prune",
    [OP_PIN] = "pin",
    [OP_UNPIN] = "unpin",
    [OP_CLOSE] = "close",
    [OP_FORK] = "fork",
    [OP_DIE] = "die",
    [OP_SLEEP] = "sleep",
    [OP_LATEST] = "latest",
    [OP_RESTORE] = "restore",
    [OP_READ] = "read",
    [OP_LEASE] = "lease",
    [OP_UNLEASE] = "unlease",
    [OP_WATCH] = "watch",
    [OP_SAVE_PREFIX] = "varve_save",
    [OP_SAVER] = "saver",
    [OP_BACK] = "back",
};

const char *op_name(enum op op)
{
    return op_names[op];
}

static void print_disks(const struct schedule *s, FILE *to)
{
    static const struct {
        unsigned trait;
        const char *name;
    } known[] = {
        { DISK_NO_LOCKS, "no locks" },
        { DISK_LOCAL_LOCKS, "locks of each node alone" },
        { DISK_NO_RENAME_NEW, "no rename that does not replace" },
        { DISK_NO_LINKS, "no hard links" },
        { DISK_IS_STORE, "a store" },
        { DISK_IS_VOLATILE, "loses what is not synced" },
    };
    for (unsigned i = 0; i < MOST_DISKS; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (s->traits[i] & known[k].trait)
                fprintf(to, "    disk %u: %s\n", i + 1, known[k].name);
}

static void print_faults(const struct schedule *s, FILE *to)
{
    for (unsigned i = 0; i < FAULT_KINDS; i++)
        if (s->trouble.rates[i])
            fprintf(to, "    fault %s: %u of 1024 calls\n",
                fault_name((enum fault_kind)i), s->trouble.rates[i]);
    if (s->lateness.most)
        fprintf(to,
            "    late by up to %u changes: %u lists and %u look-ups of 1024\n",
            s->lateness.most, s->lateness.lists, s->lateness.look_ups);
    if (s->away)
        fprintf(to, "    a disk goes away or comes back: %u of 1024\n",
            s->away);
    if (s->cuts)
        fprintf(to, "    power cuts: %u of 1024\n", s->cuts);
    if (s->losses)
        fprintf(to, "    a node is lost with its disk: %u of 1024\n",
            s->losses);
}

void schedule_print(const struct schedule *s, FILE *to)
{
    const struct job_plan *j = &s->job;
    fprintf(to, "  seed %" PRIu64 ", kind %s\n", s->seed, s->kind);
    fprintf(to, "    keep last %u, best %u, every %u steps%s%s%s%s%s%s%s%s\n",
        j->keep_last, j->keep_best, j->keep_every_steps,
        j->by_step ? ", numbered by step" : "", j->async ? ", async" : "",
        j->is_incremental ? ", layers" : "",
        j->level_incremental ? ", layers at the level" : "",
        j->has_level ? ", a level" : "", j->is_store ? ", a store" : "",
        j->is_fast ? ", on the node" : "", j->is_saver ? ", a saver" : "");
    if (j->has_level)
        fprintf(to, "    the level keeps %u\n", j->level_keep_last);
    print_disks(s, to);
    print_faults(s, to);
    if (s->stops)
        fprintf(to, "    a process stands still: %u of 1024\n", s->stops);
    if (s->turns)
        fprintf(to, "    a clock is set: %u of 1024\n", s->turns);
    if (s->spares)
        fprintf(to, "    a rank on the spare node: %u of 1024 lives\n",
            s->spares);
    fputs("    clocks in minutes:", to);
    for (unsigned i = 0; i <= MOST_NODES; i++)
        fprintf(to, " %+d", s->minutes[i]);
    fprintf(to, ", lock_seconds %u\n", s->job.lock_seconds);
    fprintf(to, "    switches %u, pauses %u of up to %u, leaps %u\n",
        s->pace.switches, s->pace.pauses, s->pace.longest_pause,
        s->pace.leaps);
    for (unsigned i = 0; i < s->program_count; i++) {
        const struct program_plan *p = &s->programs[i];
        if (p->ranks)
            fprintf(to, "    %s of %u ranks%s%s%s%s:", p->name, p->ranks,
                j->is_partner ? ", partners" : ", parity",
                j->group_size ? " in pairs" : "",
                j->no_duplicate ? ", no duplicate" : "",
                j->no_shift ? ", no shift" : "");
        else
            fprintf(to, "    %s on node %u:", p->name, p->node);
        for (unsigned k = 0; k < p->op_count; k++)
            if (p->ops[k])
                fprintf(to, " %s", op_name((enum op)p->ops[k]));
        fputc('\n', to);
    }
}
