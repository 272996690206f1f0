/* test_structs_moved.c - Tests a struct whose pointers and counts change after
 * it was added: every call uses the current ones.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>

#include <varve/job.h>
#include <varve/saver.h>
#include <varve/snapshot.h>
#include <varve/struct.h>

/* The first step allocates the optimizer's moments, and each epoch a new order
 * of records. */
struct trainer {
    int count;
    float *weights;
    float *moments;
    int *order;
    int records;
};

static const varve_field trainer_fields[] = {
    VARVE_FIELD(struct trainer, count),
    VARVE_FIELD_POINTER(struct trainer, weights, count),
    VARVE_FIELD_POINTER(struct trainer, moments, count, .room = calloc),
    VARVE_FIELD(struct trainer, records),
    VARVE_FIELD_POINTER(struct trainer, order, records, .room = calloc),
    VARVE_FIELDS_END,
};

static varve_graph *graph;
static varve_node *root;

static struct trainer begin(int records)
{
    struct trainer t = { .count = 3, .records = records };
    t.weights = calloc(3, sizeof *t.weights);
    t.order = calloc((size_t)records, sizeof *t.order);
    return t;
}

static void end(struct trainer *t)
{
    free(t->weights);
    free(t->moments);
    free(t->order);
}

static void add(struct trainer *t)
{
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_add_struct(root, "trainer", trainer_fields, t);
}

/* Does what a first step does. */
static void step(struct trainer *t)
{
    free(t->order);
    t->records = 5;
    t->order = calloc(5, sizeof *t->order);
    t->moments = calloc(3, sizeof *t->moments);
    t->order[4] = 4;
    t->moments[2] = 0.5f;
}

static void assert_stepped(const struct trainer *t)
{
    cr_assert_eq(t->records, 5);
    cr_assert_eq(t->order[4], 4);
    cr_assert_eq(t->moments[2], 0.5f);
}

/* Restores into a program without a step and without an order. */
static void assert_saved(const char *path)
{
    varve_error error = { 0 };
    struct trainer t = begin(0);
    free(t.order);
    t.order = NULL;
    add(&t);
    varve_restoration *r = varve_restore(root, path, NULL, &error);
    cr_assert(r, "%s", error.message);
    story_consumed(r);
    assert_stepped(&t);
    varve_restoration_free(r);
    varve_graph_free(graph);
    end(&t);
}

static void write_plainly(varve_error *error)
{
    cr_assert_ok(varve_write(root, test_path("f.varve"), NULL, error), *error);
}

static void save(varve_error *error)
{
    cr_assert_ok(varve_save(root, test_path("f"), NULL, error), *error);
}

static void save_in_background(varve_error *error)
{
    varve_job *job = varve_write_async(root, test_path("f"), NULL, error);
    cr_assert(job, "%s", error->message);
    cr_assert_ok(varve_job_wait(job, error), *error);
    varve_job_free(job);
}

static void save_layers(varve_error *error)
{
    varve_write_options options = { .incremental = true,
        .increment.only_dirty = true };
    cr_assert_ok(varve_write(root, test_path("f"), &options, error), *error);
}

static void write_a_snapshot(varve_error *error)
{
    varve_snapshot *s = varve_snapshot_new(root, error);
    cr_assert(s, "%s", error->message);
    cr_assert_ok(
        varve_snapshot_write(s, test_path("f"), NULL, error), *error);
    varve_snapshot_free(s);
}

TEST(structs_moved, each_kind_of_save_uses_the_current_memory)
{
    void (*const ways[])(varve_error *error) = { write_plainly, save,
        save_in_background, save_layers, write_a_snapshot };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        varve_error error = { 0 };
        struct trainer t = begin(2);
        add(&t);
        if (ways[i] == save_layers)
            save_layers(&error);
        step(&t);
        ways[i](&error);
        varve_graph_free(graph);
        end(&t);
        assert_saved(test_path("f"));
        remove(test_path("f.varve"));
        remove(test_path("f-1.varve"));
    }
}

TEST(structs_moved, a_dry_run_and_a_read_use_the_current_memory)
{
    varve_error error = { 0 };
    struct trainer t = begin(5);
    add(&t);
    t.moments = calloc(3, sizeof *t.moments);
    t.moments[2] = 0.5f;
    t.order[4] = 4;
    write_plainly(&error);
    t.moments[2] = 0;
    int *older = t.order;
    t.order = calloc(5, sizeof *t.order);
    older[4] = 7;
    varve_restoration *plan =
        varve_dry_run(root, test_path("f"), NULL, &error);
    cr_assert(plan, "%s", error.message);
    cr_assert_eq(varve_data(varve_find_path(root, "trainer/order")), t.order);
    varve_restoration_free(plan);
    free(t.order);
    t.order = calloc(5, sizeof *t.order);
    varve_restoration *r = varve_read(root, test_path("f"), NULL, &error);
    cr_assert(r, "%s", error.message);
    assert_stepped(&t);
    cr_assert_eq(older[4], 7, "what a pointer has left is not written to");
    /* Restored again, now into existing memory. */
    free(older);
    free(t.moments);
    t.moments = calloc(3, sizeof *t.moments);
    cr_assert_ok(varve_restore_again(r, root, &error), error);
    assert_stepped(&t);
    varve_restoration_free(r);
    varve_graph_free(graph);
    end(&t);
}

TEST(structs_moved, a_snapshot_of_another_shape_is_reported_by_path)
{
    varve_error error = { 0 };
    struct trainer t = begin(2);
    add(&t);
    varve_snapshot *s = varve_snapshot_new(root, &error);
    t.records = 1;
    cr_assert_eq(varve_snapshot_restore(s, &error), VARVE_MISMATCH);
    cr_assert(story_says(&error, "trainer/order"), "%s", error.message);
    t.records = 2;
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    varve_snapshot_free(s);
    varve_graph_free(graph);
    end(&t);
}

/* A pending value is restored when a pointer to memory for it is set. */
TEST(structs_moved, a_pending_value_is_restored_to_a_pointer_set_later)
{
    varve_error error = { 0 };
    struct trainer t = begin(5);
    struct outer {
        int step;
        struct trainer *trainer;
    } outer = { 1, &t };
    static const varve_field outer_fields[] = {
        VARVE_FIELD(struct outer, step),
        VARVE_FIELD_STRUCT_AT(struct outer, trainer, trainer_fields),
        VARVE_FIELDS_END,
    };
    graph = story_graph();
    root = varve_graph_root(graph);
    t.order[4] = 4;
    t.moments = calloc(3, sizeof *t.moments);
    t.moments[2] = 0.5f;
    varve_add_struct(root, "outer", outer_fields, &outer);
    write_plainly(&error);
    varve_graph_free(graph);
    outer.trainer = NULL;
    t.order[4] = 0;
    t.moments[2] = 0;
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_add_struct(root, "outer", outer_fields, &outer);
    varve_restoration *r = varve_read(root, test_path("f"), NULL, &error);
    cr_assert(r, "%s", error.message);
    outer.trainer = &t;
    write_plainly(&error);
    assert_stepped(&t);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
    end(&t);
}
