/* test_slot_renames.c - Tests renames to a slot of the file, and from a slot of
 * the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

/* Writes model/a and model/b/c, the first also as "tied", and their moving
 * averages as slots "ema". */
static void write_averages(void)
{
    static float v[] = { 1, 2, 3, 4 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *ema = varve_add_object(root, "ema");
    varve_node *a = story_add(root, "model/a", &v[0]);
    varve_node *c = story_add(root, "model/b/c", &v[1]);
    varve_track(root, "tied", a);
    varve_add_slot(ema, a, "shadow", varve_scalar(&v[2]));
    varve_add_slot(ema, c, "shadow", varve_scalar(&v[3]));
    story_write(root, "f");
    varve_graph_free(graph);
}

struct evaluator {
    varve_graph *graph;
    varve_node *root;
    varve_restoration *r;
    float a, c;
};

static void build(struct evaluator *e)
{
    story_add(e->root, "net/a", &e->a);
    story_add(e->root, "net/b/c", &e->c);
}

static void read_into(struct evaluator *e, const varve_read_options *options,
    bool is_late)
{
    *e = (struct evaluator){ .graph = story_graph(), .a = -1, .c = -1 };
    e->root = varve_graph_root(e->graph);
    if (!is_late)
        build(e);
    e->r = story_read(e->root, "f", options);
    if (is_late)
        build(e);
}

static void end(struct evaluator *e)
{
    varve_restoration_free(e->r);
    varve_graph_free(e->graph);
}

static const varve_rename to_averages = { "net/**", "ema/shadow(model/**)" };

TEST(slot_renames, slots_of_averages_are_restored_as_weights)
{
    struct evaluator e;
    varve_error error;
    write_averages();
    varve_read_options options = {
        .rename = { .list = &to_averages,
        .count = 1 },
        .expect.unexpected = "model",
    };
    for (int is_late = 0; is_late < 2; is_late++) {
        read_into(&e, &options, is_late);
        cr_assert(e.a == 3 && e.c == 4, "late: %d", is_late);
        story_consumed(e.r);
        cr_assert_ok(varve_restoration_retry(e.r, &error), error);
        e.a = 9;
        cr_assert_ok(varve_restore_again(e.r, e.root, &error), error);
        cr_assert_eq(e.a, 3);
        end(&e);
    }
}

TEST(slot_renames, pending_slots_are_reported)
{
    struct evaluator e = { .graph = story_graph() };
    write_averages();
    e.root = varve_graph_root(e.graph);
    varve_node *net = varve_add_object(e.root, "net");
    e.r = story_read(e.root, "f",
        &(varve_read_options){
            .rename = { .list = &to_averages, .count = 1 } });
    const varve_tensor *waits = varve_pending(net, "a");
    cr_assert(waits && waits->dtype == VARVE_FLOAT32);
    cr_assert_not(varve_pending(net, "z"));
    varve_add_variable_as_saved(
        net, "a", VARVE_FLOAT32, varve_shape_of(0, NULL), NULL, NULL);
    cr_assert_eq(*(float *)varve_data(varve_find(net, "a")), 3);
    cr_assert_not(varve_pending(net, "a"), "it has come");
    end(&e);
}

TEST(slot_renames, apply_with_only_and_in_a_dry_run)
{
    struct evaluator e;
    varve_error error;
    write_averages();
    varve_read_options options = {
        .rename = { .list = &to_averages,
        .count = 1 },
        .only = "net/b",
    };
    read_into(&e, &options, false);
    cr_assert(e.a == -1 && e.c == 4);
    cr_assert_ok(varve_assert_consumed(e.r, &error), error);
    varve_restoration *plan =
        varve_dry_run(e.root, test_path("f"), &options, &error);
    cr_assert(plan, "%s", error.message);
    cr_assert_eq(story_findings(plan, VARVE_FINDING_MATCHED), 1);
    varve_restoration_free(plan);
    end(&e);
}

TEST(slot_renames, a_shared_variable_by_any_of_its_paths)
{
    struct evaluator e;
    write_averages();
    varve_rename rename = { "net/a", "ema/shadow(tied)" };
    read_into(&e, &(varve_read_options){ .rename = { .list = &rename,
                      .count = 1 } }, false);
    cr_assert(e.a == 3 && e.c == -1);
    end(&e);
}

/* The slot itself is restored, too: the rename requests a copy. */
TEST(slot_renames, averages_with_slots_of_their_own)
{
    struct evaluator e;
    float a = 0, shadow = 0;
    write_averages();
    varve_read_options options = {
        .rename = { .list = &to_averages, .count = 1 } };
    read_into(&e, &options, true);
    varve_node *node = story_add(e.root, "model/a", &a);
    varve_add_slot(varve_add_object(e.root, "ema"), node, "shadow",
        varve_scalar(&shadow));
    cr_assert(e.a == 3 && shadow == 3 && a == 1);
    end(&e);
}

/* Owner and variable keep their names; only the slot is renamed. */
TEST(slot_renames, slots_of_the_program_are_renamed)
{
    write_averages();
    static const varve_rename to[] = {
        { "ema/average(**)", "ema/shadow(**)" }, /* another slot */
        { "ema/average(model/**)", "model/**" }, /* not a slot */
        { "ema/average(**)", "ema/gone(**)" },   /* missing */
        { "ema", "gone" },                       /* does not name the slot */
    };
    static const float expected[] = { 3, 1, -1, -1 };
    for (int i = 0; i < 8; i++) {
        bool is_late = i > 3;
        struct evaluator e = { .graph = story_graph(), .a = 0 };
        float average = -1;
        e.root = varve_graph_root(e.graph);
        varve_read_options options = {
            .rename = { .list = &to[i % 4], .count = 1 } };
        varve_node *ema = varve_add_object(e.root, "ema");
        varve_node *a = story_add(e.root, "model/a", &e.a);
        if (is_late)
            e.r = story_read(e.root, "f", &options);
        cr_assert_eq(is_late && varve_pending_slot(ema, a, "average"),
            is_late && i % 4 == 0);
        varve_add_slot(ema, a, "average", varve_scalar(&average));
        if (!is_late)
            e.r = story_read(e.root, "f", &options);
        cr_assert_eq(average, expected[i % 4], "rename %d", i);
        cr_assert_eq(e.a, 1);
        end(&e);
    }
}
