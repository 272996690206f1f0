/* test_level_threads.c - Tests a manager with storage tiers under random saves,
 * restarts, kills, lost directories and damaged files, on a disk that is slow
 * and fails at random for the copying threads.
 *
 * Every copy equals what was saved, every resume uses the newest intact
 * checkpoint of all tiers, and no number is used twice. Also runs under
 * ThreadSanitizer.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <varve/varve.h>

#include "default_allocator.h"
#include "graph.h"
#include "reader.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "system.h"

enum {
    ELEMENTS = 300000, /* two chunks */
    PLACES = 3,        /* the directory of the manager and two tiers */
    OPERATIONS = 40,
    COUNTERS = OPERATIONS + 1,
};

static const char *const places[PLACES] = { "fast", "slow", "far" };

/* A checkpoint that was found on a tier. */
struct found {
    char path[64];
    int place;
    uint64_t counter;
    uint32_t value;
};

static struct {
    uint64_t random;
    struct memory *memory;
    const struct vv_system *under;
    struct vv_system system;
    pthread_t main;
    /* one in this many calls of the copying threads fails; 0: none */
    atomic_uint fails;
    struct vv_context context;
    varve_level levels[PLACES - 1];
    uint32_t values[ELEMENTS], seen[ELEMENTS];
    varve_graph *graph;
    varve_manager *manager;
    uint32_t saved[COUNTERS]; /* the value of each counter */
    bool is_damaged[PLACES][COUNTERS];
    int64_t step;
    uint64_t copies, resumes;
} world;

static uint64_t random_below(uint64_t limit)
{
    return proof_next(&world.random) % limit;
}

static void demand(bool is_so, const char *what, const char *more)
{
    if (is_so)
        return;
    printf("levels: FAILED: %s: %s (seed %llu)\n", what, more,
        (unsigned long long)proof_seed());
    exit(1);
}

/* --- A disk that is slow and fails for some ------------------------------- */

static int dawdle(void)
{
    struct timespec now;
    if (pthread_equal(pthread_self(), world.main))
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_nsec / 64 % 4 == 0)
        nanosleep(
            &(struct timespec){ .tv_nsec = now.tv_nsec % 100000 }, NULL);
    unsigned fails = atomic_load(&world.fails);
    return fails && now.tv_nsec / 16 % fails == 0 ? -EIO : 0;
}

static int64_t read_at(
    void *state, int file, void *bytes, size_t size, uint64_t offset)
{
    int failed = dawdle();
    return failed ? failed
                  : world.under->read_at(state, file, bytes, size, offset);
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

static int rename_it(
    void *state, int directory, const char *from, const char *to)
{
    int failed = dawdle();
    return failed ? failed : world.under->rename(state, directory, from, to);
}

static int rename_new(
    void *state, int directory, const char *from, const char *to)
{
    int failed = dawdle();
    return failed ? failed
                  : world.under->rename_new(state, directory, from, to);
}

static int remove_it(void *state, int directory, const char *name)
{
    int failed = dawdle();
    return failed ? failed : world.under->remove(state, directory, name);
}

static int create_file(void *state, int directory, const char *name)
{
    int failed = dawdle();
    return failed ? failed : world.under->create_file(state, directory, name);
}

static void make_system(void)
{
    world.memory = memory_new();
    world.under = memory_system(world.memory);
    world.system = *world.under;
    world.system.read_at = read_at;
    world.system.write_at = write_at;
    world.system.sync = sync_it;
    world.system.rename = rename_it;
    world.system.rename_new = rename_new;
    world.system.remove = remove_it;
    world.system.create_file = create_file;
    world.main = pthread_self();
    world.context = (struct vv_context){
        .allocator = vv_allocator_or_default(NULL), .system = &world.system
    };
}

/* --- What there is -------------------------------------------------------- */

static void set_all(uint32_t *values, uint32_t value)
{
    for (size_t i = 0; i < ELEMENTS; i++)
        values[i] = value;
}

static uint32_t the_one(const uint32_t *values)
{
    for (size_t i = 1; i < ELEMENTS; i++)
        demand(values[i] == values[0], "values", "has values of two saves");
    return values[0];
}

static varve_graph *build(uint32_t *values)
{
    varve_graph *graph = vv_graph_new_in(&world.context);
    varve_add_variable(
        varve_graph_root(graph), "values", varve_array(values, ELEMENTS));
    return graph;
}

/* Opens and verifies a file. Returns true if it is intact, and sets its
 * values. */
static bool look_into(struct found *found)
{
    varve_error error = { 0 };
    varve_reader *reader =
        vv_reader_open_in(&world.context, found->path, &error);
    found->counter = reader ? varve_reader_counter(reader) : 0;
    bool is_good = reader && !varve_reader_verify(reader, NULL, &error);
    varve_reader_free(reader);
    if (!is_good)
        return false;
    varve_graph *graph = build(world.seen);
    varve_restoration *r =
        varve_read(varve_graph_root(graph), found->path, NULL, &error);
    found->value = r ? the_one(world.seen) : 0;
    varve_restoration_free(r);
    varve_graph_free(graph);
    return r != NULL;
}

/* Returns the next checkpoint of the disk from *at on. */
static bool next_file(size_t *at, struct found *found)
{
    while (*at < memory_file_count(world.memory)) {
        const char *path = memory_file_path(world.memory, (*at)++);
        size_t size = strlen(path);
        if (size < 6 || strcmp(path + size - 6, ".varve") != 0)
            continue;
        snprintf(found->path, sizeof found->path, "%s", path);
        for (found->place = 0;
            strncmp(path, places[found->place], strlen(places[found->place]));
            found->place++)
            continue;
        return true;
    }
    return false;
}

/* Checks that each checkpoint equals what was saved and returns the newest.
 * Requires that no thread copies and no failures are injected. */
static struct found look_around(void)
{
    struct found newest = { 0 }, found;
    for (size_t at = 0; next_file(&at, &found);) {
        bool is_good = look_into(&found);
        demand(found.counter > 0 && found.counter < COUNTERS, found.path,
            "has no counter");
        demand(is_good != world.is_damaged[found.place][found.counter],
            found.path, is_good ? "was damaged" : "is damaged");
        if (!is_good)
            continue;
        demand(found.value == world.saved[found.counter], found.path,
            "has a wrong value");
        if (found.counter > newest.counter)
            newest = found;
    }
    return newest;
}

/* --- The life of a manager ------------------------------------------------ */

static void start(void)
{
    varve_error error = { 0 };
    const varve_manager_options options = {
        .keep_last = 2, .levels = world.levels, .level_count = PLACES - 1
    };
    world.graph = build(world.values);
    world.manager = varve_manager_new(
        varve_graph_root(world.graph), places[0], &options, &error);
    demand(world.manager != NULL, "new", error.message);
}

static void stop(void)
{
    varve_manager_free(world.manager);
    varve_graph_free(world.graph);
}

static int take_number(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    uint64_t *highest = user;
    unsigned long long number;
    if (sscanf(name, "ckpt-%llu.varve", &number) == 1 && number > *highest)
        *highest = number;
    return 0;
}

/* Returns the highest number; may run while threads copy. */
static uint64_t highest_number(void)
{
    const struct vv_system *s = world.under;
    uint64_t highest = 0;
    for (int i = 0; i < PLACES; i++) {
        int directory =
            s->open_directory(s->state, VV_WORKING_DIRECTORY, places[i]);
        if (directory < 0)
            continue;
        s->each_name(s->state, directory, take_number, &highest);
        s->close(s->state, directory);
    }
    return highest;
}

static void save(void)
{
    varve_error error = { 0 };
    uint64_t highest = highest_number();
    set_all(world.values, (uint32_t)++world.step);
    demand(!varve_manager_save(world.manager, world.step, &error), "save",
        error.message);
    uint64_t counter = varve_save_counter(varve_graph_root(world.graph));
    demand(counter > highest && counter < COUNTERS, "save",
        "a number was used twice");
    world.saved[counter] = (uint32_t)world.step;
}

/* Waits until all tiers have their copies, so that no thread copies. */
static void drain(void)
{
    varve_error error = { 0 };
    varve_level_state state;
    atomic_store(&world.fails, 0);
    varve_status status = varve_manager_drain(world.manager, -1, &error);
    demand(!status || status == VARVE_CORRUPT, "drain", error.message);
    for (size_t i = 0; varve_manager_level_at(world.manager, i, &state); i++)
        demand(state.waiting == 0, "drain", "some wait");
}

static void resume(const struct found *newest)
{
    varve_error error = { 0 };
    set_all(world.values, 0);
    demand(!varve_manager_resume(world.manager, &error), "resume",
        error.message);
    demand(the_one(world.values) == newest->value, newest->path,
        "is the newest, but was not resumed");
    world.resumes++;
}

static void remove_place(int place)
{
    size_t size = strlen(places[place]);
    for (size_t i = memory_file_count(world.memory); i-- > 0;) {
        const char *path = memory_file_path(world.memory, i);
        if (strncmp(path, places[place], size) == 0)
            world.under->remove(
                world.under->state, VV_WORKING_DIRECTORY, path);
    }
    world.under->remove(
        world.under->state, VV_WORKING_DIRECTORY, places[place]);
    memset(world.is_damaged[place], 0, sizeof world.is_damaged[place]);
}

/* Damages one of the existing files. */
static void damage_one(void)
{
    struct found found;
    size_t size, which = random_below(6);
    for (size_t at = 0; next_file(&at, &found);) {
        if (which-- > 0 || !look_into(&found))
            continue;
        unsigned char *bytes = memory_bytes(world.memory, found.path, &size);
        bytes[size / 2] ^= 1;
        world.is_damaged[found.place][found.counter] = true;
        return;
    }
}

/* Restarts after a kill, a crash of the machine, or a normal end. */
static void start_again(void)
{
    if (random_below(2))
        atomic_store(&world.fails, 1);
    stop();
    atomic_store(&world.fails, 0);
    if (random_below(3) == 0)
        remove_place((int)random_below(PLACES));
    if (random_below(3) == 0)
        damage_one();
    const struct found newest = look_around();
    start();
    resume(&newest);
}

static void live(void)
{
    varve_error error = { 0 };
    struct found newest;
    atomic_store(&world.fails, random_below(2) ? 0 : 20);
    switch (random_below(8)) {
    case 0:
        start_again();
        break;
    case 1:
        drain();
        newest = look_around();
        resume(&newest);
        break;
    case 2:
        (void)!varve_manager_drain(world.manager, 0, &error);
        break;
    default:
        save();
    }
}

/* Checks that each tier has the checkpoints that its policy keeps. */
static void check_end(void)
{
    varve_level_state state;
    save();
    drain();
    look_around();
    for (size_t i = 0; varve_manager_level_at(world.manager, i, &state); i++) {
        demand(state.step == world.step, state.directory, "lacks the newest");
        world.copies += state.copied > 0;
    }
}

static void run_round(void)
{
    make_system();
    memset(world.saved, 0, sizeof world.saved);
    memset(world.is_damaged, 0, sizeof world.is_damaged);
    for (int i = 1; i < PLACES; i++)
        world.levels[i - 1] = (varve_level){ .directory = places[i],
            .keep_last = random_below(4),
            .max_pending = random_below(3) };
    start();
    for (int i = 1; i < OPERATIONS; i++)
        live();
    check_end();
    stop();
    demand(memory_open_count(world.memory) == 0, "descriptors", "are left");
    memory_free(world.memory);
}

int main(void)
{
    uint64_t rounds = proof_size(10, 200);
    world.random = proof_seed();
    for (uint64_t i = 0; i < rounds; i++)
        run_round();
    proof_count("threads.level_operations", rounds * OPERATIONS);
    printf("levels: %llu resumes, all of the newest checkpoint\n",
        (unsigned long long)world.resumes);
    return 0;
}
