/* targets.h - Writes a graph in another format to a file in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_TARGETS_H
#define TEST_TARGETS_H

#include "arrays.h"
#include "graph.h"
#include "read_back.h"
#include "support/faulty_system.h"

/* The reported losses: a line with the path and the loss for each. */
struct losses {
    char text[3 * 4096];
};

static inline void add_loss(void *user, const char *path, const char *what)
{
    struct losses *reported = user;
    size_t size = strlen(reported->text);
    snprintf(reported->text + size, sizeof reported->text - size, "%s: %s\n",
        path, what);
}

/* A state that saves one byte. */
static inline varve_status save_byte(void *self, varve_sink *sink)
{
    varve_put(sink, self, 1);
    return VARVE_OK;
}

static inline varve_status load_byte(
    void *self, const void *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return VARVE_OK;
}

/* Writes the graph that `build` creates to `path` in the world. `reported` may
 * be NULL. */
static inline varve_status write_graph(struct world *w, const char *path,
    varve_format format, void (*build)(varve_node *root),
    struct losses *reported, varve_error *error)
{
    varve_graph *graph = vv_graph_new_in(&w->context);
    if (!graph)
        return VARVE_NO_MEMORY;
    varve_write_options options = { .format = format,
        .foreign = { .loss = reported ? add_loss : NULL,
        .loss_user = reported } };
    build(varve_graph_root(graph));
    varve_status status =
        varve_write(varve_graph_root(graph), path, &options, error);
    varve_graph_free(graph);
    test_fail_allocation(-1, false);
    if (!status)
        read_back(&w->context, path);
    return status;
}

/* Fails each allocation and system call: the write must return an error, leak
 * nothing, and leave the older file unchanged. */
static inline void check_faults(
    const char *path, varve_format format, void (*build)(varve_node *root))
{
    varve_status status = VARVE_NO_MEMORY;
    struct world w = world_new();
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        long before = test_block_count();
        test_fail_allocation(n, false);
        status = write_graph(&w, path, format, build, NULL, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        cr_assert_eq(test_block_count(), before);
        cr_assert_eq(memory_file_count(w.memory), status ? 0 : 1);
        cr_assert(n < 1000);
    }
    struct faulty *faulty = faulty_new(memory_system(w.memory));
    w.context = test_context(faulty_system(faulty));
    for (long n = 0; n == 0 || faulty_hit(faulty); n++) {
        varve_error error = { 0 };
        faulty_plan(faulty, &(struct faulty_plan){ .kinds = FAULTY_WRITE,
            .number = n, .error = 28 });
        status = write_graph(&w, path, format, build, NULL, &error);
        cr_assert_eq(status, faulty_hit(faulty) ? VARVE_NO_SPACE : VARVE_OK);
        cr_assert_eq(memory_file_count(w.memory), 1);
    }
    faulty_free(faulty);
    world_free(&w);
}

#endif
