/* test_background_threads.c - Tests asynchronous saves of a program that
 * overwrites its values as soon as each call has returned, on a disk that is
 * randomly slow and fails at random.
 *
 * Every checkpoint must contain the complete state at the time of its call.
 * Also runs under ThreadSanitizer.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <varve/varve.h>

#include "default_allocator.h"
#include "graph.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "system.h"

enum {
    VARIABLES = 4,
    LARGEST = 20000, /* elements; small values and values of several chunks */
    NAMES = 3,       /* files, which are replaced repeatedly */
    FLYING = 4,      /* jobs whose handles are kept */
    ROUND = 50       /* saves of one graph */
};

static const size_t counts[VARIABLES] = { 1, 200, 3000, LARGEST };
static const char *const names[NAMES] = { "a", "b", "c" };

/* A program in which every value has the same number. */
struct program {
    uint32_t values[VARIABLES][LARGEST];
    char text[12];
    varve_string string;
    uint32_t state;
    varve_graph *graph;
};

struct flight {
    varve_job *job;
    uint32_t value;
    size_t name;
};

static struct {
    uint64_t random;
    struct memory *memory;
    const struct vv_system *under;
    struct vv_system system; /* the same system, slow and failing */
    atomic_int fails_in;     /* calls until the failure; below 0: none */
    atomic_int fails_with;
    struct vv_context context;
    struct program program, reader;
    struct flight flights[FLYING];
    uint32_t present[NAMES]; /* content of each file; 0: does not exist */
    uint32_t numbered;       /* content of the last numbered file */
    uint64_t failed, cancelled;
} world;

static uint64_t random_below(uint64_t limit)
{
    return proof_next(&world.random) % limit;
}

static void demand(bool is_so, const char *what, const char *more)
{
    if (is_so)
        return;
    printf("background: FAILED: %s: %s (seed %llu)\n", what, more,
        (unsigned long long)proof_seed());
    exit(1);
}

/* --- A slow disk that fails ----------------------------------------------- */

/* Waits at random. Uses its own random numbers, because it is called on any
 * thread. */
static int dawdle(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_nsec / 64 % 4 == 0) {
        now = (struct timespec){ .tv_nsec = now.tv_nsec % 100000 };
        nanosleep(&now, NULL);
    }
    return atomic_fetch_sub(&world.fails_in, 1) == 0
               ? -atomic_load(&world.fails_with)
               : 0;
}

static int64_t write_at(
    void *state, int file, const void *bytes, size_t size, uint64_t offset)
{
    int failed = dawdle();
    return failed ? failed
                  : world.under->write_at(state, file, bytes, size, offset);
}

static int sync_it(void *state, int descriptor)
{
    int failed = dawdle();
    return failed ? failed : world.under->sync(state, descriptor);
}

static int rename_new(
    void *state, int directory, const char *from, const char *to)
{
    int failed = dawdle();
    return failed ? failed
                  : world.under->rename_new(state, directory, from, to);
}

static int rename_it(
    void *state, int directory, const char *from, const char *to)
{
    int failed = dawdle();
    return failed ? failed : world.under->rename(state, directory, from, to);
}

static int create_file(void *state, int directory, const char *name)
{
    int failed = dawdle();
    return failed ? failed : world.under->create_file(state, directory, name);
}

static int start_thread(void *state, void *(*function)(void *),
    void *argument, uintptr_t *handle)
{
    int failed = dawdle();
    return failed ? -EAGAIN
                  : world.under->start_thread(
                        state, function, argument, handle);
}

static void make_system(void)
{
    world.memory = memory_new();
    world.under = memory_system(world.memory);
    world.system = *world.under;
    world.system.write_at = write_at;
    world.system.sync = sync_it;
    world.system.rename = rename_it;
    world.system.rename_new = rename_new;
    world.system.create_file = create_file;
    world.system.start_thread = start_thread;
    world.context = (struct vv_context){
        .allocator = vv_allocator_or_default(NULL), .system = &world.system
    };
    atomic_store(&world.fails_in, -1);
}

/* --- Programs ------------------------------------------------------------- */

static varve_status save_state(void *self, varve_sink *sink)
{
    varve_put(sink, self, sizeof(uint32_t));
    return VARVE_OK;
}

static varve_status load_state(void *self, const void *bytes, size_t size)
{
    if (size == sizeof(uint32_t))
        memcpy(self, bytes, size);
    return size == sizeof(uint32_t) ? VARVE_OK : VARVE_CORRUPT;
}

static void set_all(struct program *p, uint32_t value)
{
    for (int i = 0; i < VARIABLES; i++)
        for (size_t k = 0; k < counts[i]; k++)
            p->values[i][k] = value;
    snprintf(p->text, sizeof p->text, "%010u", value);
    p->string = (varve_string){ p->text, 10 };
    p->state = value;
}

static void build(struct program *p)
{
    static const varve_state_callbacks callbacks = { save_state, load_state };
    p->graph = vv_graph_new_in(&world.context);
    varve_node *root = varve_graph_root(p->graph);
    for (int i = 0; i < VARIABLES; i++) {
        char name[8];
        snprintf(name, sizeof name, "v%d", i);
        varve_add_variable(root, name, varve_array(p->values[i], counts[i]));
    }
    varve_add_variable(root, "text", varve_array(&p->string, 1));
    varve_add_state(root, "state", &callbacks, &p->state);
}

/* --- What files hold ------------------------------------------------------ */

/* Checks a file, while no failures are injected. */
static void check_file(const char *path, uint32_t value)
{
    varve_error error = { 0 };
    char expected[12];
    struct program *p = &world.reader;
    set_all(p, 0);
    build(p);
    varve_restoration *r =
        varve_restore(varve_graph_root(p->graph), path, NULL, &error);
    demand(r != NULL, path, error.message);
    snprintf(expected, sizeof expected, "%010u", value);
    demand(p->state == value, path, "another state");
    demand(memcmp(p->string.data, expected, 10) == 0, path, "another text");
    for (int i = 0; i < VARIABLES; i++)
        for (size_t k = 0; k < counts[i]; k++)
            demand(p->values[i][k] == value, path, "another value");
    varve_restoration_free(r);
    varve_graph_free(p->graph);
}

static void check_files(void)
{
    for (size_t i = 0; i < NAMES; i++) {
        size_t size;
        bool is_there = memory_bytes(world.memory, names[i], &size) != NULL;
        demand(is_there == (world.present[i] != 0), names[i],
            is_there ? "is there" : "does not exist");
        if (is_there)
            check_file(names[i], world.present[i]);
    }
    if (world.numbered)
        check_file("n", world.numbered);
}

/* --- Jobs ----------------------------------------------------------------- */

/* Ends `count` jobs. */
static void land(size_t count)
{
    for (size_t i = 0; i < FLYING && count > 0; i++, count--) {
        struct flight *f = &world.flights[i];
        varve_error error = { 0 };
        if (!f->job)
            continue;
        varve_status status = varve_job_wait(f->job, &error);
        bool is_there = !status || status == VARVE_UNKNOWN_OUTCOME;
        demand((varve_job_path(f->job) != NULL) == is_there, "a job", "path");
        uint32_t *holds =
            f->name < NAMES ? &world.present[f->name] : &world.numbered;
        if (is_there && *holds < f->value)
            *holds = f->value; /* later calls are committed later */
        world.failed += !is_there && status != VARVE_CANCELLED;
        world.cancelled += status == VARVE_CANCELLED;
        varve_job_free(f->job);
        f->job = NULL;
    }
}

static struct flight *free_flight(void)
{
    for (size_t i = 0; i < FLYING; i++) {
        if (!world.flights[i].job)
            return &world.flights[i];
    }
    land(FLYING);
    return &world.flights[0];
}

static void let_fail(void)
{
    static const int errors[] = { EIO, ENOSPC, EACCES };
    atomic_store(&world.fails_with, errors[random_below(3)]);
    atomic_store(&world.fails_in, (int)random_below(60));
}

static varve_job *start(struct flight *f, varve_error *error)
{
    varve_node *root = varve_graph_root(world.program.graph);
    const varve_write_options options = {
        .async = { .zero_copy = random_below(2),
        .in_flight = (unsigned)random_below(4) },
        .incremental = random_below(4) == 0,
    };
    f->name = random_below(NAMES + 1);
    f->job = f->name < NAMES
                 ? varve_write_async(root, names[f->name], &options, error)
                 : varve_save_async(root, "n", &options, error);
    if (f->job && options.async.zero_copy &&
        varve_job_wait_staged(f->job, error) != VARVE_OK)
        demand(false, "wait", error->message);
    return f->job;
}

static void save(uint32_t value)
{
    varve_error error = { 0 };
    struct flight *f = free_flight();
    if (random_below(5) == 0)
        let_fail();
    set_all(&world.program, value);
    f->value = value;
    /* A call that reports an earlier failure has not started a save. */
    while (!start(f, &error))
        demand(strstr(error.message, "asynchronous save") != NULL, "a call",
            error.message);
    set_all(&world.program, UINT32_MAX);
    if (random_below(9) == 0)
        varve_job_cancel(f->job);
    if (random_below(4) == 0)
        land(random_below(FLYING + 1));
    for (size_t i = 0; i < FLYING; i++) {
        if (world.flights[i].job && random_below(3) == 0)
            varve_job_is_done(world.flights[i].job);
    }
}

static void run_round(uint32_t first)
{
    make_system();
    memset(world.present, 0, sizeof world.present);
    world.numbered = 0;
    build(&world.program);
    for (uint32_t i = 0; i < ROUND; i++)
        save(first + i);
    if (random_below(2)) {
        varve_graph_free(world.program.graph);
        land(FLYING);
    } else {
        land(FLYING);
        varve_graph_free(world.program.graph);
    }
    atomic_store(&world.fails_in, -1);
    check_files();
    demand(memory_open_count(world.memory) == 0, "descriptors", "are left");
    memory_free(world.memory);
}

int main(void)
{
    uint32_t rounds = (uint32_t)proof_size(10, 200);
    world.random = proof_seed();
    for (uint32_t i = 0; i < rounds; i++)
        run_round(1 + i * ROUND);
    proof_count("threads.background_saves", (uint64_t)rounds * ROUND);
    printf("background: all files are correct, %llu failed, %llu "
           "cancelled\n",
        (unsigned long long)world.failed, (unsigned long long)world.cancelled);
    return 0;
}
