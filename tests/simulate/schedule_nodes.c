/* schedule_nodes.c - Draws schedules of ranks with a directory each, on nodes
 * that fail.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/schedule_nodes.h"

#include "simulate/draw.h"

static void then(struct program_plan *p, enum op op)
{
    if (p->op_count < MOST_OPS)
        p->ops[p->op_count++] = (uint8_t)op;
}

/* Adds a program that resumes and saves; the next life continues after the end
 * of one. */
static void add_ranks(
    struct schedule *s, uint64_t *r, const char *name, unsigned ranks)
{
    struct program_plan *p = &s->programs[s->program_count++];
    *p = (struct program_plan){ .name = name, .writes = true, .ranks = ranks };
    then(p, OP_OPEN);
    for (unsigned i = 2 + draw_below(r, 4); i > 0; i--) {
        unsigned what = draw_below(r, 12);
        if (what == 0)
            then(p, OP_WAIT);
        then(p, OP_SAVE);
        if (s->job.has_level && draw_below(r, 2) == 0)
            then(p, OP_DRAIN);
        if (what == 1)
            then(p, OP_PRUNE);
        if (what == 2)
            then(p, OP_CLOSE);
        if (what == 3)
            then(p, OP_SLEEP);
        if (what >= 9)
            then(p, OP_DIE);
    }
}

static void draw_faults(struct schedule *s, uint64_t *r)
{
    static const enum fault_kind some[] = { FAULT_INTERRUPTED, FAULT_IO,
        FAULT_WRITE, FAULT_SPACE, FAULT_LOST, FAULT_NO_THREAD };
    for (unsigned i = 0; i < sizeof some / sizeof *some; i++)
        if (draw_below(r, 4) == 0)
            s->trouble.rates[some[i]] = 1 + draw_below(r, 3);
}

static void draw_set_job(struct job_plan *job, uint64_t *r, unsigned ranks)
{
    job->by_step = job->async = false;
    job->is_fast = true;
    job->is_partner = draw_below(r, 2) == 0;
    job->group_size = ranks == 4 && draw_below(r, 2) ? 2 : 0;
    job->no_duplicate = draw_below(r, 4) == 0;
    job->no_shift = draw_below(r, 4) == 0;
    job->has_level = draw_below(r, 4) == 0;
    job->level_keep_last = draw_below(r, 3);
}

void draw_nodes(struct schedule *s, uint64_t *r)
{
    unsigned ranks = 2 + draw_below(r, 3);
    draw_set_job(&s->job, r, ranks);
    add_ranks(s, r, "ranks", ranks);
    if (draw_below(r, 8) == 0)
        add_ranks(s, r, "again", ranks);
    for (unsigned i = 0; i < MOST_DISKS; i++)
        s->traits[i] |= DISK_IS_VOLATILE;
    s->nodes = ranks + 1;
    if (draw_below(r, 2) == 0)
        s->spares = 256;
    if (draw_below(r, 2) == 0)
        s->cuts = 8 + draw_below(r, 32);
    if (draw_below(r, 3) == 0)
        s->losses = 4 + draw_below(r, 16);
    if (draw_below(r, 2) == 0)
        s->trouble.rates[FAULT_KILL] = 1 + draw_below(r, 3);
    if (draw_below(r, 4) == 0)
        draw_faults(s, r);
    s->is_of_one_time = true; /* for equal numbers the later run is used */
}
