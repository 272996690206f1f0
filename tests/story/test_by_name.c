/* test_by_name.c - Tests variables saved and restored by name, and such files
 * read into object graphs. The numbers are rows of docs/conformance.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>
#include <string.h>

static varve_saver *saver_of(
    varve_graph *graph, const varve_saver_options *options)
{
    varve_error error = { .message = "" };
    varve_saver *saver = varve_saver_new(graph, options, &error);
    cr_assert(saver, "%s", error.message);
    return saver;
}

static void name(varve_saver *saver, const char *text, varve_node *node)
{
    varve_error error = { .message = "" };
    cr_assert_ok(varve_saver_add(saver, text, node, &error), error);
}

/* Returns the path of the file. */
static const char *save(varve_saver *saver, const char *prefix, uint64_t step)
{
    varve_error error = { .message = "" };
    varve_saver_save_options options = { .has_step = step > 0, .step = step };
    cr_assert_ok(
        varve_saver_save(saver, test_path(prefix), &options, &error), error);
    return varve_saver_latest(saver);
}

static void restore(varve_saver *saver, const char *path)
{
    varve_error error = { .message = "" };
    cr_assert_ok(
        varve_saver_restore(saver, test_path(path), NULL, NULL, &error), error);
}

static bool is_there(const char *file)
{
    FILE *stream = fopen(test_path(file), "rb");
    if (stream)
        fclose(stream);
    return stream != NULL;
}

/* A table of words, serialized as bytes. */
struct table {
    char words[64];
    int saves;
};

static varve_status save_table(void *self, varve_sink *sink)
{
    struct table *table = self;
    table->saves++;
    varve_put(sink, table->words, strlen(table->words));
    return VARVE_OK;
}

static varve_status load_table(void *self, const void *bytes, size_t size)
{
    struct table *table = self;
    memcpy(table->words, bytes, size);
    table->words[size] = '\0';
    return VARVE_OK;
}

static const varve_state_callbacks table_callbacks = { save_table, load_table };

/* N1, N36: variables, a table and an object under names chosen by the program;
 * the table is replaced, not merged. */
TEST(by_name, variables_a_table_and_an_object_are_restored)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 1, w = 2, deep = 3;
    struct table table = { .words = "one two" };
    varve_saver *saver = saver_of(graph, NULL);
    name(saver, "v0", story_add(root, "a/v", &v));
    name(saver, "v1", story_add(root, "a/w", &w));
    name(saver, "table", varve_add_state(root, "t", &table_callbacks, &table));
    story_add(root, "object/deep", &deep);
    name(saver, "thing", varve_find(root, "object"));
    save(saver, "m", 0);
    v = w = deep = 0;
    strcpy(table.words, "three four five");
    restore(saver, "m");
    cr_assert(v == 1 && w == 2 && deep == 3);
    cr_assert_str_eq(table.words, "one two");
    varve_saver_free(saver);
    varve_graph_free(graph);
}

/* N37: a save calls the serializer of a state once. */
TEST(by_name, a_save_serializes_a_state_once)
{
    varve_graph *graph = story_graph();
    struct table table = { .words = "x" };
    varve_saver *saver = saver_of(graph, NULL);
    name(saver, "table",
        varve_add_state(
            varve_graph_root(graph), "t", &table_callbacks, &table));
    save(saver, "m", 0);
    cr_assert_eq(table.saves, 1);
    varve_saver_free(saver);
    varve_graph_free(graph);
}

/* N5, N35, N39 */
TEST(by_name, a_file_that_is_not_a_checkpoint_is_reported)
{
    varve_graph *graph = story_graph();
    varve_error error = { .message = "" };
    float v = 1;
    varve_saver *saver = saver_of(graph, NULL);
    name(saver, "v", story_add(varve_graph_root(graph), "v", &v));
    cr_assert_eq(varve_saver_restore(
                     saver, test_path("invalid path"), NULL, NULL, &error),
        VARVE_NOT_FOUND);
    cr_assert(story_is_one_line(&error) && story_says(&error, "invalid path"));
    test_write_file(test_path("text"), "a text that is no checkpoint", 28);
    cr_assert_eq(
        varve_saver_restore(saver, test_path("text"), NULL, NULL, &error),
        VARVE_NOT_A_CHECKPOINT);
    cr_assert_null(varve_reader_open(test_path("none"), NULL, &error));
    cr_assert_eq(error.status, VARVE_NOT_FOUND);
    save(saver, "m", 0);
    varve_reader *reader = varve_reader_open(test_path("m"), NULL, &error);
    varve_saved_node node;
    cr_assert(reader && !varve_reader_find(reader, "w", &node));
    varve_reader_free(reader);
    varve_saver_free(saver);
    varve_graph_free(graph);
}

/* N7, N8 */
TEST(by_name, names_and_variables_correspond_one_to_one)
{
    varve_graph *graph = story_graph();
    varve_error error = { .message = "" };
    float v = 1, w = 2;
    varve_node *root = varve_graph_root(graph);
    varve_node *first = story_add(root, "first", &v);
    varve_node *second = story_add(root, "second", &w);
    varve_saver *saver = saver_of(graph, NULL);
    name(saver, "v", first);
    cr_assert_eq(varve_saver_add(saver, "v", second, &error), VARVE_DUPLICATE);
    cr_assert(story_says(&error, "first and second"));
    cr_assert_eq(varve_saver_add(saver, "u", first, &error), VARVE_DUPLICATE);
    cr_assert(story_says(&error, "found \"v\" and \"u\""));
    name(saver, "w", second);
    varve_saver_free(saver);
    varve_graph_free(graph);
}

/* N9, N12, N40: all variables by their own names; the file lists them in order
 * with types and shapes. */
TEST(by_name, an_empty_map_uses_the_names_of_the_variables)
{
    varve_graph *graph = story_graph();
    varve_error error = { .message = "" };
    varve_node *root = varve_graph_root(graph);
    float v = 1, w[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }, read[2][3];
    varve_set_global_name(story_add(root, "net/0", &v), "scope/v");
    varve_add_variable(
        story_object(root, "net"), "w", varve_array(&w[0][0], 2, 3));
    varve_saver *saver = saver_of(graph, NULL);
    cr_assert_ok(varve_saver_add_named(saver, root, &error), error);
    save(saver, "m", 0);
    varve_reader *reader = varve_reader_open(test_path("m"), NULL, &error);
    cr_assert(reader, "%s", error.message);
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "scope/v", &node));
    cr_assert(node.value.rank == 0 && node.value.dtype == VARVE_FLOAT32);
    cr_assert_str_eq(node.global_name, "scope/v");
    cr_assert(varve_reader_find(reader, "net/w", &node));
    cr_assert(node.value.shape[0] == 2 && node.value.shape[1] == 3);
    cr_assert_ok(
        varve_reader_read(reader, node.id, read, sizeof read, &error), error);
    cr_assert_arr_eq((char *)read, (char *)w, sizeof w);
    varve_reader_free(reader);
    varve_saver_free(saver);
    varve_graph_free(graph);
}

/* N11 */
TEST(by_name, an_empty_map_is_an_error_unless_allowed)
{
    varve_graph *graph = story_graph();
    varve_error error = { .message = "" };
    varve_saver_options options = { .allow_empty = true };
    varve_saver *saver = saver_of(graph, NULL);
    cr_assert_eq(
        varve_saver_save(saver, test_path("m"), NULL, &error), VARVE_MISUSE);
    varve_saver_free(saver);
    saver = saver_of(graph, &options);
    cr_assert_null(save(saver, "m", 0));
    restore(saver, "m");
    varve_saver_free(saver);
    varve_graph_free(graph);
}

/* N13: a saver may be created before the variables. */
TEST(by_name, variables_added_later_are_included)
{
    varve_graph *graph = story_graph();
    varve_error error = { .message = "" };
    varve_node *net = story_object(varve_graph_root(graph), "net");
    float v = 1, w = 2;
    varve_saver *saver = saver_of(graph, NULL);
    cr_assert_ok(varve_saver_add_under(saver, "model", net, &error), error);
    story_add(net, "v", &v);
    story_add(net, "deep/w", &w);
    save(saver, "m", 0);
    v = w = 0;
    restore(saver, "m");
    cr_assert(v == 1 && w == 2);
    varve_saver_free(saver);
    varve_graph_free(graph);
}

/* N15 */
TEST(by_name, the_step_is_part_of_the_file_name)
{
    varve_graph *graph = story_graph();
    varve_error error = { .message = "" };
    float v = 1;
    varve_saver *saver = saver_of(graph, NULL);
    name(saver, "v", story_add(varve_graph_root(graph), "v", &v));
    cr_assert(strstr(save(saver, "m", 5), "/m-5.varve"));
    varve_saver_save_options padded = { .has_step = true, .step = 5,
        .pad_step = true };
    cr_assert_ok(
        varve_saver_save(saver, test_path("m"), &padded, &error), error);
    cr_assert(is_there("m-5.varve") && is_there("m-00000005.varve"));
    varve_saver_free(saver);
    varve_graph_free(graph);
}

/* N16 */
TEST(by_name, missing_directories_are_created)
{
    varve_graph *graph = story_graph();
    varve_error error = { .message = "" };
    float v = 1;
    varve_saver *saver = saver_of(graph, NULL);
    name(saver, "v", story_add(varve_graph_root(graph), "v", &v));
    save(saver, "some/where/m", 1);
    cr_assert(is_there("some/where/m-1.varve"));
    test_write_file(test_path("file"), "x", 1);
    cr_assert_neq(
        varve_saver_save(saver, test_path("file/m"), NULL, &error), VARVE_OK);
    cr_assert(story_is_one_line(&error));
    varve_saver_free(saver);
    varve_graph_free(graph);
}

/* N24, N25, N27, N29, N31 */
TEST(by_name, keep_limits_the_number_of_its_own_files)
{
    varve_graph *graph = story_graph();
    varve_error error = { .message = "" };
    float v = 1;
    varve_saver_options two = { .keep = 2 };
    varve_node *node = story_add(varve_graph_root(graph), "v", &v);
    varve_saver *saver = saver_of(graph, &two);
    name(saver, "v", node);
    for (uint64_t step = 1; step <= 3; step++)
        save(saver, "m", step);
    cr_assert(!is_there("m-1.varve") && is_there("m-2.varve"));
    save(saver, "m", 2); /* again, so it is the newest */
    save(saver, "m", 4);
    cr_assert(is_there("m-2.varve") && !is_there("m-3.varve"));
    varve_saver *all = saver_of(graph, NULL);
    name(all, "v", node);
    save(all, "n", 1);
    save(all, "n", 2);
    save(all, "n", 3);
    cr_assert_eq(varve_saver_count(all), 3, "nothing is deleted");
    varve_saver_free(saver);
    varve_saver_free(all);
    remove(test_path("n-2.varve"));
    saver = saver_of(graph, &two);
    name(saver, "v", node);
    cr_assert_ok(varve_saver_recover(saver, test_path("n"), &error), error);
    cr_assert_eq(varve_saver_count(saver), 2);
    save(saver, "n", 4);
    cr_assert(!is_there("n-1.varve") && is_there("n-3.varve"));
    cr_assert(is_there("m-2.varve") && is_there("m-4.varve"));
    varve_saver_free(saver);
    varve_graph_free(graph);
}

/* N33, N41: only the named variables are in the file; the names can be loaded
 * into other variables, also one source into two. */
TEST(by_name, names_map_to_other_variables)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float a = 1, b = 2, c = 0, d = 0;
    varve_saver *saver = saver_of(graph, NULL);
    name(saver, "save_prefix/v0", story_add(root, "a", &a));
    story_add(root, "b", &b);
    save(saver, "m", 0);
    varve_saver_free(saver);
    varve_saver *first = saver_of(graph, NULL);
    varve_saver *second = saver_of(graph, NULL);
    name(first, "save_prefix/v0", story_add(root, "c", &c));
    name(second, "save_prefix/v0", story_add(root, "d", &d));
    restore(first, "m");
    restore(second, "m");
    cr_assert(a == 1 && b == 2 && c == 1 && d == 1);
    varve_saver_free(first);
    varve_saver_free(second);
    varve_graph_free(graph);
}

/* N41, N43, N44: a scope of the file maps to a scope of the program, for whole
 * names only; either side may be the root. */
TEST(by_name, scopes_map_to_scopes)
{
    STORY_FILE("f", { "useful_scope/v", 1 }, { "useful_scope_1/v", 2 },
        { "w", 3 });
    varve_graph *graph = story_graph();
    varve_error error = { .message = "" };
    varve_node *root = varve_graph_root(graph);
    float v = 0, other = 0, w = 0;
    story_add(root, "mine/v", &v);
    story_add(root, "other/v", &other);
    story_add(root, "sub/w", &w);
    varve_saver *saver = saver_of(graph, NULL);
    name(saver, "useful_scope", varve_find(root, "mine"));
    restore(saver, "f");
    cr_assert(v == 1 && other == 0);
    varve_saver_free(saver);
    saver = saver_of(graph, NULL);
    cr_assert_ok(varve_saver_add_under(
                     saver, "", varve_find(root, "sub"), &error), error);
    restore(saver, "f");
    cr_assert_eq(w, 3);
    varve_saver_free(saver);
    saver = saver_of(graph, NULL);
    name(saver, "useful_scope_", varve_find(root, "other"));
    cr_assert_eq(
        varve_saver_restore(saver, test_path("f"), NULL, NULL, &error),
        VARVE_UNMATCHED);
    cr_assert_eq(other, 0);
    varve_saver_free(saver);
    varve_graph_free(graph);
}

/* N32 would have to wait in real time; the unit tests set the clock. */

/* A file by name is read into an object graph whose variables have these
 * names, also if they are built later, with report and assertions like any
 * other read. */
TEST(by_name, a_file_by_name_is_restored_into_a_graph)
{
    varve_graph *graph = story_graph();
    varve_error error = { .message = "" };
    float kernel = 1, bias = 2, late = 0, now = 0;
    varve_saver *saver = saver_of(graph, NULL);
    varve_node *root = varve_graph_root(graph);
    name(saver, "dense/kernel", story_add(root, "k", &kernel));
    name(saver, "dense/bias", story_add(root, "b", &bias));
    save(saver, "m", 0);
    varve_saver_free(saver);
    varve_graph_free(graph);
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_set_global_name(story_add(root, "net/0/w", &now), "dense/kernel");
    varve_restoration *r = story_read(root, "m", NULL);
    cr_assert_eq(now, 1);
    story_unmatched(varve_assert_consumed(r, &error), "dense/bias", error);
    cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
    cr_assert_ok(varve_assert_nontrivial_match(r, &error), error);
    varve_set_global_name(story_add(root, "net/0/b", &late), "dense/bias");
    cr_assert_eq(late, 2);
    story_consumed(r);
    varve_report *report = varve_report_new(r, &error);
    cr_assert(strstr(varve_report_text(report),
        "net/0/w                        <- dense/kernel float32"));
    cr_assert(strstr(varve_report_text(report), "by its global name"));
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* And the reverse: a saver finds its names in the global names of a graph's
 * file; all missing names are reported at once. */
TEST(by_name, a_file_of_a_graph_is_restored_by_name)
{
    varve_graph *graph = story_graph();
    varve_error error = { .message = "" };
    varve_node *root = varve_graph_root(graph);
    float kernel = 1, bias = 2, k = 0, b = 0, x = 0;
    varve_set_global_name(story_add(root, "net/0/w", &kernel), "dense/kernel");
    varve_set_global_name(story_add(root, "net/0/b", &bias), "dense/bias");
    story_write(root, "f");
    varve_saver *saver = saver_of(graph, NULL);
    name(saver, "dense/kernel", story_add(root, "k", &k));
    name(saver, "dense/bias", story_add(root, "bias", &b));
    restore(saver, "f");
    cr_assert(k == 1 && b == 2);
    k = 0;
    name(saver, "dense/biass", story_add(root, "x", &x));
    cr_assert_eq(
        varve_saver_restore(saver, test_path("f"), NULL, NULL, &error),
        VARVE_UNMATCHED);
    cr_assert(story_says(&error, "is missing in the file"));
    cr_assert(story_says(&error, "dense/biass"));
    cr_assert_eq(k, 0);
    varve_saver_free(saver);
    varve_graph_free(graph);
}

/* Files by name contain the names exactly as given. */
TEST(by_name, a_name_with_an_empty_part_is_kept_in_every_format)
{
    static const char *const names[] = { "/lead", "a//b", "trail/" };
    const varve_write_options options = {
        .format = VARVE_FORMAT_SAFETENSORS };
    varve_error error;
    float v[3] = { 1, 2, 3 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    for (int i = 0; i < 3; i++)
        varve_add_variable(root, names[i], varve_scalar(&v[i]));
    cr_assert_ok(
        varve_write(root, test_path("f.safetensors"), &options, &error), error);
    varve_graph_free(graph);
    graph = varve_graph_from(test_path("f.safetensors"), NULL, &error);
    cr_assert(graph, "%s", error.message);
    root = varve_graph_root(graph);
    for (int i = 0; i < 3; i++)
        cr_assert_str_eq(varve_global_name(varve_find(root, names[i])),
            names[i]);
    story_write(root, "f");
    varve_graph_free(graph);
    graph = varve_graph_from(test_path("f"), NULL, &error);
    cr_assert(graph, "%s", error.message);
    root = varve_graph_root(graph);
    cr_assert_ok(
        varve_write(root, test_path("g.safetensors"), &options, &error), error);
    varve_graph_free(graph);
    static const char *const files[] = { "f", "f.safetensors",
        "g.safetensors" };
    for (int k = 0; k < 3; k++) {
        float mine[3] = { 0 };
        const char *const paths[] = { "x", "y", "z" };
        graph = story_graph();
        root = varve_graph_root(graph);
        for (int i = 0; i < 3; i++)
            varve_set_global_name(
                varve_add_variable(root, paths[i], varve_scalar(&mine[i])),
                names[i]);
        varve_restoration *r = story_read(root, files[k], NULL);
        for (int i = 0; i < 3; i++)
            cr_assert_eq(mine[i], v[i], "%s: %s", files[k], names[i]);
        story_consumed(r);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}
