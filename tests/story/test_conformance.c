/* test_conformance.c - Tests behavior of TensorFlow's checkpoints that no other
 * story covers. The numbers are rows of docs/conformance.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>
#include <string.h>

static varve_reader *look(const char *name)
{
    varve_error error = { .message = "" };
    varve_reader *reader =
        varve_reader_open(test_path(name), test_allocator(), &error);
    cr_assert(reader, "%s", error.message);
    return reader;
}

/* A1, A42, B44 */
TEST(conformance, only_the_edges_of_a_path_name_a_value)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 1, w = 2;
    varve_node *aside = varve_add_detached(graph);
    varve_track(root, "v", story_add(aside, "scope/other", &v));
    story_add(root, "layer/v", &w);
    story_write(root, "f");
    varve_reader *reader = look("f");
    static const char *const paths[] = { "", "layer", "v", "layer/v" };
    cr_assert_eq(varve_reader_node_count(reader), 4);
    varve_saved_node node;
    for (size_t i = 0; i < 4; i++) {
        cr_assert(varve_reader_node_at(reader, i, &node));
        cr_assert_str_eq(node.path, paths[i]);
    }
    const char *name;
    uint32_t child;
    cr_assert(varve_reader_edge_at(reader, 0, 1, &name, &child));
    cr_assert_str_eq(name, "v");
    cr_assert_eq(child, 2);
    cr_assert_not(varve_reader_edge_at(reader, 0, 2, &name, &child));
    varve_reader_free(reader);
    varve_graph_free(graph);
}

/* A17 */
TEST(conformance, each_write_contains_the_current_values)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 1;
    story_add(root, "v", &v);
    story_write(root, "one");
    v = 2;
    story_write(root, "two");
    v = 3;
    varve_restoration_free(story_read(root, "one", NULL));
    cr_assert_eq(v, 1);
    varve_restoration *r = story_read(root, "two", NULL);
    cr_assert_eq(v, 2);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* A serializer that saves one number and restores it into two. */
static varve_status save_first(void *self, varve_sink *sink)
{
    varve_put(sink, self, sizeof(float));
    return VARVE_OK;
}

static varve_status load_both(void *self, const void *bytes, size_t size)
{
    float *pair = self;
    if (size != sizeof *pair)
        return VARVE_MISMATCH;
    memcpy(&pair[0], bytes, size);
    memcpy(&pair[1], bytes, size);
    return VARVE_OK;
}

/* A22 */
TEST(conformance, one_saved_state_may_restore_two_states)
{
    static const varve_state_callbacks callbacks = { save_first, load_both };
    float pair[2] = { 42, 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_state(root, "pair", &callbacks, pair);
    story_write(root, "f");
    pair[0] = pair[1] = -1;
    varve_restoration_free(story_read(root, "f", NULL));
    cr_assert_eq(pair[0], 42);
    cr_assert_eq(pair[1], 42);
    pair[0] = 44;
    story_write(root, "f");
    varve_restoration_free(story_read(root, "f", NULL));
    cr_assert_eq(pair[1], 44);
    varve_graph_free(graph);
}

struct several {
    float a, b;
    int loads;
    float sum; /* sum of both at the time of the load */
};

static varve_status save_nothing(void *self, varve_sink *sink)
{
    (void)self;
    varve_put(sink, "", 0);
    return VARVE_OK;
}

static varve_status load_sum(void *self, const void *bytes, size_t size)
{
    struct several *several = self;
    (void)bytes;
    (void)size;
    several->loads++;
    several->sum = several->a + several->b;
    return VARVE_OK;
}

/* A24, A25 */
TEST(conformance, a_state_of_several_values_is_loaded_once_with_all)
{
    static const varve_state_callbacks callbacks = { save_nothing, load_sum };
    struct several several = { .a = 1, .b = 2 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *state = varve_add_state(root, "s", &callbacks, &several);
    story_add(state, "a", &several.a);
    story_add(state, "b", &several.b);
    story_write(root, "f");
    several.a = several.b = 0;
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(several.loads, 1);
    cr_assert_eq(several.sum, 3);
    story_consumed(r);
    varve_restoration_free(r);
    varve_reader *reader = look("f");
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "s/a", &node));
    cr_assert(varve_reader_find(reader, "s/b", &node));
    cr_assert_eq(varve_reader_node_count(reader), 4);
    varve_reader_free(reader);
    varve_graph_free(graph);
}

/* A26, D28 */
TEST(conformance, lists_and_dicts_are_restored_with_their_structure)
{
    float v[3] = { 1, 2, 3 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *list = varve_add_list(root, "list");
    varve_node *dict = varve_add_dict(root, "dict");
    varve_add_variable(list, VARVE_APPEND, varve_scalar(&v[0]));
    varve_add_variable(list, VARVE_APPEND, varve_scalar(&v[1]));
    varve_add_variable(dict, "key", varve_scalar(&v[2]));
    cr_assert_eq(varve_edge_count(root), 2);
    cr_assert_str_eq(varve_edge_first(root)->name, "list");
    story_write(root, "f");
    memset(v, 0, sizeof v);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(v[0] * 100 + v[1] * 10 + v[2], 123);
    story_consumed(r);
    varve_restoration_free(r);
    varve_reader *reader = look("f");
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "list", &node));
    cr_assert_eq(node.kind, VARVE_LIST);
    cr_assert(varve_reader_find(reader, "dict", &node));
    cr_assert_eq(node.kind, VARVE_DICT);
    varve_reader_free(reader);
    varve_graph_free(graph);
}

/* A28, B50 */
TEST(conformance, a_duplicate_name_is_refused_unless_replaced)
{
    varve_error error = { .message = "" };
    float v = 1, w = 2;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *old = story_add(root, "v", &v);
    varve_node *aside = varve_add_detached(graph);
    varve_node *new = story_add(aside, "w", &w);
    varve_replace(root, "v", new);
    cr_assert_eq(varve_find(root, "v"), new);
    cr_assert_eq(varve_edge_count(root), 1);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_track(root, "v", old);
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_DUPLICATE);
    cr_assert(story_says(&error, "\"v\""), "%s", error.message);
    cr_assert_eq(varve_find(root, "v"), new);
    varve_graph_free(graph);
}

/* A29, A30 */
TEST(conformance, values_are_matched_by_name_in_any_order)
{
    varve_error error = { .message = "" };
    varve_write_options fast = { .no_sync = true };
    for (int swapped = 0; swapped < 2; swapped++) {
        float v[2] = { 1, 2 };
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        if (!swapped) {
            story_add(root, "v1", &v[0]);
            story_add(root, "v2", &v[1]);
            cr_assert_ok(
                varve_save(root, test_path("c"), &fast, &error), error);
        } else {
            story_add(root, "v2", &v[1]);
            story_add(root, "v1", &v[0]);
        }
        v[0] = v[1] = 0;
        varve_restoration *r =
            varve_restore(root, test_path("c"), NULL, &error);
        cr_assert(r, "%s", error.message);
        cr_assert_eq(v[0], 1);
        cr_assert_eq(v[1], 2);
        story_consumed(r);
        cr_assert_eq(varve_save_counter(root), 1);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

/* A34 */
TEST(conformance, two_equal_graphs_are_independent)
{
    float v[2] = { 1, 2 };
    varve_graph *graphs[2] = { story_graph(), story_graph() };
    for (int i = 0; i < 2; i++)
        story_add(varve_graph_root(graphs[i]), "model/v", &v[i]);
    story_write(varve_graph_root(graphs[0]), "f");
    v[0] = 5;
    varve_restoration *r =
        story_read(varve_graph_root(graphs[1]), "f", NULL);
    cr_assert_eq(v[0], 5);
    cr_assert_eq(v[1], 1);
    varve_graph_free(graphs[0]);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graphs[1]);
}

/* A36 */
TEST(conformance, one_optimizer_of_two_models_is_saved_with_each)
{
    static const char *const names[] = { "one", "two" };
    varve_graph *graph = story_graph();
    varve_node *aside = varve_add_detached(graph);
    varve_node *adam = varve_add_object(aside, "adam");
    varve_node *roots[2];
    float v[2] = { 1, 2 }, m[2] = { 3, 4 };
    for (int i = 0; i < 2; i++) {
        roots[i] = varve_add_detached(graph);
        varve_node *variable = story_add(roots[i], "v", &v[i]);
        varve_track(roots[i], "adam", adam);
        varve_add_slot(adam, variable, "m", varve_scalar(&m[i]));
    }
    for (int i = 0; i < 2; i++)
        story_write(roots[i], names[i]);
    v[0] = v[1] = m[0] = m[1] = 0;
    varve_restoration *r = story_read(roots[1], "two", NULL);
    cr_assert_eq(v[1], 2);
    cr_assert_eq(m[1], 4);
    cr_assert_eq(v[0], 0);
    cr_assert_eq(m[0], 0);
    story_consumed(r);
    varve_restoration_free(r);
    r = story_read(roots[0], "one", NULL);
    cr_assert_eq(v[0], 1);
    cr_assert_eq(m[0], 3);
    cr_assert_eq(m[1], 4);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B2, B3 */
TEST(conformance, a_saved_variable_does_not_match_an_object)
{
    STORY_FILE("f", { "v1", 1 }, { "v2", 2 });
    varve_error error = { .message = "" };
    varve_read_options options = { .except = "v1" };
    float v2 = 0;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_object(root, "v1");
    story_add(root, "v2", &v2);
    story_refused(root, "f", NULL, VARVE_MISMATCH, &error);
    cr_assert(story_says(&error, "v1"), "%s", error.message);
    cr_assert_not(story_says(&error, "v2:"), "%s", error.message);
    cr_assert_eq(v2, 0);
    varve_restoration *r = varve_dry_run(root, test_path("f"), NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(story_findings(r, VARVE_FINDING_MISMATCHED), 1);
    story_unmatched(varve_assert_consumed(r, &error), "v1", error);
    varve_restoration_free(r);
    r = story_read(root, "f", &options);
    cr_assert_eq(v2, 2);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B24 */
TEST(conformance, a_model_and_its_optimizer_are_restored_at_once)
{
    varve_error error = { .message = "" };
    varve_write_options fast = { .no_sync = true };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 42, m = 1.5f, rate = 0.25f;
    varve_node *variable = story_add(root, "model/v", &v);
    story_add(root, "adam/rate", &rate);
    varve_add_slot(
        varve_find(root, "adam"), variable, "m", varve_scalar(&m));
    cr_assert_ok(varve_save(root, test_path("c"), &fast, &error), error);
    v = 43;
    m = -2;
    rate = 0;
    cr_assert_ok(varve_save(root, test_path("d"), &fast, &error), error);
    cr_assert_eq(varve_save_counter(root), 2);
    varve_restoration *r = varve_restore(root, test_path("c"), NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(v, 42);
    cr_assert_eq(m, 1.5f);
    cr_assert_eq(rate, 0.25f);
    cr_assert_eq(varve_save_counter(root), 1);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

static varve_status begin_at_seven(const varve_tensor *tensor, void *user)
{
    *(float *)tensor->data = 7;
    ++*(int *)user;
    return VARVE_OK;
}

static varve_node *add_seven(varve_node *parent, const char *name, int *runs)
{
    return varve_add_allocated_variable(parent, name, VARVE_FLOAT32,
        VARVE_SCALAR, begin_at_seven, runs);
}

/* B27, B28: only the newest file is kept */
TEST(conformance, runs_start_from_the_beginning_or_the_last_checkpoint)
{
    varve_error error = { .message = "" };
    varve_write_options fast = { .no_sync = true };
    char older[512] = "";
    for (int round = 0; round < 3; round++) {
        int runs = 0;
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_restoration *r =
            varve_restore(root, test_path("c"), NULL, &error);
        cr_assert_eq(r != NULL, round > 0);
        cr_assert(r || error.status == VARVE_NOT_FOUND);
        float *v = varve_data(add_seven(root, "v", &runs));
        varve_node *slot = varve_add_allocated_slot(
            varve_add_object(root, "adam"), varve_find(root, "v"), "m",
            VARVE_FLOAT32, VARVE_SCALAR, begin_at_seven, &runs);
        cr_assert_eq(runs, round ? 0 : 2);
        cr_assert_eq(*v, (float)(7 + 10 * round));
        cr_assert_eq(*(float *)varve_data(slot), *v);
        *v += 10;
        *(float *)varve_data(slot) += 10;
        if (r)
            story_consumed(r);
        cr_assert_ok(varve_save(root, test_path("c"), &fast, &error), error);
        cr_assert_eq(varve_save_counter(root), (uint64_t)round + 1);
        cr_assert(round == 0 || remove(older) == 0);
        cr_assert_ok(varve_latest(
            test_path("c"), older, sizeof older, &error), error);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

/* B30 */
TEST(conformance, a_variable_may_be_in_a_list_and_at_another_path)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 1;
    varve_node *node = story_add(root, "v", &v);
    varve_list_append(varve_add_list(root, "all"), node);
    for (int i = 0; i < 2; i++) {
        v += 1;
        story_write(root, "f");
    }
    v = 0;
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(v, 3);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B32 */
TEST(conformance, variables_not_in_the_file_are_initialized_and_missing)
{
    STORY_FILE("f", { "v", 1 });
    varve_error error = { .message = "" };
    int runs = 0;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    varve_node *v = add_seven(root, "v", &runs);
    varve_node *rate =
        add_seven(varve_add_object(root, "adam"), "rate", &runs);
    cr_assert_eq(*(float *)varve_data(v), 1);
    cr_assert_eq(*(float *)varve_data(rate), 7);
    cr_assert_eq(runs, 1);
    story_unmatched(varve_assert_consumed(r, &error), "adam/rate", error);
    story_unmatched(varve_assert_existing_objects_matched(r, &error),
        "adam/rate", error);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B36 */
TEST(conformance, the_save_counter_is_not_a_variable_and_never_missing)
{
    STORY_FILE("f", { "v", 1 });
    varve_error error = { .message = "" };
    float v = 0, counter = 0;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "v", &v);
    varve_restoration *r = varve_restore(root, test_path("f"), NULL, &error);
    cr_assert(r, "%s", error.message);
    story_consumed(r);
    story_add(root, "save_counter", &counter);
    story_unmatched(
        varve_assert_consumed(r, &error), "save_counter", error);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B51 */
TEST(conformance, missing_names_are_reported_by_an_assertion)
{
    STORY_FILE("f", { "a", 1 });
    varve_error error = { .message = "" };
    float a = 0, b = 5;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "b", &b);
    story_refused(root, "f", NULL, VARVE_UNMATCHED, &error);
    cr_assert(story_says(&error, "\n  b "), "nothing of it matches");
    story_add(root, "a", &a);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert(a == 1 && b == 5);
    story_unmatched(
        varve_assert_existing_objects_matched(r, &error), "b", error);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* A model and an optimizer at this path, with a rate and a slot of v. */
static varve_node *with_optimizer(varve_node *root, const char *at, float *held)
{
    varve_node *variable = story_add(root, "v", &held[0]);
    varve_node *adam = story_object(root, at);
    story_add(adam, "rate", &held[1]);
    varve_add_slot(adam, variable, "m", varve_scalar(&held[2]));
    return adam;
}

/* S7 */
TEST(conformance, an_optimizer_is_wrapped_or_unwrapped_by_a_rename)
{
    static const char *const at[] = { "adam", "scaled/inner" };
    for (int i = 0; i < 2; i++) {
        float held[3] = { 1, 2, 3 }, got[3] = { 0 };
        varve_graph *graph = story_graph();
        with_optimizer(varve_graph_root(graph), at[i], held);
        story_write(varve_graph_root(graph), "f");
        varve_graph_free(graph);

        varve_rename rename = { at[!i], at[i] };
        varve_read_options options = { .rename = { .list = &rename,
            .count = 1 } };
        graph = story_graph();
        with_optimizer(varve_graph_root(graph), at[!i], got);
        varve_restoration *r =
            story_read(varve_graph_root(graph), "f", &options);
        cr_assert_arr_eq(got, held, sizeof got);
        story_consumed(r);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

/* S10 */
TEST(conformance, a_slot_may_also_have_an_edge)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float held[3] = { 1, 2, 3 };
    varve_node *adam = with_optimizer(root, "adam", held);
    varve_track(root, "momentum",
        varve_find_slot(adam, varve_find(root, "v"), "m"));
    story_write(root, "f");
    held[2] = 0;
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(held[2], 3);
    story_consumed(r);
    varve_restoration_free(r);
    varve_reader *reader = look("f");
    cr_assert_eq(varve_reader_node_count(reader), 5, "it is there once");
    varve_reader_free(reader);
    varve_graph_free(graph);
}

/* D19, D31, D36 */
TEST(conformance, containers_save_their_content_after_any_change)
{
    float v[5] = { 1, 2, 3, 4, 5 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *emptied = varve_add_list(root, "emptied");
    varve_node *outer = varve_add_list(root, "outer");
    varve_node *inner = varve_add_list(outer, VARVE_APPEND);
    varve_node *dict = varve_add_dict(root, "dict");
    varve_node *nodes[5];
    for (int i = 0; i < 5; i++)
        nodes[i] = varve_add_variable(varve_add_detached(graph), "x",
            varve_scalar(&v[i]));
    varve_list_append(emptied, nodes[0]);
    varve_list_append(inner, nodes[1]);
    varve_track(dict, "popped", nodes[3]);
    varve_track(dict, "kept", nodes[4]);
    varve_list_remove(emptied, 0);
    varve_list_replace(inner, 0, nodes[2]);
    varve_untrack(dict, "popped");
    story_write(root, "f");
    varve_reader *reader = look("f");
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "emptied", &node));
    cr_assert_eq(node.edge_count, 0);
    cr_assert(varve_reader_find(reader, "dict", &node));
    cr_assert_eq(node.edge_count, 1);
    varve_reader_free(reader);
    memset(v, 0, sizeof v);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(v[2], 3, "the element that took another's place");
    cr_assert_eq(v[4], 5);
    cr_assert_eq(v[0] + v[1] + v[3], 0, "what was taken out");
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}
