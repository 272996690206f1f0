/* managed.h - Declares helpers for the stories about managers: a program of one
 * variable with a manager of a directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STORY_MANAGED_H
#define STORY_MANAGED_H

#include "story.h"

struct program {
    varve_graph *graph;
    varve_node *root;
    varve_manager *manager;
    float v;
};

/* Without syncs: no story simulates a power failure. */
extern const varve_write_options fast;

/* Starts a new process, whose manager uses "run" or another directory of the
 * test. */
void start(struct program *p, varve_manager_options options);
void start_in(struct program *p, const char *directory,
    varve_manager_options options);
void stop(struct program *p);

/* Saves the step as the value, and asserts that there is no warning. Returns
 * true if the save was due. */
bool save(struct program *p, int64_t step);
bool save_with(struct program *p, int64_t step,
    const varve_manager_save_options *options);
void resume(struct program *p);

/* Asserts which numbers exist, oldest first: "1 3 4". */
void must_have(struct program *p, const char *wanted);

/* Returns the checkpoint with a number, which must exist. */
varve_checkpoint_info find(const struct program *p, uint64_t number);

/* Changes one byte of a file's value. */
void damage(const char *name);

#endif
