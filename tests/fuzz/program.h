/* program.h - Declares the program into which hostile files are restored: a
 * model with one node of every kind, and nodes whose children are created on
 * demand, after the read, or under older names.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H

#include "fuzz/bounded.h"
#include "model/everything.h"

struct program {
    struct everything model;
    varve_graph *graph;
    struct bounded *bounded;
    int made; /* number of children created on demand */
    float late[2][3];
    int64_t count;
};

/* The maximum number of children created on demand: 64, unless a test of large
 * files changes it. */
extern int program_most_made;

/* Builds the program in an empty graph. */
void program_build(struct program *program);

/* Adds nodes after a read, for pending values. */
void program_build_late(struct program *program);

/* Removes, replaces and re-adds edges. */
void program_regret(struct program *program);

/* The values of all variables of a graph, by path, for a later comparison. */
struct values;

struct values *values_new(varve_node *root);
void values_free(struct values *values);

/* Returns true if the variable at a path still has its recorded value, or if no
 * value was recorded for the path. */
bool values_are_kept(
    const struct values *values, const char *path, const varve_tensor *now);

size_t values_count(const struct values *values);
const char *values_path(const struct values *values, size_t i);

#endif
