/* test_damaged_file.c - Tests that with `salvage` all intact values of a
 * damaged file are restored in every format with checksums, and the lost ones
 * are reported.
 *
 * SPDX-License-Identifier: MIT
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "story.h"

enum { COUNT = 40000 };

static float weights[COUNT], kernel[COUNT], bias[COUNT];
static const varve_read_options salvaging = { .salvage.on = true };

static void fill(float value)
{
    for (int i = 0; i < COUNT; i++) {
        weights[i] = value;
        kernel[i] = value + 1;
        bias[i] = value + 2;
    }
}

static varve_graph *make(float value)
{
    varve_graph *graph = story_graph();
    varve_node *model = varve_add_object(varve_graph_root(graph), "model");
    fill(value);
    varve_add_variable(model, "weights", varve_array(weights, COUNT));
    varve_add_variable(model, "kernel", varve_array(kernel, COUNT));
    varve_add_variable(model, "bias", varve_array(bias, COUNT));
    return graph;
}

static void write_as(const char *name, const varve_write_options *options)
{
    varve_error error;
    varve_graph *graph = make(5);
    cr_assert_ok(varve_write(varve_graph_root(graph), test_path(name), options,
                     &error), error);
    varve_graph_free(graph);
}

/* Changes a byte in the middle of the kernel, which is filled with 6. Returns
 * true if the kernel is in this file. */
static bool damage(const char *path)
{
    size_t size;
    unsigned char *bytes = test_read_file(path, &size);
    const float six[2] = { 6, 6 };
    bool found = false;
    for (size_t at = 0; at + 400 < size && !found; at++) {
        found = memcmp(bytes + at, six, sizeof six) == 0;
        if (found)
            bytes[at + 400] ^= 1;
    }
    if (found)
        test_write_file(path, bytes, size);
    free(bytes);
    return found;
}

/* Checks that all values except the kernel are restored and the kernel is
 * reported. */
static void check_salvage(const char *name)
{
    varve_error error = { 0 };
    varve_graph *graph = make(1);
    varve_node *root = varve_graph_root(graph);
    cr_assert_null(varve_read(root, test_path(name), NULL, &error));
    cr_assert(story_says(&error, "kernel"), "%s", error.message);
    cr_assert(weights[0] == 1 && bias[COUNT - 1] == 3);
    varve_restoration *r = story_read(root, name, &salvaging);
    cr_assert(weights[0] == 5 && bias[COUNT - 1] == 7, "%s", name);
    cr_assert(kernel[0] == 2 && kernel[COUNT - 1] == 2, "%s", name);
    cr_assert_eq(story_findings(r, VARVE_FINDING_DAMAGED), 1);
    story_unmatched(varve_assert_consumed(r, &error), "model/kernel", error);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(damaged_file, restores_intact_values_in_every_format_with_checksums)
{
    static const struct {
        const char *name, *file;
        varve_format format;
    } formats[] = {
        { "a.varve", "a.varve", VARVE_FORMAT_VARVE },
#ifdef IS_WHOLE
        { "a.npz", "a.npz", VARVE_FORMAT_NPZ },
        { "a.pt", "a.pt", VARVE_FORMAT_TORCH },
        { "tf", "tf.data-00000-of-00001", VARVE_FORMAT_TENSORFLOW },
        { "names", "names.data-00000-of-00001", VARVE_FORMAT_TENSORFLOW_NAMES },
#endif
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        write_as(formats[i].name,
            &(varve_write_options){ .format = formats[i].format });
        cr_assert(damage(test_path(formats[i].file)), "%s", formats[i].name);
        check_salvage(formats[i].name);
    }
}

#ifdef IS_WHOLE
TEST(damaged_file, of_several_files_loses_only_values_of_the_damaged_file)
{
    char path[512];
    bool found = false;
    write_as("a.varve", &(varve_write_options){ .incremental = true });
    DIR *folder = opendir(test_path("layers"));
    cr_assert(folder);
    for (struct dirent *e; (e = readdir(folder));) {
        snprintf(path, sizeof path, "%s/%s", test_path("layers"), e->d_name);
        if (e->d_name[0] != '.')
            found |= damage(path);
    }
    closedir(folder);
    cr_assert(found);
    check_salvage("a.varve");
}
#endif

/* Writes the file again with `begin` bytes zeroed and `end` bytes cut off. */
static void mangle(const char *path, size_t begin, size_t end)
{
    size_t size;
    unsigned char *bytes = test_read_file(path, &size);
    memset(bytes, 0, begin);
    test_write_file(path, bytes, size - end);
    free(bytes);
}

TEST(damaged_file, loses_no_value_with_only_header_or_footer_damaged)
{
    static const struct {
        size_t begin, end;
    } lost[] = { { 64, 0 }, { 0, 64 }, { 5, 0 }, { 0, 1 } };
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        varve_error error = { 0 };
        write_as("a.varve", NULL);
        mangle(test_path("a.varve"), lost[i].begin, lost[i].end);
        varve_graph *graph = make(1);
        varve_node *root = varve_graph_root(graph);
        cr_assert_null(
            varve_read(root, test_path("a.varve"), NULL, &error));
        varve_restoration *r = story_read(root, "a.varve", &salvaging);
        cr_assert(weights[0] == 5 && kernel[9] == 6 && bias[COUNT - 1] == 7);
        cr_assert_ok(varve_assert_consumed(r, &error), error);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

/* Without both ends, the file cannot be recognized. */
TEST(damaged_file, without_header_and_footer_is_not_recognized)
{
    varve_error error = { 0 };
    write_as("a.varve", NULL);
    mangle(test_path("a.varve"), 64, 64);
    varve_graph *graph = make(1);
    cr_assert_null(varve_read(varve_graph_root(graph), test_path("a.varve"),
        &salvaging, &error));
    cr_assert_eq(error.status, VARVE_NOT_A_CHECKPOINT);
    cr_assert_eq(weights[0], 1);
    cr_assert_null(varve_reader_salvage(test_path("a.varve"), NULL, &error));
    varve_graph_free(graph);
}

/* Only the kernel has changed: the newest data file contains it, the other
 * values are in the previous one. */
#ifdef IS_WHOLE
TEST(damaged_file, loses_only_the_values_of_a_missing_data_file)
{
    varve_error error = { 0 };
    const varve_write_options incremental = { .incremental = true };
    char path[512], oldest[256] = "";
    varve_graph *graph = make(5);
    varve_node *root = varve_graph_root(graph);
    cr_assert_ok(varve_save(root, test_path("a"), &incremental, &error), error);
    DIR *folder = opendir(test_path("layers"));
    for (struct dirent *e; (e = readdir(folder));)
        if (e->d_name[0] != '.')
            snprintf(oldest, sizeof oldest, "%s", e->d_name);
    closedir(folder);
    for (int i = 0; i < COUNT; i++)
        kernel[i] = 60;
    cr_assert_ok(varve_save(root, test_path("a"), &incremental, &error), error);
    varve_graph_free(graph);
    snprintf(path, sizeof path, "%s/%s", test_path("layers"), oldest);
    cr_assert_eq(remove(path), 0);

    graph = make(1);
    root = varve_graph_root(graph);
    cr_assert_null(varve_restore(root, test_path("a"), NULL, &error));
    cr_assert(story_says(&error, oldest), "%s", error.message);
    varve_restoration *r =
        varve_restore(root, test_path("a"), &salvaging, &error);
    cr_assert(r, "%s", error.message);
    cr_assert(weights[0] == 1 && kernel[0] == 60 && kernel[COUNT - 1] == 60);
    cr_assert(bias[COUNT - 1] == 3);
    cr_assert_eq(story_findings(r, VARVE_FINDING_DAMAGED), 2);
    story_unmatched(varve_assert_consumed(r, &error), "model/weights", error);
    varve_restoration_free(r);
    varve_graph_free(graph);
    varve_reader *reader = varve_reader_salvage(test_path("a"), NULL, &error);
    varve_saved_node node;
    static float found[COUNT];
    cr_assert(reader && varve_reader_find(reader, "model/bias", &node));
    cr_assert_eq(varve_reader_read(
                     reader, node.id, found, sizeof found, &error),
        VARVE_TRUNCATED);
    cr_assert(varve_reader_find(reader, "model/kernel", &node));
    cr_assert_ok(
        varve_reader_read(reader, node.id, found, sizeof found, &error),
        error);
    cr_assert_eq(found[COUNT - 1], 60);
    varve_reader_free(reader);
}
#endif

TEST(damaged_file, is_repaired_to_a_file_without_the_lost_values)
{
    varve_error error = { 0 };
    write_as("a.varve", NULL);
    damage(test_path("a.varve"));
    varve_graph *graph = varve_graph_from_part(
        test_path("a.varve"), &salvaging, NULL, &error);
    cr_assert(graph, "%s", error.message);
    story_write(varve_graph_root(graph), "good.varve");
    varve_graph_free(graph);
    varve_reader *reader =
        varve_reader_open(test_path("good.varve"), NULL, &error);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "model/kernel", &node));
    cr_assert_not(node.has_value);
    varve_reader_free(reader);
    graph = make(1);
    varve_restoration *r = story_read(
        varve_graph_root(graph), "good.varve", NULL);
    cr_assert(weights[0] == 5 && kernel[0] == 2 && bias[0] == 7);
    story_unmatched(varve_assert_existing_objects_matched(r, &error),
        "model/kernel", error);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(damaged_file, is_not_detected_by_a_dry_run)
{
    varve_error error = { 0 };
    write_as("a.varve", NULL);
    damage(test_path("a.varve"));
    varve_graph *graph = make(1);
    varve_restoration *plan = varve_dry_run(varve_graph_root(graph),
        test_path("a.varve"), &salvaging, &error);
    cr_assert(plan, "%s", error.message);
    story_consumed(plan);
    varve_restoration_free(plan);
    varve_graph_free(graph);
}

TEST(damaged_file, leaves_the_snapshot_values_of_lost_variables)
{
    varve_error error = { 0 };
    write_as("a.varve", NULL);
    damage(test_path("a.varve"));
    varve_graph *graph = make(1);
    varve_snapshot *snapshot =
        varve_snapshot_new(varve_graph_root(graph), &error);
    fill(9);
    cr_assert_eq(varve_snapshot_read(
        snapshot, test_path("a.varve"), NULL, &error), VARVE_CORRUPT);
    cr_assert_ok(varve_snapshot_read(
        snapshot, test_path("a.varve"), &salvaging, &error), error);
    cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
    cr_assert(weights[0] == 5 && kernel[0] == 2 && bias[0] == 7);
    varve_snapshot_free(snapshot);
    varve_graph_free(graph);
}
