/* schedule.h - what a seed stands for: which programs run where, on what disks,
 * and what goes wrong.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_SCHEDULE_H
#define SIMULATE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "simulate/calls.h"
#include "simulate/place.h"
#include "simulate/task.h"

enum { MOST_PROGRAMS = 4, MOST_OPS = 10 };

/* What a program does, one after the other. */
enum op {
    OP_NONE,
    OP_OPEN, /* makes the manager and resumes */
    OP_SAVE, /* opens first where nothing is open */
    OP_SAVE_PINNED,
    OP_WAIT,
    OP_DRAIN,
    OP_PRUNE,
    OP_PIN, /* the oldest that is not pinned */
    OP_UNPIN,
    OP_CLOSE,
    OP_FORK, /* a child that inherits descriptors and lives on */
    OP_DIE,  /* kill -9, and a new process goes on */
    OP_SLEEP,
    OP_LATEST,
    OP_RESTORE,
    OP_READ,
    OP_LEASE,
    OP_UNLEASE,
    OP_WATCH,
    OP_SAVE_PREFIX, /* varve_save */
    OP_SAVER,       /* varve_saver_save */
    OP_BACK,        /* the program goes back by some steps */
    OP_KINDS
};

struct program_plan {
    const char *name;
    unsigned node;
    unsigned ranks; /* of so many processes, on nodes from 0 on; 0: of one */
    bool writes; /* saves, prunes or pins: others may disturb it */
    unsigned op_count;
    uint8_t ops[MOST_OPS];
};

/* The options of all managers of the schedule. */
struct job_plan {
    unsigned keep_last, keep_best, keep_every_steps;
    bool by_step, async, has_level;
    bool is_incremental; /* saves are incremental */
    bool is_fast;  /* its directory is on the disk of the node */
    bool is_saver; /* files are those of a saver */
    bool is_store; /* its directory, or its level where it has one, is in a
                      store */
    unsigned level_keep_last;
    bool level_incremental;
    unsigned lock_seconds;
    bool is_partner;     /* of ranks: copies instead of parity */
    unsigned group_size; /* of nodes; 0: all */
    bool no_duplicate, no_shift; /* of the communicator */
};

struct schedule {
    uint64_t seed;
    const char *kind;
    struct program_plan programs[MOST_PROGRAMS];
    unsigned program_count;
    struct job_plan job;
    struct trouble trouble;
    struct lateness lateness;
    unsigned traits[MOST_DISKS];
    struct pace pace;
    unsigned nodes; /* whose power may be cut, or which may be lost */
    bool is_of_one_time; /* all clocks go alike */
    /* In 1024 lives of ranks, one of them is on the node after theirs: */
    unsigned spares;
    /* In 1024 looks of who disturbs from outside: */
    unsigned away;   /* the disk of all nodes goes or comes back */
    unsigned cuts;   /* the power of a node is cut, or of all */
    unsigned losses; /* a node ends with its disk */
    /* In 1024 calls, a process stands still with all its threads: */
    unsigned stops;
    /* By which the clock of a node is ahead, and that of the server of the
     * disks that all nodes have. */
    int minutes[MOST_NODES + 1];
    unsigned turns; /* in 1024 looks, a clock is set anew */
};

/* Draws a schedule: of a kind, or of any where that is NULL. False where there
 * is no such kind. */
bool schedule_draw(struct schedule *schedule, uint64_t seed, const char *kind);

/* The names of the kinds; NULL past the end. */
const char *schedule_kind(unsigned i);

/* Whether nothing disturbs a program: what fails then is a finding. */
bool schedule_is_calm(const struct schedule *schedule, unsigned program);

void schedule_print(const struct schedule *schedule, FILE *to);

const char *op_name(enum op op);

#endif
