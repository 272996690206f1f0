/* held.h - Declares a program with one of each object that other objects may
 * reference.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef HELD_H
#define HELD_H

#include "story.h"

enum { COUNT = 200 };

extern struct held_program {
    varve_graph *graph;
    varve_node *root, *model, *w;
    varve_node *a; /* NULL after it is removed */
    float memory[2][COUNT]; /* w uses one of the two */
    float other[COUNT];
    varve_string texts[2];
    char state[8];
    varve_error error;
} program;

extern const varve_write_options quickly;

void make_program(void);

#endif
