/* test_numbered.c - Tests numbered files: a counter, no overwritten file, no
 * number used by a failed save, and numbers found in the directory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>
#include <string.h>

static varve_status save(varve_node *root, const char *name)
{
    varve_error error;
    varve_write_options fast = { .no_sync = true };
    return varve_save(root, test_path(name), &fast, &error);
}

static const char *latest(const char *name)
{
    static char path[512];
    varve_error error = { .message = "" };
    varve_status status =
        varve_latest(test_path(name), path, sizeof path, &error);
    return status ? varve_status_name(status) : strrchr(path, '/') + 1;
}

TEST(numbered, each_save_has_the_next_number_and_the_latest_is_found)
{
    varve_error error;
    float v = 1;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "v", &v);
    cr_assert_str_eq(latest("c"), "VARVE_NOT_FOUND");
    for (int i = 1; i <= 11; i++) {
        v = (float)i;
        cr_assert_eq(save(root, "c"), VARVE_OK);
        cr_assert_eq(varve_save_counter(root), (uint64_t)i);
    }
    cr_assert_str_eq(latest("c"), "c-11.varve");
    cr_assert_eq(test_file_count(), 12, "eleven files and c.latest");
    varve_restoration *r = varve_restore(root, test_path("c"), NULL, &error);
    cr_assert_eq(v, 11);
    cr_assert_eq(varve_restoration_counter(r), 11);
    varve_restoration_free(r);
    r = varve_restore(root, test_path("c-9"), NULL, &error);
    cr_assert_eq(v, 9);
    cr_assert_eq(varve_save_counter(root), 9);
    varve_restoration_free(r);
    v = 12;
    cr_assert_eq(save(root, "c"), VARVE_OK);
    cr_assert_str_eq(latest("c"), "c-12.varve", "never over an older one");
    varve_graph_free(graph);
}

TEST(numbered, the_directory_and_not_the_latest_file_decides)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    cr_assert_eq(save(root, "c"), VARVE_OK);
    cr_assert_eq(save(root, "c"), VARVE_OK);
    test_write_file(test_path("c.latest"), "c-1.varve\n", 10);
    cr_assert_str_eq(latest("c"), "c-2.varve");
    test_write_file(test_path("c-77.varve.tmp"), "x", 1);
    test_write_file(test_path("c-88"), "x", 1);
    test_write_file(test_path("c-x.varve"), "x", 1);
    test_write_file(test_path("other-99.varve"), "x", 1);
    cr_assert_str_eq(latest("c"), "c-2.varve");
    cr_assert_eq(remove(test_path("c-2.varve")), 0);
    cr_assert_str_eq(latest("c"), "c-1.varve");
    varve_graph_free(graph);
}

TEST(numbered, files_of_other_programs_are_ignored)
{
    varve_graph *one = story_graph();
    varve_graph *two = story_graph();
    cr_assert_eq(save(varve_graph_root(one), "c"), VARVE_OK);
    cr_assert_eq(save(varve_graph_root(one), "c"), VARVE_OK);
    cr_assert_eq(save(varve_graph_root(two), "c"), VARVE_OK);
    cr_assert_eq(varve_save_counter(varve_graph_root(two)), 3);
    cr_assert_eq(save(varve_graph_root(one), "c"), VARVE_OK);
    cr_assert_str_eq(latest("c"), "c-4.varve");
    varve_graph_free(one);
    varve_graph_free(two);
}

static varve_status refuse(void *self, varve_sink *sink)
{
    varve_put(sink, "x", 1);
    return *(varve_status *)self;
}

static varve_status accept(void *self, const void *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return VARVE_OK;
}

TEST(numbered, a_failed_save_does_not_use_up_a_number)
{
    varve_status status = VARVE_IO;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    const varve_state_callbacks callbacks = { refuse, accept };
    varve_add_state(root, "s", &callbacks, &status);
    cr_assert_eq(save(root, "c"), VARVE_CALLBACK);
    cr_assert_eq(save(root, "c"), VARVE_CALLBACK);
    cr_assert_eq(varve_save_counter(root), 0);
    cr_assert_eq(test_file_count(), 0);
    status = VARVE_OK;
    cr_assert_eq(save(root, "c"), VARVE_OK);
    cr_assert_eq(varve_save_counter(root), 1);
    varve_graph_free(graph);
}

TEST(numbered, a_prefix_may_have_directories_and_a_small_buffer_is_refused)
{
    varve_error error;
    char path[8];
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    cr_assert_eq(save(root, "deep/er/c"), VARVE_OK);
    cr_assert_str_eq(latest("deep/er/c"), "c-1.varve");
    varve_restoration *r =
        varve_restore(root, test_path("deep/er/c"), NULL, &error);
    cr_assert(r);
    cr_assert(strstr(varve_restoration_path(r), "deep/er/c-1.varve"));
    varve_restoration_free(r);
    cr_assert_neq(varve_latest(test_path("deep/er/c"), path, sizeof path,
                      &error),
        VARVE_OK);
    cr_assert_null(varve_restore(root, test_path("no"), NULL, &error));
    cr_assert_eq(error.status, VARVE_NOT_FOUND);
    cr_assert(story_says(&error, test_path("no")), "%s", error.message);
    varve_graph_free(graph);
}

TEST(numbered, a_prefix_must_not_be_a_directory_of_checkpoints)
{
    char path[512];
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    cr_assert_eq(save(root, "run/ckpt"), VARVE_OK);
    cr_assert_eq(
        varve_save(root, test_path("run"), NULL, &error), VARVE_EXISTS);
    cr_assert(story_says(&error, "such as ckpt-1.varve"), "%s", error.message);
    cr_assert_ok(varve_latest(test_path("run"), path, sizeof path, &error),
        error);
    cr_assert_str_eq(path, test_path("run/ckpt-1.varve"));
    cr_assert_eq(save(root, "run/ckpt"), VARVE_OK);
    cr_assert_eq(save(root, "deep/er/c"), VARVE_OK);
    cr_assert_eq(save(root, "deep"), VARVE_OK, "it contains no checkpoint");
    varve_graph_free(graph);
}

TEST(numbered, a_prefix_must_not_be_the_name_of_a_file)
{
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    cr_assert_eq(
        varve_save(root, test_path("c-4.varve"), NULL, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "each save adds -N.varve"));
    cr_assert_eq(test_file_count(), 0);
    varve_graph_free(graph);
}

/* A14 */
/* Reads `name` and compares the message with the path and `words`. */
static void not_found(varve_node *root, const char *name, const char *words)
{
    varve_error error;
    cr_assert_null(varve_read(root, test_path(name), NULL, &error));
    cr_assert_eq(error.status, VARVE_NOT_FOUND);
    cr_assert(strstr(error.message, test_path(name)), "%s", error.message);
    cr_assert(strstr(error.message, words), "%s", error.message);
}

TEST(numbered, a_read_of_a_prefix_names_the_functions_that_take_one)
{
    char words[512];
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    not_found(root, "c", "No such file");
    cr_assert_eq(save(root, "c"), VARVE_OK);
    snprintf(words, sizeof words,
        "numbered: pass \"%s\" to varve_restore, which reads the newest, or to "
        "varve_latest",
        test_path("c"));
    not_found(root, "c", words);
    not_found(root, "c.varve", words);
    cr_assert_null(varve_restore(root, test_path("c.varve"), NULL, &error));
    cr_assert(strstr(error.message, words), "%s", error.message);
    not_found(root, "c-2", "No such file");
    not_found(root, "c-2.varve", "No such file");
    varve_graph_free(graph);
}

TEST(numbered, a_write_uses_its_exact_path_and_a_read_adds_the_suffix)
{
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    for (int step = 0; step < 5; step += 2) {
        char name[20];
        snprintf(name, sizeof name, "run-%d.varve", step);
        story_write(root, name);
    }
    cr_assert_eq(test_file_count(), 3);
    cr_assert_eq(varve_save_counter(root), 0);
    varve_restoration *r = varve_read(root, test_path("run-2"), NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_str_eq(varve_restoration_path(r), test_path("run-2.varve"));
    cr_assert_eq(varve_restoration_counter(r), 0);
    varve_restoration_free(r);
    varve_graph_free(graph);
}
