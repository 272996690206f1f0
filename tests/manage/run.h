/* run.h - Declares a training run on a simulated machine: a program of one
 * variable, its manager, and the checks of its directory.
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

/* Creates a program on a system, and a manager of "run", which is NULL if that
 * fails. The second function creates the program without a manager. */
void run_begin(struct run *run, const struct vv_system *system,
    const varve_manager_options *options);
void run_begin_bare(struct run *run, const struct vv_system *system);
void run_end(struct run *run);

/* Saves the step as the value; resumes. */
varve_status run_save(struct run *run, int64_t step, varve_error *error);
void run_must_save(struct run *run, int64_t step);
void run_must_resume(struct run *run);

/* Returns the existing numbers, oldest first, such as "1 3 4", in static
 * storage. */
const char *run_numbers(const struct run *run);

/* Creates a disk with the checkpoints 1 (pinned), 2 and 3 of the steps 10, 20
 * and 30, kept by these options; copies it. */
extern const varve_manager_options run_options;
struct memory *run_history(const varve_manager_options *options);
struct memory *run_copy(struct memory *disk);

/* Resumes on a disk with a new process and saves. Then only checkpoints, their
 * pins, ledger and lock may exist. The only permitted warning is about a file
 * that is not recognized as a ledger and is kept. Returns the step it resumed
 * from; 0 for none. `where` is for messages. */
int run_survives(struct memory *disk, const varve_manager_options *options,
    const char *where);

#endif
