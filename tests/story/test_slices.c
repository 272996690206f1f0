/* test_slices.c - Tests that a variable can be a slice of a larger value: any
 * box of it can be restored from any checkpoint of the whole.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdlib.h>
#include <string.h>

#include <varve/slice.h>

enum { ROWS = 6, COLUMNS = 8 };

static float element(uint64_t row, uint64_t column)
{
    return (float)(10 * row + column);
}

/* Writes table[row][column] = 10 * row + column. */
static void write_table_as(varve_format format)
{
    static float table[ROWS][COLUMNS];
    varve_write_options options = { .format = format, .no_sync = true };
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    for (uint64_t i = 0; i < ROWS; i++)
        for (uint64_t j = 0; j < COLUMNS; j++)
            table[i][j] = element(i, j);
    varve_add_variable(root, "table", varve_array(table[0], ROWS, COLUMNS));
    cr_assert_ok(varve_write(root, test_path("f"), &options, &error), error);
    varve_graph_free(graph);
}

static void write_table(void)
{
    write_table_as(VARVE_FORMAT_VARVE);
}

static void check(const float *found, const varve_box *box)
{
    for (uint64_t i = 0; i < box->extents[0]; i++)
        for (uint64_t j = 0; j < box->extents[1]; j++)
            cr_assert_eq(found[i * box->extents[1] + j],
                element(box->start[0] + i, box->start[1] + j));
}

static const varve_box boxes[] = {
    { { 2, 0 }, { 2, COLUMNS } }, /* rows */
    { { 0, 3 }, { ROWS, 1 } },    /* a column */
    { { 1, 2 }, { 3, 4 } },       /* a block */
    { { 5, 7 }, { 1, 1 } },       /* an element */
    { { 0, 0 }, { ROWS, COLUMNS } },
    { { 6, 0 }, { 0, COLUMNS } }, /* nothing */
};

static varve_tensor view_of(float *memory, const varve_box *box)
{
    return varve_array(memory, box->extents[0], box->extents[1]);
}

TEST(slices, are_restored_from_a_checkpoint_of_any_format)
{
    static const varve_format formats[] = { VARVE_FORMAT_VARVE,
#ifdef IS_WHOLE
        VARVE_FORMAT_TENSORFLOW, VARVE_FORMAT_SAFETENSORS, VARVE_FORMAT_NPZ,
        VARVE_FORMAT_TORCH, VARVE_FORMAT_GGUF
#endif
    };
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        write_table_as(formats[f]);
        for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
            float memory[ROWS * COLUMNS + 1];
            varve_graph *graph = story_graph();
            varve_node *root = varve_graph_root(graph);
            for (size_t k = 0; k <= ROWS * COLUMNS; k++)
                memory[k] = -1;
            varve_add_slice(root, "table", view_of(memory, &boxes[i]),
                VARVE_SHAPE(ROWS, COLUMNS), boxes[i].start);
            varve_restoration *r = story_read(root, "f", NULL);
            story_consumed(r);
            check(memory, &boxes[i]);
            cr_assert_eq(memory[boxes[i].extents[0] * boxes[i].extents[1]],
                -1, "memory behind it was written to");
            varve_restoration_free(r);
            varve_graph_free(graph);
        }
    }
}

TEST(slices, of_library_memory_can_be_pending_and_cast)
{
    varve_read_options options = { .cast = VARVE_CAST_WIDEN };
    const varve_box *box = &boxes[2];
    write_table();
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", &options);
    varve_node *node = varve_add_allocated_slice(root, "table", VARVE_FLOAT64,
        VARVE_SHAPE(ROWS, COLUMNS), box, NULL, NULL);
    const double *found = varve_data(node);
    story_consumed(r);
    cr_assert_eq(varve_state_of(node), VARVE_RESTORED);
    for (uint64_t i = 0; i < 12; i++)
        cr_assert_eq(found[i], element(1 + i / 4, 2 + i % 4));
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* Blocks of two rows, of which this process has every second one. */
TEST(slices, of_one_value_can_be_several_variables)
{
    static float blocks[2][2][COLUMNS];
    const varve_rename renames[] = { { "blocks/first", "table" },
        { "blocks/second", "table" } };
    varve_read_options options = { .rename = { .list = renames, .count = 2 } };
    write_table();
    varve_graph *graph = story_graph();
    varve_node *list = varve_add_dict(varve_graph_root(graph), "blocks");
    for (uint64_t b = 0; b < 2; b++)
        varve_add_slice(list, b ? "second" : "first",
            varve_array(blocks[b][0], 2, COLUMNS), VARVE_SHAPE(ROWS, COLUMNS),
            (uint64_t[]){ 4 * b, 0 });
    varve_restoration *r =
        story_read(varve_graph_root(graph), "f", &options);
    story_consumed(r);
    for (uint64_t b = 0; b < 2; b++)
        check(blocks[b][0], &(varve_box){ { 4 * b, 0 }, { 2, COLUMNS } });
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* A domain with a halo that belongs to neighbors: the inner rows are the slice,
 * and whole rows of the memory. */
TEST(slices, leave_a_halo_unchanged)
{
    float domain[4][COLUMNS];
    write_table();
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    for (size_t i = 0; i < 4 * COLUMNS; i++)
        domain[i / COLUMNS][i % COLUMNS] = -1;
    /* [halo] */
    uint64_t start[] = { 2, 0 };
    varve_add_slice(root, "table", varve_array(domain[1], 2, COLUMNS),
        VARVE_SHAPE(ROWS, COLUMNS), start);
    /* [/halo] */
    varve_restoration_free(story_read(root, "f", NULL));
    check(domain[1], &boxes[0]);
    cr_assert_eq(domain[0][COLUMNS - 1], -1);
    cr_assert_eq(domain[3][0], -1);
    varve_graph_free(graph);
}

TEST(slices, match_by_the_shape_of_the_whole_value)
{
    float memory[2 * COLUMNS];
    varve_error error;
    const varve_read_options options = { .resize = "*", .reshape = true };
    write_table();
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_slice(root, "table", varve_array(memory, 2, COLUMNS),
        VARVE_SHAPE(COLUMNS, COLUMNS), boxes[0].start);
    story_refused(root, "f", NULL, VARVE_MISMATCH, &error);
    cr_assert(story_says(&error, "table: saved float32[6,8], the program has a "
                                 "slice of float32[8,8]"),
        "%s", error.message);
    story_refused(root, "f", &options, VARVE_MISMATCH, &error);
    cr_assert(story_says(&error, "which can be neither reshaped nor resized"),
        "%s", error.message);
    varve_graph_free(graph);
}

/* A slice with the shape of the saved value, but of a larger whole. */
TEST(slices, do_not_match_a_value_of_another_shape)
{
    static float memory[ROWS * COLUMNS];
    varve_error error;
    write_table();
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_slice(root, "table", varve_array(memory, ROWS, COLUMNS),
        VARVE_SHAPE(2 * ROWS, COLUMNS), (uint64_t[]){ 0, 0 });
    story_refused(root, "f", NULL, VARVE_MISMATCH, &error);
    varve_graph_free(graph);
}

TEST(slices, are_saved_only_if_they_cover_the_value)
{
    float memory[2 * COLUMNS] = { 0 };
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_slice(root, "all", varve_array(memory, 2, COLUMNS),
        VARVE_SHAPE(2, COLUMNS), (uint64_t[]){ 0, 0 });
    story_write(root, "g");
    int files = test_file_count();
    varve_add_slice(root, "table", varve_array(memory, 2, COLUMNS),
        VARVE_SHAPE(ROWS, COLUMNS), boxes[0].start);
    varve_snapshot *snapshot = varve_snapshot_new(root, &error);
    cr_assert(snapshot, "%s", error.message);
    varve_job *job = varve_write_async(root, test_path("h"), NULL, &error);
    cr_assert_null(job);
    cr_assert_eq(error.status, VARVE_MISUSE);
    const varve_status statuses[] = {
        varve_write(root, test_path("h"), NULL, &error),
        varve_save(root, test_path("h"), NULL, &error),
        varve_snapshot_write(snapshot, test_path("h"), NULL, &error),
    };
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(statuses[i], VARVE_MISUSE, "%zu", i);
    cr_assert(story_says(&error,
                  "table: a shard of float32[6,8] cannot be saved alone: "
                  "float32[2,8] from [2,0] on: only a call with a "
                  "communicator (`comm`) saves shards"),
        "%s", error.message);
    cr_assert_eq(test_file_count(), files);
    memory[3] = 3;
    cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
    cr_assert_eq(memory[3], 0);
    varve_snapshot_free(snapshot);
    varve_graph_free(graph);
}

/* A value of several chunks with one damaged: only slices that intersect it
 * cannot be read. */
TEST(slices, read_only_the_chunks_that_they_intersect)
{
    enum { LONG = 1 << 20 };
    float *values = calloc(LONG, sizeof *values), memory[16];
    size_t size;
    varve_graph *graph = story_graph();
    varve_add_variable(
        varve_graph_root(graph), "x", varve_array(values, LONG));
    for (size_t i = 0; i < LONG; i++)
        values[i] = (float)(i + 1);
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    unsigned char *bytes = test_read_file(test_path("f"), &size);
    bytes[size / 2] ^= 1; /* in the third of four chunks, or the second */
    test_write_file(test_path("f"), bytes, size);
    for (uint64_t chunk = 0; chunk < 4; chunk++) {
        const varve_read_options options = { .salvage.on = true };
        uint64_t start = chunk * (LONG / 4) + 100;
        bool is_near = chunk == 1 || chunk == 2;
        varve_error error;
        graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_add_slice(
            root, "x", varve_array(memory, 16), VARVE_SHAPE(LONG), &start);
        varve_restoration *r = varve_read(root, test_path("f"), NULL, &error);
        varve_restoration *s =
            varve_read(root, test_path("f"), &options, &error);
        cr_assert(is_near || r, "%s", error.message);
        cr_assert(s, "%s", error.message);
        size_t damaged = story_findings(s, VARVE_FINDING_DAMAGED);
        cr_assert_eq(damaged, r ? 0 : 1);
        cr_assert(damaged || memory[0] == (float)(start + 1));
        varve_restoration_free(r);
        varve_restoration_free(s);
        varve_graph_free(graph);
    }
    free(bytes);
    free(values);
}

TEST(slices, change_nothing_without_memory)
{
    write_table();
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status == VARVE_NO_MEMORY; n++) {
        float memory[12];
        varve_error error = { 0 };
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        memory[0] = -1;
        varve_add_slice(root, "table", view_of(memory, &boxes[2]),
            VARVE_SHAPE(ROWS, COLUMNS), boxes[2].start);
        test_fail_allocation(n, false);
        varve_restoration *r = varve_read(root, test_path("f"), NULL, &error);
        test_fail_allocation(-1, false);
        status = r ? VARVE_OK : error.status;
        cr_assert_eq(memory[0], r ? 12 : -1);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
    cr_assert_eq(status, VARVE_OK);
}
