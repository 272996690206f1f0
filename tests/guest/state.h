/* state.h - Declares a graph with one of each kind of callback, which checks
 * the thread it is called on.
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
    float *weights;  /* guest->count elements */
    double *columns; /* two columns of count; the first is a variable */
    float *behind;   /* accessed by functions */
    float *growing;  /* resizable */
    int64_t step;
    int32_t fixed;
    float small[SMALL];
    varve_string words[2];
    unsigned char bytes[16]; /* bytes of a serializer */
    varve_random stream;
};

/* Builds the graph with an allocator, a variable with access functions, a
 * serializer, a resize function and an initializer. The calls are not checked;
 * visit_graphs does that. */
void state_open(struct state *state, struct guest *guest);
void state_close(struct state *state);

/* Fills the variables with the values of a number, or compares them. */
void state_fill(struct state *state, unsigned number);
bool state_is(const struct state *state, unsigned number);

const varve_allocator *state_allocator(void);
varve_status state_initialize(const varve_tensor *tensor, void *user);
int state_progress(void *user, uint64_t done, uint64_t total, const char *what);
int state_cancel(void *user, uint64_t done, uint64_t total, const char *what);

/* Returns write options with a progress callback. */
varve_write_options state_writing(void);
varve_read_options state_reading(void);

#endif
