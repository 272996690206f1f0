/* test_golden.c - Tests that the file of version 1 can be read, and is written
 * again byte for byte.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "model/everything.h"
#include "support/test.h"

#define GOLDEN_FILE GOLDEN "v1.varve"
#define PIECES_FILE GOLDEN "version-1-pieces.varve"
#define WIDE_FILE GOLDEN "v1-wide.varve"

static void check_values(const char *path)
{
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(test_allocator());
    struct everything model = { 0 };
    everything_build(&model, graph);
    everything_fill(&model, 2);
    varve_restoration *r = varve_restore(
        varve_graph_root(graph), path, NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    const char *wrong = everything_differs(&model, 1);
    cr_assert_null(wrong, "%s", wrong);
    cr_assert_eq(varve_restoration_counter(r), 1);
    cr_assert_eq(varve_restoration_metadata(r, "step")->integer, -70000);
    cr_assert(varve_restoration_metadata(r, "loss")->real == 0.1);
    cr_assert_eq(varve_restoration_metadata(r, "done")->integer, 1);
    cr_assert_str_eq(varve_restoration_metadata(r, "note")->string,
        "gr\xc3\xbc\xc3\x9f" "e");
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(golden, version_1_is_read_with_every_value)
{
    check_values(GOLDEN_FILE);
}

/* In this file small values are aligned like large ones. */
TEST(golden, an_early_file_is_read_with_every_value)
{
    size_t size, wide_size;
    free(test_read_file(GOLDEN_FILE, &size));
    free(test_read_file(WIDE_FILE, &wide_size));
    cr_assert(size < wide_size);
    check_values(WIDE_FILE);
}

static void digest_of(const char *path, uint8_t digest[16])
{
    varve_error error = { 0 };
    varve_reader *reader = varve_reader_open(path, test_allocator(), &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    cr_assert_ok(varve_reader_digest(reader, digest, &error), error);
    varve_reader_free(reader);
}

/* check_golden.py compares it with the independent reader, too. */
TEST(golden, a_file_with_values_in_pieces_has_the_same_values)
{
    static float grid[7][7];
    static uint16_t row[1000];
    int64_t step = 7;
    uint8_t expected[16], found[16];
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    for (int i = 0; i < 49; i++)
        grid[i / 7][i % 7] = (float)i;
    for (int i = 0; i < 1000; i++)
        row[i] = (uint16_t)(i * i);
    varve_add_variable(root, "grid", varve_array(*grid, 7, 7));
    varve_add_variable(root, "row", varve_array(row, 1000));
    varve_add_variable(root, "step", varve_scalar(&step));
    cr_assert_ok(varve_write(root, test_path("whole"), NULL, &error), error);
    varve_graph_free(graph);
    digest_of(test_path("whole"), expected);
    digest_of(PIECES_FILE, found);
    cr_assert_arr_eq(found, expected, sizeof found);
    varve_graph *again =
        varve_graph_from(PIECES_FILE, test_allocator(), &error);
    cr_assert(again, "%s", error.message);
    cr_assert_ok(varve_write(varve_graph_root(again), test_path("again"),
        NULL, &error), error);
    digest_of(test_path("again"), found);
    cr_assert_arr_eq(found, expected, sizeof found);
    varve_graph_free(again);
}

static void check_written_again(const char *path)
{
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_from(path, test_allocator(), &error);
    cr_assert(graph, "%s", error.message);
    varve_write_options options = { .keep_counter = true };
    options.metadata = varve_graph_metadata(graph, &options.metadata_count);
    cr_assert_ok(varve_write(varve_graph_root(graph), test_path("again"),
        &options, &error), error);
    size_t size, golden_size;
    unsigned char *bytes = test_read_file(test_path("again"), &size);
    unsigned char *golden = test_read_file(GOLDEN_FILE, &golden_size);
    cr_assert_eq(size, golden_size);
    cr_assert_eq(memcmp(bytes, golden, size), 0);
    free(bytes);
    free(golden);
    varve_graph_free(graph);
}

/* Its small values move to the offsets that a new file has. */
TEST(golden, an_early_file_is_repacked_to_the_current_layout)
{
    varve_error error = { 0 };
    size_t size, golden_size;
    cr_assert_ok(
        varve_repack(WIDE_FILE, test_path("new"), NULL, &error), error);
    unsigned char *bytes = test_read_file(test_path("new"), &size);
    unsigned char *golden = test_read_file(GOLDEN_FILE, &golden_size);
    cr_assert_eq(size, golden_size);
    cr_assert_eq(memcmp(bytes, golden, size), 0);
    free(bytes);
    free(golden);
}

TEST(golden, an_early_file_verifies_and_is_rewritten_as_a_new_one)
{
    varve_error error = { 0 };
    varve_reader *reader =
        varve_reader_open(WIDE_FILE, test_allocator(), &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_reader_free(reader);
    check_written_again(WIDE_FILE);
}

TEST(golden, the_same_model_gives_the_same_bytes)
{
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(test_allocator());
    struct everything model = { 0 };
    everything_build(&model, graph);
    everything_fill(&model, 1);
    varve_write_options options = everything_options();
    cr_assert_ok(varve_save(varve_graph_root(graph), test_path("golden"),
        &options, &error), error);
    size_t size, golden_size;
    unsigned char *bytes = test_read_file(test_path("golden-1.varve"), &size);
    unsigned char *golden = test_read_file(GOLDEN_FILE, &golden_size);
    size_t at = 0;
    while (at < size && at < golden_size && bytes[at] == golden[at])
        at++;
    cr_assert(at == size && size == golden_size,
        "other bytes from %zu on: %zu bytes, %zu in v1.varve", at, size,
        golden_size);
    free(bytes);
    free(golden);
    varve_graph_free(graph);
}

TEST(golden, is_rewritten_identically_without_its_program)
{
    check_written_again(GOLDEN_FILE);
}
