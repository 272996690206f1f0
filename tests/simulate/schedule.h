/* schedule.h - Declares a schedule: which programs run where, on what disks,
 * and with which faults.
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

/* The operations of a program, in order. */
enum op {
    OP_NONE,
    OP_OPEN, /* creates the manager and resumes */
    OP_SAVE, /* opens first if no manager is open */
    OP_SAVE_PINNED,
    OP_WAIT,
    OP_DRAIN,
    OP_PRUNE,
    OP_PIN, /* the oldest that is not pinned */
    OP_UNPIN,
    OP_CLOSE,
    OP_FORK, /* a child that inherits descriptors and outlives its parent */
    OP_DIE,  /* kill -9; a new process continues */
    OP_SLEEP,
    OP_LATEST,
    OP_RESTORE,
    OP_READ,
    OP_LEASE,
    OP_UNLEASE,
    OP_WATCH,
    OP_SAVE_PREFIX, /* varve_save */
    OP_SAVER,       /* varve_saver_save */
    OP_BACK,        /* goes back by some steps */
    OP_KINDS
};

struct program_plan {
    const char *name;
    unsigned node;
    /* number of processes, on nodes from 0 on; 0: a single one */
    unsigned ranks;
    bool writes; /* saves, prunes or pins, which may disturb others */
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
    bool is_store; /* its directory, or its tier if it has one, is in a store */
    unsigned level_keep_last;
    bool level_incremental;
    unsigned lock_seconds;
    bool is_partner;             /* for ranks: copies instead of parity */
    unsigned group_size;         /* number of nodes; 0: all */
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
    unsigned nodes;      /* number of nodes that can lose power or be lost */
    bool is_of_one_time; /* all clocks are synchronized */
    /* Per 1024 lives of ranks: one rank runs on the spare node. */
    unsigned spares;
    /* Per 1024 checks of the disturbing task: */
    unsigned away;   /* the shared disk goes away or comes back */
    unsigned cuts;   /* the power of one or all nodes fails */
    unsigned losses; /* a node is lost with its disk */
    /* Per 1024 calls: a process is suspended with all its threads. */
    unsigned stops;
    /* Offsets of the clocks of the nodes, and of the file server. */
    int minutes[MOST_NODES + 1];
    unsigned turns; /* per 1024 checks: a clock is set */
};

/* Draws a schedule of a kind, or of any kind for NULL. Returns false if the
 * kind does not exist. */
bool schedule_draw(struct schedule *schedule, uint64_t seed, const char *kind);

/* Returns the name of a kind, or NULL past the end. */
const char *schedule_kind(unsigned i);

/* Returns true if nothing disturbs a program, so that its errors are
 * findings. */
bool schedule_is_calm(const struct schedule *schedule, unsigned program);

void schedule_print(const struct schedule *schedule, FILE *to);

const char *op_name(enum op op);

#endif
