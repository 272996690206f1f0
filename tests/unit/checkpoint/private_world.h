/* private_world.h - Creates ranks with rank-local values that differ between
 * ranks, and one process with the values of all ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_PRIVATE_WORLD_H
#define UNIT_PRIVATE_WORLD_H

#include "worlds.h"

#include <varve/rank_local.h>
#include <varve/slice.h>
#include <varve/collective.h>

#include "reader.h"
#include "support/thread_comm.h"

enum { WIDE = 5, LARGE = 1200000, STATES = 600, MOST_RANKS = 12 };

/* The objects of a rank. */
struct own {
    varve_graph *graph;
    varve_node *root;
    bool has_values;
    unsigned seed;
    unsigned state_count;
    struct text_state states[STATES];
};

static inline unsigned draw(struct own *w)
{
    w->seed = w->seed * 1103515245u + 12345u;
    return w->seed >> 16 & 0x7fff;
}

/* Fills a tensor with bytes that are determined by a number; 0: other bytes. */
static inline varve_status fill_bytes(const varve_tensor *tensor, void *user)
{
    unsigned char *bytes = tensor->data;
    uintptr_t number = (uintptr_t)user;
    if (bytes)
        memset(bytes, 0xee, (size_t)varve_tensor_size(tensor));
    for (uint64_t i = 0; number && i < varve_tensor_size(tensor); i += 61)
        bytes[i] = (unsigned char)(number * 31 + i * 7);
    return VARVE_OK;
}

static inline varve_node *add_bytes(
    struct own *w, varve_node *parent, const char *name, uint64_t size)
{
    uintptr_t number = w->has_values ? draw(w) + 1 : draw(w) * (uintptr_t)0;
    return varve_add_allocated_variable(parent, name, VARVE_UINT8,
        VARVE_SHAPE(size), fill_bytes, (void *)number);
}

static inline void add_text(
    struct own *w, varve_node *parent, const char *name)
{
    cr_assert_lt(w->state_count, STATES);
    struct text_state *state = &w->states[w->state_count++];
    unsigned number = draw(w);
    if (w->has_values)
        snprintf(state->text, sizeof state->text, "state %u", number);
    varve_add_state(parent, name, &text_callbacks, state);
}

/* Adds up to five nodes of any kind below a node. */
static inline void add_things(struct own *w, varve_node *parent, int depth)
{
    static const uint64_t sizes[] = { 0, 1, 60, 70000 };
    unsigned count = draw(w) % 6;
    varve_node *last = NULL;
    for (unsigned i = 0; i < count; i++) {
        char name[24];
        bool is_list = varve_node_kind(parent) == VARVE_LIST;
        snprintf(name, sizeof name, "%c%u", 'a' + (char)(draw(w) % 26), i);
        const char *as = is_list ? VARVE_APPEND : name;
        switch (draw(w) % 7) {
        case 0:
            if (depth < 3)
                add_things(w, varve_add_object(parent, as), depth + 1);
            break;
        case 1:
            if (depth < 3)
                add_things(w, varve_add_list(parent, as), depth + 1);
            break;
        case 2: add_text(w, parent, as); break;
        case 3:
            if (last)
                varve_track(parent, as, last);
            break;
        case 4:
            last = add_bytes(w, parent, as, 3);
            varve_tag(last, draw(w) % 2 ? VARVE_TAG_LOCAL : "mine");
            break;
        default: last = add_bytes(w, parent, as, sizes[draw(w) % 4]); break;
        }
    }
    if (last)
        varve_add_allocated_slot(parent, last, "moment", VARVE_UINT8,
            VARVE_SHAPE(7), fill_bytes,
            (void *)(uintptr_t)(w->has_values ? count : 0));
}

/* Adds the rank-local nodes below `worker` and `zz`. */
static inline void add_own(
    struct own *w, varve_node *mine, unsigned seed, uint32_t rank, int which)
{
    w->seed = seed * 977u + rank * 31u + (unsigned)which;
    add_things(w, mine, 0);
}

/* Adds the shared values: rows `first` to `first + count` of `size`. */
static inline void add_common(
    struct own *w, uint32_t first, uint32_t count, uint32_t size)
{
    varve_box box = { { first, 0 }, { count, WIDE } };
    w->seed = 5;
    varve_node *model = varve_add_object(w->root, "model");
    varve_node *deep = varve_add_object(model, "deep");
    add_bytes(w, w->root, "step", 8);
    varve_node *weights = add_bytes(w, model, "weights", LARGE);
    add_bytes(w, varve_add_object(deep, "er"), "x", 100);
    add_text(w, deep, "state");
    varve_add_allocated_slot(model, weights, "moment", VARVE_UINT8,
        VARVE_SHAPE(9), fill_bytes, (void *)(uintptr_t)w->has_values);
    varve_node *rows = varve_add_allocated_slice(w->root, "rows", VARVE_UINT8,
        VARVE_SHAPE(size, WIDE), &box, fill_bytes, NULL);
    unsigned char *bytes = varve_data(rows);
    for (uint32_t i = 0; i < count * WIDE; i++)
        bytes[i] = w->has_values ? (unsigned char)(first * WIDE + i + 1) : 0xee;
}

static inline struct own *new_own(const varve_comm *comm, unsigned seed,
    bool has_values, const varve_rank_local_options *options)
{
    struct own *w = calloc(1, sizeof *w);
    w->has_values = has_values;
    w->root = new_root();
    w->graph = varve_node_graph(w->root);
    add_common(w, comm->rank, 1, comm->size);
    varve_node *model = varve_find(w->root, "model");
    add_own(w, varve_add_rank_local(model, "worker", comm, options), seed,
        comm->rank, 0);
    add_own(w, varve_add_rank_local(w->root, "zz", comm, options), seed,
        comm->rank, 1);
    return w;
}

/* Creates one process with the values of all ranks. */
static inline struct own *new_plain(uint32_t size, unsigned seed)
{
    struct own *w = calloc(1, sizeof *w);
    w->has_values = true;
    w->root = new_root();
    w->graph = varve_node_graph(w->root);
    add_common(w, 0, size, size);
    varve_node *parents[] = { varve_find(w->root, "model"), w->root };
    for (int k = 0; k < 2; k++) {
        varve_node *all =
            varve_add_object(parents[k], k == 0 ? "worker" : "zz");
        varve_tag(all, VARVE_TAG_RANK_LOCAL);
        for (uint32_t i = 0; i < size; i++) {
            char name[24];
            snprintf(name, sizeof name, "%u", i);
            add_own(w, varve_add_object(all, name), seed, i, k);
        }
    }
    return w;
}

static inline void free_own(struct own *w)
{
    varve_graph_free(w->graph);
    free(w);
}

/* Collective calls and their results. */
struct own_run {
    unsigned seed;
    const char *path;
    varve_rank_local_options options;
    varve_write_options write;
    void (*spoil)(struct own *w, const varve_comm *comm); /* or NULL */
    varve_status statuses[MOST_RANKS];
    varve_error errors[MOST_RANKS];
};

static inline void save_own(const varve_comm *comm, void *user)
{
    struct own_run *run = user;
    struct own *w = new_own(comm, run->seed, true, &run->options);
    if (run->spoil)
        run->spoil(w, comm);
    run->statuses[comm->rank] = varve_write_all(
        comm, w->root, run->path, &run->write, &run->errors[comm->rank]);
    free_own(w);
}

static inline void check_own(
    const struct own_run *run, uint32_t size, varve_status wanted)
{
    for (uint32_t i = 0; i < size; i++) {
        cr_assert_eq(run->statuses[i], wanted, "rank %u: %s", i,
            run->errors[i].message);
        if (wanted)
            cr_assert_str_eq(run->errors[i].message, run->errors[0].message);
    }
}

static inline void save_ranks_as(
    uint32_t size, unsigned seed, varve_write_options write)
{
    struct own_run run = { .seed = seed, .path = FILE_NAME, .write = write };
    thread_comm_run(size, 2, -1, save_own, &run);
    check_own(&run, size, VARVE_OK);
}

static inline void save_ranks(uint32_t size, unsigned seed)
{
    save_ranks_as(size, seed, (varve_write_options){ 0 });
}

#endif
