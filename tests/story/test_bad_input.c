/* test_bad_input.c - Tests that invalid input is reported with a specific
 * status and one line with the file name, and changes nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static float held;

/* Reads "f" into a program with a variable "a", and checks status and
 * message. */
static void expect(varve_status status, const char *part)
{
    varve_error error;
    varve_graph *graph = story_graph();
    held = 7;
    story_add(varve_graph_root(graph), "a", &held);
    story_refused(varve_graph_root(graph), "f", NULL, status, &error);
    cr_assert(story_is_one_line(&error), "%s", error.message);
    cr_assert(story_says(&error, test_path("f")), "%s", error.message);
    cr_assert(story_says(&error, part), "no %s: %s", part, error.message);
    cr_assert_eq(held, 7);
    varve_graph_free(graph);
}

TEST(bad_input, missing_files_and_directories)
{
    expect(VARVE_NOT_FOUND, "");
    cr_assert_eq(mkdir(test_path("f"), 0777), 0);
    expect(VARVE_IS_DIRECTORY, "directory");
}

TEST(bad_input, files_of_other_programs)
{
    test_write_file(test_path("f"), "", 0);
    expect(VARVE_EMPTY_FILE, "");
    test_write_file(test_path("f"), "x", 1);
    expect(VARVE_NOT_A_CHECKPOINT, "");
    char other[1000];
    memset(other, 'P', sizeof other);
    test_write_file(test_path("f"), other, sizeof other);
    expect(VARVE_NOT_A_CHECKPOINT, "");
}

TEST(bad_input, every_truncation_and_every_damaged_byte)
{
    STORY_FILE("f", { "a", 1 });
    varve_error error;
    size_t size;
    char *bytes = test_read_file(test_path("f"), &size);
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    held = 7;
    story_add(root, "a", &held);
    for (size_t i = 8; i < size; i++) {
        test_write_file(test_path("f"), bytes, i);
        cr_assert_null(varve_read(root, test_path("f"), NULL, &error));
        cr_assert_eq(error.status, VARVE_TRUNCATED, "at %zu: %s", i,
            error.message);
        cr_assert(story_is_one_line(&error));
    }
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 16;
        test_write_file(test_path("f"), bytes, size);
        bytes[i] ^= 16;
        varve_restoration *r = varve_read(root, test_path("f"), NULL, &error);
        if (r) { /* padding, which only verifying reads */
            varve_restoration_free(r);
            varve_reader *reader =
                varve_reader_open(test_path("f"), test_allocator(), &error);
            cr_assert(reader);
            cr_assert_eq(varve_reader_verify(reader, NULL, &error),
                VARVE_CORRUPT, "byte %zu is not looked at", i);
            varve_reader_free(reader);
            held = 7;
            continue;
        }
        cr_assert(story_is_one_line(&error));
        cr_assert(error.status == VARVE_CORRUPT ||
                      error.status == VARVE_TRUNCATED ||
                      error.status == VARVE_TOO_NEW ||
                      error.status == VARVE_NOT_A_CHECKPOINT,
            "byte %zu: %s", i, error.message);
        cr_assert_eq(held, 7);
    }
    free(bytes);
    varve_graph_free(graph);
}

TEST(bad_input, errors_of_names_and_shapes_each_have_a_status)
{
    varve_error error;
    float v = 0;
    uint64_t extents[17] = { 1, 1 };
    struct {
        varve_status status;
        const char *name;
        varve_shape shape;
    } cases[] = {
        { VARVE_BAD_NAME, "", VARVE_SCALAR },
        { VARVE_BAD_NAME, "\xff", VARVE_SCALAR },
        { VARVE_BAD_NAME, "\xed\xa0\x80", VARVE_SCALAR },
        { VARVE_BAD_SHAPE, "v", varve_shape_of(17, extents) },
        { VARVE_BAD_SHAPE, "v", VARVE_SHAPE(UINT64_MAX, 2) },
        { VARVE_BAD_SHAPE, "v", VARVE_SHAPE(UINT64_MAX / 2) },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_node *part = varve_add_object(root, "part");
        cr_assert(varve_add_variable(part, cases[i].name,
            varve_view(&v, VARVE_FLOAT32, cases[i].shape)));
        cr_assert_eq(varve_graph_check(graph, &error), cases[i].status,
            "case %zu: %s", i, error.message);
        cr_assert(story_is_one_line(&error));
        cr_assert(story_says(&error, "part"), "%s", error.message);
        varve_graph_free(graph);
    }
}

TEST(bad_input, a_null_root_is_a_misuse)
{
    varve_error error;
    cr_assert_eq(varve_write(NULL, "x", NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_save(NULL, "x", NULL, &error), VARVE_MISUSE);
    cr_assert_null(varve_read(NULL, "x", NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_snapshot_new(NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
}
