/* run.c - Runs the programs with external disturbances, and then the final
 * check.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/run.h"

#include <string.h>

#include "simulate/arena.h"
#include "simulate/communicator.h"
#include "simulate/fault.h"
#include "simulate/oracle.h"
#include "simulate/place.h"
#include "simulate/process.h"
#include "simulate/program.h"
#include "simulate/ranks.h"
#include "simulate/stores.h"
#include "simulate/task.h"

static const int64_t a_pause = 200000000;

static size_t keep_of_cut(void *user, const struct inode *inode, size_t most)
{
    uint32_t *call = user;
    (void)inode;
    return choose(CHOOSE_CUT, task_current()->number, ++*call, 1024,
               (unsigned)most + 1) -
        1;
}

/* Cuts the power of a node, or of all for MOST_NODES. */
static void cut_power(unsigned node)
{
    uint32_t call = task_current()->calls << 8;
    trace("THE POWER of %s is cut", node == MOST_NODES ? "all" : "a node");
    processes_kill_node(node);
    for (unsigned i = 0; i < MOST_DISKS; i++)
        if (node == MOST_NODES || i == DISK_OF_NODE + node)
            disk_cut_power(place_disk(i), keep_of_cut, &call);
}

static void lose_node(unsigned node)
{
    struct disk *disk = place_disk(DISK_OF_NODE + node);
    trace("NODE %u is lost with its disk", node);
    processes_kill_node(node);
    oracle_lose(disk);
    ranks_lose(disk);
    place_replace_disk(DISK_OF_NODE + node);
}

static void turn_disk(void)
{
    struct disk *disk = place_disk(DISK_SHARED);
    disk->is_away = !disk->is_away;
    trace("DISK %u %s", disk->number, disk->is_away ? "is away" : "is back");
}

/* Changes a clock by up to half an hour, forward or backward. The clock of a
 * server that decides when leases expire is not changed. */
static void turn_clock(unsigned node, int minutes)
{
    minutes -= 30;
    trace("THE CLOCK of node %u is set to %+d minutes", node, minutes);
    fault_set_clock(node, minutes);
}

/* Causes external events at random times. */
static void disturb(void *argument)
{
    const struct schedule *s = argument;
    const struct task *self = task_current();
    for (int i = 0; i < 200 && !programs_are_done(); i++) {
        task_wait(self, task_uptime() + a_pause / 50);
        task_point();
        if (choose(CHOOSE_AWAY, self->number, self->calls, s->away, 1))
            turn_disk();
        unsigned node = choose(CHOOSE_POWER, self->number, self->calls,
            s->cuts, s->nodes + 1);
        if (node)
            cut_power(node > s->nodes ? MOST_NODES : node - 1);
        node = choose(
            CHOOSE_LOSS, self->number, self->calls, s->losses, s->nodes);
        if (node)
            lose_node(node - 1);
        unsigned clock = choose(CHOOSE_CLOCK, self->number, self->calls,
            s->turns, 61 * s->nodes);
        if (clock)
            turn_clock((clock - 1) % s->nodes, (int)((clock - 1) / s->nodes));
    }
    if (place_disk(DISK_SHARED)->is_away)
        turn_disk();
}

static void begin(const struct schedule *s)
{
    finding_begin();
    tasks_begin(&s->pace);
    processes_begin(s->seed);
    communicators_begin();
    places_begin(s->traits, &s->lateness);
    stores_begin();
    calls_begin(s);
    oracle_begin(s->job.by_step);
    programs_begin(s);
    if (s->away || s->cuts || s->losses || s->turns)
        task_start(NULL, disturb, (void *)s);
}

void run_schedule(const struct schedule *s, struct outcome *outcome)
{
    begin(s);
    tasks_run();
    if (!has_finding()) {
        task_start(NULL, programs_look, NULL);
        tasks_run();
    }
    *outcome = (struct outcome){ .found = finding_kind(),
        .calls = calls_made,
        .points = tasks_points(),
        .good = programs_good,
        .failed = programs_failed,
        .saves = oracle_saves,
        .resumes = oracle_resumes };
    memcpy(outcome->faults, calls_faults, sizeof outcome->faults);
    tasks_end();
    arena_reset();
}
