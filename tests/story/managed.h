/* managed.h - what the stories about managers share: a program of one value
 * with a manager over a directory.
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

/* Nothing of a story is to survive a power cut. */
extern const varve_write_options fast;

/* A new process: its manager works in "run", or another directory, of the
 * test's. */
void start(struct program *p, varve_manager_options options);
void start_in(struct program *p, const char *directory,
    varve_manager_options options);
void stop(struct program *p);

/* Saves the step as the value, without a warning; whether it was due. */
bool save(struct program *p, int64_t step);
bool save_with(struct program *p, int64_t step,
    const varve_manager_save_options *options);
void resume(struct program *p);

/* Asserts which numbers there are, oldest first: "1 3 4". */
void must_have(struct program *p, const char *wanted);

/* The checkpoint of a number, which must be there. */
varve_checkpoint_info find(const struct program *p, uint64_t number);

/* Turns one byte of a file's value. */
void damage(const char *name);

#endif
