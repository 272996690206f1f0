/* state.c - Builds a graph with callbacks of the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "guest/state.h"

#include <stdlib.h>
#include <string.h>

/* --- Callbacks ---------------------------------------------------------- */

static void *allocate(void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    guest_called_back("the allocator");
    if (new_size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, new_size);
}

const varve_allocator *state_allocator(void)
{
    static const varve_allocator allocator = { .function = allocate };
    return &allocator;
}

static varve_status copy_out(
    void *self, uint64_t offset, void *bytes, size_t size)
{
    guest_called_back("copy_out");
    memcpy(bytes, (unsigned char *)self + offset, size);
    return VARVE_OK;
}

static varve_status copy_in(
    void *self, uint64_t offset, const void *bytes, size_t size)
{
    guest_called_back("copy_in");
    memcpy((unsigned char *)self + offset, bytes, size);
    return VARVE_OK;
}

static varve_status save_bytes(void *self, varve_sink *sink)
{
    guest_called_back("save of a state");
    varve_put(sink, self, 16);
    return VARVE_OK;
}

static varve_status load_bytes(void *self, const void *bytes, size_t size)
{
    guest_called_back("load of a state");
    if (size != 16)
        return VARVE_MISMATCH;
    memcpy(self, bytes, size);
    return VARVE_OK;
}

static varve_status make_room(
    void *user, varve_node *node, const varve_tensor *coming, void **room)
{
    (void)user;
    (void)node;
    guest_called_back("make_room");
    *room = calloc((size_t)coming->shape[0] + 1, sizeof(float));
    return *room ? VARVE_OK : VARVE_NO_MEMORY;
}

static void settle(void *user, varve_node *node, void *room, bool is_taken)
{
    struct state *state = user;
    (void)node;
    guest_called_back("settle");
    if (is_taken) {
        free(state->growing);
        state->growing = room;
    } else {
        free(room);
    }
}

varve_status state_initialize(const varve_tensor *tensor, void *user)
{
    (void)user;
    guest_called_back("an initializer");
    memset(tensor->data, 1, sizeof(float));
    return VARVE_OK;
}

int state_progress(void *user, uint64_t done, uint64_t total, const char *what)
{
    (void)user;
    (void)done;
    (void)total;
    (void)what;
    guest_called_back("progress");
    return 0;
}

int state_cancel(void *user, uint64_t done, uint64_t total, const char *what)
{
    state_progress(user, done, total, what);
    return 1;
}

varve_write_options state_writing(void)
{
    return (varve_write_options){ .progress = state_progress };
}

varve_read_options state_reading(void)
{
    return (varve_read_options){ .progress = state_progress };
}

/* --- The graph ---------------------------------------------------------- */

static void *memory_allocate(size_t count, size_t size)
{
    void *room = calloc(count, size);
    if (!room)
        abort();
    return room;
}

static void add_all(struct state *s)
{
    static const varve_state_callbacks state = { save_bytes, load_bytes };
    static const varve_resizing resizing = { make_room, settle };
    const varve_memory far = {
        .copy_out = copy_out, .copy_in = copy_in, .self = s->behind
    };
    varve_node *model = varve_add_object(s->root, "model");
    varve_node *weights =
        varve_add_variable(model, "weights", varve_array(s->weights, s->count));
    varve_add_variable(model, "column",
        varve_strided(
            s->columns, VARVE_STRIDES(2 * sizeof *s->columns), s->count));
    varve_add_variable(
        model, "far", varve_far(&far, VARVE_FLOAT32, VARVE_SHAPE(s->count)));
    varve_add_slot(model, weights, "momentum", varve_array(s->small, SMALL));
    varve_add_allocated_variable(model, "made", VARVE_FLOAT32,
        VARVE_SHAPE(s->count), state_initialize, NULL);
    varve_add_resizable(
        s->root, "growing", varve_array(s->growing, SMALL), &resizing, s);
    varve_add_variable(s->root, "step", varve_scalar(&s->step));
    varve_add_fixed_variable(s->root, "fixed", varve_scalar(&s->fixed));
    varve_add_variable(s->root, "words", varve_array(s->words, 2));
    varve_add_state(s->root, "bytes", &state, s->bytes);
    varve_add_seeded_random(s->root, "stream", &s->stream);
}

void state_open(struct state *s, struct guest *guest)
{
    *s = (struct state){ .count = guest->count, .fixed = 7 };
    s->weights = memory_allocate(s->count, sizeof *s->weights);
    s->columns = memory_allocate(2 * s->count, sizeof *s->columns);
    s->behind = memory_allocate(s->count, sizeof *s->behind);
    s->growing = memory_allocate(SMALL, sizeof *s->growing);
    s->words[0] = (varve_string){ "one", 3 };
    s->words[1] = (varve_string){ "two", 3 };
    varve_random_seed(&s->stream, 5, "stream");
    s->graph = varve_graph_new(state_allocator());
    s->root = varve_graph_root(s->graph);
    add_all(s);
    state_fill(s, 1);
}

void state_close(struct state *s)
{
    varve_graph_free(s->graph);
    free(s->weights);
    free(s->columns);
    free(s->behind);
    free(s->growing);
}

/* --- Values: small ones of each are denormal ------------------------------ */

static uint32_t bits_of(unsigned number, size_t i)
{
    return (uint32_t)(i * 2654435761u + number * 40503u) >> (i % 7 ? 3 : 12);
}

void state_fill(struct state *s, unsigned number)
{
    for (size_t i = 0; i < s->count; i++) {
        uint32_t bits = bits_of(number, i);
        memcpy(&s->weights[i], &bits, sizeof bits);
        memcpy(&s->behind[i], &bits, sizeof bits);
        memcpy(&s->columns[2 * i], &(uint64_t){ bits }, sizeof(uint64_t));
    }
    memset(s->small, (int)number, sizeof s->small);
    memset(s->bytes, (int)number, sizeof s->bytes);
    s->step = number;
}

bool state_is(const struct state *s, unsigned number)
{
    for (size_t i = 0; i < s->count; i++) {
        uint32_t bits = bits_of(number, i);
        if (memcmp(&s->weights[i], &bits, sizeof bits) != 0 ||
            memcmp(&s->behind[i], &bits, sizeof bits) != 0 ||
            memcmp(&s->columns[2 * i], &(uint64_t){ bits }, sizeof(uint64_t)) !=
                0)
            return false;
    }
    return s->bytes[3] == number && s->step == number;
}
