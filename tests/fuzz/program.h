/* program.h - the program into which hostile files are restored: a model with
 * one of everything, and more that has its children made on demand, late, or
 * under older names.
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
    int made; /* children on demand */
    float late[2][3];
    int64_t count;
};

/* In an empty graph. */
void program_build(struct program *program);

/* What a program makes after a read, from what waits for it. */
void program_build_late(struct program *program);

/* Changes of mind: edges removed, replaced, added again. */
void program_regret(struct program *program);

/* The values of all variables of a graph, by path, to be compared later. */
struct values;

struct values *values_new(varve_node *root);
void values_free(struct values *values);

/* Whether the variable at a path still has the value it had; true for a path
 * that was not there. */
bool values_are_kept(
    const struct values *values, const char *path, const varve_tensor *now);

size_t values_count(const struct values *values);
const char *values_path(const struct values *values, size_t i);

#endif
