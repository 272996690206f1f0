/* test_write_replaces.c - Tests that a write replaces a file only when it is
 * complete and never when it fails, and that the same graph gives the same
 * bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool same_bytes(const char *one, const char *other)
{
    size_t sizes[2];
    void *bytes[2] = { test_read_file(test_path(one), &sizes[0]),
        test_read_file(test_path(other), &sizes[1]) };
    bool same =
        sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0;
    free(bytes[0]);
    free(bytes[1]);
    return same;
}

TEST(write_replaces, the_older_file_and_leaves_no_other_file)
{
    STORY_FILE("f", { "a", 1 });
    STORY_FILE("f", { "a", 2 });
    cr_assert_eq(test_file_count(), 1);
    float a = 0;
    varve_graph *graph = story_graph();
    story_add(varve_graph_root(graph), "a", &a);
    varve_restoration_free(story_read(varve_graph_root(graph), "f", NULL));
    cr_assert_eq(a, 2);
    varve_graph_free(graph);
}

TEST(write_replaces, nothing_if_the_graph_has_an_error)
{
    STORY_FILE("f", { "a", 1 });
    STORY_FILE("g", { "a", 1 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_object(root, "twice");
    varve_add_object(root, "twice");
    cr_assert_eq(
        varve_write(root, test_path("f"), NULL, &error), VARVE_DUPLICATE);
    cr_assert_eq(test_file_count(), 2);
    cr_assert(same_bytes("f", "g"));
    varve_graph_free(graph);
}

TEST(write_replaces, no_file_with_no_replace)
{
    STORY_FILE("f", { "a", 1 });
    varve_error error;
    varve_write_options options = { .no_replace = true };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    cr_assert_eq(
        varve_write(root, test_path("f"), &options, &error), VARVE_EXISTS);
    cr_assert(story_says(&error, test_path("f")), "%s", error.message);
    cr_assert_ok(varve_write(root, test_path("new"), &options, &error), error);
    cr_assert_eq(mkdir(test_path("d"), 0777), 0);
    cr_assert_eq(
        varve_write(root, test_path("d"), NULL, &error), VARVE_IS_DIRECTORY);
    cr_assert_eq(test_file_count(), 3);
    varve_graph_free(graph);
}

TEST(write_replaces, missing_parent_directories_are_created)
{
    varve_error error;
    varve_graph *graph = story_graph();
    cr_assert_ok(varve_write(varve_graph_root(graph), test_path("x/y/z"), NULL,
                     &error),
        error);
    cr_assert_eq(test_file_count(), 1);
    varve_graph_free(graph);
}

TEST(write_replaces, the_order_of_building_does_not_change_the_bytes)
{
    float a = 1, b = 2, c = 3, m = 4;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *node = story_add(root, "x/a", &a);
    story_add(root, "x/b", &b);
    story_add(root, "y/c", &c);
    varve_track(root, "z", varve_find(root, "x"));
    varve_add_slot(varve_find(root, "y"), node, "m", varve_scalar(&m));
    story_write(root, "one");
    varve_graph_free(graph);

    graph = story_graph();
    root = varve_graph_root(graph);
    float unused = 0;
    varve_node *aside = varve_add_detached(graph);
    varve_add_variable(aside, "b", varve_scalar(&b));
    varve_track(root, "z", aside);
    story_add(root, "y/c", &c);
    varve_remove(story_add(root, "gone", &unused));
    node = varve_add_variable(aside, "a", varve_scalar(&a));
    varve_add_slot(varve_find(root, "y"), node, "m", varve_scalar(&m));
    varve_track(root, "x", aside);
    story_write(root, "two");
    cr_assert(same_bytes("one", "two"));
    a = b = c = m = 0;
    varve_restoration *r = story_read(root, "one", NULL);
    story_write(root, "three");
    cr_assert(same_bytes("one", "three"), "and after a restore");
    varve_restoration_free(r);
    c = 5;
    story_write(root, "four");
    cr_assert_not(same_bytes("one", "four"));
    varve_graph_free(graph);
}

TEST(write_replaces, metadata_is_read_sorted_as_a_whole_and_by_name)
{
    varve_error error;
    const varve_metadata metadata[] = {
        { .name = "step", .kind = VARVE_METADATA_INTEGER, .integer = -7 },
        { .name = "loss", .kind = VARVE_METADATA_REAL, .real = 0.1 },
        { .name = "done", .kind = VARVE_METADATA_BOOLEAN, .integer = 1 },
        { .name = "note", .kind = VARVE_METADATA_STRING,
            .string = "gr\xc3\xbc\xc3\x9f" },
    };
    varve_write_options options = { .metadata = metadata, .metadata_count = 4 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    cr_assert_ok(varve_write(root, test_path("f"), &options, &error), error);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(varve_restoration_metadata(r, "step")->integer, -7);
    cr_assert_eq(varve_restoration_metadata(r, "loss")->real, 0.1);
    cr_assert_eq(varve_restoration_metadata(r, "done")->integer, 1);
    cr_assert_str_eq(
        varve_restoration_metadata(r, "note")->string, metadata[3].string);
    cr_assert_null(varve_restoration_metadata(r, "nothing"));
    varve_restoration_free(r);
    varve_reader *reader =
        varve_reader_open(test_path("f"), test_allocator(), &error);
    cr_assert_str_eq(varve_reader_metadata_at(reader, 0)->name, "done");
    cr_assert_str_eq(varve_reader_metadata_at(reader, 3)->name, "step");
    cr_assert_null(varve_reader_metadata_at(reader, 4));
    varve_reader_free(reader);
    const varve_metadata twice[] = { metadata[0], metadata[0] };
    options = (varve_write_options){ .metadata = twice, .metadata_count = 2 };
    cr_assert_eq(varve_write(root, test_path("g"), &options, &error),
        VARVE_DUPLICATE, "%s", error.message);
    cr_assert_eq(test_file_count(), 1);
    varve_graph_free(graph);
}
