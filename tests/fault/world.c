/* world.c - Creates the simulated machine of each attempt and checks its state
 * afterwards.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fault/world.h"

#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* --- The older file ------------------------------------------------------- */

struct old {
    unsigned char *bytes;
    size_t size;
};

static float big[EVERYTHING_BIG];
static struct old olds[2]; /* without and with large values */

static void free_olds(void)
{
    free(olds[0].bytes);
    free(olds[1].bytes);
}

/* Saves the model filled with OLD with varve_save. */
static void make_old(struct old *old, bool is_big)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_graph *graph = vv_graph_new_in(&context);
    struct everything model = { .big = is_big ? big : NULL };
    varve_write_options options = everything_options();
    varve_error error;
    everything_build(&model, graph);
    everything_fill(&model, OLD);
    cr_assert_ok(varve_save(
        varve_graph_root(graph), "a", &options, &error), error);
    const void *bytes = memory_bytes(memory, "a-1.varve", &old->size);
    old->bytes = malloc(old->size);
    memcpy(old->bytes, bytes, old->size);
    varve_graph_free(graph);
    memory_free(memory);
}

static const struct old *old_file(bool is_big)
{
    if (!olds[0].bytes && !olds[1].bytes)
        atexit(free_olds);
    if (!olds[is_big].bytes)
        make_old(&olds[is_big], is_big);
    return &olds[is_big];
}

/* --- Worlds --------------------------------------------------------------- */

void world_begin(struct world *w, const struct scenario *scenario, bool is_big)
{
    const struct old *old = old_file(is_big);
    *w = (struct world){
        .scenario = scenario,
        .model = { .big = is_big ? big : NULL },
    };
    w->memory = memory_new();
    if (scenario->path)
        memory_put(w->memory, scenario->path, old->bytes, old->size);
    w->faulty = faulty_new(memory_system(w->memory));
    w->context = test_context(faulty_system(w->faulty));
    w->graph = vv_graph_new_in(&w->context);
    if (!scenario->is_empty)
        everything_build(&w->model, w->graph);
    everything_fill(&w->model, NOW);
    if (scenario->prepare)
        scenario->prepare(w);
    w->before = everything_digest(&w->model);
    faulty_plan(w->faulty, NULL);
}

void world_end(struct world *w, const char *where)
{
    varve_restoration_free(w->restoration);
    varve_snapshot_free(w->snapshot);
    varve_graph_free(w->graph);
    cr_assert_eq(test_block_count(), 0, "%s: %ld blocks are left", where,
        test_block_count());
    cr_assert_eq(faulty_open_count(w->faulty), 0, "%s: left open", where);
    cr_assert_eq(memory_open_count(w->memory), 0, "%s: left open", where);
    faulty_free(w->faulty);
    memory_free(w->memory);
}

/* --- What is left --------------------------------------------------------- */

static bool has(struct world *w, const char *path)
{
    size_t size;
    return path && memory_bytes(w->memory, path, &size) != NULL;
}

static void check_old_file(struct world *w, const char *where)
{
    size_t size;
    const char *path = w->scenario->path;
    const struct old *old = old_file(w->model.big != NULL);
    const unsigned char *found = memory_bytes(w->memory, path, &size);
    cr_assert(found && size == old->size &&
        memcmp(found, old->bytes, size) == 0,
        "%s: the older file is not as it was", where);
}

/* Returns the number of temporary files whose removal failed in every
 * attempt. */
static size_t stray_count(const struct world *w)
{
    size_t size = faulty_log_size(w->faulty);
    size_t strays = 0;
    int in_a_row = 0;
    for (size_t i = 0; i < size; i++) {
        const struct faulty_call *call = faulty_log_at(w->faulty, i);
        if (call->kind != FAULTY_REMOVE || !strstr(call->name, ".tmp"))
            continue;
        in_a_row = call->result < 0 ? in_a_row + 1 : 0;
        strays += in_a_row == 3;
    }
    return strays;
}

static void check_litter(
    struct world *w, size_t allowed, const char *where)
{
    size_t count = memory_file_count(w->memory);
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += strstr(memory_file_path(w->memory, i), ".tmp") != NULL;
    cr_assert_leq(found, allowed, "%s: %zu temporary files are left", where,
        found);
}

/* Checks the disk after a failure: the older file unchanged and no other, or,
 * if the outcome is unknown, the complete new file. */
static void check_disk(
    struct world *w, varve_status status, size_t strays, const char *where)
{
    const struct scenario *s = w->scenario;
    bool is_made = status == VARVE_UNKNOWN_OUTCOME;
    bool is_same = s->made && s->path && strcmp(s->made, s->path) == 0;
    size_t expected = (size_t)(s->path != NULL) + (is_made && !is_same);
    size_t count = memory_file_count(w->memory);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(count, expected + strays, "%s: %zu files, among them %s",
            where, count, memory_file_path(w->memory, i));
    cr_assert_eq(count, expected + strays, "%s: %zu files", where, count);
    if (is_made)
        cr_assert(has(w, s->made), "%s: not made", where);
    if (s->path && !(is_made && is_same))
        check_old_file(w, where);
    if (is_made)
        s->check(w);
}

static void check_success(struct world *w, const char *where)
{
    if (w->scenario->check)
        w->scenario->check(w);
    else
        cr_assert(everything_digest(&w->model) == w->before,
            "%s: values changed", where);
}

static void check_failure(struct world *w, const varve_error *error,
    size_t strays, const char *where)
{
    check_disk(w, error->status, strays, where);
    if (error->status != VARVE_PARTIALLY_RESTORED && !w->scenario->is_empty)
        cr_assert(everything_digest(&w->model) == w->before,
            "%s: values changed by a call that failed: %s", where,
            error->message);
    if (w->is_stuck)
        return;
    w->is_unknown = error->status == VARVE_UNKNOWN_OUTCOME;
    varve_error second = { 0 };
    varve_status status = w->scenario->act(w, &second);
    cr_assert(status == VARVE_OK, "%s: not even without the fault: %s; before, "
        "%s", where, second.message, error->message);
    check_success(w, where);
}

void world_check(struct world *w, varve_status status, const varve_error *error,
    const char *where)
{
    size_t strays = stray_count(w);
    test_fail_allocation(-1, false);
    faulty_plan(w->faulty, NULL);
    if (status == VARVE_OK)
        check_success(w, where);
    else
        check_failure(w, error, strays, where);
    check_litter(w, strays, where);
}
