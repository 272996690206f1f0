/* run.h - a training run on a machine in memory: a program of one value, its
 * manager, and what must hold of the directory whatever happened to it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MANAGE_RUN_H
#define MANAGE_RUN_H

#include <varve/manager.h>

#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/test_context.h"

struct run {
    struct vv_context context;
    varve_graph *graph;
    varve_node *root;
    varve_manager *manager;
    int v;
};

/* A program over a system, and a manager of "run"; NULL as manager where that
 * fails. The program of the second has no manager yet. */
void run_begin(struct run *run, const struct vv_system *system,
    const varve_manager_options *options);
void run_begin_bare(struct run *run, const struct vv_system *system);
void run_end(struct run *run);

/* Saves the step as the value; resumes. */
varve_status run_save(struct run *run, int64_t step, varve_error *error);
void run_must_save(struct run *run, int64_t step);
void run_must_resume(struct run *run);

/* The numbers there are, oldest first: "1 3 4"; static storage. */
const char *run_numbers(const struct run *run);

/* A disk with the checkpoints 1 (pinned), 2 and 3 of the steps 10, 20 and 30,
 * kept by these options; and a copy of it. */
extern const varve_manager_options run_options;
struct memory *run_history(const varve_manager_options *options);
struct memory *run_copy(struct memory *disk);

/* What a new process finds on a disk: it resumes, saves, and then there is
 * nothing but checkpoints, their pins, ledger and lock. The only warning may be
 * of a ledger that is not known as one any more, and left alone. The step it
 * resumed from; 0: none. `where` is for messages. */
int run_survives(struct memory *disk, const varve_manager_options *options,
    const char *where);

#endif
