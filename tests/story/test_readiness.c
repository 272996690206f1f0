/* test_readiness.c - Tests selections by tag, and initializing the variables
 * that have no value in the order of their dependencies.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>
#include <string.h>

static char seen[256];

static varve_status note(void *user, varve_node *node, const char *path)
{
    (void)user;
    (void)node;
    size_t used = strlen(seen);
    snprintf(seen + used, sizeof seen - used, "%s ", path);
    return VARVE_OK;
}

static const char *each(varve_node *root, const varve_select *select)
{
    varve_error error;
    seen[0] = '\0';
    cr_assert_ok(varve_each(root, select, note, NULL, &error), error);
    return seen;
}

/* Initializes with the value of the variable `user` plus one. */
static varve_status one_more(const varve_tensor *tensor, void *user)
{
    const float *other = varve_data(user);
    *(float *)tensor->data = *other + 1;
    return VARVE_OK;
}

static varve_status five(const varve_tensor *tensor, void *user)
{
    (void)user;
    *(float *)tensor->data = 5;
    return VARVE_OK;
}

static varve_status refuse(const varve_tensor *tensor, void *user)
{
    (void)tensor;
    return *(bool *)user ? VARVE_IO : VARVE_OK;
}

static float value(varve_node *node)
{
    return *(float *)varve_data(node);
}

TEST(readiness, a_subtree_is_traversed_in_creation_order)
{
    float v[4] = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *kernel = story_add(root, "net/kernel", &v[0]);
    varve_node *bias = story_add(root, "net/bias", &v[1]);
    varve_node *steps = story_add(root, "loop/steps", &v[2]);
    varve_tag(bias, VARVE_TAG_TRAINABLE);
    varve_tag(kernel, VARVE_TAG_TRAINABLE);
    varve_tag(kernel, VARVE_TAG_TRAINABLE);
    varve_tag(steps, VARVE_TAG_METRIC);
    varve_tag(steps, VARVE_TAG_LOCAL);
    varve_track(root, "again", kernel);
    varve_select select = { .tag = VARVE_TAG_TRAINABLE };
    cr_assert_str_eq(each(root, &select), "again net/bias ");
    select = (varve_select){ .tag = VARVE_TAG_METRIC };
    cr_assert_str_eq(each(root, &select), "loop/steps ");
    select = (varve_select){ .without_tag = VARVE_TAG_LOCAL,
        .pattern = "net/*" };
    cr_assert_str_eq(each(root, &select), "net/kernel net/bias ");
    /* all paths of one, one path of the other */
    select.except = "again|net/bias";
    cr_assert_str_eq(each(root, &select), "net/kernel ");
    varve_graph_free(graph);
}

TEST(readiness, a_value_is_initialized_after_its_dependencies)
{
    varve_error error;
    float own = 0;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_defer_initializers(graph, true);
    varve_node *second = story_add(root, "second", &own);
    varve_node *first = varve_add_allocated_variable(
        root, "first", VARVE_FLOAT32, VARVE_SCALAR, five, NULL);
    varve_set_initializer(second, one_more, first);
    varve_initialize_after(second, first);
    cr_assert_eq(varve_require_ready(root, NULL, &error), VARVE_UNMATCHED);
    cr_assert(story_says(&error, "first"), "%s", error.message);
    cr_assert(story_says(&error, "second"), "%s", error.message);
    cr_assert_ok(varve_initialize(root, NULL, &error), error);
    cr_assert_eq(value(first), 5);
    cr_assert_eq(own, 6);
    cr_assert_ok(varve_require_ready(root, NULL, &error), error);
    varve_graph_free(graph);
}

TEST(readiness, a_restored_value_is_not_initialized)
{
    STORY_FILE("f", { "first", 40 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_defer_initializers(graph, true);
    varve_node *first = varve_add_allocated_variable(
        root, "first", VARVE_FLOAT32, VARVE_SCALAR, five, NULL);
    varve_node *second = varve_add_allocated_variable(
        root, "second", VARVE_FLOAT32, VARVE_SCALAR, one_more, first);
    varve_initialize_after(second, first);
    varve_restoration_free(story_read(root, "f", NULL));
    cr_assert_eq(varve_require_ready(root, NULL, &error), VARVE_UNMATCHED);
    cr_assert_not(story_says(&error, "first"), "%s", error.message);
    cr_assert_ok(varve_initialize(root, NULL, &error), error);
    cr_assert_eq(value(first), 40);
    cr_assert_eq(value(second), 41, "made of the restored one");
    varve_graph_free(graph);
}

/* An optimizer selects trainable variables as an array in order of creation,
 * and adds a slot to each. */
TEST(readiness, an_optimizer_has_a_slot_for_each_trainable_variable)
{
    varve_error error;
    float v[3] = { 0 }, m[3] = { 0 };
    const varve_select trained = { .tag = VARVE_TAG_TRAINABLE };
    varve_node *nodes[3];
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *model = varve_add_object(root, "model");
    varve_node *adam = varve_add_object(root, "adam");
    static const char *const names[] = { "out", "hidden", "count" };
    for (size_t i = 0; i < 3; i++)
        varve_add_variable(model, names[i], varve_scalar(&v[i]));
    varve_tag(varve_find(model, "hidden"), VARVE_TAG_TRAINABLE);
    varve_tag(varve_find(model, "out"), VARVE_TAG_TRAINABLE);
    for (int again = 0; again < 2; again++) {
        size_t count = 3;
        cr_assert_ok(
            varve_collect(model, &trained, nodes, &count, &error), error);
        cr_assert_eq(count, 2);
        for (size_t i = 0; i < count && !again; i++)
            varve_add_slot(adam, nodes[i], "m", varve_scalar(&m[i]));
        m[0] = again ? 0 : 3;
        if (!again)
            cr_assert_ok(
                varve_write(root, test_path("f"), NULL, &error), error);
        else
            varve_restoration_free(story_read(root, "f", NULL));
    }
    cr_assert_eq(nodes[0], varve_find(model, "out"));
    cr_assert_eq(nodes[1], varve_find(model, "hidden"));
    cr_assert_eq(m[0], 3, "the slot of the first that was made");
    varve_graph_free(graph);
}

TEST(readiness, a_dependency_cycle_is_reported_and_nothing_initialized)
{
    varve_error error;
    float v[3] = { 7, 7, 7 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *a = story_add(root, "net/a", &v[0]);
    varve_node *b = story_add(root, "net/b", &v[1]);
    varve_node *c = story_add(root, "c", &v[2]);
    varve_set_initializer(c, five, NULL);
    varve_set_initializer(a, one_more, b);
    varve_set_initializer(b, one_more, a);
    varve_initialize_after(a, b);
    varve_initialize_after(b, a);
    cr_assert_eq(varve_initialize(root, NULL, &error), VARVE_MISUSE);
    cr_assert(
        story_says(&error, "net/a needs net/b needs net/a"), "%s",
        error.message);
    cr_assert(story_is_one_line(&error));
    cr_assert(v[0] == 7 && v[1] == 7 && v[2] == 7, "nothing has run");
    varve_graph_free(graph);
}

TEST(readiness, a_second_call_continues_after_a_failed_initializer)
{
    varve_error error;
    bool fails = true;
    float v[2] = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_set_initializer(story_add(root, "good", &v[0]), five, NULL);
    varve_set_initializer(story_add(root, "bad", &v[1]), refuse, &fails);
    cr_assert_eq(varve_initialize(root, NULL, &error), VARVE_CALLBACK);
    cr_assert(story_says(&error, "bad"), "%s", error.message);
    cr_assert_eq(v[0], 5);
    v[0] = 6;
    fails = false;
    cr_assert_ok(varve_initialize(root, NULL, &error), error);
    cr_assert_eq(v[0], 6, "its reader or writer was created before");
    cr_assert_ok(varve_require_ready(root, NULL, &error), error);
    varve_graph_free(graph);
}
