/* life.h - Declares a life: one process of a program, its graph, and its open
 * objects.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_LIFE_H
#define SIMULATE_LIFE_H

#include <varve/manager.h>
#include <varve/saver.h>
#include <varve/watch.h>

#include "simulate/oracle.h"
#include "simulate/program.h"

enum { BALLAST = 1024 };

struct life {
    const struct schedule *schedule;
    const struct program_plan *plan;
    unsigned number; /* of the program */
    unsigned next_op;
    unsigned lives;
    bool is_done;
    bool is_calm; /* errors are findings */

    struct process *process;
    varve_graph *graph;
    int64_t values[VALUES];
    /* for incremental saves; changes at every third save */
    int64_t ballast[BALLAST];
    bool is_new; /* the last resume started from the beginning */

    varve_manager *manager;
    bool is_resumed;
    uint64_t flight; /* a pending asynchronous save; 0: none */
    uint64_t saved;  /* the last one that was reported, or resumed from */

    varve_lease *lease;
    size_t lease_number;
    varve_watch *watch;
    varve_saver *saver;
};

/* Paths without their node. */
const char *life_directory(const struct life *life);
const char *life_prefix(const struct life *life);
const char *life_level_directory(const struct life *life);
const char *life_level_prefix(const struct life *life);

/* Handles the end of a call. Returns true if it succeeded. */
bool life_ended(struct life *life, const char *call, varve_status status,
    const varve_error *error);

/* Returns the graph of this life; creates it on the first call. */
varve_node *life_root(struct life *life);

/* Operations with a manager. */
void life_open(struct life *life);
void life_save(struct life *life, bool pins);
void life_wait(struct life *life);
void life_drain(struct life *life);
void life_prune(struct life *life);
void life_pin(struct life *life);
void life_unpin(struct life *life);
void life_close(struct life *life);

/* Operations of a reader. */
void life_latest(struct life *life);
void life_restore(struct life *life);
void life_read(struct life *life);
void life_lease(struct life *life);
void life_unlease(struct life *life);
void life_watch(struct life *life);
void life_save_prefix(struct life *life);
void life_saver(struct life *life);

#endif
