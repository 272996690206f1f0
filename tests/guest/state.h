/* state.h - a graph with one of everything that calls the program back, each of
 * which looks at the thread that it is called in.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GUEST_STATE_H
#define GUEST_STATE_H

#include "guest/guest.h"

enum { SMALL = 6 };

struct state {
    varve_graph *graph;
    varve_node *root;
    size_t count;
    float *weights;  /* as many as the guest says */
    double *columns; /* of 2 so many; the first is a variable */
    float *behind;   /* functions */
    float *growing;  /* resizable */
    int64_t step;
    int32_t fixed;
    float small[SMALL];
    varve_string words[2];
    unsigned char bytes[16]; /* a state */
    varve_random stream;
};

/* Its functions are in it: an allocator, far memory, a state, room for what
 * grows, an initializer. Not a call that is looked at; those of graphs are
 * elsewhere. */
void state_open(struct state *state, struct guest *guest);
void state_close(struct state *state);

/* Other values, and whether they are those of a number. */
void state_fill(struct state *state, unsigned number);
bool state_is(const struct state *state, unsigned number);

const varve_allocator *state_allocator(void);
varve_status state_initialize(const varve_tensor *tensor, void *user);
int state_progress(void *user, uint64_t done, uint64_t total, const char *what);
int state_cancel(void *user, uint64_t done, uint64_t total, const char *what);

/* What it is saved and read with: callbacks of progress. */
varve_write_options state_writing(void);
varve_read_options state_reading(void);

#endif
