/* test_together_power_cut.c - Tests power failures during a collective save of
 * three processes on two machines that replaces an older checkpoint.
 *
 * One of the two checkpoints exists with all of its values, no other file
 * passes for one, and leftover files are removed.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include <varve/varve.h>

#include "crash/crew.h"
#include "crash/recorder.h"
#include "crash/states.h"
#include "graph.h"
#include "layer_prune.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/test_context.h"
#include "system.h"

#define FILE_NAME "run/a.varve"

/* --- What a disk has ------------------------------------------------------ */

struct search {
    long time;
    long saved; /* from then on it is the newer one */
    long looks;
    struct crash_count count;
};

static bool passes_for_one(
    const struct vv_system *system, const char *path)
{
    const struct vv_context context = test_context(system);
    varve_graph *graph = vv_graph_new_in(&context);
    varve_restoration *r =
        varve_read(varve_graph_root(graph), path, NULL, NULL);
    varve_restoration_free(r);
    varve_graph_free(graph);
    return r != NULL;
}

/* Returns true for the temporary name of the new index, which no reader
 * opens. */
static bool is_on_its_way(const char *path)
{
    return strncmp(path, "run/.a.varve.", 13) == 0;
}

/* Checks that only a checkpoint and its two data files exist, and in
 * incremental saves one that it shares. */
static void check_swept(struct memory *disk, long time)
{
    size_t count = memory_file_count(disk);
    cr_assert(count == 3 || (crew_options.incremental && count == 4),
        "power cut after change %ld: %zu files left", time, count);
}

/* Advances the random numbers, so that the next save does not reuse the
 * existing names. Each new disk starts with the same random numbers. */
static void draw_others(const struct vv_system *system)
{
    unsigned char bytes[4096];
    system->random(system->state, bytes, sizeof bytes);
}

static void look(void *user, struct memory *disk)
{
    struct search *s = user;
    const struct vv_system *system = memory_system(disk);
    const struct vv_context context = test_context(system);
    varve_error error = { 0 };
    bool has_index = false; /* names files until a save removes it */
    int found = crew_find(system, FILE_NAME, s->time);
    cr_assert(found == 1 || found == 2, "change %ld: %d", s->time, found);
    cr_assert(found == 2 || s->time < s->saved,
        "power cut after change %ld: the newer one is not there", s->time);
    for (size_t i = 0; i < memory_file_count(disk); i++) {
        const char *path = memory_file_path(disk, i);
        bool is_index = is_on_its_way(path);
        has_index |= is_index;
        if (strcmp(path, FILE_NAME) == 0 || is_index)
            continue;
        cr_assert(!passes_for_one(system, path),
            "power cut after change %ld: %s", s->time, path);
    }
    if (!has_index && s->looks++ % 2) {
        cr_assert_ok(vv_prune_layers(&context, FILE_NAME, &error), error);
        check_swept(disk, s->time);
        cr_assert_eq(crew_find(system, FILE_NAME, s->time), found);
    }
    draw_others(system);
    crew_save(system, FILE_NAME, 3);
    check_swept(disk, s->time);
    cr_assert_eq(crew_find(system, FILE_NAME, s->time), 3);
}

static void cut_all(void)
{
    struct search s = { .count.most = proof_size(16, 1024) };
    struct memory *disk = memory_new();
    const struct vv_system *system = recorder_begin(disk, CRASH_NONE);
    const struct history *history = recorder_history();
    crew_save(system, FILE_NAME, 1);
    long begin = history->time;
    crew_save(system, FILE_NAME, 2);
    s.saved = history->time;
    for (s.time = begin; s.time <= history->time; s.time++)
        crash_states_at(history, s.time, look, &s, &s.count);
    cr_assert_gt(s.count.states, 100);
    recorder_end();
    memory_free(disk);
    proof_count("together.crashes", (uint64_t)s.count.states);
}

TEST(crash, a_power_cut_of_a_collective_save_leaves_either_checkpoint)
{
    cut_all();
}

TEST(crash, a_power_cut_of_an_incremental_collective_save)
{
    crew_options.incremental = true;
    cut_all();
}

TEST(crash, a_power_cut_of_an_asynchronous_collective_save)
{
    crew_is_behind = true;
    cut_all();
}
