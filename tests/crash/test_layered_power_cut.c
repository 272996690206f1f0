/* test_layered_power_cut.c - Tests power failures during an incremental save, a
 * deletion, deleting unreferenced data files, merging a checkpoint into one
 * file, and copying one to another directory.
 *
 * After a failure at any call, each checkpoint whose name exists has all of its
 * values.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>

#include <varve/varve.h>

#include "repack.h"
#include "crash/recorder.h"
#include "crash/states.h"
#include "graph.h"
#include "layer_prune.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/test_context.h"
#include "system.h"

enum { COUNT = 20 * 1024, PAGE = 1024 };

static struct {
    int values[COUNT];
    int small;
} program;

/* Sets the values of checkpoint `number`. The third changes everything the
 * second has changed, so only the second refers to its data file. */
static void set_values(int number)
{
    program.small = number;
    for (int i = 0; i < COUNT; i++)
        program.values[i] = i;
    for (int i = 0; i < PAGE; i++)
        program.values[5 * PAGE + i] = number;
    program.values[7 * PAGE] = number;
}

static varve_graph *make_graph(const struct vv_context *context)
{
    varve_graph *graph = vv_graph_new_in(context);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "small", varve_scalar(&program.small));
    varve_add_variable(root, "values", varve_array(program.values, COUNT));
    return graph;
}

static void save(varve_graph *graph, int number)
{
    varve_error error = { 0 };
    const varve_write_options options = { .incremental = true };
    set_values(number);
    cr_assert_ok(
        varve_save(varve_graph_root(graph), "run/m", &options, &error), error);
}

static void save_behind(varve_graph *graph, int number)
{
    varve_error error = { 0 };
    const varve_write_options options = { .incremental = true,
        .async.zero_copy = true };
    set_values(number);
    varve_job *job =
        varve_save_async(varve_graph_root(graph), "run/m", &options, &error);
    cr_assert(job, "%s", error.message);
    cr_assert_ok(varve_job_wait_staged(job, &error), error);
    set_values(0);
    cr_assert_ok(varve_job_wait(job, &error), error);
    varve_job_free(job);
}

/* --- What a disk has ------------------------------------------------------ */

struct search {
    const char *folder;
    long time;
    long saved; /* from then on checkpoint 3 must exist */
    long deleted; /* from then on checkpoint 2 may be missing */
    struct crash_count count;
};

static const char *path_of(const char *folder, int number)
{
    static char path[32];
    snprintf(path, sizeof path, "%s/m-%d.varve", folder, number);
    return path;
}

static bool has(const struct search *s, struct memory *disk, int number)
{
    size_t size;
    return memory_bytes(disk, path_of(s->folder, number), &size) != NULL;
}

static void look(void *user, struct memory *disk)
{
    struct search *s = user;
    const struct vv_context context = test_context(memory_system(disk));
    cr_assert(
        has(s, disk, 1), "power cut after change %ld: 1 is gone", s->time);
    cr_assert(has(s, disk, 2) || s->time >= s->deleted,
        "power cut after change %ld: 2 is gone", s->time);
    cr_assert(has(s, disk, 3) || s->time < s->saved,
        "power cut after change %ld: 3 is not there", s->time);
    for (int number = 1; number <= 3; number++) {
        static int expected[COUNT];
        varve_error error = { 0 };
        if (!has(s, disk, number))
            continue;
        set_values(number);
        memcpy(expected, program.values, sizeof expected);
        memset(&program, 0, sizeof program);
        varve_graph *graph = make_graph(&context);
        varve_restoration *r =
            varve_read(varve_graph_root(graph), path_of(s->folder, number),
                NULL, &error);
        cr_assert(r, "power cut after change %ld: %s", s->time, error.message);
        cr_assert_eq(program.small, number, "change %ld", s->time);
        cr_assert_eq(memcmp(expected, program.values, sizeof expected), 0,
            "power cut after change %ld: other values", s->time);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

/* --- What happens --------------------------------------------------------- */

/* Saves checkpoint 3 and deletes checkpoint 2. */
static void delete_second(const struct vv_system *system,
    const struct history *history, struct search *s)
{
    s->saved = history->time;
    s->deleted = history->time + 1;
    cr_assert_eq(system->remove(system->state, VV_WORKING_DIRECTORY,
                     path_of(s->folder, 2)),
        0);
}

/* Simulates a power failure at each time from a given one. */
static void cut_power(
    const struct history *history, long begin, struct search *s)
{
    for (s->time = begin; s->time <= history->time; s->time++)
        crash_states_at(history, s->time, look, s, &s->count);
    cr_assert_gt(s->count.states, 100);
    proof_count("layers.crashes", (uint64_t)s->count.states);
}

TEST(crash, a_power_cut_loses_no_incremental_checkpoint)
{
    struct search s = { .folder = "run", .count.most = proof_size(64, 4096) };
    varve_error error = { 0 };
    struct memory *disk = memory_new();
    const struct vv_system *system = recorder_begin(disk, CRASH_NONE);
    const struct vv_context context = test_context(system);
    varve_graph *graph = make_graph(&context);
    const struct history *history = recorder_history();
    save(graph, 1);
    save(graph, 2);
    long begin = history->time;
    save_behind(graph, 3);
    delete_second(system, history, &s);
    size_t files = memory_file_count(disk);
    cr_assert_ok(vv_prune_layers(&context, "run/m", &error), error);
    cr_assert_eq(memory_file_count(disk), files - 1, "the layer of 2");
    cr_assert_ok(
        vv_repack(&context, "run/m-1.varve", NULL, NULL, &error), error);
    cr_assert_ok(vv_prune_layers(&context, "run/m", &error), error);
    cut_power(history, begin, &s);
    varve_graph_free(graph);
    recorder_end();
    memory_free(disk);
}

static void copy(const struct vv_context *context, int number)
{
    char from[32];
    uint64_t size;
    varve_error error = { 0 };
    const varve_write_options options = { .no_replace = true };
    snprintf(from, sizeof from, "%s", path_of("run", number));
    cr_assert_ok(vv_copy_layers(context, from, path_of("far", number), &options,
                     &size, &error),
        error);
}

TEST(crash, a_power_cut_loses_no_incremental_copy)
{
    struct search s = { .folder = "far", .count.most = proof_size(64, 4096) };
    varve_error error = { 0 };
    struct memory *disk = memory_new();
    const struct vv_system *system = recorder_begin(disk, CRASH_NONE);
    const struct vv_context context = test_context(system);
    varve_graph *graph = make_graph(&context);
    const struct history *history = recorder_history();
    for (int number = 1; number <= 3; number++)
        save(graph, number);
    copy(&context, 1);
    copy(&context, 2);
    long begin = history->time;
    copy(&context, 3);
    delete_second(system, history, &s);
    cr_assert_ok(vv_prune_layers(&context, "far/m", &error), error);
    cut_power(history, begin, &s);
    varve_graph_free(graph);
    recorder_end();
    memory_free(disk);
}
