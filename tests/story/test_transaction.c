/* test_transaction.c - Tests that a failed read leaves every variable unchanged
 * and reports everything that does not fit.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 40, WIDTH = 1000 };

struct part {
    /* status of the load, unless the bytes are the old ones */
    varve_status status;
    char bytes[4];
};

static varve_status save_part(void *self, varve_sink *sink)
{
    varve_put(sink, ((struct part *)self)->bytes, 4);
    return VARVE_OK;
}

static varve_status load_part(void *self, const void *bytes, size_t size)
{
    struct part *part = self;
    cr_assert_eq(size, 4);
    if (part->status && memcmp(bytes, "old!", 4) != 0)
        return part->status;
    memcpy(part->bytes, bytes, 4);
    return VARVE_OK;
}

static const varve_state_callbacks callbacks = { save_part, load_part };

struct model {
    varve_graph *graph;
    varve_node *root;
    float v[COUNT][WIDTH];
    struct part parts[2];
};

static void fill(struct model *model, float value, const char *bytes)
{
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < WIDTH; k++)
            model->v[i][k] = value;
    memcpy(model->parts[0].bytes, bytes, 4);
    memcpy(model->parts[1].bytes, bytes, 4);
}

/* Builds the model; variables with a number below `odd` have another shape. */
static void build(struct model *model, float value, const char *bytes, int odd)
{
    fill(model, value, bytes);
    model->graph = story_graph();
    model->root = varve_graph_root(model->graph);
    varve_add_state(model->root, "a_state", &callbacks, &model->parts[0]);
    varve_add_state(model->root, "z_state", &callbacks, &model->parts[1]);
    for (int i = 0; i < COUNT; i++) {
        char name[8];
        snprintf(name, sizeof name, "v%02d", i);
        varve_add_variable(model->root, name,
            varve_array(model->v[i], WIDTH - (i < odd)));
    }
}

static void assert_holds(struct model *model, float value, const char *bytes)
{
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < WIDTH; k++)
            cr_assert_eq(model->v[i][k], value, "v%02d changed", i);
    cr_assert_eq(memcmp(model->parts[0].bytes, bytes, 4), 0);
    cr_assert_eq(memcmp(model->parts[1].bytes, bytes, 4), 0);
}

static struct model model;

static void write_model(void)
{
    build(&model, 7, "new!", 0);
    story_write(model.root, "f");
    varve_graph_free(model.graph);
}

/* B19 */
TEST(transaction, one_mismatch_leaves_everything_unchanged)
{
    write_model();
    varve_error error;
    build(&model, 1, "old!", 1);
    story_refused(model.root, "f", NULL, VARVE_MISMATCH, &error);
    assert_holds(&model, 1, "old!");
    cr_assert(story_says(&error, "v00"), "%s", error.message);
    cr_assert(story_says(&error, "float32[1000]"), "%s", error.message);
    cr_assert(story_says(&error, "float32[999]"), "%s", error.message);
    cr_assert_ok(varve_graph_check(model.graph, &error), error);
    varve_graph_free(model.graph);
}

TEST(transaction, all_mismatches_are_reported)
{
    write_model();
    varve_error error;
    build(&model, 1, "old!", 7);
    story_refused(model.root, "f", NULL, VARVE_MISMATCH, &error);
    for (int i = 0; i < COUNT; i++) {
        char name[8];
        snprintf(name, sizeof name, "v%02d:", i); /* cannot be part of a path */
        cr_assert_eq(story_says(&error, name), i < 7, "%s", error.message);
    }
    varve_graph_free(model.graph);
}

TEST(transaction, a_failed_state_undoes_everything)
{
    write_model();
    varve_error error;
    for (int refusing = 0; refusing < 2; refusing++) {
        build(&model, 1, "old!", 0);
        model.parts[refusing].status = VARVE_IO;
        story_refused(model.root, "f", NULL, VARVE_CALLBACK, &error);
        assert_holds(&model, 1, "old!");
        cr_assert(story_says(&error, refusing ? "z_state" : "a_state"), "%s",
            error.message);
        model.parts[refusing].status = VARVE_OK;
        varve_restoration *r = story_read(model.root, "f", NULL);
        assert_holds(&model, 7, "new!");
        varve_restoration_free(r);
        varve_graph_free(model.graph);
    }
}

/* Damages the value of v39 in the file. */
static void damage(void)
{
    story_damage("f", "v39", 100);
}

TEST(transaction, damage_changes_nothing_at_any_staging_size)
{
    write_model();
    damage();
    varve_error error;
    const uint64_t sizes[] = { 0, 1, 4096, 100000, 1 << 20 };
    for (int i = 0; i < 5; i++) {
        varve_read_options options = { .passes = VARVE_TWO_PASSES,
            .resources.staging_size = sizes[i] };
        build(&model, 1, "old!", 0);
        story_refused(model.root, "f", &options, VARVE_CORRUPT, &error);
        assert_holds(&model, 1, "old!");
        cr_assert(story_says(&error, "v39"), "%s", error.message);
        varve_graph_free(model.graph);
    }
}

TEST(transaction, above_the_staging_size_all_values_are_restored)
{
    write_model();
    varve_read_options options = { .passes = VARVE_TWO_PASSES,
        .resources.staging_size = 1 };
    build(&model, 1, "old!", 0);
    varve_restoration *r = story_read(model.root, "f", &options);
    assert_holds(&model, 7, "new!");
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(model.graph);
}

TEST(transaction, streaming_reports_the_variables_it_changed)
{
    write_model();
    damage();
    varve_error error;
    varve_read_options options = { .passes = VARVE_ONE_PASS,
        .resources.threads = 1 };
    build(&model, 1, "old!", 0);
    story_refused(model.root, "f", &options, VARVE_PARTIALLY_RESTORED, &error);
    for (int i = 0; i < COUNT; i++) {
        char name[8];
        snprintf(name, sizeof name, "v%02d", i);
        if (model.v[i][0] != 1)
            cr_assert(story_says(&error, name), "%s: %s", name, error.message);
    }
    varve_graph_free(model.graph);
}

TEST(transaction, streaming_also_checks_types_and_shapes_first)
{
    write_model();
    varve_error error;
    varve_read_options options = { .passes = VARVE_ONE_PASS };
    build(&model, 1, "old!", 1);
    story_refused(model.root, "f", &options, VARVE_MISMATCH, &error);
    assert_holds(&model, 1, "old!");
    varve_graph_free(model.graph);
    build(&model, 1, "old!", 0);
    varve_restoration *r = story_read(model.root, "f", &options);
    assert_holds(&model, 7, "new!");
    varve_restoration_free(r);
    varve_graph_free(model.graph);
}

TEST(transaction, a_deferred_restore_is_a_separate_transaction)
{
    STORY_FILE("f", { "layer/a", 1 }, { "layer/b", 2 }, { "other", 3 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    float a = 0, b[2] = { 0 }, other = 0;
    varve_node *layer = varve_add_detached(graph);
    varve_add_variable(layer, "a", varve_scalar(&a));
    varve_add_variable(layer, "b", varve_array(b, 2));
    varve_track(root, "layer", layer);
    cr_assert_eq(a, 0, "b does not fit, so a does not change");
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISMATCH);
    story_add(root, "other", &other);
    cr_assert_eq(other, 3, "a later arrival is not held up");
    varve_restoration_free(r);
    varve_graph_free(graph);
}
