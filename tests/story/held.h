/* held.h - a program with one of everything that may be held on to.
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
    varve_node *a; /* NULL once it is removed */
    float memory[2][COUNT]; /* of w: one of the two */
    float other[COUNT];
    varve_string texts[2];
    char state[8];
    varve_error error;
} program;

extern const varve_write_options quickly;

void make_program(void);

#endif
