/* worlds.h - Provides what the tests of checkpoints share: a file system in
 * memory, and graphs that are written to it and read from it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_WORLDS_H
#define UNIT_WORLDS_H

#include "support/memory_system.h"
#include "support/test_context.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "graph.h"
#include "reader.h"
#include "restoration.h"

#ifndef FILE_NAME /* tests of other formats define another name */
#define FILE_NAME "a.varve"
#endif

static struct {
    struct memory *memory;
    struct vv_context context;
} world;

static inline void begin_world(void)
{
    world.memory = memory_new();
    world.context = test_context(memory_system(world.memory));
}

static inline void end_world(void)
{
    cr_assert_eq(memory_open_count(world.memory), 0);
    memory_free(world.memory);
}

/* Checks that `run` aborts with an assertion, in a child process. */
static inline void check_aborts(
    void (*run)(varve_restoration *r), varve_restoration *r)
{
    int status = 0;
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        fclose(stderr); /* suppresses the message of the assertion */
        run(r);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* Returns the root of a new graph. */
static inline varve_node *new_root(void)
{
    return varve_graph_root(vv_graph_new_in(&world.context));
}

static inline void free_root(varve_node *root)
{
    varve_graph_free(varve_node_graph(root));
}

static inline void good(varve_node *root)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_graph_check(varve_node_graph(root), &error), error);
}

static inline void write_root(varve_node *root)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_write(root, FILE_NAME, NULL, &error), error);
}

static inline varve_restoration *read_root(
    varve_node *root, const varve_read_options *options)
{
    varve_error error = { 0 };
    varve_restoration *r = varve_read(root, FILE_NAME, options, &error);
    cr_assert(r, "%s", error.message);
    return r;
}

/* Reads a file although no node of the program may match. */
static inline varve_restoration *read_strange(varve_node *root)
{
    return read_root(root, &(varve_read_options){ .expect.missing = "**" });
}

/* Reads a file, which must fail. */
static inline varve_error fail_read(
    varve_node *root, const varve_read_options *options, varve_status wanted)
{
    varve_error error = { 0 };
    varve_restoration *r = varve_read(root, FILE_NAME, options, &error);
    cr_assert_null(r);
    cr_assert_eq(error.status, wanted, "%s: %s",
        varve_status_name(error.status), error.message);
    return error;
}

/* A state of up to 60 bytes. */
struct text_state {
    char text[64];
    varve_status save_status;
    /* result of the load at which `fails_at` reaches 0 */
    varve_status load_status;
    int fails_at;
    int loads;
    int saves;
};

static inline varve_status save_text(void *self, varve_sink *sink)
{
    struct text_state *state = self;
    state->saves++;
    varve_put(sink, state->text, strlen(state->text));
    return state->save_status;
}

static inline varve_status load_text(
    void *self, const void *bytes, size_t size)
{
    struct text_state *state = self;
    state->loads++;
    cr_assert_lt(size, sizeof state->text);
    if (state->loads == state->fails_at && state->load_status)
        return state->load_status;
    if (size)
        memcpy(state->text, bytes, size);
    state->text[size] = '\0';
    return VARVE_OK;
}

static const varve_state_callbacks text_callbacks = { save_text, load_text };

/* Verifies the file and returns the status. */
static inline varve_status verify_file(varve_error *error)
{
    varve_reader *reader = vv_reader_open_in(&world.context, FILE_NAME, error);
    varve_status status =
        reader ? varve_reader_verify(reader, NULL, error) : error->status;
    varve_reader_free(reader);
    return status;
}

/* Opens a reader and verifies all values. */
static inline varve_reader *open_world(const char *path)
{
    varve_error error = { 0 };
    varve_reader *reader = vv_reader_open_in(&world.context, path, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    return reader;
}

#endif
